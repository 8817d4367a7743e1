// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset/batch_rows.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/user_history.h"

namespace parapet::data {

/// A dense column, or one of ids: one a row, or bags of any length; or histories, which are bags
/// that are made when they are gathered.
struct ColumnView {
  std::span<const float> dense;  ///< not empty: the column is dense and has no ids
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> offsets;  ///< [rows + 1]: bag of row r; empty: no bags
  std::span<const float> weights;         ///< of each id; empty: all 1
  std::int64_t longestBag = 0;
  HistoryColumn history{};  ///< with its index the column has nothing else but the longest bag

  [[nodiscard]] bool hasBags() const { return !offsets.empty() || history.history; }
};

/// The columns of a data set that batches are made of.
struct BatchColumns {
  std::vector<ColumnView> features;
  std::span<const float> labels;   ///< empty: rows are texts
  std::span<const float> weights;  ///< empty: all 1

  /// InvalidArgument for a column that the data set has not.
  BatchColumns(const Dataset& dataset, const std::vector<std::string>& names,
               const std::map<std::string, HistoryColumn>& histories = {});
  [[nodiscard]] bool hasBags() const;
  /// Bytes of a gathered row; columns of bags do not count.
  [[nodiscard]] std::int64_t rowBytes() const;
  /// Ids that the histories of a row have at most.
  [[nodiscard]] std::int64_t historyIds() const;
};

/// Storage for the gathered columns of up to `capacity` rows. That of bags grows with the largest
/// batch that was gathered; it suffices for most from the start.
class BatchBuffer {
 public:
  BatchBuffer(const BatchColumns& columns, std::int64_t capacity);

  /// Gathers `rows` from example `at` on: column f of example at + i is that of rows[i], likewise
  /// labels and weights; at + rows.size() ≤ capacity. Bags are gathered to example 0 only, shared
  /// histories by the lists of the rows.
  void gather(const BatchColumns& columns, const BatchRows::Rows& rows, std::int64_t at = 0);
  /// Gathers the rows of a batch to example 0, and keeps its lists.
  void gatherBatch(const BatchColumns& columns, const BatchRows::Rows& rows);
  /// Rows that were gathered last.
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// Points `batch` at `count` gathered rows from `first`, which is 0 if there are bags. Allocates
  /// nothing.
  void view(Batch& batch, std::int64_t first, std::int64_t count) const;

 private:
  struct Values {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> offsets;  ///< [capacity + 1] if bags
    std::vector<float> weights;
    std::vector<float> dense;  ///< of a dense column, which has none of the above
  };
  static void gatherBags(const ColumnView& column, std::span<const std::int64_t> rows, Values& out);
  static void gatherHistories(const HistoryColumn& column, std::span<const std::int64_t> rows,
                              Values& out);
  void gatherSequences(const HistoryColumn& column, const BatchRows::Rows& rows, Values& out);

  std::vector<Values> features_;
  std::vector<float> labels_, weights_;
  std::vector<std::int32_t> lists_, positions_;
  std::int64_t rows_ = 0;
};

}  // namespace parapet::data
