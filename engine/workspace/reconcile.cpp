// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/workspace/run_differences.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

// Checkpoint rows follow what is on disk; sizes and marks are kept where a row is known.
void followDisk(Shared& shared, const std::string& runId) {
  const auto known = shared.store->checkpoints(runId);
  if (!known) return;
  std::vector<store::CheckpointRecord> onDisk;
  for (const checkpoint::Listed& listed : checkpoint::list(shared.checkpointFolder(runId))) {
    const auto row = std::find_if(
        known->begin(), known->end(),
        [&](const store::CheckpointRecord& record) { return record.step == listed.step; });
    if (row != known->end()) {
      onDisk.push_back(*row);
      continue;
    }
    const auto opened = checkpoint::open(listed.folder);
    if (!opened) continue;
    onDisk.push_back({listed.step, opened->manifest().epoch, listed.folder.string(),
                      opened->bytes(), false, wallClockMs()});
  }
  if (std::ranges::equal(onDisk, *known, {}, &store::CheckpointRecord::step,
                         &store::CheckpointRecord::step))
    return;
  if (const Status replaced = shared.store->replaceCheckpoints(runId, onDisk); !replaced.ok())
    shared.warn(replaced.error().text());
}

std::int64_t writtenMs(const std::filesystem::path& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  if (error) return wallClockMs();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(written).time_since_epoch())
      .count();
}

double secondsIn(const nlohmann::json& trainerState, const char* key) {
  const auto found = trainerState.is_object() ? trainerState.find(key) : trainerState.end();
  return trainerState.is_object() && found != trainerState.end() && found->is_number()
             ? found->get<double>()
             : 0.0;
}

/// The last finished epoch, as far as a manifest tells: its losses and metrics, not its times.
experiment::EpochSummary epochOf(const checkpoint::Manifest& manifest) {
  constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
  experiment::EpochSummary epoch;
  epoch.epoch = manifest.epoch;
  epoch.step = manifest.step - manifest.batch;
  epoch.loss = epoch.lossAsDisplayed = epoch.learningRate = kNotMeasured;
  epoch.trainSeconds = epoch.validationSeconds = epoch.retrievalSeconds = kNotMeasured;
  epoch.seconds = epoch.msPerStep = epoch.examplesPerSecond = kNotMeasured;
  for (const auto& [name, value] : manifest.metrics)
    if (name == "loss")
      epoch.loss = value;
    else if (name == "loss_as_displayed")
      epoch.lossAsDisplayed = value;
    else
      epoch.metrics.emplace_back(name, value);
  return epoch;
}

// A checkpoint folder whose run the database has lost becomes a stopped run that can be resumed.
void adoptOrphan(Shared& shared, const std::string& runId) {
  const auto latest = checkpoint::openOfRun(shared.checkpointFolder(runId), runId);
  if (!latest) return;
  for (const std::string& warning : latest->warnings) shared.warn(warning);
  const checkpoint::Manifest& manifest = latest->checkpoint.manifest();
  store::RunRecord record;
  record.id = runId;
  record.name = manifest.experiment.value("name", "recovered");
  record.recipe = "recovered";
  record.experimentJson = manifest.experiment.dump();
  record.fingerprint = manifest.fingerprint;
  record.dataset = manifest.dataset;
  const experiment::Experiment experiment = experiment::parse(manifest.experiment).experiment;
  const double seconds = secondsIn(manifest.trainerState, "seconds");
  record.createdMs = writtenMs(latest->checkpoint.folder() / "manifest.json") -
                     static_cast<std::int64_t>(seconds * 1000.0);
  record.bestMetric = bestMetricOf(experiment);
  record.totalEpochs = experiment.training.epochs;
  record.steps = manifest.step;
  describeRun(experiment, record);
  if (const Status created = shared.store->createRun(record); !created.ok())
    return shared.warn(created.error().text());
  if (manifest.epoch > 0)
    shared.store->sink().onEvent(runId, experiment::EpochEnded{epochOf(manifest)});
  shared.store->sink().onEvent(
      runId, experiment::RunEnded{experiment::RunState::kStopped,
                                  {},
                                  {},
                                  seconds,
                                  secondsIn(manifest.trainerState, "train_seconds")});
  shared.warn(fmt::format(
      "run {} was found on disk and not in the database; it has been adopted at step {}", runId,
      manifest.step));
}

}  // namespace

void reconcile(Shared& shared) {
  const auto crashed = shared.store->markCrashed();
  if (crashed)
    for (const std::string& id : *crashed)
      shared.warn(fmt::format("run {} crashed: its process is gone; it can be resumed", id));
  const auto runs = shared.store->runs({.trashed = store::RunFilter::Trashed::kInclude});
  if (!runs) return shared.warn(runs.error().text());
  const store::Owner self = store::Owner::thisProcess();
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(shared.folder / "checkpoints", error)) {
    if (!entry.is_directory()) continue;
    const std::string id = entry.path().filename().string();
    const auto run = std::find_if(runs->begin(), runs->end(),
                                  [&](const store::RunRecord& record) { return record.id == id; });
    if (run == runs->end()) {
      // Another program may have started it since we asked.
      if (shared.store->find(id)) continue;
      adoptOrphan(shared, id);
      // Its end, too, or the run counts as alive.
      (void)shared.store->flush();
      followDisk(shared, id);
      continue;
    }
    // On another machine a run lives as long as its heartbeat, and who had lost it is marked above.
    const bool elsewhere = run->owner.bootId != self.bootId;
    const bool alive = !experiment::isTerminal(run->state) && (elsewhere || run->owner.alive());
    if (alive) continue;
    checkpoint::removeTemporaries(entry.path());
    followDisk(shared, id);
  }
}

}  // namespace parapet::workspace
