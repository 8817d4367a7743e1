// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/run_origin.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/nn/model.h"
#include "engine/train/bert_weights.h"
#include "engine/train/parameter_fit.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;
using Position = train::TrainingProgress::EpochPosition;

constexpr std::size_t kMaxNamed = 4;

/// A run and step as a document names them, and where.
struct Named {
  std::string run;
  std::optional<std::int64_t> step;
  std::string pointer;
};

Named namedBy(const experiment::Fork& fork) {
  return {fork.run, fork.step, "/training/fork"};
}

Named namedBy(const experiment::WarmStart& warm, std::size_t table) {
  return {warm.run, warm.step, fmt::format("/tables/{}/warm_start", table)};
}

Error refused(const Problem& problem) {
  return Error{ErrorCode::kInvalidDocument,
               problem.accepted.empty()
                   ? problem.message
                   : fmt::format("{}; accepted: {}", problem.message, problem.accepted),
               problem.pointer};
}

std::vector<std::string> stepsOf(const std::vector<checkpoint::Listed>& listed) {
  std::vector<std::string> steps;
  for (const checkpoint::Listed& each : listed) steps.push_back(fmt::format("{}", each.step));
  return steps;
}

/// The run that is named, and its document; the step has a checkpoint, seen by its folder alone.
struct FoundRun {
  store::RunRecord record;
  Experiment experiment;
  std::int64_t step = 0;
};

Result<FoundRun> findRun(const Shared& shared, const Named& named) {
  auto record = shared.store->find(named.run);
  if (!record)
    return refused({named.pointer + "/run", record.error().message,
                    "a run of this workspace: its id, or a unique prefix of one"});
  auto experiment = parseStored(*record);
  if (!experiment) return refused({named.pointer + "/run", experiment.error().message, ""});
  const auto listed = checkpoint::list(shared.checkpointFolder(record->id));
  const auto steps = stepsOf(listed);
  if (listed.empty())
    return refused({named.pointer + "/run", fmt::format("run {} has no checkpoint", record->id),
                    "a run with one"});
  const std::int64_t step = named.step.value_or(listed.back().step);
  if (std::ranges::find(listed, step, &checkpoint::Listed::step) == listed.end())
    return refused({named.pointer + "/step",
                    fmt::format("run {} has no checkpoint of step {}", record->id, step),
                    "null for the newest, or a step that has one: " + join(steps)});
  return FoundRun{std::move(*record), std::move(*experiment), step};
}

Result<SourceRun> openSource(const Shared& shared, const Named& named, FoundRun found,
                             const std::stop_token& stop) {
  auto opened = checkpoint::openOfRun(shared.checkpointFolder(found.record.id), found.record.id,
                                      named.step, stop);
  if (!opened)
    return opened.error().wrap(
        fmt::format("{}: the checkpoint of run {} cannot be used", named.pointer, found.record.id));
  for (const std::string& warning : opened->warnings) shared.warn(warning);
  return SourceRun{std::move(found.experiment), std::move(opened->checkpoint)};
}

std::optional<Problem> nothingLeft(const Experiment& experiment, const std::string& run,
                                   std::int64_t step, std::int64_t epoch) {
  if (experiment.training.epochs > epoch) return std::nullopt;
  return Problem{
      "/training/epochs",
      fmt::format("the checkpoint of step {} of run {} is that of the end of epoch {}, "
                  "so nothing is left to train",
                  step, run, epoch),
      fmt::format("at least {}; epochs are counted from the beginning of that run", epoch + 1)};
}

/// The file of /model/weights.
Result<checkpoint::SafetensorsFile> openWeights(const Experiment& experiment) {
  auto found = data::findSideFile(experiment.dataset, *experiment.model.weights);
  if (!found)
    return Error{ErrorCode::kInvalidDocument, found.error().text(), "/model/weights",
                 found.error().path};
  std::filesystem::path path(*found);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) path /= "model.safetensors";
  auto file = checkpoint::SafetensorsFile::open(path);
  if (file) return file;
  Error error = file.error();
  error.code = ErrorCode::kInvalidDocument;
  error.pointer = "/model/weights";
  error.message += "; accepted is a safetensors file, or a folder with model.safetensors";
  return error;
}

std::optional<Problem> checkWeights(const Experiment& experiment,
                                    const std::map<std::string, std::int64_t>& rows) {
  const auto file = openWeights(experiment);
  if (!file) return Problem{file.error().pointer, file.error().message, ""};
  const experiment::BertLayout layout = experiment::bertLayout(experiment);
  if (layout.tensors.empty()) return std::nullopt;  // the layers have problems of their own
  std::int64_t pieces = -1;
  for (const experiment::Table& table : experiment.tables)
    if (const auto known = rows.find(table.vocabulary); known != rows.end()) pieces = known->second;
  const auto match = train::matchBert(layout, *file, pieces);
  if (match) return std::nullopt;
  return Problem{match.error().pointer, match.error().message, ""};
}

/// Shapes of the parameters of a document, with the rows of `rows` where they are known and 1 where
/// they are not.
std::optional<train::ParameterShapes> shapesFor(const Experiment& experiment,
                                                const std::map<std::string, std::int64_t>& rows) {
  std::map<std::string, std::int64_t> sizes;
  for (const experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies) {
    const auto known = rows.find(vocabulary.name);
    sizes[vocabulary.name] = known == rows.end() ? 1 : std::max<std::int64_t>(1, known->second);
  }
  const auto model = nn::buildModel(experiment, sizes);
  if (!model) return std::nullopt;
  return train::shapesOf(model->graph.parameters());
}

std::vector<Problem> checkFork(const Shared& shared, const Experiment& experiment,
                               const std::map<std::string, std::int64_t>& rows) {
  const auto found = findRun(shared, namedBy(*experiment.training.fork));
  if (!found) return {{found.error().pointer, found.error().message, ""}};
  std::vector<Problem> problems;
  if (const auto checkpoints = shared.store->checkpoints(found->record.id))
    for (const store::CheckpointRecord& row : *checkpoints)
      if (row.step == found->step)
        if (const auto problem = nothingLeft(experiment, found->record.id, row.step, row.epoch))
          problems.push_back(*problem);
  const auto wanted = shapesFor(experiment, rows), there = shapesFor(found->experiment, rows);
  if (wanted && there)
    std::ranges::move(train::unfitParameters(experiment, *wanted, *there),
                      std::back_inserter(problems));
  return problems;
}

/// "tables/user, tables/item and 3 more"
std::string namesOf(const std::vector<std::string>& all) {
  if (all.size() <= kMaxNamed) return join(all);
  const std::vector<std::string> first(all.begin(), all.begin() + kMaxNamed);
  return fmt::format("{} and {} more", join(first), all.size() - kMaxNamed);
}

std::vector<std::string> notesOn(const train::Session::TakenOver& taken, const SourceRun& source) {
  const checkpoint::Manifest& manifest = source.checkpoint.manifest();
  std::vector<std::string> notes{
      fmt::format("begins with the checkpoint of step {} (epoch {}) of run {}", manifest.step,
                  manifest.epoch, manifest.runId)};
  if (!taken.newSlots.empty())
    notes.push_back(fmt::format("the optimizer is another one, so its slots begin anew: {}",
                                namesOf(taken.newSlots)));
  if (!taken.newWeights.empty())
    notes.push_back(fmt::format("begins with its initial value, as run {} did not train it: {}",
                                manifest.runId, namesOf(taken.newWeights)));
  return notes;
}

}  // namespace

Result<store::CheckpointRecord> bestCheckpoint(const store::RunStore& store,
                                               const store::RunRecord& record) {
  PARAPET_ASSIGN(const auto rows, store.checkpoints(record.id));
  const auto best = std::ranges::find(rows, true, &store::CheckpointRecord::best);
  if (best != rows.end()) return *best;
  const std::string why = record.best ? fmt::format("its best epoch by {}, {}, has none left",
                                                    record.bestMetric, record.best->epoch)
                                      : "it tracked none";
  return Error{ErrorCode::kNotFound,
               fmt::format("run {} has no best checkpoint; {}", record.id, why)};
}

Result<std::int64_t> checkpointStep(const Shared& shared, const store::RunRecord& record,
                                    CheckpointChoice choice) {
  const auto listed = checkpoint::list(shared.checkpointFolder(record.id));
  if (listed.empty())
    return Error{ErrorCode::kNotFound, fmt::format("run {} has no checkpoint", record.id)};
  if (choice.which == WhichCheckpoint::kLast) return listed.back().step;
  if (choice.which == WhichCheckpoint::kBest) {
    PARAPET_ASSIGN(const auto best, bestCheckpoint(*shared.store, record));
    choice.step = best.step;
  }
  if (std::ranges::find(listed, choice.step, &checkpoint::Listed::step) != listed.end())
    return choice.step;
  return Error{ErrorCode::kNotFound,
               fmt::format("run {} has no checkpoint of step {}; there are: {}", record.id,
                           choice.step, join(stepsOf(listed)))};
}

Result<RunOrigin> openOrigin(const Shared& shared, Experiment& experiment,
                             const std::stop_token& stop) {
  RunOrigin origin;
  const auto open = [&](const Named& named) -> Result<SourceRun> {
    PARAPET_ASSIGN(FoundRun found, findRun(shared, named));
    return openSource(shared, named, std::move(found), stop);
  };
  if (auto& fork = experiment.training.fork) {
    PARAPET_ASSIGN(origin.fork, open(namedBy(*fork)));
    const checkpoint::Manifest& manifest = origin.fork->checkpoint.manifest();
    *fork = {manifest.runId, manifest.step};
    if (const auto problem = nothingLeft(experiment, manifest.runId, manifest.step, manifest.epoch))
      return refused(*problem);
  }
  for (std::size_t index = 0; index < experiment.tables.size(); ++index) {
    auto& warm = experiment.tables[index].warmStart;
    if (!warm) continue;
    PARAPET_ASSIGN(SourceRun source, open(namedBy(*warm, index)));
    warm->run = source.checkpoint.manifest().runId;
    warm->step = source.checkpoint.manifest().step;
    if (const auto problem = train::warmStartProblem(experiment, index, source.experiment))
      return refused(*problem);
    origin.tables.emplace(index, std::move(source));
  }
  if (experiment.model.weights && !origin.fork) {
    PARAPET_ASSIGN(checkpoint::SafetensorsFile file, openWeights(experiment));
    origin.weights = std::make_shared<const checkpoint::SafetensorsFile>(std::move(file));
    experiment.model.weights = std::filesystem::absolute(origin.weights->path()).string();
  }
  return origin;
}

std::vector<Problem> checkOrigin(const Shared& shared, const Experiment& experiment,
                                 const std::map<std::string, std::int64_t>& rows) {
  std::vector<Problem> problems;
  if (experiment.training.fork) problems = checkFork(shared, experiment, rows);
  for (std::size_t index = 0; index < experiment.tables.size(); ++index) {
    const auto& warm = experiment.tables[index].warmStart;
    if (!warm) continue;
    const auto found = findRun(shared, namedBy(*warm, index));
    if (!found)
      problems.push_back({found.error().pointer, found.error().message, ""});
    else if (const auto problem = train::warmStartProblem(experiment, index, found->experiment))
      problems.push_back(*problem);
  }
  if (experiment.model.weights && !experiment.training.fork)
    if (auto problem = checkWeights(experiment, rows)) problems.push_back(std::move(*problem));
  return problems;
}

Position forkPosition(const Experiment& experiment, const data::Dataset& dataset,
                      const SourceRun& source) {
  if (source.checkpoint.manifest().dataset != dataset.hash()) return Position::kEpochStart;
  const auto batchesOf = [](const Experiment& of) {
    const nlohmann::ordered_json document = experiment::toJson(of);
    const auto devices = experiment::expandDevices(of.mesh.devices);
    return nlohmann::ordered_json{
        document["dataset"]["split"],
        document["dataset"]["batch"],
        document["training"]["seed"],
        document["loss"],
        document["model"]["heads"],
        of.dataset.batch.perDevice && devices ? devices->size() : std::size_t{0}};
  };
  return batchesOf(experiment) == batchesOf(source.experiment) ? Position::kKeep
                                                               : Position::kEpochStart;
}

Result<std::vector<std::string>> beginSession(train::Session& session, const Experiment& experiment,
                                              const RunOrigin& origin) {
  std::vector<std::string> notes;
  if (origin.fork) {
    const checkpoint::Manifest& manifest = origin.fork->checkpoint.manifest();
    PARAPET_ASSIGN(const auto taken,
                   session.takeOver(origin.fork->checkpoint, origin.fork->experiment));
    notes = notesOn(taken, *origin.fork);
    if (manifest.batch > 0 &&
        forkPosition(experiment, session.dataset(), *origin.fork) == Position::kEpochStart)
      notes.push_back(
          fmt::format("epoch {} begins again at its first batch: the batches or the losses are not "
                      "those of run {}",
                      manifest.epoch + 1, manifest.runId));
  }
  if (origin.weights) {
    PARAPET_ASSIGN(auto taken, session.takeBert(*origin.weights));
    notes.push_back(fmt::format("begins with the weights of {}", origin.weights->path().string()));
    std::ranges::move(taken, std::back_inserter(notes));
  }
  for (const auto& [table, source] : origin.tables) {
    PARAPET_ASSIGN(const auto warm, session.warmStart(table, source.checkpoint, source.experiment));
    const checkpoint::Manifest& manifest = source.checkpoint.manifest();
    notes.push_back(fmt::format(
        "table \"{}\": {} of {} rows begin as in run {} at step {}, {} with the initializer",
        experiment.tables[table].name, formatCount(warm.found), formatCount(warm.rows),
        manifest.runId, manifest.step, formatCount(warm.rows - warm.found)));
  }
  return notes;
}

}  // namespace parapet::workspace
