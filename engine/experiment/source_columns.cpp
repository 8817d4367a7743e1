// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/source_columns.h"

#include <algorithm>
#include <array>

namespace parapet::experiment {
namespace {

using enum SourceColumn::Type;

constexpr std::array kMovieColumns{
    SourceColumn{"user", kInteger},         SourceColumn{"item", kInteger},
    SourceColumn{"rating", kInteger},       SourceColumn{"time", kInteger},
    SourceColumn{"user_age", kInteger},     SourceColumn{"user_gender", kText},
    SourceColumn{"user_occupation", kText}, SourceColumn{"user_zip", kText},
    SourceColumn{"title", kText},           SourceColumn{"genres", kText},
    SourceColumn{"year", kInteger}};

constexpr std::array kClickColumns{
    SourceColumn{"user", kInteger},           SourceColumn{"item", kInteger},
    SourceColumn{"hour", kInteger},           SourceColumn{"device", kText},
    SourceColumn{"position", kInteger},       SourceColumn{"categories", kIntegers},
    SourceColumn{"interests", kIntegers},     SourceColumn{"time", kInteger},
    SourceColumn{"click", kInteger},          SourceColumn{"user_visits", kInteger},
    SourceColumn{"item_views", kInteger},     SourceColumn{"price", kInteger},
    SourceColumn{"session_clicks", kInteger}, SourceColumn{"like", kInteger}};

constexpr std::array kEventColumns{SourceColumn{"uid", kInteger},
                                   SourceColumn{"item_id", kInteger},
                                   SourceColumn{"timestamp", kInteger},
                                   SourceColumn{"is_organic", kInteger},
                                   SourceColumn{"event_type", kText},
                                   SourceColumn{"played_ratio_pct", kInteger},
                                   SourceColumn{"track_length_seconds", kInteger}};

}  // namespace

std::span<const SourceColumn> generatedColumns(GeneratorKind kind) {
  switch (kind) {
    case GeneratorKind::kClicks:
      return kClickColumns;
    case GeneratorKind::kEvents:
      return kEventColumns;
    case GeneratorKind::kMovies:
      break;
  }
  return kMovieColumns;
}

std::span<const SourceColumn> movieColumns() {
  return kMovieColumns;
}

const SourceColumn* findColumn(std::span<const SourceColumn> columns, std::string_view name) {
  const auto found = std::ranges::find_if(
      columns, [&](const SourceColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

SourceColumn::Type typeOf(DerivedKind kind) {
  return kind == DerivedKind::kHour || kind == DerivedKind::kMonth ? kInteger : kText;
}

GeneratorLimits limitsOf(const Generator& generator) {
  constexpr std::int64_t kMaxIds = 100'000'000;
  constexpr std::int64_t kMaxListeners = 20'000'000;  // times their ids of three digits fit 32 bits
  constexpr std::int64_t kMaxEvents = 100'000'000'000;
  constexpr std::int64_t kGenres = 16;  // every genre of events has an item
  GeneratorLimits limits{kMaxIds, 1, kMaxIds, kMaxEvents};
  if (generator.kind == GeneratorKind::kEvents) {
    limits.maxUsers = kMaxListeners;
    limits.minItems = kGenres;
  }
  // Nobody rates a movie twice. Both counts are below 2^31, as they were read.
  if (generator.kind == GeneratorKind::kMovies)
    limits.maxEvents = std::min(kMaxEvents, generator.users * generator.items);
  return limits;
}

}  // namespace parapet::experiment
