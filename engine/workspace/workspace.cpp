// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/process.h"
#include "engine/base/text.h"
#include "engine/base/threads.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/split/fit_vocabularies.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/mesh/plugin_communicator.h"
#include "engine/tensor/device.h"
#include "engine/workspace/check_data.h"
#include "engine/workspace/model_folder.h"
#include "engine/workspace/run_origin.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

// A preflight happens at every edit; larger sets are checked when a run starts.
constexpr std::int64_t kMaxRowsChecked = 1 << 24;

// Carries out what other processes asked of the runs of this one.
void serveRequests(Shared& shared, std::stop_token stop) {
  const ThreadName name("requests");
  std::mutex mutex;
  std::condition_variable_any ending;
  std::unique_lock pause(mutex);
  while (!stop.stop_requested()) {
    // Nothing but the end wakes it: a program that ends must not wait for the next look.
    ending.wait_for(pause, stop, std::chrono::milliseconds(250), [] { return false; });
    const auto requests = shared.store->takeRequests();
    if (!requests) continue;
    for (const auto& [id, what] : *requests) {
      std::shared_ptr<train::RunControl> control;
      {
        std::lock_guard lock(shared.mutex);
        const auto found = shared.liveRuns.find(id);
        if (found != shared.liveRuns.end()) control = found->second.lock();
      }
      if (!control) continue;
      if (what == store::Request::kPause) control->pause();
      if (what == store::Request::kResume) control->resume();
      if (what == store::Request::kStop) control->stop();
    }
  }
}

}  // namespace

Shared::~Shared() {
  if (requests.joinable()) {
    requests.request_stop();
    requests.join();
  }
}

void Shared::warn(const std::string& message) const {
  if (onWarning)
    onWarning(message);
  else
    log(LogLevel::kWarning, message);
}

Status Shared::requireWritable(std::string_view wanted) const {
  if (!readOnlyBecause) return {};
  if (isModel) return readOnlyBecause->wrap(std::string(wanted));
  return readOnlyBecause->wrap(
      fmt::format("{}: the workspace {} can only be read; make it writable or name another folder",
                  wanted, folder.string()));
}

void Shared::addRun(const std::string& id, const std::shared_ptr<train::RunControl>& control) {
  std::lock_guard lock(mutex);
  liveRuns[id] = control;
  if (!requests.joinable())
    requests = std::jthread([this](std::stop_token stop) { serveRequests(*this, stop); });
}

namespace {

bool leavesIdsOut(const Experiment& experiment) {
  return std::ranges::any_of(experiment.dataset.vocabularies,
                             [](const auto& vocabulary) { return vocabulary.leavesIdsOut(); });
}

}  // namespace

std::string sourceKey(const Experiment& experiment) {
  Experiment holder;
  holder.dataset = experiment.dataset;
  nlohmann::ordered_json key = experiment::toJson(holder)["dataset"];
  // A split decides which ids a vocabulary leaves out, and nothing else.
  if (leavesIdsOut(experiment))
    key["seed"] = experiment.training.seed;
  else
    key.erase("split");
  key.erase("batch");
  return key.dump();
}

Result<std::shared_ptr<const data::Dataset>> fitted(Shared& shared, const Experiment& experiment,
                                                    std::shared_ptr<const data::Dataset> dataset,
                                                    std::stop_token stop) {
  if (!dataset || !leavesIdsOut(experiment) || !dataset->keepsAllIds()) return dataset;
  if (shared.isModel) {
    PARAPET_ASSIGN(const data::Split split, splitIn(shared, experiment, *dataset));
    return data::fitVocabularies(std::move(dataset), experiment.dataset, split);
  }
  PARAPET_ASSIGN(const auto split, shared.splits.of(experiment, *dataset, std::move(stop)));
  return data::fitVocabularies(std::move(dataset), experiment.dataset, *split);
}

void Shared::remember(const Experiment& experiment, const data::Dataset& dataset) {
  KnownSizes sizes{dataset.rows(), train::vocabularySizes(experiment, dataset), dataset.folder()};
  std::lock_guard lock(mutex);
  knownSizes[sourceKey(experiment)] = std::move(sizes);
}

std::optional<KnownSizes> Shared::recall(const Experiment& experiment) {
  std::lock_guard lock(mutex);
  const auto found = knownSizes.find(sourceKey(experiment));
  return found == knownSizes.end() ? std::nullopt : std::optional(found->second);
}

int threadsFor(const Experiment& experiment, int asked) {
  return asked > 0 ? asked : static_cast<int>(experiment.mesh.threads.value_or(0));
}

Error firstProblem(const experiment::Findings& findings) {
  return errorOf(findings.problems.front());
}

std::string bestMetricOf(const Experiment& experiment) {
  return experiment.training.checkpoints.best.value_or("val_loss");
}

namespace {

/// Fits the vocabularies of what was imported, and reports their sizes.
Status fitReport(Shared& shared, const Experiment& experiment, data::ImportReport& report,
                 std::stop_token stop) try {
  if (!leavesIdsOut(experiment)) return {};
  PARAPET_ASSIGN(report.dataset,
                 fitted(shared, experiment, std::move(report.dataset), std::move(stop)));
  for (data::VocabularyReport& of : report.vocabularies) {
    const auto spec =
        std::ranges::find(experiment.dataset.vocabularies, of.name, &experiment::Vocabulary::name);
    if (spec == experiment.dataset.vocabularies.end() || !spec->leavesIdsOut()) continue;
    const data::Vocabulary& rows = report.dataset->vocabulary(of.name);
    std::int64_t all = 0, unknown = rows.count(0);
    of.size = rows.size();
    of.unusedRows = 0;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      all += rows.count(row);
      of.unusedRows += row > 0 && rows.count(row) == 0;
    }
    for (std::int64_t row = rows.size() - rows.oovBuckets(); row < rows.size(); ++row)
      unknown += rows.count(row);
    of.oovShare = all > 0 ? static_cast<double>(unknown) / static_cast<double>(all) : 0.0;
  }
  return {};
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the import was cancelled"};
}

/// The result of importFor() where nothing can be written: the set that is there already.
Result<data::ImportReport> findFor(Shared& shared, const Experiment& experiment,
                                   const WorkContext& context) {
  PARAPET_ASSIGN(
      std::optional<data::ImportReport> report,
      data::reuseImport(experiment.dataset, shared.datasetsFolder(), context, data::makeGenerator));
  if (!report) return shared.requireWritable("no data can be imported").error();
  PARAPET_TRY(fitReport(shared, experiment, *report, context.stop));
  shared.remember(experiment, *report->dataset);
  return *std::move(report);
}

}  // namespace

Result<data::ImportReport> importFor(Shared& shared, const Experiment& experiment,
                                     const WorkContext& context) {
  if (shared.readOnlyBecause) return findFor(shared, experiment, context);
  PARAPET_TRY(createFolders(shared.datasetsFolder()));
  PARAPET_ASSIGN(data::ImportReport report,
                 data::importDataset(experiment.dataset, shared.datasetsFolder(), context,
                                     data::makeGenerator));
  PARAPET_TRY(fitReport(shared, experiment, report, context.stop));
  shared.remember(experiment, *report.dataset);
  return report;
}

Result<data::Split> splitFor(const Experiment& experiment, const data::Dataset& dataset,
                             std::stop_token stop) {
  PARAPET_ASSIGN(const auto devices, experiment::expandDevices(experiment.mesh.devices));
  return data::makeSplit(
      dataset, experiment,
      train::globalBatchRows(experiment.dataset.batch, static_cast<std::int64_t>(devices.size())),
      std::move(stop));
}

Result<data::Split> splitIn(const Shared& shared, const Experiment& experiment,
                            const data::Dataset& dataset, std::stop_token stop) {
  if (!shared.isModel) return splitFor(experiment, dataset, std::move(stop));
  data::Split trained;
  const auto parts = dataset.parts();
  data::RowBits bits = data::noRowBits(dataset.rows());
  for (std::int64_t row = 0; row < dataset.rows(); ++row)
    if (parts.empty() || parts[static_cast<std::size_t>(row)] ==
                             static_cast<std::uint8_t>(experiment::SplitPart::kTrain))
      data::setRow(bits, row);
  trained.train = data::RowSet::ofBits(std::move(bits));
  return trained;
}

namespace {

/// All that a split depends on.
std::string splitKey(const experiment::Experiment& experiment, const data::Dataset& dataset) {
  experiment::Experiment read;
  read.dataset.split = experiment.dataset.split;
  read.dataset.batch.window = experiment.dataset.batch.window;
  read.training.seed = experiment.training.seed;
  if (experiment.dataset.split.kind == experiment::SplitKind::kBatches) {
    read.dataset.batch = experiment.dataset.batch;
    read.mesh.devices = experiment.mesh.devices;
  }
  return dataset.rowsKey() + experiment::toJson(read).dump();
}

}  // namespace

Result<std::shared_ptr<const data::Split>> KnownSplits::of(const experiment::Experiment& experiment,
                                                           const data::Dataset& dataset,
                                                           std::stop_token stop) {
  const std::string key = splitKey(experiment, dataset);
  const auto find = [&] {
    return std::ranges::find(known_, key, [](const auto& entry) { return entry.first; });
  };
  {
    std::lock_guard lock(mutex_);
    if (const auto found = find(); found != known_.end()) {
      std::rotate(found, found + 1, known_.end());
      return known_.back().second;
    }
  }
  PARAPET_ASSIGN(data::Split made, splitFor(experiment, dataset, std::move(stop)));
  auto split = std::make_shared<const data::Split>(std::move(made));
  std::lock_guard lock(mutex_);
  if (find() == known_.end()) known_.emplace_back(key, split);
  if (known_.size() > kMaxKnown) known_.erase(known_.begin());
  return split;
}

std::vector<data::LeakFinding> Shared::leaksOf(const data::Dataset& dataset,
                                               const std::shared_ptr<const data::Split>& split,
                                               const std::stop_token& stop) {
  {
    std::lock_guard lock(mutex);
    if (leaksFor.lock() == split) return leaks;
  }
  auto found = data::findLeakage(data::EventColumns(dataset, stop), *split).findings();
  std::lock_guard lock(mutex);
  leaksFor = split;
  leaks = found;
  return found;
}

Workspace::Workspace(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workspace::~Workspace() = default;

Result<mesh::CommunicatorFactory> Workspace::chosenCommunicators() {
  return mesh::chosenCommunicators();
}

bool Workspace::isModel(const std::filesystem::path& folder) {
  return isModelFolder(folder);
}

std::filesystem::path Workspace::defaultFolder() {
  return dataFolder();
}

namespace {

Result<std::unique_ptr<store::RunStore>> openStore(const Shared& shared,
                                                   store::RunStore::Access access) {
  return store::RunStore::open(shared.folder / "parapet.db",
                               storeOptions(shared.folder, shared.onWarning, access));
}

/// Makes the folders and opens the database for writing.
Result<std::unique_ptr<store::RunStore>> openWritable(const Shared& shared) {
  for (const auto& needed : {shared.folder, shared.datasetsFolder(), shared.folder / "checkpoints"})
    PARAPET_TRY(createFolders(needed));
  auto opened = openStore(shared, store::RunStore::Access::kReadWrite);
  if (opened) return opened;
  // SQLite calls a full disk an I/O error when it cannot even grow its shared-memory file.
  if (const auto free = freeBytes(shared.folder); free && *free < kFullDiskBytes)
    return opened.error().wrap(fmt::format("the disk is full, {} free", formatBytes(*free)));
  return opened;
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::open(
    const std::filesystem::path& folder, std::function<void(const std::string&)> onWarning,
    mesh::CommunicatorFactory communicators) {
  auto shared = std::make_shared<Shared>();
  shared->communicators = std::move(communicators);
  shared->folder = folder;
  shared->onWarning = std::move(onWarning);
  if (isModelFolder(folder)) {
    PARAPET_TRY(openModelFolder(*shared));
    return std::unique_ptr<Workspace>(
        new Workspace(std::make_unique<State>(State{std::move(shared)})));
  }
  const std::string lost = lostWithDatabase(folder);
  auto opened = openWritable(*shared);
  if (!opened) {
    const Error refused = opened.error();
    // The disk or the permissions are the trouble, not the content: what is there can be shown.
    if (refused.code == ErrorCode::kIo)
      opened = openStore(*shared, store::RunStore::Access::kReadOnly);
    if (!opened)
      return refused.wrap(fmt::format("the workspace {} cannot be opened", folder.string()));
    shared->readOnlyBecause = refused;
    shared->warn(
        fmt::format("the workspace {} can only be read: {}", folder.string(), refused.text()));
  }
  shared->store = std::move(opened).value();
  if (!lost.empty()) shared->warn(lost);
  if (!shared->readOnlyBecause) reconcile(*shared);
  return std::unique_ptr<Workspace>(
      new Workspace(std::make_unique<State>(State{std::move(shared)})));
}

const std::optional<Error>& Workspace::readOnlyBecause() const {
  return state_->shared->readOnlyBecause;
}
const std::filesystem::path& Workspace::folder() const {
  return state_->shared->folder;
}
store::RunStore& Workspace::store() {
  return *state_->shared->store;
}

std::vector<DeviceInfo> Workspace::devices() {
  std::vector<DeviceInfo> out;
  for (const tensor::BackendOutcome& found : tensor::DeviceRegistry::instance().outcomes())
    out.push_back(
        {found.name, found.kind, found.plugin, pluginOutcomeName(found.outcome), found.reason,
         found.memoryBytes, found.instructionSet,
         found.outcome == PluginOutcome::kLoaded || found.outcome == PluginOutcome::kNotChosen,
         isFault(found.outcome), found.outcome == PluginOutcome::kDisabled});
  for (const mesh::CommunicatorPlugin& found : mesh::communicatorPlugins())
    out.push_back({.name = found.name,
                   .kind = "communicator",
                   .plugin = found.file,
                   .outcome = pluginOutcomeName(found.outcome),
                   .reason = found.collectives ? "moves data between the ranks of a mesh where "
                                                 "PARAPET_COMMUNICATOR names it"
                             : found.transport ? "connects the processes of a run"
                                               : found.reason,
                   .fault = isFault(found.outcome),
                   .crashed = found.outcome == PluginOutcome::kDisabled});
  const data::ParquetPlugin& parquet = data::parquetPlugin();
  out.push_back({.name = "parquet",
                 .kind = "source",
                 .plugin = parquet.file,
                 .outcome = pluginOutcomeName(parquet.outcome),
                 .reason = parquet.table ? fmt::format("reads and writes Parquet files with {}",
                                                       parquet.table->library)
                                         : parquet.reason,
                 .fault = isFault(parquet.outcome),
                 .crashed = parquet.outcome == PluginOutcome::kDisabled});
  return out;
}

int Workspace::forgetPluginCrashes() {
  return ProbeJournal::ofUser().forgetCrashes();
}

namespace {

/// The imported data set, null where there is none: a folder that is gone is made again by the next
/// run.
std::shared_ptr<const data::Dataset> knownDataset(Shared& shared, const Experiment& experiment,
                                                  const std::optional<KnownSizes>& sizes,
                                                  const std::stop_token& stop = {}) {
  if (!sizes) return nullptr;
  auto opened = data::Dataset::open(sizes->folder);
  if (!opened) return nullptr;
  auto fits = fitted(shared, experiment, std::move(opened).value(), stop);
  return fits ? std::move(fits).value() : nullptr;
}

}  // namespace

Preflight Workspace::preflight(const Experiment& experiment, const std::stop_token& stop) const {
  Shared& shared = *state_->shared;
  const auto sizes = shared.recall(experiment);
  const std::shared_ptr<const data::Dataset> dataset =
      knownDataset(shared, experiment, sizes, stop);
  Preflight preflight =
      preflightWith(shared, experiment, sizes, {.dataset = dataset, .stop = stop});
  if (stop.stop_requested()) throw data::PassStopped();
  std::ranges::move(checkOrigin(shared, experiment, vocabularyRows(experiment, sizes)),
                    std::back_inserter(preflight.findings.problems));
  if (dataset && sizes->rows <= kMaxRowsChecked) {
    preflight.findings.append(checkData(experiment, *dataset, stop));
    // Only lists need the split; of one that cannot be made the run says what is wrong.
    if (experiment::hasTowers(experiment.model.kind))
      if (const auto split = shared.splits.of(experiment, *dataset, stop)) {
        preflight.findings.append(checkListLengths(experiment, *dataset, **split, stop));
        preflight.findings.append(checkLeaks(experiment, shared.leaksOf(*dataset, *split, stop)));
      }
  }
  return preflight;
}

void Workspace::narrowOffers(const Experiment& experiment, experiment::Findings& findings) const {
  Shared& shared = *state_->shared;
  const auto dataset = knownDataset(shared, experiment, shared.recall(experiment));
  if (!dataset || !experiment::hasTowers(experiment.model.kind)) return;
  if (const auto split = shared.splits.of(experiment, *dataset))
    workspace::narrowOffers(experiment, *dataset, **split, findings);
}

bool Workspace::findSizes(const Experiment& experiment, const WorkContext& context) const {
  auto found = data::findImported(experiment.dataset, state_->shared->datasetsFolder(), context,
                                  data::makeGenerator);
  const auto dataset =
      found ? fitted(*state_->shared, experiment, std::move(found).value()) : std::move(found);
  if (!dataset.ok() || !*dataset) return false;
  state_->shared->remember(experiment, **dataset);
  return true;
}

Result<std::optional<data::ImportReport>> Workspace::findImported(
    const Experiment& experiment, const WorkContext& context) const {
  PARAPET_ASSIGN(std::optional<data::ImportReport> report,
                 data::reuseImport(experiment.dataset, state_->shared->datasetsFolder(), context,
                                   data::makeGenerator));
  if (!report) return report;
  PARAPET_TRY(fitReport(*state_->shared, experiment, *report, context.stop));
  state_->shared->remember(experiment, *report->dataset);
  return report;
}

Result<data::ImportReport> Workspace::importData(const Experiment& experiment,
                                                 const WorkContext& context) {
  return importFor(*state_->shared, experiment, context);
}

Result<Experiment> parseStored(const store::RunRecord& record) {
  if (!record.documentFault.empty()) return Error{ErrorCode::kStore, record.documentFault};
  PARAPET_ASSIGN(const nlohmann::json document, experiment::parseStoredJson(record.experimentJson));
  experiment::Parsed parsed = experiment::parse(document);
  if (parsed.findings.problems.empty()) return std::move(parsed.experiment);
  const experiment::Problem& first = parsed.findings.problems.front();
  return Error{ErrorCode::kStore,
               fmt::format("the stored document of run {} no longer reads: {}: {}", record.id,
                           first.pointer, first.message)};
}

Result<Experiment> Workspace::experimentOf(const std::string& run) const {
  PARAPET_ASSIGN(const store::RunRecord record, state_->shared->store->find(run));
  return parseStored(record);
}

Result<Experiment> Workspace::forkOf(const std::string& run, CheckpointChoice choice) const {
  const Shared& shared = *state_->shared;
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  PARAPET_ASSIGN(Experiment experiment, parseStored(record));
  PARAPET_ASSIGN(const std::int64_t step, checkpointStep(shared, record, choice));
  experiment.training.fork = experiment::Fork{record.id, step};
  for (experiment::Table& table : experiment.tables) table.warmStart.reset();
  return experiment;
}

Status Workspace::trash(const std::string& run) {
  PARAPET_ASSIGN(const store::RunRecord record, store().find(run));
  if (record.isWaiting()) PARAPET_TRY(store().dequeue(record.id));
  if (!experiment::isTerminal(record.state) && record.owner.alive())
    return Error{ErrorCode::kStore, fmt::format("run {} is {}; stop it first", record.id,
                                                experiment::runStateName(record.state))};
  return store().trash(record.id);
}

Status Workspace::restore(const std::string& run) {
  return store().restore(run);
}

Status Workspace::erase(const std::string& run) {
  PARAPET_TRY(store().erase(run));
  std::error_code error;
  std::filesystem::remove_all(state_->shared->checkpointFolder(run), error);
  if (error) return ioError("remove", state_->shared->checkpointFolder(run), error.value());
  return {};
}

}  // namespace parapet::workspace
