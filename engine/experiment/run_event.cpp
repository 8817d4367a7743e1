// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_event.h"

#include <array>

namespace parapet::experiment {
namespace {

struct NamedState {
  RunState state;
  const char* name;
  bool terminal;
};

constexpr std::array kStates{
    NamedState{RunState::kQueued, "Queued", false},
    NamedState{RunState::kRunning, "Running", false},
    NamedState{RunState::kPaused, "Paused", false},
    NamedState{RunState::kFinished, "Finished", true},
    NamedState{RunState::kStopped, "Stopped", true},
    NamedState{RunState::kFailed, "Failed", true},
    NamedState{RunState::kCrashed, "Crashed", true},
    NamedState{RunState::kDiverged, "Diverged", true},
    NamedState{RunState::kDiskFull, "DiskFull", true},
    NamedState{RunState::kDeviceLost, "DeviceLost", true},
};

const NamedState& entryOf(RunState state) {
  for (const NamedState& entry : kStates)
    if (entry.state == state) return entry;
  throw InvalidArgument("[experiment.runState] not a state of a run");
}

}  // namespace

const char* runStateName(RunState state) {
  return entryOf(state).name;
}

std::optional<RunState> runStateFromName(std::string_view name) {
  for (const NamedState& entry : kStates)
    if (name == entry.name) return entry.state;
  return std::nullopt;
}

bool isTerminal(RunState state) {
  return entryOf(state).terminal;
}

std::span<const BaselineVerdict> lastVerdicts(std::span<const EpochSummary> epochs) {
  for (auto epoch = epochs.rbegin(); epoch != epochs.rend(); ++epoch)
    if (!epoch->verdicts.empty()) return epoch->verdicts;
  return {};
}

}  // namespace parapet::experiment
