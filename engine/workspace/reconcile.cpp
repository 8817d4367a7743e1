// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/experiment/verdict_text.h"
#include "engine/store/check_database.h"
#include "engine/train/training_progress.h"
#include "engine/workspace/export_note.h"
#include "engine/workspace/run_differences.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace fs = std::filesystem;
namespace {

std::int64_t writtenMs(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
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

/// The last finished epoch, as far as a manifest shows: its losses and metrics, not its times. A validation
/// by older rules is left out: what is recorded now is of the rules of this program.
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
    else if (train::followsRules(manifest) || !name.starts_with("val_"))
      epoch.metrics.emplace_back(name, value);
  return epoch;
}

/// Records the epochs of manifests that the database lacks, with a note on what they do not hold.
void recordEpochs(Shared& shared, const std::string& runId,
                  std::map<std::int64_t, experiment::EpochSummary> epochs) {
  const auto recorded = shared.store->epochs(runId, epochs.begin()->first - 1);
  if (!recorded) return;
  for (const experiment::EpochSummary& epoch : *recorded) epochs.erase(epoch.epoch);
  std::string names;
  for (const auto& [number, epoch] : epochs) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", number);
    shared.store->sink().onEvent(runId, experiment::EpochEnded{epoch});
  }
  if (!names.empty())
    shared.store->sink().onEvent(
        runId,
        experiment::RunNote{"Read from the manifests of checkpoints: the losses and metrics "
                            "of epoch " +
                            names + ". Their times, curves, baselines and verdicts are lost"});
  (void)shared.store->flush();
}

/// Rows of checkpoints, and the epochs that the database lacks, follow the manifests of checkpoints that it
/// does not know; the newest says which one is the best. Rows of folders that are gone stay for `doctor`,
/// except those that a crash kept from being removed.
void followDisk(Shared& shared, const store::RunRecord& run) {
  const auto known = shared.store->checkpoints(run.id);
  if (!known) return;
  std::vector<store::CheckpointRecord> rows = *known;
  if (run.state == experiment::RunState::kCrashed)
    std::erase_if(rows, [&](const auto& row) { return row.isGone(shared.folder); });
  std::map<std::int64_t, experiment::EpochSummary> epochs;
  std::int64_t best = -1;
  for (const checkpoint::Listed& listed : checkpoint::list(shared.checkpointFolder(run.id))) {
    const auto row = std::ranges::find(*known, listed.step, &store::CheckpointRecord::step);
    if (row != known->end()) {
      if (row->best) best = row->step;
      continue;
    }
    const auto opened = checkpoint::open(listed.folder);
    if (!opened || opened->manifest().runId != run.id) continue;
    const checkpoint::Manifest& manifest = opened->manifest();
    rows.push_back({listed.step, manifest.epoch, listed.folder.string(), opened->bytes(), false,
                    writtenMs(listed.folder / "manifest.json")});
    if (train::followsRules(manifest)) best = manifest.trainerState.value("best_step", best);
    // A fork begins with the metrics of another run.
    if (const auto epoch = epochOf(manifest); epoch.epoch > 0 && epoch.step > run.forkedStep)
      epochs[epoch.epoch] = epoch;
  }
  if (std::ranges::is_permutation(rows, *known, {}, &store::CheckpointRecord::step,
                                  &store::CheckpointRecord::step))
    return;
  for (store::CheckpointRecord& row : rows) row.best = best < 0 ? row.best : row.step == best;
  if (!epochs.empty()) recordEpochs(shared, run.id, std::move(epochs));
  if (const Status replaced = shared.store->replaceCheckpoints(run.id, rows); !replaced.ok())
    return shared.warn(replaced.error().text());
  // Warns of epochs that are missing still.
  (void)shared.store->epochs(run.id);
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
  record.recipe = experiment::kRecoveredRecipe;
  record.experimentJson = manifest.experiment.dump();
  record.fingerprint = manifest.fingerprint;
  record.dataset = manifest.dataset;
  nlohmann::json document = manifest.experiment;
  experiment::useCurrentNames(document);
  const experiment::Experiment experiment = experiment::parse(document).experiment;
  const double seconds = secondsIn(manifest.trainerState, "seconds");
  record.createdMs = writtenMs(latest->checkpoint.folder() / "manifest.json") -
                     static_cast<std::int64_t>(seconds * 1000.0);
  record.bestMetric = bestMetricOf(experiment);
  record.totalEpochs = experiment.training.epochs;
  record.steps = manifest.step;
  describeRun(experiment, record);
  if (const Status created = shared.store->createRun(record); !created.ok())
    return shared.warn(created.error().text());
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

/// The document of a run as a checkpoint has it, whose manifest carries its own hash.
Result<store::RunStore::Options::Recovered> documentFromCheckpoint(const fs::path& folder,
                                                                   const std::string& runId) {
  PARAPET_ASSIGN(const checkpoint::Opened opened,
                 checkpoint::openOfRun(folder / "checkpoints" / runId, runId));
  const checkpoint::Manifest& manifest = opened.checkpoint.manifest();
  // With its keys in the order of documents, so that the same document has the same hash.
  const experiment::Parsed parsed = experiment::parse(manifest.experiment);
  return store::RunStore::Options::Recovered{
      parsed.findings.problems.empty() ? experiment::toJson(parsed.experiment).dump()
                                       : manifest.experiment.dump(),
      fmt::format("that of its checkpoint of step {}", manifest.step)};
}

std::size_t countFolders(const fs::path& parent) {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(parent, error))
    count += entry.is_directory(error) &&
             entry.path().filename().string().find(".tmp-") == std::string::npos;
  return count;
}

}  // namespace

store::RunStore::Options storeOptions(const fs::path& folder,
                                      std::function<void(const std::string&)> onWarning,
                                      store::RunStore::Access access) {
  return {std::move(onWarning), access,
          [folder](const std::string& runId) { return documentFromCheckpoint(folder, runId); }};
}

std::string lostWithDatabase(const fs::path& folder) {
  const std::size_t runs = countFolders(folder / "checkpoints"),
                    datasets = countFolders(folder / "datasets");
  if (runs + datasets == 0 || !store::isEmptyDatabase(folder / "parapet.db")) return {};
  return fmt::format(
      "the run database of the workspace {} is empty or gone, and yet the folder is not new: it "
      "holds "
      "the checkpoints of runs ({}) and data sets ({}). Lost are its experiments, the runs without "
      "a "
      "checkpoint, and the curves and events of the others, which are adopted from their "
      "checkpoints. "
      "A backup of parapet.db brings them back",
      folder.string(), runs, datasets);
}

void reconcile(Shared& shared) {
  removeKilledExports(shared.folder);
  const auto crashed = shared.store->markCrashed();
  if (crashed)
    for (const std::string& id : *crashed)
      shared.warn(fmt::format("run {} crashed: its process is gone; it can be resumed", id));
  const auto runs = shared.store->runs({.trashed = store::RunFilter::Trashed::kInclude});
  if (!runs) return shared.warn(runs.error().text());
  const store::Owner self = store::Owner::thisProcess();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(shared.folder / "checkpoints", error)) {
    if (!entry.is_directory()) continue;
    const std::string id = entry.path().filename().string();
    const auto run = std::find_if(runs->begin(), runs->end(),
                                  [&](const store::RunRecord& record) { return record.id == id; });
    if (run == runs->end()) {
      // Another program may have started it since we asked.
      if (shared.store->find(id)) continue;
      adoptOrphan(shared, id);
      // The end of the run must be stored, too, or the run counts as alive.
      (void)shared.store->flush();
      if (const auto adopted = shared.store->find(id)) followDisk(shared, *adopted);
      continue;
    }
    // On another machine a run lives as long as its heartbeat, and who had lost it is marked above.
    const bool elsewhere = run->owner.bootId != self.bootId;
    const bool alive = !experiment::isTerminal(run->state) && (elsewhere || run->owner.alive());
    if (alive) continue;
    checkpoint::removeTemporaries(entry.path());
    followDisk(shared, *run);
  }
}

}  // namespace parapet::workspace
