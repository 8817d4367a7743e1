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
  static constexpr std::int64_t kBytesPerPass = 1 << 27;
  /// Called with rows [first, last) when a pass has them behind it; see Dataset::release.
  using Behind = std::function<void(std::int64_t first, std::int64_t last)>;

  /// `users` in [0, userCount) must outlive it.
  UserGroups(std::span<const std::int32_t> users, std::int64_t userCount, Behind behind = {});

  /// Rows of each user, [userCount].
  [[nodiscard]] std::span<const std::uint32_t> counts() const { return counts_; }
  /// Calls visit(user, values) for every user that has rows, users ascending; values holds
  /// valueOf(row) for the user's rows, rows ascending. They may be changed in place.
  template <class Value, class ValueOf, class Visit>
  void forEach(const ValueOf& valueOf, const Visit& visit) const;

 private:
  static constexpr std::int64_t kRun = 1 << 20;
  /// Users [firstUser, lastUser) and the rows among which theirs are.
  struct Range {
    std::int64_t firstUser = 0, lastUser = 0, rowCount = 0, firstRow = 0, lastRow = 0;
  };
  /// The range of at most `rows` rows (one user may have more) that follows another.
  [[nodiscard]] Range rangeAfter(const Range& range, std::int64_t rows) const;
  /// Calls visit(row) for the rows of a range, and behind_ after every run of them.
  template <class Visit>
  void scan(const Range& range, const Visit& visit) const;

  std::span<const std::int32_t> users_;
  std::vector<std::uint32_t> counts_;
  Behind behind_;
  bool sorted_ = true;
};

template <class Visit>
void UserGroups::scan(const Range& range, const Visit& visit) const {
  for (std::int64_t first = range.firstRow; first < range.lastRow; first += kRun) {
    const std::int64_t last = std::min(range.lastRow, first + kRun);
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t user = users_[static_cast<std::size_t>(row)];
      if (user >= range.firstUser && user < range.lastUser) visit(row, user - range.firstUser);
    }
    if (behind_) behind_(first, last);
  }
}

template <class Value, class ValueOf, class Visit>
void UserGroups::forEach(const ValueOf& valueOf, const Visit& visit) const {
  std::unique_ptr<Value[]> values;  // not a vector, which would write zeros first
  std::int64_t room = 0;
  std::vector<std::uint32_t> next;  // where a user's next value goes
  const auto userCount = static_cast<std::int64_t>(counts_.size());
  Range range;
  while (range.lastUser < userCount) {
    range = rangeAfter(range, kBytesPerPass / static_cast<std::int64_t>(sizeof(Value)));
    if (range.rowCount == 0) continue;
    if (range.rowCount > room) {
      values.reset();
      values = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(range.rowCount));
      room = range.rowCount;
    }
    next.assign(static_cast<std::size_t>(range.lastUser - range.firstUser), 0);
    for (std::size_t u = 1; u < next.size(); ++u)
      next[u] = next[u - 1] + counts_[static_cast<std::size_t>(range.firstUser) + u - 1];
    scan(range, [&](std::int64_t row, std::int64_t u) {
      values[next[static_cast<std::size_t>(u)]++] = valueOf(row);
    });
    std::size_t begin = 0;
    for (std::size_t u = 0; u < next.size(); begin = next[u++])
      if (next[u] > begin)
        visit(static_cast<std::int32_t>(range.firstUser + static_cast<std::int64_t>(u)),
              std::span<Value>(values.get() + begin, next[u] - begin));
  }
}

}  // namespace parapet::data
