// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_event.h"

#include <array>

#include "engine/base/json_number.h"

namespace parapet::experiment {
namespace {

using nlohmann::ordered_json;

ordered_json figuresToJson(const std::vector<Metric>& figures) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : figures) object[key] = numberOrNull<ordered_json>(value);
  return object;
}

std::vector<Metric> figuresAt(const ordered_json& entry, const char* key) {
  std::vector<Metric> figures;
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_object()) return figures;
  for (const auto& [name, value] : found->items()) figures.emplace_back(name, numberOrNan(value));
  return figures;
}

std::string wordAt(const ordered_json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

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

ordered_json toJson(std::span<const SegmentMetrics> segments) {
  ordered_json all = ordered_json::array();
  for (const SegmentMetrics& of : segments)
    all.push_back({{"segment", of.segment},
                   {"value", of.value.empty() ? ordered_json() : ordered_json(of.value)},
                   {"queries", of.queries},
                   {"metrics", figuresToJson(of.metrics)},
                   {"standard_errors", figuresToJson(of.standardErrors)}});
  return all;
}

std::vector<SegmentMetrics> segmentsFromJson(const ordered_json& value) {
  std::vector<SegmentMetrics> segments;
  if (!value.is_array()) return segments;
  for (const ordered_json& entry : value) {
    if (!entry.is_object() || !entry.contains("segment")) continue;
    const auto queries = entry.find("queries");
    segments.push_back(
        {wordAt(entry, "segment"), wordAt(entry, "value"),
         queries != entry.end() && queries->is_number_integer() ? queries->get<std::int64_t>() : 0,
         figuresAt(entry, "metrics"), figuresAt(entry, "standard_errors")});
  }
  return segments;
}

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
