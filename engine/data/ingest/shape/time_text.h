// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parapet::data {

/// Seconds since 1970 of a date, "2024-05-31" or "2024/05/31", with a time of day after a space or
/// a T if there is one ("18:30", "18:30:05", "18:30:05.25": parts of a second are cut off), and
/// with Z, "+02:00" or "-0530" after that; without, it is UTC. Years 0001 to 9999 of the Gregorian
/// calendar (ISO 8601). nullopt for anything else.
std::optional<std::int64_t> parseTimeText(std::string_view text);

}  // namespace parapet::data
