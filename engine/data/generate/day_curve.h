// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace parapet::data {

/// How time that is even over the day becomes that of people, who do more in the evening than at
/// night: 96 equal slots, quarters of an hour of the even day, are dealt out to the 24 hours.
struct DayCurve {
  /// Slots by hour. The last hours get less than their part, so that what is even up to an evening
  /// stays before that evening.
  static constexpr std::array<std::uint32_t, 24> kSlots{2, 1, 1, 1, 1, 2, 3, 4, 5, 5, 4, 4,
                                                        4, 5, 5, 5, 5, 6, 7, 7, 7, 6, 3, 3};
  static constexpr std::uint32_t kSlotsADay = 96;
  static constexpr std::uint32_t kSlotSeconds = 86'400 / kSlotsADay;

  struct Slot {
    std::uint8_t hour;
    std::uint8_t before;  ///< slots of the hour before this one
  };
  static constexpr std::array<Slot, kSlotsADay> kSlotOrder = [] {
    std::array<Slot, kSlotsADay> order{};
    std::size_t at = 0;
    for (std::uint8_t hour = 0; hour < kSlots.size(); ++hour)
      for (std::uint8_t k = 0; k < kSlots[hour]; ++k) order[at++] = {hour, k};
    return order;
  }();
};

/// Seconds from a midnight, even over the day, as those of people. Keeps the order and the day.
inline std::int64_t peopledTime(std::int64_t second) {
  const std::int64_t day = second / 86'400;
  const auto ofDay = static_cast<std::uint32_t>(second % 86'400);
  const DayCurve::Slot slot = DayCurve::kSlotOrder[ofDay / DayCurve::kSlotSeconds];
  const std::uint32_t ofHour =
      slot.before * DayCurve::kSlotSeconds + ofDay % DayCurve::kSlotSeconds;
  return day * 86'400 + slot.hour * 3'600 + ofHour * 4 / DayCurve::kSlots[slot.hour];
}

/// Share of the time of people that is in a quarter of the day, 0 to 3 from midnight.
inline double dayQuarterShare(int quarter) {
  std::uint32_t slots = 0;
  for (int hour = 6 * quarter; hour < 6 * quarter + 6; ++hour)
    slots += DayCurve::kSlots[static_cast<std::size_t>(hour)];
  return slots / static_cast<double>(DayCurve::kSlotsADay);
}

}  // namespace parapet::data
