// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_order.h"
#include "engine/data/dataset/user_history.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"

namespace parapet::data {

/// One feature in one batch. One id per example unless `offsets` is given: then example b
/// owns ids [offsets[b], offsets[b+1]) and, if not empty, as many `weights`. A dense feature
/// has `dense` values, one per example, and no ids.
struct FeatureIds {
  std::span<const std::int32_t> ids;
  std::span<const std::int32_t> offsets{};
  std::span<const float> weights{};
  std::span<const float> dense{};
};

/// One global batch; views stay valid until the next call on the same stream.
struct Batch {
  std::int64_t epoch = 1;            ///< as begin() was told
  std::int64_t index = 0;            ///< within the epoch, from 0
  std::int64_t firstRow = 0;         ///< index of the first example within the epoch
  std::int64_t serial = 0;           ///< from 1; unique among the batches of the loader
  std::int64_t rows = 0;             ///< a short last batch has fewer than the capacity
  std::vector<FeatureIds> features;  ///< in the order of the loader's columns
  std::span<const float> labels;     ///< empty: rows are texts
  std::span<const float> weights;    ///< empty: all 1
  /// With lists: list i has the rows [lists[i], lists[i + 1]). Empty: rows stand alone.
  std::span<const std::int32_t> lists{};
  /// With windows: items of the sequence of a row's list that are not before the row, [rows]. The
  /// last item before row r is so many back from the end of the sequence. Empty: no windows.
  std::span<const std::int32_t> positions{};
};

/// Turns rows of a data set into batches, in the order of RowOrder or, of lists, ListOrder.
///
/// With `cache` and an order that never changes everything is gathered once and batches are views
/// into it, if that takes no more than a quarter of the machine's memory. Otherwise a worker thread
/// gathers ahead into fixed buffers, a window of a large set at a time. Lists are always gathered
/// ahead. Either way a steady-state
/// next() allocates nothing.
class BatchLoader {
 public:
  struct Options {
    std::int64_t batchRows = 1;  ///< with windows lists
    bool dropRemainder = false;
    experiment::BatchOrder order = experiment::BatchOrder::kOnce;
    bool cache = true;
    std::uint64_t seed = 0;
    int prefetch = 2;                                  ///< batches gathered ahead, ≥ 1
    std::int64_t window = experiment::Batch{}.window;  ///< rows that are shuffled together
    std::optional<RowRange> rowRange{};                ///< of every epoch; null: all rows
    /// Rows of a list: ListOrder then decides what batches are made of. Not with a range.
    std::optional<std::int64_t> groupSize{};
    /// Rows of a user in order as lists, each for one sequence: ListOrder then decides what batches
    /// are made of. Shared histories need it. Not with a range or groups.
    std::optional<experiment::SequenceWindows> windows{};
    /// Columns that the data set has not, by name: what the users of the rows had before.
    std::map<std::string, HistoryColumn> histories{};
    /// Epochs after the first are the first so many batches of the first one.
    std::optional<std::int64_t> fixedBatches{};
  };
  /// `columns`: column of each feature, of ids or dense, or a history. InvalidArgument for a column
  /// that is unknown, batches of no rows, or lists that do not fit them.
  BatchLoader(std::shared_ptr<const Dataset> dataset, RowSet rows, std::vector<std::string> columns,
              Options options);
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// Rows of an epoch with batches of its own, those of a dropped remainder included; with windows
  /// those that are in a list.
  [[nodiscard]] std::int64_t rows() const;
  /// Batches of an epoch (from 1). They differ from epoch to epoch with fixed batches, and with
  /// lists that are shuffled anew; counting them then takes a pass over the lists.
  [[nodiscard]] std::int64_t batchesPerEpoch(std::int64_t epoch = 1) const;
  /// Starts (or restarts) an epoch (from 1) at batch `firstBatch`.
  void begin(std::int64_t epoch, std::int64_t firstBatch = 0);
  /// The next batch of the epoch, or null at its end or when stop is requested.
  const Batch* next(std::stop_token stop = {});
  /// The batch that the coming next() will give, with its serial; null if that is not known yet,
  /// and at the end of the epoch. Its views stay valid until the call after that next().
  const Batch* peek();
  /// Seconds that next() has waited for the worker so far.
  [[nodiscard]] double waitSeconds() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::data
