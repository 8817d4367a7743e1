// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Positions of every epoch's order; the other rows are not used in that epoch.
struct RowRange {
  std::int64_t first = 0, count = 0;
};

/// The order in which the rows of a set are used, a pure function of (seed, epoch).
///
/// A set of up to `window` rows is one window: `kOnce` keeps a list's order (rows in the data's
/// order are shuffled once, as epoch 0), `kEpoch` shuffles by epoch, `kNone` sorts by row.
///
/// A larger set is shuffled by blocks, so that it is read once an epoch and a window of it at a
/// time. It is cut into runs of consecutive rows; the runs are put in an order shuffled by epoch;
/// that sequence is cut into windows; and every window is shuffled in itself. So each row comes
/// exactly once, and a window mixes runs from all over the set. `kOnce` is the order of epoch 0.
class RowOrder {
 public:
  struct Options {
    experiment::BatchOrder order = experiment::BatchOrder::kOnce;
    std::uint64_t seed = 0;
    std::int64_t window = experiment::Batch{}.window;
    std::int64_t batchRows = 1;          ///< windows hold whole batches, at least one
    std::optional<RowRange> rowRange{};  ///< begins with a whole batch; null: all rows
  };
  /// InvalidArgument for a window or batch below 1, or a range outside of the set.
  RowOrder(RowSet rows, const Options& options);

  /// Rows of an epoch.
  [[nodiscard]] std::int64_t size() const { return rowRange_.count; }
  /// Whether epochs differ.
  [[nodiscard]] bool changes() const { return changes_; }
  /// Whether the set is larger than a window.
  [[nodiscard]] bool isWindowed() const { return window_ < rows_.size(); }

 private:
  friend class RowWindow;
  RowSet rows_;
  bool shuffled_ = false, changes_ = false;
  std::uint64_t seed_ = 0;
  std::int64_t window_ = 0;  ///< rows; all if they fit
  std::int64_t run_ = 0;     ///< rows that stay together when windows are filled
  RowRange rowRange_;
};

/// One window of an order, made in small steps so that whoever makes it can do other things in
/// between. Allocates only when it is constructed.
class RowWindow {
 public:
  /// Called with rows [first, last) that the window will ask for; may be empty.
  using Ahead = std::function<void(std::int64_t first, std::int64_t last)>;
  /// `order` must outlive it.
  explicit RowWindow(const RowOrder& order, Ahead ahead = {});

  /// Chooses the window that position `position` of an epoch lies in. Keeps what it has if that
  /// is the same.
  void start(std::int64_t epoch, std::int64_t position);
  /// Whether it is the window of that position; it need not be complete.
  [[nodiscard]] bool holds(std::int64_t epoch, std::int64_t position) const;
  /// Goes on for about `steps` rows. True once the window is complete.
  bool advance(std::int64_t steps);
  [[nodiscard]] bool isComplete() const {
    return filled_ == static_cast<std::int64_t>(rows_.size()) && unshuffled_ <= 1;
  }
  /// Rows at `count` positions from `position` of the epoch, all in this window. Complete only.
  [[nodiscard]] std::span<const std::int64_t> rows(std::int64_t position, std::int64_t count) const;
  /// First position of the epoch behind the window.
  [[nodiscard]] std::int64_t end() const;

 private:
  [[nodiscard]] std::int64_t epochOf(std::int64_t epoch) const;
  [[nodiscard]] std::int64_t indexOf(std::int64_t position) const;
  void orderRuns();
  [[nodiscard]] std::int64_t fill(std::int64_t steps);

  const RowOrder& order_;
  Ahead ahead_;
  std::int64_t epoch_ = -1, index_ = -1;  ///< −1: none yet; epoch 0: the same in every epoch
  std::vector<std::int64_t> rows_;
  std::vector<std::int64_t> runs_;  ///< runs of the set in the order of runsEpoch_
  std::int64_t runsEpoch_ = -1;
  std::int64_t shortRun_ = 0;    ///< index among them of the set's last run, which may be shorter
  std::int64_t filled_ = 0;      ///< rows read so far
  std::int64_t unshuffled_ = 0;  ///< rows that are still to be shuffled; 1: done
};

}  // namespace parapet::data
