// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace parapet::experiment {

/// The part of a split that a row of a data set belongs to.
enum class SplitPart { kTrain, kValidation, kTest, kUnused };

/// "train", "validation", "test", "unused": as files and the terminal have it.
constexpr const char* splitPartName(SplitPart part) {
  constexpr std::array kNames{"train", "validation", "test", "unused"};
  return kNames[static_cast<std::size_t>(part)];
}

constexpr std::optional<SplitPart> splitPartFromName(std::string_view name) {
  using enum SplitPart;
  for (const SplitPart part : {kTrain, kValidation, kTest, kUnused})
    if (name == splitPartName(part)) return part;
  return std::nullopt;
}

}  // namespace parapet::experiment
