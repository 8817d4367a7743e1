// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/text.h"

namespace parapet::checkpoint {

inline constexpr std::string_view kPrefix = "ckpt-";
inline constexpr std::string_view kTemporarySuffix = ".tmp";
/// An older checkpoint of the same step, moved aside where two folders cannot be exchanged at once.
inline constexpr std::string_view kReplacedSuffix = ".replaced";
/// Before the name of what a repair has moved out of the way.
inline constexpr std::string_view kAsidePrefix = "damaged-";

inline std::string folderName(std::int64_t step, std::string_view suffix = {}) {
  return fmt::format("{}{}{}", kPrefix, step, suffix);
}

/// The step of a name that folderName(step, suffix) gives; nullopt for every other name.
inline std::optional<std::int64_t> stepOfName(std::string_view name, std::string_view suffix = {}) {
  if (!name.starts_with(kPrefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + suffix.size()) return std::nullopt;
  const auto step =
      parseInt(name.substr(kPrefix.size(), name.size() - kPrefix.size() - suffix.size()));
  if (!step || *step < 0 || folderName(*step, suffix) != name) return std::nullopt;
  return step;
}

}  // namespace parapet::checkpoint
