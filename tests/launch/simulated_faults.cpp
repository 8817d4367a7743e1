// SPDX-License-Identifier: Apache-2.0
#include "tests/launch/simulated_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parapet::launch::test {
namespace {

constexpr std::array kNames{"kill",      "power",     "start again", "stop",        "partition",
                            "full disk", "lost sync", "clock jump",  "engine fault"};

Fault drawFault(Draws& draws, int processes, Milliseconds silenceMs) {
  Fault fault;
  fault.kind = static_cast<FaultKind>(draws.below(kNames.size()));
  // Process 0 has most of the rules.
  fault.rank =
      draws.chance(30) ? 0 : static_cast<int>(draws.below(static_cast<std::uint64_t>(processes)));
  fault.atMs = draws.between(0, 900);
  fault.isLong = draws.chance(50);
  fault.durationMs = fault.isLong ? draws.between(silenceMs * 3 / 2, silenceMs * 3)
                                  : draws.between(1, silenceMs / 2);
  if (fault.kind == FaultKind::kStartAgain) fault.durationMs = draws.between(1, 3000);
  if (fault.kind == FaultKind::kClockJump) fault.durationMs = draws.between(-3'600'000, 3'600'000);
  if (draws.chance(50)) fault.atDiskOp = static_cast<int>(draws.below(40));
  if (fault.kind == FaultKind::kLostSync) fault.atMs = draws.between(0, 400), fault.atDiskOp = -1;
  return fault;
}

}  // namespace

std::string Fault::text() const {
  const std::string when = atDiskOp >= 0 ? fmt::format("at its disk operation {}", atDiskOp)
                                         : fmt::format("at {} ms", atMs);
  return fmt::format("{} of rank {} {} ({} ms)", kNames.at(static_cast<std::size_t>(kind)), rank,
                     when, durationMs);
}

Scenario drawScenario(Draws& draws, Milliseconds silenceMs) {
  constexpr std::array<int, 4> kDrops{0, 0, 20, 100};
  constexpr std::array<Milliseconds, 3> kDelays{1, 5, 50};
  Scenario scenario;
  scenario.processes = static_cast<int>(draws.between(2, 8));
  scenario.dropPermille = kDrops[draws.below(kDrops.size())];
  scenario.maxDelayMs = kDelays[draws.below(kDelays.size())];
  const std::uint64_t kind = draws.below(8);  // two none, four one, two several
  const std::uint64_t count = kind < 2 ? 0 : kind < 6 ? 1 : 2 + draws.below(3);
  for (std::uint64_t i = 0; i < count; ++i)
    scenario.faults.push_back(drawFault(draws, scenario.processes, silenceMs));
  scenario.mayLoseSyncs = std::ranges::any_of(
      scenario.faults, [](const Fault& fault) { return fault.kind == FaultKind::kLostSync; });
  return scenario;
}

}  // namespace parapet::launch::test
