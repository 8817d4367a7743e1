// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace parapet::data {

/// Ids that a column may hold, and the words for those that it may not.
struct IdRange {
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool zeroIsReserved = false;  ///< direct vocabularies keep row 0 for padding
  std::string lastBecause;      ///< what `last` comes from
};

/// What every row must satisfy, whatever source it comes from. Reasons are "" for a good value.
struct RowRules {
  IdRange users, items;
  std::optional<std::array<double, 2>> scale;  ///< label scale [lo, hi]
  bool weighted = false;                       ///< the rating is the example's weight, too

  [[nodiscard]] static std::string reasonAgainstId(std::string_view column, std::int64_t id,
                                                   const IdRange& range);
  [[nodiscard]] std::string reasonAgainstRating(double rating) const;
};

}  // namespace parapet::data
