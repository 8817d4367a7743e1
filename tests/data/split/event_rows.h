// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/data/dataset/event_columns.h"

namespace parapet::data {

/// Columns of a data set without one.
struct EventRows {
  std::vector<std::int32_t> users, items;
  std::vector<std::int64_t> times;
  std::vector<std::int32_t> microseconds;     ///< empty: 0 of all
  std::vector<std::uint8_t> parts;            ///< empty: unknown
  std::int64_t userCount = 0, itemCount = 0;  ///< 0: as many as ids reach

  void add(std::int32_t user, std::int32_t item, std::int64_t time) {
    users.push_back(user);
    items.push_back(item);
    times.push_back(time);
  }
  [[nodiscard]] EventColumns columns() const {
    const auto reach = [](const std::vector<std::int32_t>& ids) {
      return ids.empty() ? 0 : std::int64_t{*std::max_element(ids.begin(), ids.end())} + 1;
    };
    EventColumns columns;
    columns.rows = static_cast<std::int64_t>(users.size());
    columns.users = users;
    columns.items = items;
    columns.userEntries = users;
    columns.itemEntries = items;
    columns.times = times;
    columns.microseconds = microseconds;
    columns.parts = parts;
    columns.userCount = userCount > 0 ? userCount : reach(users);
    columns.itemCount = itemCount > 0 ? itemCount : reach(items);
    columns.userEntryCount = columns.userCount;
    columns.itemEntryCount = columns.itemCount;
    return columns;
  }
};

}  // namespace parapet::data
