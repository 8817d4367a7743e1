// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/user_groups.h"

#include <utility>
#include <vector>

namespace parapet::data {

UserGroups::UserGroups(std::span<const std::int32_t> users, std::int64_t userCount,
                       OnConsumed onConsumed, Keep keep)
    : users_(users),
      counts_(static_cast<std::size_t>(userCount)),
      onConsumed_(std::move(onConsumed)),
      keep_(std::move(keep)),
      sorted_(!keep_) {
  const auto rows = static_cast<std::int64_t>(users.size());
  std::int32_t before = 0;
  for (std::int64_t first = 0; first < rows; first += kRun) {
    const std::int64_t last = std::min(rows, first + kRun);
    for (std::int64_t row = first; row < last; ++row) {
      if (keep_ && !keep_(row)) continue;
      const std::int32_t user = users[static_cast<std::size_t>(row)];
      ++counts_[static_cast<std::size_t>(user)];
      sorted_ &= user >= before;
      before = user;
    }
    if (onConsumed_) onConsumed_(first, last);
  }
}

UserGroups::Range UserGroups::rangeAfter(const Range& range, std::int64_t rows) const {
  const auto userCount = static_cast<std::int64_t>(counts_.size());
  Range next{.firstUser = range.lastUser, .lastUser = range.lastUser};
  while (next.lastUser < userCount) {
    const std::int64_t more = counts_[static_cast<std::size_t>(next.lastUser)];
    if (next.rowCount > 0 && next.rowCount + more > rows) break;
    next.rowCount += more;
    ++next.lastUser;
  }
  next.firstRow = sorted_ ? range.lastRow : 0;
  next.lastRow = sorted_ ? next.firstRow + next.rowCount : static_cast<std::int64_t>(users_.size());
  return next;
}

std::int64_t countRepeatedPairs(std::span<const std::int32_t> users,
                                std::span<const std::int32_t> items, std::int64_t userCount,
                                std::int64_t itemCount, UserGroups::OnConsumed onConsumed) {
  constexpr std::int32_t kNobody = -1;
  std::vector<std::int32_t> stamps(static_cast<std::size_t>(itemCount), kNobody);
  std::int64_t repeated = 0;
  UserGroups(users, userCount, std::move(onConsumed))
      .forEach<std::int32_t>([&](std::int64_t row) { return items[static_cast<std::size_t>(row)]; },
                             [&](std::int32_t user, std::span<const std::int32_t> itemsOfUser) {
                               for (const std::int32_t item : itemsOfUser) {
                                 std::int32_t& stamp = stamps[static_cast<std::size_t>(item)];
                                 repeated += stamp == user;
                                 stamp = user;
                               }
                             });
  return repeated;
}

}  // namespace parapet::data
