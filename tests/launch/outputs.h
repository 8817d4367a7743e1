// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/launch/machine.h"

namespace parapet::launch::test {

/// The outputs of one kind.
template <class Kind>
std::vector<Kind> outputsOf(const std::vector<Output>& outputs) {
  std::vector<Kind> found;
  for (const Output& each : outputs)
    if (const auto* output = std::get_if<Kind>(&each)) found.push_back(*output);
  return found;
}

/// The messages of one kind that are sent, to a link or to any.
template <class Kind>
std::vector<Kind> sentOf(const std::vector<Output>& outputs, std::optional<int> link = {}) {
  std::vector<Kind> found;
  for (const Send& each : outputsOf<Send>(outputs))
    if (const auto* message = std::get_if<Kind>(&each.message);
        message && (!link || *link == each.link))
      found.push_back(*message);
  return found;
}

inline Join joinOfRank(int rank, int processes, std::uint64_t generation = 1) {
  return {generation, rank, processes, "node" + std::to_string(rank), 0, {{"build", "1"}}};
}

constexpr Limits kTestLimits{.beatMs = 100,
                             .silenceMs = 1000,
                             .joinMs = 3000,
                             .graceMs = 100,
                             .commandMs = 20'000,
                             .skewMs = 5000,
                             .maxRestarts = 1,
                             .restartWindowMs = 60'000};

}  // namespace parapet::launch::test
