// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves_stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

using experiment::StepBucket;

experiment::Baselines readBaselines(const std::string& startedJson) {
  experiment::Baselines baselines;
  const auto started = nlohmann::ordered_json::parse(startedJson, nullptr, false);
  if (!started.is_object() || !started.contains("baselines")) return baselines;
  for (const auto& [name, metrics] : started["baselines"].items()) {
    std::vector<experiment::Metric> values;
    for (const auto& [key, value] : metrics.items())
      if (value.is_number()) values.emplace_back(key, value.get<double>());
    baselines.emplace_back(name, std::move(values));
  }
  return baselines;
}

/// Seconds at the end of a step, from the buckets around it; in proportion within a bucket of
/// several steps.
double secondsAt(const std::vector<StepBucket>& steps, std::int64_t step) {
  const auto bucket = std::ranges::lower_bound(steps, step, {}, &StepBucket::lastStep);
  if (bucket == steps.end()) return NAN;
  if (bucket->lastStep == step || bucket == steps.begin()) return bucket->seconds;
  const StepBucket& before = *(bucket - 1);
  const double share = static_cast<double>(step - before.lastStep) /
                       static_cast<double>(bucket->lastStep - before.lastStep);
  return before.seconds + share * (bucket->seconds - before.seconds);
}

/// The first step without a finite loss. Its bucket is divided again and again, so a few hundred
/// buckets are read, however long the run is.
Result<std::int64_t> firstNonFinite(const store::RunStore& store, const std::string& runId,
                                    std::vector<StepBucket> steps) {
  constexpr std::int64_t kParts = 64;
  for (std::int64_t width = std::numeric_limits<std::int64_t>::max();;) {
    const auto found =
        std::ranges::find_if(steps, [](const StepBucket& each) { return each.nonFinite > 0; });
    if (found == steps.end()) return std::int64_t{0};
    const StepBucket bucket = *found;
    if (bucket.lastStep - bucket.firstStep >= width || bucket.firstStep == bucket.lastStep)
      return bucket.firstStep;
    width = bucket.lastStep - bucket.firstStep;
    PARAPET_ASSIGN(steps, store.stepBlocks(runId, bucket.firstStep, bucket.lastStep, kParts));
  }
}

Result<std::vector<EpochRow>> readEpochs(const store::RunStore& store, const std::string& runId,
                                         const std::vector<StepBucket>& steps) {
  PARAPET_ASSIGN(auto summaries, store.epochs(runId));
  std::vector<EpochRow> rows;
  for (experiment::EpochSummary& summary : summaries) {
    const double at = secondsAt(steps, summary.step);
    rows.push_back({std::move(summary), at});
  }
  return rows;
}

std::optional<RunMark::Kind> kindOf(const store::EventRecord& event, bool paused) {
  if (event.kind == "checkpoint") return RunMark::Kind::kCheckpoint;
  if (event.kind == "warning") return RunMark::Kind::kWarning;
  if (event.kind == "started" && event.step > 0) return RunMark::Kind::kResume;
  if (event.kind != "state") return std::nullopt;
  if (event.message == experiment::runStateName(experiment::RunState::kPaused))
    return RunMark::Kind::kPause;
  if (paused && event.message == experiment::runStateName(experiment::RunState::kRunning))
    return RunMark::Kind::kResume;
  return std::nullopt;
}

}  // namespace

Result<std::vector<RunMark>> readMarks(const store::RunStore& store, const std::string& runId) {
  PARAPET_ASSIGN(const auto events, store.events(runId));
  std::vector<RunMark> marks;
  bool paused = false;
  for (const store::EventRecord& event : events) {
    if (event.kind == "started")
      std::erase_if(marks, [&](const RunMark& mark) { return mark.step > event.step; });
    const auto kind = kindOf(event, paused);
    if (event.kind == "state") paused = kind == RunMark::Kind::kPause;
    if (!kind) continue;
    RunMark mark{*kind, event.step, NAN, shownText(event.message)};
    if (event.step > 0) {
      PARAPET_ASSIGN(const auto at, store.steps(runId, event.step - 1, 1));
      if (!at.empty()) mark.seconds = at.front().seconds;
    } else {
      mark.seconds = 0.0;
    }
    marks.push_back(std::move(mark));
  }
  return marks;
}

Result<StoredRun> readStoredRun(const store::RunStore& store, const std::string& runId,
                                std::int64_t maxSteps) {
  StoredRun run;
  PARAPET_ASSIGN(run.record, store.find(runId));
  PARAPET_ASSIGN(const nlohmann::json document,
                 experiment::parseStoredJson(run.record.experimentJson));
  experiment::Parsed parsed = experiment::parse(document);
  if (!parsed.findings.problems.empty())
    return Error{ErrorCode::kData,
                 fmt::format("the document of run {} cannot be read: {}", run.record.id,
                             parsed.findings.problems.front().message)};
  run.experiment = std::move(parsed.experiment);
  run.baselines = readBaselines(run.record.startedJson);
  PARAPET_ASSIGN(run.steps, store.stepBlocks(run.record.id, 0, run.record.steps, maxSteps));
  // More steps than buckets: some were joined, by the store now or when they were recorded.
  PARAPET_ASSIGN(run.firstNonFinite, firstNonFinite(store, run.record.id, run.steps));
  run.reduced = run.record.steps > static_cast<std::int64_t>(run.steps.size());
  PARAPET_ASSIGN(run.epochs, readEpochs(store, run.record.id, run.steps));
  PARAPET_ASSIGN(run.marks, readMarks(store, run.record.id));
  return run;
}

Result<StoredTail> readStoredTail(const store::RunStore& store, const std::string& runId,
                                  std::int64_t afterStep) {
  StoredTail tail;
  PARAPET_ASSIGN(tail.record, store.find(runId));
  tail.baselines = readBaselines(tail.record.startedJson);
  PARAPET_ASSIGN(tail.steps, store.steps(runId, afterStep));
  PARAPET_ASSIGN(tail.epochs, readEpochs(store, runId, tail.steps));
  PARAPET_ASSIGN(tail.marks, readMarks(store, runId));
  return tail;
}

}  // namespace parapet::ui
