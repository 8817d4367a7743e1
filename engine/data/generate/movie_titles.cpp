// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/movie_titles.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace parapet::data {
namespace {

constexpr std::array<std::string_view, 32> kAdjectives{
    "Quiet",  "Amber",   "Broken",   "Distant",  "Electric",  "Frozen",   "Golden",  "Hidden",
    "Iron",   "Jolly",   "Last",     "Midnight", "Narrow",    "Orange",   "Paper",   "Restless",
    "Salted", "Tender",  "Unlikely", "Velvet",   "Wandering", "Borrowed", "Crooked", "Drowsy",
    "Early",  "Foreign", "Gentle",   "Hollow",   "Inner",     "Lonely",   "Modest",  "Painted"};
constexpr std::array<std::string_view, 40> kNouns{
    "Harbour", "Lantern", "Staircase", "Orchard", "Café",   "Compass",  "Ferry",     "Garden",
    "Müller",  "Island",  "Journey",   "Kettle",  "Letter", "Mountain", "Neighbour", "Observatory",
    "Parade",  "Quarry",  "River",     "Signal",  "Tunnel", "Umbrella", "Violin",    "Windmill",
    "Aviary",  "Balcony", "Canal",     "Diary",   "Engine", "Fountain", "Glacier",   "Horizon",
    "Inn",     "Jury",    "Kingdom",   "Lagoon",  "Museum", "Notebook", "Oracle",    "Pilot"};
constexpr std::array<std::string_view, 4> kPatterns{"The {} {}", "{} {}", "One {} {}", "My {} {}"};

}  // namespace

std::string inventedName(std::int64_t index) {
  const auto k = static_cast<std::uint64_t>(index);
  constexpr std::uint64_t kAll = kAdjectives.size() * kNouns.size() * kPatterns.size();
  const std::uint64_t within = k % kAll;
  // Neighbours differ in all three words, and no two of the kAll indices agree in all: 5·N + 1 has
  // no divisor in common with the number of adjectives, nor N·A + 1 with that of patterns.
  const std::uint64_t noun = within % kNouns.size();
  const std::uint64_t adjective = (within / kNouns.size() + 5 * within) % kAdjectives.size();
  const std::uint64_t pattern =
      (within / (kNouns.size() * kAdjectives.size()) + within) % kPatterns.size();
  const std::string name =
      fmt::format(fmt::runtime(kPatterns[pattern]), kAdjectives[adjective], kNouns[noun]);
  return k < kAll ? name : fmt::format("{} {}", name, k / kAll + 1);
}

}  // namespace parapet::data
