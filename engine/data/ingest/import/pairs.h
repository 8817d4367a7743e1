// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/data/dataset/user_groups.h"

namespace parapet::data {

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
