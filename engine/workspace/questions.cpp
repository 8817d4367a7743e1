// SPDX-License-Identifier: Apache-2.0
// What is asked of a stored model: open it, evaluate it, recommend from it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/candidates.h"
#include "engine/tensor/device.h"
#include "engine/train/evaluator.h"
#include "engine/train/task.h"
#include "engine/workspace/model_folder.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

std::vector<std::string> devicesOf(const Experiment& experiment) {
  auto names = experiment::expandDevices(experiment.mesh.devices);
  return names ? std::move(names).value() : std::vector<std::string>{};
}

// Questions to a stored run need none of its devices: where one that it was trained on is not
// here, or is lost, as many logical CPU devices answer, with the same shares of every batch.

/// Why the devices of a run cannot be asked; nullopt if all are here.
std::optional<std::string> absentDevice(const Experiment& experiment) {
  for (const std::string& name : devicesOf(experiment))
    if (const std::string whole = experiment::wholeDevice(name);
        !tensor::DeviceRegistry::instance().find(whole))
      return fmt::format("{} is not here", whole);
  return std::nullopt;
}

/// The document of a run with a CPU device for each of its devices.
Experiment onCpuDevices(Experiment experiment) {
  const std::vector<std::string> names = devicesOf(experiment);
  // Limits are those of the devices that are not asked.
  experiment.mesh.capacityBytes.reset();
  experiment.mesh.devices = {fmt::format("cpu*{}", names.size())};
  for (experiment::Table& table : experiment.tables) {
    if (!table.device) continue;
    const auto at = std::ranges::find(names, *table.device);
    if (at == names.end())
      table.device.reset();
    else
      table.device = fmt::format("cpu:{}", at - names.begin());
  }
  return experiment;
}

/// A warning that names both.
std::string onCpuWarning(const Experiment& trainedOn, const std::string& reason) {
  const std::vector<std::string> names = devicesOf(trainedOn);
  return fmt::format("{}: cpu*{} answers in the place of {}", reason, names.size(),
                     names.size() == 1 ? names[0] : names.front() + " … " + names.back());
}

Result<checkpoint::Opened> chooseCheckpoint(Shared& shared, const store::RunRecord& record,
                                            CheckpointChoice choice) {
  const auto folder = shared.checkpointFolder(record.id);
  if (choice.which == WhichCheckpoint::kLast) {
    auto latest = checkpoint::openOfRun(folder, record.id);
    if (!latest)
      return latest.error().wrap(fmt::format("run {} has no usable checkpoint", record.id));
    return latest;
  }
  PARAPET_ASSIGN(const std::int64_t step, checkpointStep(shared, record, choice));
  return checkpoint::openOfRun(folder, record.id, step);
}

/// The data set a checkpoint was trained on; imported again if its folder is gone and the source is
/// still what it was. A damaged one is refused: the answer must not be that of other data.
Result<std::shared_ptr<const data::Dataset>> openDataset(Shared& shared,
                                                         const Experiment& experiment,
                                                         const std::string& hash,
                                                         std::vector<std::string>& warnings,
                                                         const WorkContext& context) {
  const std::filesystem::path folder = shared.datasetsFolder() / hash;
  auto opened = data::Dataset::open(folder);
  if (opened) return fitted(shared, experiment, std::move(opened).value(), context.stop);
  const Error& reason = opened.error();
  if (reason.code == ErrorCode::kData && !shared.isModel)
    return reason.wrap(
        fmt::format("the data set {} is damaged. Delete {}, or import its document, and it is "
                    "imported anew from its source",
                    hash, folder.string()));
  if (reason.code != ErrorCode::kNotFound || shared.isModel) return reason;
  auto imported = importFor(shared, experiment, context);
  if (!imported && context.cancelled()) return imported.error();
  if (!imported)
    return reason.wrap(fmt::format("data set {} is gone and cannot be imported again ({})", hash,
                                   imported.error().text()));
  if (imported->dataset->hash() != hash) {
    const auto differently =
        data::wasReadDifferently(experiment.dataset, hash, {}, data::makeGenerator);
    return Error{ErrorCode::kData,
                 fmt::format("data set {} is gone, and its source {} (it is now {})", hash,
                             differently && *differently ? "is read differently since 0.2"
                                                         : "has changed since",
                             imported->dataset->hash())};
  }
  warnings.push_back(fmt::format("the data set was imported again: {}", reason.text()));
  return imported->dataset;
}

std::shared_ptr<const retrieval::Recommender> makeRecommender(
    const Experiment& experiment, std::shared_ptr<const retrieval::ModelSnapshot> model,
    std::shared_ptr<const data::Dataset> dataset, const data::Split& split) {
  std::string userColumn, itemColumn;
  for (const std::string& column : experiment.dataset.idColumns()) {
    const auto role = experiment.dataset.roleOf(column);
    if (role == experiment::ColumnRole::kUser) userColumn = column;
    if (role == experiment::ColumnRole::kItem) itemColumn = column;
  }
  const experiment::Evaluation& evaluation = experiment.evaluation;
  const retrieval::RecallRule recall{
      evaluation.excludeSeen ? retrieval::SeenItems::kExcludeTrain : retrieval::SeenItems::kKeep,
      evaluation.seenPairs, evaluation.relevanceThreshold};
  // Snapshots of a living run come with theirs: building it takes longer than most questions.
  auto interactions = model->interactions ? model->interactions
                                          : std::make_shared<const retrieval::Interactions>(
                                                *dataset, userColumn, itemColumn, split);
  return std::make_shared<const retrieval::Recommender>(std::move(model), std::move(dataset),
                                                        std::move(interactions), userColumn,
                                                        itemColumn, Workers::available(), recall);
}

// Says which items without a training row can be recommended.
void noteColdItems(OpenedRun& opened, const retrieval::Interactions& interactions) {
  const std::string& column = opened.session->model().candidateColumn;
  const std::int64_t count = retrieval::coldItemCount(interactions);
  if (count == 0) return;
  const bool areCandidates = retrieval::coldItems(opened.experiment, *opened.dataset, column) ==
                             retrieval::ColdItems::kCandidates;
  const std::string without =
      count == 1 ? "1 item has no training row"
                 : fmt::format("{} items have no training row", formatCount(count));
  const std::string_view they = count == 1 ? "it is" : "they are";
  opened.warnings.push_back(
      areCandidates
          ? fmt::format("{}; {} recommended by {} features", without, they,
                        count == 1 ? "its" : "their")
          : fmt::format("{}, and the model knows items by their ids alone; {} not recommended",
                        without, they));
}

// A warning that lists name rows, for a data set of an older program.
std::vector<std::string> lostItems(const OpenedRun& opened) {
  const data::Vocabulary& items =
      opened.dataset->vocabularyOf(opened.session->model().candidateColumn);
  if (!items.lostSharedIds()) return {};
  return {
      fmt::format("the data set was imported by an older program, which kept one id of each row "
                  "of the hashed vocabulary \"{}\": lists and metrics are of rows, not of items",
                  items.name())};
}

/// A warning of infinite values; runs of an earlier version did not look at the slots of optimizers.
std::string nonFiniteNote(const checkpoint::Checkpoint& checkpoint) {
  for (const checkpoint::TensorView& tensor : checkpoint.tensors()) {
    if (tensor.type != checkpoint::ElementType::kF32) continue;
    const std::span values(reinterpret_cast<const float*>(tensor.bytes.data()),
                           tensor.bytes.size() / sizeof(float));
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      return fmt::format("; {} has NaN or infinite values, so it is not trained further",
                         tensor.name);
  }
  return {};
}

Error openingCancelled(const std::string& run) {
  return Error{ErrorCode::kCancelled, fmt::format("opening run {} was cancelled", run)};
}

Status unlessCancelled(const WorkContext& context, const OpenedRun& opened) {
  return context.cancelled() ? Status(openingCancelled(opened.record.id)) : Status();
}

/// Room for as many ids of a bag as a feature uses.
void makeRoom(train::ResolvedModel& resolved, const Experiment& experiment) {
  const std::vector<std::string>& columns = resolved.model->columns;
  for (const experiment::Feature& feature : experiment.features) {
    const auto column = std::ranges::find(columns, experiment::batchColumn(feature));
    if (feature.history || !feature.maxLength || column == columns.end()) continue;
    std::int64_t& ids = resolved.idsPerRow[static_cast<std::size_t>(column - columns.begin())];
    if (ids > 1) ids = std::max(ids, *feature.maxLength);  // 1: no bag
  }
}

/// The session of a run on the devices of opened.experiment, with the weights of a checkpoint.
Status openSession(Shared& shared, OpenedRun& opened, const checkpoint::Checkpoint& from,
                   int threads, const WorkContext& context, BagRoom room) {
  PARAPET_ASSIGN(const auto resolved, resolveOn(shared, opened.experiment, opened.dataset,
                                                keptBy(opened.record, opened.experiment)));
  train::ResolvedModel model = resolved->model;
  if (room == BagRoom::kOfFile) makeRoom(model, opened.experiment);
  PARAPET_ASSIGN(
      opened.session,
      train::Session::create(opened.experiment, opened.dataset, std::move(model), threads,
                             shared.communicators, train::Session::Use::kQuestions, context.stop));
  opened.session->useHistory(opened.split.train, context.stop);
  PARAPET_TRY(unlessCancelled(context, opened));
  PARAPET_TRY(opened.session->load(from));
  return unlessCancelled(context, opened);
}

/// Opens the session of a run, on the CPU where the devices of the run are not to be had.
Status openSessionAnywhere(Shared& shared, OpenedRun& opened, const checkpoint::Checkpoint& from,
                           int threads, const WorkContext& context, BagRoom room) {
  std::optional<std::string> reason = absentDevice(opened.experiment);
  if (!reason) {
    try {
      return openSession(shared, opened, from, threads, context, room);
    } catch (const tensor::DeviceFailure& failure) {
      reason = failure.what();
    }
  }
  opened.warnings.push_back(onCpuWarning(opened.experiment, *reason));
  opened.session.reset();
  opened.experiment = onCpuDevices(std::move(opened.experiment));
  return openSession(shared, opened, from, threads, context, room);
}

}  // namespace

Status requireUsersAndItems(const OpenedRun& opened) {
  if (opened.dataset->idColumn(opened.session->model().candidateColumn)) return {};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("run {} is a masked language model: it reads texts, and knows no users "
                           "and items. Ask it with predict --text",
                           opened.record.id)};
}

Result<OpenedRun> openRun(Shared& shared, const std::string& run, CheckpointChoice choice,
                          int threads, const WorkContext& context, BagRoom room,
                          const std::filesystem::path& input) try {
  OpenedRun opened;
  PARAPET_ASSIGN(opened.record, shared.store->find(run));
  PARAPET_ASSIGN(opened.experiment, parseStored(opened.record));
  PARAPET_ASSIGN(checkpoint::Opened chosen, chooseCheckpoint(shared, opened.record, choice));
  opened.warnings = std::move(chosen.warnings);
  const checkpoint::Checkpoint& from = chosen.checkpoint;
  opened.manifest = from.manifest();
  PARAPET_ASSIGN(opened.dataset, openDataset(shared, opened.experiment, opened.manifest.dataset,
                                             opened.warnings, context));
  PARAPET_TRY(unlessCancelled(context, opened));
  PARAPET_ASSIGN(opened.split, splitIn(shared, opened.experiment, *opened.dataset, context.stop));
  PARAPET_TRY(unlessCancelled(context, opened));
  if (!input.empty()) PARAPET_TRY(validateOnFile(opened, input, context));
  PARAPET_TRY(openSessionAnywhere(shared, opened, from, threads, context, room));
  return opened;
} catch (const data::PassStopped&) {
  return openingCancelled(run);
}

Result<std::vector<CheckpointCheck>> Workspace::verifyCheckpoints(
    const std::string& run, const WorkContext& context) const {
  const Shared& shared = *state_->shared;
  PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
  const auto folder = shared.checkpointFolder(record.id);
  const auto listed = checkpoint::list(folder);
  std::vector<CheckpointCheck> checks;
  if (shared.isModel && !listed.empty()) {
    const Status whole = checkModelFolder(shared.folder, FileCheck::kHashes, context);
    if (context.cancelled()) return whole.error();
    if (!whole.ok())
      return std::vector{CheckpointCheck{listed.front().step, false, whole.error().text()}};
  }
  for (const checkpoint::Listed& each : listed) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
    context.report("checking checkpoints", std::ssize(checks), std::ssize(listed));
    const auto opened = checkpoint::openOfRun(folder, record.id, each.step);
    if (opened)
      checks.push_back(
          {each.step, true,
           fmt::format("epoch {}, {} tensors, {}{}", opened->checkpoint.manifest().epoch,
                       opened->checkpoint.tensors().size(), formatBytes(opened->checkpoint.bytes()),
                       nonFiniteNote(opened->checkpoint))});
    // A checkpoint that a run removed while it was read is left out.
    else if (std::error_code error; std::filesystem::exists(each.folder, error))
      checks.push_back({each.step, false, opened.error().text()});
  }
  return checks;
}

Result<Evaluation> Workspace::evaluate(const std::string& run, const EvaluateOptions& options,
                                       const WorkContext& context) try {
  using experiment::SplitPart;
  const char* part = experiment::splitPartName(options.part);
  if (options.part != SplitPart::kValidation && options.part != SplitPart::kTest)
    throw InvalidArgument(
        fmt::format("[workspace.evaluate] part \"{}\"; accepted are validation and test", part));
  PARAPET_ASSIGN(OpenedRun opened, openRun(*state_->shared, run, options.checkpoint, 0, context,
                                           BagRoom::kOfData, options.input));
  const bool isTest = options.part == SplitPart::kTest;
  if ((isTest ? opened.split.test : opened.split.validation).empty())
    return Error{ErrorCode::kNotFound,
                 state_->shared->isModel
                     ? fmt::format("a model has no {} rows; the metrics of its run are in its "
                                   "manifest, and `evaluate --input FILE` measures it on others",
                                   part)
                     : fmt::format("run {} has no {} rows", opened.record.id, part)};
  Experiment experiment = opened.experiment;
  experiment.evaluation.excludeSeen =
      options.seen != retrieval::SeenItems::kKeep || experiment.evaluation.excludeSeen;
  if (!options.k.empty()) experiment.evaluation.k = options.k;
  const auto interactions = train::Task::of(experiment.model.kind)
                                .interactions(*opened.session, opened.split, context.stop);
  train::Evaluator evaluator(*opened.session, experiment, opened.split, interactions.get(),
                             options.part);
  const train::CatalogueLists* lists = evaluator.lists();
  if (lists && !options.k.empty() &&
      lists->ranking().protocol().k.back() < experiment.evaluation.k.back())
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("k is {}; accepted are 1 … {} (the candidates)", experiment.evaluation.k.back(),
                    retrieval::candidateCount(*interactions, lists->ranking().protocol().cold))};
  context.report("evaluating", 0, 0);
  // First, so that the model is judged against all of them.
  experiment::Baselines baselines = evaluator.baselines("", retrieval::FitLimits{}, context);
  PARAPET_ASSIGN(auto measured, evaluator.measure("", opened.manifest.epoch, context));
  if (context.cancelled()) throw data::PassStopped();
  Evaluation evaluation{
      opened.record.id,     opened.manifest.step,         std::move(measured.metrics),
      std::move(baselines), std::move(measured.verdicts), std::move(opened.warnings)};
  if (!lists) return evaluation;
  const retrieval::RankingProtocol& protocol = lists->ranking().protocol();
  evaluation.unit = protocol.unit == experiment::EvaluationUnit::kExample ? "example" : "user";
  if (const auto benchmark = protocol.benchmark)
    evaluation.protocol =
        benchmark == experiment::EvaluationProtocol::kYambda ? "yambda" : "yambda-compat";
  evaluation.queries = measured.catalogue.queries;
  for (std::vector<std::string> notes :
       {lists->ranking().leftOut(), lists->ranking().limits(),
        lists->ranking().tied(measured.catalogue), lostItems(opened)})
    std::ranges::move(notes, std::back_inserter(evaluation.warnings));
  evaluation.standardErrors = std::move(measured.catalogue.standardErrors);
  evaluation.segments = std::move(measured.catalogue.segments);
  evaluation.notes = lists->ranking().choices();
  return evaluation;
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "evaluation was cancelled"};
}

Result<std::shared_ptr<const retrieval::Recommender>> Workspace::recommender(
    const std::string& run, CheckpointChoice choice, std::vector<std::string>* warnings,
    const WorkContext& context, const retrieval::Recommender* sibling) try {
  PARAPET_ASSIGN(OpenedRun opened, openRun(*state_->shared, run, choice, 0, context));
  PARAPET_TRY(requireUsersAndItems(opened));
  PARAPET_ASSIGN(retrieval::ModelSnapshot snapshot, opened.session->snapshot(context.stop));
  auto model = std::make_shared<retrieval::ModelSnapshot>(std::move(snapshot));
  model->runId = opened.record.id;
  model->step = opened.manifest.step;
  model->epoch = opened.manifest.epoch;
  if (sibling && sibling->model().runId == model->runId &&
      sibling->dataset().rowsKey() == opened.dataset->rowsKey()) {
    // The lists of its users refer to its own columns.
    model->interactions = sibling->interactions();
    opened.dataset = sibling->sharedDataset();
  }
  auto made = makeRecommender(opened.experiment, std::move(model), opened.dataset, opened.split);
  if (warnings) {
    // Properties of every list of the run: for those who ask, and no event of the workspace.
    noteColdItems(opened, *made->interactions());
    *warnings = opened.warnings;
    std::ranges::move(lostItems(opened), std::back_inserter(*warnings));
  } else {
    for (const std::string& warning : opened.warnings) state_->shared->warn(warning);
  }
  return made;
} catch (const data::PassStopped&) {
  return openingCancelled(run);
}

std::shared_ptr<const retrieval::Recommender> Workspace::recommender(
    const Experiment& experiment, std::shared_ptr<const retrieval::ModelSnapshot> model,
    std::shared_ptr<const data::Dataset> dataset, const data::Split& split) {
  return makeRecommender(experiment, std::move(model), std::move(dataset), split);
}

}  // namespace parapet::workspace
