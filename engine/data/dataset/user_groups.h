// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace parapet::data {

/// The rows of a column of users, user by user, in bounded memory: rows are counted per user, the
/// users are cut into ranges whose values fill at most kBytesPerPass, and each range is grouped by
/// a counting sort in a pass of its own. A column that is sorted by user already needs but one pass
/// over all.
///
/// Thread   one caller at a time.
class UserGroups {
 public:
  static constexpr std::int64_t kBytesPerPass = 1 << 28;
  /// Called with rows [first, last) when a pass has consumed them, see Dataset::release; and with
  /// none between blocks of users. What it throws ends the pass.
  using OnConsumed = std::function<void(std::int64_t first, std::int64_t last)>;

  /// Selects the rows that are grouped.
  using Keep = std::function<bool(std::int64_t row)>;

  /// `users` in [0, userCount) must outlive it; an empty `keep` keeps all rows.
  UserGroups(std::span<const std::int32_t> users, std::int64_t userCount,
             OnConsumed onConsumed = {}, Keep keep = {});

  /// Rows of each user, [userCount].
  [[nodiscard]] std::span<const std::uint32_t> counts() const { return counts_; }
  /// Calls visit(user, values) for every user that has rows, users ascending; values holds
  /// valueOf(row) for the user's rows, rows ascending. They may be changed in place.
  template <class Value, class ValueOf, class Visit>
  void forEach(const ValueOf& valueOf, const Visit& visit) const;

 private:
  static constexpr std::int64_t kRun = 1 << 18;
  static constexpr std::size_t kUsersPerBlock = 1 << 12;
  /// Users [firstUser, lastUser) and the rows among which theirs are.
  struct Range {
    std::int64_t firstUser = 0, lastUser = 0, rowCount = 0, firstRow = 0, lastRow = 0;
  };
  /// The range of at most `rows` rows (one user may have more) that follows another.
  [[nodiscard]] Range rangeAfter(const Range& range, std::int64_t rows) const;
  /// The user of a row, counted from the first of a range; at least the range's width if it is not
  /// in it.
  [[nodiscard]] std::uint32_t indexOf(std::int64_t row, const Range& range) const {
    return static_cast<std::uint32_t>(users_[static_cast<std::size_t>(row)]) -
           static_cast<std::uint32_t>(range.firstUser);
  }
  /// Calls visit(row, index of its user in the range) for the rows of a range, and onConsumed_
  /// after every run of them.
  template <class Visit>
  void scan(const Range& range, const Visit& visit) const;

  std::span<const std::int32_t> users_;
  std::vector<std::uint32_t> counts_;
  OnConsumed onConsumed_;
  Keep keep_;
  bool sorted_ = true;  ///< the rows of a range are adjacent
};

// Where a range is not all there is, its rows are first collected, without a branch that could be
// foreseen badly.
template <class Visit>
void UserGroups::scan(const Range& range, const Visit& visit) const {
  constexpr std::int64_t kBlock = 1024;
  const auto width = static_cast<std::uint32_t>(range.lastUser - range.firstUser);
  const bool all = !keep_ && (sorted_ || width == counts_.size());
  std::int64_t found[kBlock];
  for (std::int64_t first = range.firstRow; first < range.lastRow; first += kRun) {
    const std::int64_t last = std::min(range.lastRow, first + kRun);
    for (std::int64_t row = first; all && row < last; ++row) visit(row, indexOf(row, range));
    for (std::int64_t begin = first; !all && begin < last; begin += kBlock) {
      const std::int64_t end = std::min(last, begin + kBlock);
      std::int64_t count = 0;
      for (std::int64_t row = begin; row < end; ++row) {
        found[count] = row;
        count += indexOf(row, range) < width;
      }
      for (std::int64_t i = 0; i < count; ++i)
        if (!keep_ || keep_(found[i])) visit(found[i], indexOf(found[i], range));
    }
    if (onConsumed_) onConsumed_(first, last);
  }
}

template <class Value, class ValueOf, class Visit>
void UserGroups::forEach(const ValueOf& valueOf, const Visit& visit) const {
  std::unique_ptr<Value[]> values;  // not a vector, which would write zeros first
  std::int64_t capacity = 0;
  std::vector<std::uint32_t> next;  // where a user's next value goes
  const auto userCount = static_cast<std::int64_t>(counts_.size());
  Range range;
  while (range.lastUser < userCount) {
    range = rangeAfter(range, kBytesPerPass / static_cast<std::int64_t>(sizeof(Value)));
    if (range.rowCount == 0) continue;
    if (range.rowCount > capacity) {
      values.reset();
      values = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(range.rowCount));
      capacity = range.rowCount;
    }
    next.assign(static_cast<std::size_t>(range.lastUser - range.firstUser), 0);
    for (std::size_t u = 1; u < next.size(); ++u)
      next[u] = next[u - 1] + counts_[static_cast<std::size_t>(range.firstUser) + u - 1];
    // A column that has lost a page since its rows were counted has more rows of a user now, and
    // fewer of others: nothing is written or read outside the values of the range.
    const auto end = static_cast<std::uint32_t>(range.rowCount);
    scan(range, [&](std::int64_t row, std::uint32_t u) {
      if (next[u] < end) values[next[u]++] = valueOf(row);
    });
    std::uint32_t begin = 0;
    for (std::size_t u = 0; u < next.size(); ++u) {
      if (onConsumed_ && u % kUsersPerBlock == 0) onConsumed_(0, 0);
      const std::uint32_t counted = counts_[static_cast<std::size_t>(range.firstUser) + u];
      if (const std::uint32_t size = std::min(counted, next[u] - begin); size > 0)
        visit(static_cast<std::int32_t>(range.firstUser + static_cast<std::int64_t>(u)),
              std::span<Value>(values.get() + begin, size));
      begin += counted;
    }
  }
}

/// How many rows have a (user, item) pair that an earlier row has: rows are grouped by user, and
/// an item that carries the stamp of the user was met before.
///
/// Shapes   users [rows] in [0, userCount); items [rows] in [0, itemCount).
/// Memory   4 bytes per user and item, and 256 MiB.
/// Thread   pure.
std::int64_t countRepeatedPairs(std::span<const std::int32_t> users,
                                std::span<const std::int32_t> items, std::int64_t userCount,
                                std::int64_t itemCount, UserGroups::OnConsumed onConsumed = {});

}  // namespace parapet::data
