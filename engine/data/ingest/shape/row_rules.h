// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace parapet::data {

/// What an id outside the range of its column does.
enum class UnfitIds {
  kRejectLine,  ///< the line of the row is rejected
  kFailImport,  ///< of a direct vocabulary: the document says that ids are rows, and they are not
};

/// Ids that a column may hold, and the words for those that it may not.
struct IdRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  UnfitIds unfit = UnfitIds::kRejectLine;
  std::string lastBecause{};  ///< what `last` comes from

  [[nodiscard]] bool holds(std::int64_t id) const { return id >= first && id <= last; }

  /// Why an id outside the range is none; `column` is named.
  [[nodiscard]] std::string reasonAgainst(std::string_view column, std::int64_t id) const;
};

/// Numbers that a label, a weight or a dense feature may hold: those of f32.
struct NumberRules {
  std::optional<std::array<double, 2>> scale{};  ///< [lo, hi]; values outside are rejected
  bool isWeight = false;                         ///< must not be negative

  [[nodiscard]] bool accept(double value) const;
  [[nodiscard]] std::string reasonAgainst(std::string_view column, double value) const;
};

}  // namespace parapet::data
