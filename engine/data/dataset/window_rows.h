// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/data/dataset/batch_rows.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_order.h"

namespace parapet::data {

/// Batches of rows that stand alone: equal ranges of a RowOrder, read a window at a time. The
/// window behind the current one is made ahead.
///
/// When all batches of a window are made, the pages of the columns that it was read from are given
/// back (see Dataset::release), so a set may be larger than memory.
class WindowRows final : public BatchRows {
 public:
  struct Options {
    std::int64_t batchRows = 1;
    std::int64_t batches = 1;  ///< of an epoch with batches of its own; the last may be short
    FixedBatches fixedBatches{};
  };
  /// `dataset` and `order` must outlive it.
  WindowRows(const Dataset& dataset, const RowOrder& order, Options options);

  [[nodiscard]] std::int64_t batches(std::int64_t epoch) override;
  [[nodiscard]] Rows of(std::int64_t epoch, std::int64_t batch) override;
  bool prepareAhead() override;

 private:
  [[nodiscard]] RowWindow::Ahead ahead() const;
  void changeWindow(std::int64_t orderEpoch, std::int64_t position);

  const Dataset& dataset_;
  const RowOrder& order_;
  const Options options_;
  RowWindow windows_[2];
  int current_ = 0;          // of windows_; the other one is made ahead
  std::int64_t epoch_ = -1;  // of the batch asked for last
};

}  // namespace parapet::data
