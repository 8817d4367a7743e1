// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/pairs.h"

#include <utility>
#include <vector>

namespace parapet::data {

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
