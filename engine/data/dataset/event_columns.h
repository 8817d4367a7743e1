// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/dataset/user_groups.h"

namespace parapet::data {

/// Thrown by a pass over rows that was asked to stop, where no Result can be returned; becomes
/// ErrorCode::kCancelled at the next border for exceptions.
class PassStopped : public std::runtime_error {
 public:
  PassStopped() : std::runtime_error("a pass over the rows was stopped") {}
};

/// The users, items and times of events: the columns of a data set that splits and leaks are about.
/// Row 0 of a vocabulary is out-of-vocabulary: no user and no item.
struct EventColumns {
  std::int64_t rows = 0;
  std::span<const std::int32_t> users, items;  ///< [rows]
  std::int64_t userCount = 0, itemCount = 0;   ///< rows of the vocabularies
  /// Entries of the users and items, [rows]: other than their rows where several share one.
  std::span<const std::int32_t> userEntries, itemEntries;
  std::int64_t userEntryCount = 0, itemEntryCount = 0;
  std::span<const std::int64_t> times;  ///< seconds since 1970, [rows], or empty if unknown
  /// The microseconds of times beyond the whole second, [rows]; empty: all are 0.
  std::span<const std::int32_t> microseconds;
  std::span<const std::uint8_t> parts;  ///< SplitPart, [rows], or empty if unknown
  /// Releases the memory that a pass has consumed, and looks for a stop; may be empty.
  UserGroups::OnConsumed onConsumed;

  EventColumns() = default;
  /// The columns whose roles are user and item. `dataset` must outlive it. Once `stop` fires, a pass
  /// throws PassStopped after at most 2¹⁸ rows more.
  explicit EventColumns(const Dataset& dataset, std::stop_token stop = {});
  /// Whether there are users and items; texts have neither.
  [[nodiscard]] bool hasPairs() const { return rows == 0 || !users.empty(); }
  /// When a row was, for comparisons: in ticks since 1970, which are seconds, or microseconds where
  /// the data have them. Needs times.
  [[nodiscard]] std::int64_t tickOf(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return microseconds.empty() ? times[at] : ticks(times[at]) + microseconds[at];
  }
  /// As ticks; at most some 73,000 years from 1970, so that sums of three stay in range.
  [[nodiscard]] std::int64_t ticks(std::int64_t seconds) const {
    constexpr std::int64_t kMaxSeconds = std::numeric_limits<std::int64_t>::max() / 4'000'000;
    if (microseconds.empty()) return seconds;
    return std::clamp(seconds, -kMaxSeconds, kMaxSeconds) * 1'000'000;
  }

  /// Calls visit(row) for all rows in order.
  template <class Visit>
  void forEachRow(const Visit& visit) const;
  /// Calls visit(row) for the rows of a set, in its order.
  template <class Visit>
  void forEachRow(const RowSet& rows, const Visit& visit) const;
};

template <class Visit>
void EventColumns::forEachRow(const Visit& visit) const {
  constexpr std::int64_t kRun = 1 << 18;
  for (std::int64_t first = 0; first < rows; first += kRun) {
    const std::int64_t last = std::min(rows, first + kRun);
    for (std::int64_t row = first; row < last; ++row) visit(row);
    if (onConsumed) onConsumed(first, last);
  }
}

template <class Visit>
void EventColumns::forEachRow(const RowSet& set, const Visit& visit) const {
  std::vector<std::int64_t> run(1 << 16);
  for (std::int64_t first = 0; first < set.size();) {
    run.resize(std::min(run.size(), static_cast<std::size_t>(set.size() - first)));
    set.read(first, run);
    for (const std::int64_t row : run) visit(row);
    // Rows of a list may come back any time: nothing is released.
    if (onConsumed && set.isAscending())
      onConsumed(run.front(), run.back() + 1);
    else if (onConsumed)
      onConsumed(0, 0);
    first += static_cast<std::int64_t>(run.size());
  }
}

/// Where the columns of a data set describe a user or an item alone: for every row of its
/// vocabulary the last training row that it occurs in. So the features of an item (its genres, its
/// age) are found without an interaction.
///
/// "Last" is by time if the data set has times, the later row of equal ones, else by position.
///
/// Time     O(rows).
/// Memory   8 bytes per row of the vocabulary, twice that while it is made from times.
/// Thread   safe to read from many.
class EntityFeatures {
 public:
  static constexpr std::int64_t kNone = -1;

  EntityFeatures() = default;
  /// `key` is an id column of one id a row, that of the user or the item.
  ///
  /// Errors   InvalidArgument for an unknown column or one of bags, or a row that the data set has
  ///          not.
  EntityFeatures(const Dataset& dataset, std::string_view key, const RowSet& trainingRows);

  /// The row of the data set that describes an entity, kNone if no training row has it. Row 0 of
  /// the vocabulary is out-of-vocabulary, and has none. `entity` in [0, size).
  [[nodiscard]] std::int64_t rowOf(std::int64_t entity) const {
    return rows_[static_cast<std::size_t>(entity)];
  }
  /// rowOf() of every entity, [rows of the vocabulary].
  [[nodiscard]] std::span<const std::int64_t> rows() const { return rows_; }

 private:
  std::vector<std::int64_t> rows_;
};

}  // namespace parapet::data
