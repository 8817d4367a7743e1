// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/check_side_files.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/import_settings.h"
#include "engine/experiment/document.h"
#include "engine/experiment/query_context.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"
#include "engine/nn/schedules.h"
#include "engine/nn/space.h"
#include "engine/workspace/check_data.h"
#include "engine/workspace/expected_learning.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;
using experiment::VocabularySize;

constexpr const char* kVocabulary = "/dataset/text/vocabulary";

/// Rows of a vocabulary before any import; −1 if the data decide.
std::int64_t rowsBeforeImport(const Experiment& experiment,
                              const experiment::Vocabulary& vocabulary) {
  if (vocabulary.size.kind == VocabularySize::Kind::kFixed) return vocabulary.size.fixed;
  // Generated ratings use every user and every item, so their sizes follow from the settings.
  const experiment::Dataset& dataset = experiment.dataset;
  const experiment::Generator generator = dataset.generator.value_or(experiment::Generator{});
  const bool allRows = !dataset.filter && !dataset.slice && !dataset.kCore;
  if (dataset.source != experiment::SourceKind::kGenerated ||
      generator.kind != experiment::GeneratorKind::kMovies ||
      vocabulary.kind == experiment::VocabularyKind::kHash || vocabulary.minCount > 1 || !allRows)
    return -1;
  if (vocabulary.name == "user") return generator.users + 1;
  if (vocabulary.name == "item") return generator.items + 1;
  return -1;
}

}  // namespace

std::map<std::string, std::int64_t> vocabularyRows(const Experiment& experiment,
                                                   const std::optional<KnownSizes>& sizes) {
  std::map<std::string, std::int64_t> rows;
  for (const experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies) {
    const auto known = sizes ? sizes->vocabularies.find(vocabulary.name)
                             : std::map<std::string, std::int64_t>::const_iterator{};
    rows[vocabulary.name] = sizes && known != sizes->vocabularies.end()
                                ? known->second
                                : rowsBeforeImport(experiment, vocabulary);
  }
  return rows;
}

namespace {

void estimateTables(Preflight& preflight, const Experiment& experiment, const nn::Graph& graph,
                    const std::map<std::string, std::int64_t>& rows) {
  for (std::size_t i = 0; i < experiment.tables.size(); ++i) {
    const experiment::Table& table = experiment.tables[i];
    const auto found = rows.find(table.vocabulary);
    const std::int64_t known = found == rows.end() ? -1 : found->second;
    const nn::ParameterBytes bytes = nn::parameterBytes(graph.parameters()[i]);
    preflight.tables.push_back({table.name, known, table.embeddingDim, known < 0 ? 0 : bytes.weight,
                                known < 0 ? 0 : bytes.slots});
  }
}

/// The contents of each rank and memory space, as they were resolved.
void estimateRanks(Preflight& preflight, const train::ResolvedModel& resolved) {
  const mesh::DeviceMesh& mesh = resolved.mesh;
  const auto spaces = nn::spaceParameters(resolved.model->graph, resolved.shardings, resolved.mesh);
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    const mesh::DevicePlan& device = resolved.plan.devices[static_cast<std::size_t>(rank)];
    const auto buffers = static_cast<std::uint64_t>(device.bufferBytes);
    preflight.ranks.push_back({device.name, mesh.coordinates(rank),
                               mesh.slice(rank, preflight.batchRows).rows(), buffers,
                               device.memory});
    const int space = mesh.spaceOf(rank);
    if (mesh.spaces()[static_cast<std::size_t>(space)].firstRank == rank) {
      const auto& [tables, layers, cached] = spaces[static_cast<std::size_t>(space)];
      preflight.memory.push_back({device.memory, 0, tables.weight + layers.weight,
                                  tables.slots + layers.slots, tables.scratch + layers.scratch, 0});
    }
    ++preflight.memory.back().ranks;
    preflight.memory.back().activationBytes += buffers;
    preflight.activationBytes += buffers;
  }
  const nn::ParameterBytes onHost = nn::onHost(spaces);
  preflight.cachedTableBytes = onHost.total();
  if (onHost.total() > 0)
    preflight.memory.push_back({"host memory", 0, onHost.weight, onHost.slots, onHost.scratch, 0});
  for (const MemoryEstimate& memory : preflight.memory)
    preflight.parameterBytes += memory.weightBytes + memory.slotBytes + memory.scratchBytes;
  preflight.totalBytes = preflight.parameterBytes + preflight.activationBytes;
}

/// How a batch is shared out: one device shares nothing.
std::string dataParallelText(const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                             const char* unit) {
  const std::string examples =
      fmt::format("{} {}{}", formatCount(batchRows), unit, batchRows == 1 ? "" : "s");
  if (mesh.ranks() == 1)
    return fmt::format("Nothing is data parallel: {} alone computes every batch of {}.",
                       mesh.device(0).name(), examples);
  const std::int64_t least = batchRows / mesh.ranks();
  const bool isEven = least * mesh.ranks() == batchRows;
  return fmt::format("Data parallel: {} devices share every batch of {}, {} each.", mesh.ranks(),
                     examples,
                     isEven ? formatCount(least)
                            : fmt::format("{} or {}", formatCount(least), formatCount(least + 1)));
}

/// A device with memory of its own that is used alone, beside others of its kind. All cores of the
/// CPU work for its one device.
void checkIdleDevices(Preflight& preflight, const mesh::DeviceMesh& mesh) {
  const tensor::Device& only = mesh.device(0);
  if (mesh.ranks() > 1 || only.isHost()) return;
  const tensor::DeviceRegistry& registry = tensor::DeviceRegistry::instance();
  std::vector<std::string> all;
  for (const tensor::BackendOutcome& outcome : registry.outcomes())
    if (const auto device = registry.find(outcome.name);
        device && &device->backend() == &only.backend())
      all.push_back(outcome.name);
  if (all.size() < 2) return;
  const std::size_t idle = all.size() - 1;
  preflight.findings.warnings.push_back(
      {"/mesh/devices",
       fmt::format(
           "nothing is data parallel: {} alone computes, and {} other device{} of its kind {} "
           "idle",
           only.name(), idle, idle == 1 ? "" : "s", idle == 1 ? "is" : "are"),
       all.size() == 2 ? fmt::format("both, {} and {}", all[0], all[1])
                       : fmt::format("several of {} … {}", all.front(), all.back())});
}

/// A cache with room for every row that a device has of the table. Devices that read the host's memory
/// have none, whatever its size: the document alone shows that.
void checkCaches(Preflight& preflight, const Experiment& experiment,
                 const train::ResolvedModel& resolved) {
  for (std::size_t i = 0; i < experiment.tables.size(); ++i) {
    const nn::ParameterSpec& spec = resolved.model->graph.parameters()[i];
    const mesh::Sharding& sharding = resolved.shardings[i];
    std::int64_t most = 0;  // rows of a shard
    for (int shard = 0; shard < sharding.shards(); ++shard)
      for (const int space : sharding.owners(shard))
        if (!resolved.mesh.spaceDevice(space).isHost())
          most = std::max(most, sharding.shardRows(shard));
    if (spec.cacheRows == 0 || most == 0 || spec.cacheRows < most) continue;
    preflight.findings.warnings.push_back(
        {fmt::format("/tables/{}/cache_rows", i),
         fmt::format("not used: a device has {} row{} of the table at most, and keeps all of them",
                     formatCount(most), most == 1 ? "" : "s"),
         "null"});
  }
}

void checkMemory(Preflight& preflight) {
  const std::uint64_t memory = physicalMemoryBytes();
  std::uint64_t onHost = preflight.totalBytes;
  // Memory of other devices is none of the machine; the plan has counted that of each. Tables that
  // they have caches of are.
  if (preflight.resolved && !preflight.resolved->model.mesh.device(0).isHost())
    onHost = preflight.cachedTableBytes;
  if (memory == 0 || onHost <= memory) return;
  const auto largest =
      std::max_element(preflight.tables.begin(), preflight.tables.end(),
                       [](const TableEstimate& a, const TableEstimate& b) {
                         return a.weightBytes + a.slotBytes < b.weightBytes + b.slotBytes;
                       });
  std::string pointer = "/dataset/batch";
  std::string what = fmt::format("the step buffers of {} rows need {}", preflight.batchRows,
                                 formatBytes(preflight.activationBytes));
  if (largest != preflight.tables.end() &&
      largest->weightBytes + largest->slotBytes > preflight.activationBytes) {
    pointer = fmt::format("/tables/{}", largest - preflight.tables.begin());
    what = fmt::format("table \"{}\" of {} × {} needs {} ({} bytes) with its optimizer state",
                       largest->name, formatCount(largest->rows), formatCount(largest->dim),
                       formatBytes(largest->weightBytes + largest->slotBytes),
                       largest->weightBytes + largest->slotBytes);
  }
  preflight.findings.problems.push_back(
      {pointer, fmt::format("{}; the run needs {} in all", what, formatBytes(onHost)),
       fmt::format("at most {}, the memory of this machine", formatBytes(memory))});
}

/// Rows of the training part, if the document or the data determine them.
std::optional<std::int64_t> trainRows(const Experiment& experiment,
                                      const std::optional<KnownSizes>& sizes) {
  if (experiment.dataset.split.kind != experiment::SplitKind::kRandom) return std::nullopt;
  const experiment::SplitAmount& train = experiment.dataset.split.train;
  if (!train.isRatio) return static_cast<std::int64_t>(train.value);
  if (!sizes) return std::nullopt;
  return static_cast<std::int64_t>(train.value * static_cast<double>(sizes->rows));
}

void checkBatch(Preflight& preflight, const Experiment& experiment,
                const std::optional<KnownSizes>& sizes) {
  const auto rows = trainRows(experiment, sizes);
  if (!rows || preflight.batchRows <= *rows || experiment::sequenceWindows(experiment)) return;
  preflight.findings.problems.push_back(
      {experiment.dataset.batch.perDevice ? "/dataset/batch/per_device" : "/dataset/batch/size",
       fmt::format("a batch of {} rows is larger than the {} training rows", preflight.batchRows,
                   *rows),
       fmt::format("a global batch of 1 … {}", *rows)});
}

/// Steps of the whole run, if the rows of its training part are known.
std::optional<std::int64_t> plannedSteps(const Experiment& experiment, std::int64_t trainRows,
                                         std::int64_t batchRows) {
  const experiment::Batch& batch = experiment.dataset.batch;
  if (batch.groupSize || batch.replayBatches || batchRows <= 0 || trainRows <= 0 ||
      experiment::sequenceWindows(experiment))
    return std::nullopt;
  const std::int64_t batches = (trainRows + (batch.dropRemainder ? 0 : batchRows - 1)) / batchRows;
  const std::int64_t together = experiment.optimizer.accumulateSteps;
  return experiment.training.epochs * ((batches + together - 1) / together);
}

/// A decay so long that the run ends before it has begun.
void checkSchedules(Preflight& preflight, const Experiment& experiment, std::int64_t devices,
                    const std::optional<KnownSizes>& sizes) {
  const auto rows = trainRows(experiment, sizes);
  const auto steps = rows ? plannedSteps(experiment, *rows, preflight.batchRows) : std::nullopt;
  if (!steps) return;
  std::set<std::string> checked;
  const auto check = [&](const experiment::Optimizer& optimizer, const std::string& pointer) {
    const std::string at = optimizer.schedule ? pointer + "/schedule" : "/schedule";
    const experiment::Optimizer of =
        experiment::optimizerOfRun(optimizer, experiment.schedule, {devices, *steps});
    const experiment::Schedule& schedule = *of.schedule;
    using enum experiment::ScheduleKind;
    if (schedule.kind == kConstant || schedule.kind == kPiecewise ||
        *steps <= schedule.warmupSteps + 1 || !checked.insert(at).second)
      return;
    const auto rateAt = [&](std::int64_t step) {
      return nn::learningRateAt(schedule, of.learningRate, step);
    };
    const double first = rateAt(schedule.warmupSteps), last = rateAt(*steps - 1);
    const auto isSmall = [&](double to) {
      return std::abs(first - to) < experiment::kMinScheduleChange * first;
    };
    // The document alone says what a decay comes to that ends.
    const bool ends = schedule.kind != kExponential && schedule.kind != kInverseTime;
    const double end = schedule.kind == kPolynomial ? schedule.end : schedule.alpha * first;
    const bool isOver = *steps - schedule.warmupSteps > schedule.decaySteps;
    if (!isSmall(last) || (ends && (isOver || isSmall(end)))) return;
    preflight.findings.warnings.push_back(
        {at + "/decay_steps",
         fmt::format("the rate changes by less than {:.0f} % over the {} steps of the run: from "
                     "{:.6g} to {:.6g}",
                     100.0 * experiment::kMinScheduleChange, formatCount(*steps), first, last),
         "\"run\", or fewer steps"});
  };
  check(experiment.optimizer, "/optimizer");
  for (std::size_t table = 0; table < experiment.tables.size(); ++table)
    if (const auto& own = experiment.tables[table].optimizer)
      check(*own, fmt::format("/tables/{}/optimizer", table));
}

/// Ids that the import could not give a row, found before it starts. What cannot be read is its
/// business.
void checkVocabularies(Preflight& preflight, const experiment::Dataset& dataset,
                       const std::stop_token& stop) {
  if (dataset.source == experiment::SourceKind::kGenerated || !dataset.namesData()) return;
  const auto unfit = data::unfitVocabularies(dataset, data::makeGenerator, {{}, stop});
  if (!unfit) return;
  for (const data::UnfitVocabulary& found : *unfit)
    preflight.findings.problems.push_back(
        {fmt::format("/dataset/vocabularies/{}/kind", found.index),
         fmt::format("vocabulary \"{}\" is direct, so ids are its rows, but {}",
                     dataset.vocabularies[found.index].name, found.reason),
         "\"compressed\" with the size \"auto\""});
}

/// A message without the "…; what is accepted" at its end: a problem says it in a place of its own.
std::string withoutAccepted(const std::string& message) {
  const std::size_t at = message.rfind("; ");
  const bool says = at != message.npos &&
                    (message.ends_with(" is accepted") || message.ends_with(" are accepted"));
  return says ? message.substr(0, at) : message;
}

/// A vocabulary that lies where the program runs may be another one than that of the texts.
void tellVocabularyElsewhere(Preflight& preflight, const experiment::Dataset& dataset) {
  if (!dataset.isText() || !dataset.text || dataset.text->vocabulary.empty()) return;
  const std::filesystem::path named(dataset.text->vocabulary);
  if (named.is_absolute() || !dataset.path) return;
  const std::filesystem::path texts(*dataset.path);
  std::error_code ignored;
  const bool isFolder = std::filesystem::is_directory(texts, ignored);
  const std::filesystem::path folder = isFolder ? texts : texts.parent_path();
  if (std::filesystem::exists(folder / named, ignored)) return;  // it comes first
  if (!std::filesystem::exists(named, ignored)) return;
  preflight.findings.warnings.push_back(
      {kVocabulary,
       fmt::format("{} is read, which lies where the program runs: there is none beside the texts",
                   std::filesystem::absolute(named, ignored).string()),
       "a file beside the texts, or an absolute path"});
}

/// Files beside the data without which an import ends: those of the parts, the pieces of a text.
void checkNamedFiles(Preflight& preflight, const experiment::Dataset& dataset) {
  if (!dataset.namesData()) return;
  for (const Error& error : data::missingFiles(dataset))
    preflight.findings.problems.push_back(
        {error.pointer, withoutAccepted(error.message),
         error.pointer == kVocabulary
             ? "a file with a WordPiece token per line; `parapet-cli vocabulary FILE` trains one"
             : "a file beside the path of the data, or an absolute path"});
  tellVocabularyElsewhere(preflight, dataset);
}

/// A loss that compares with labels, and none: every label is 1, and the model learns to say so.
void checkLabel(Preflight& preflight, const Experiment& experiment) {
  if (!experiment::isRowwise(experiment.loss.kind) || experiment.loss.weight == 0.0 ||
      experiment.dataset.label.column)
    return;
  preflight.findings.problems.push_back(
      {"/dataset/label/column",
       "the loss compares scores with labels, and there is no label: every one would be 1",
       experiment::acceptedWithoutLabels(experiment.model.kind)});
}

/// The planner's objection to a document, with what the planner does not know: tables whose rows
/// depend on the data were counted with one row each.
std::string refusalText(const Problem& problem, const std::map<std::string, std::int64_t>& rows,
                        const Experiment& experiment) {
  std::vector<std::string> unknown;
  for (const experiment::Table& table : experiment.tables)
    if (const auto found = rows.find(table.vocabulary); found == rows.end() || found->second < 0)
      unknown.push_back("\"" + table.name + "\"");
  if (unknown.empty() || !problem.pointer.starts_with("/mesh/")) return problem.message;
  return fmt::format(
      "at least {}. Counted with one row each, as their sizes depend on the data: {}",
      problem.message, join(unknown));
}

/// Resolves a document whose mesh is wrong, as far as that goes: its tables and layers.
Resolution resolveAnywhere(Shared& shared, Experiment experiment,
                           const std::map<std::string, std::int64_t>& rows) {
  experiment.mesh.devices = {"cpu:0"};
  experiment.mesh.shape.reset();
  experiment.mesh.axes = {"data"};
  experiment.mesh.capacityBytes.reset();
  experiment.training.precision = experiment::Precision::kFp32;  // a matter of the devices
  experiment.layout.clear();
  for (experiment::Table& table : experiment.tables) {
    table.placement = experiment::Placement::kAuto;
    table.axes.clear();
    table.device.reset();
  }
  return resolveExperiment(shared, experiment, storedFigures(shared, experiment), rows, {});
}

}  // namespace

Preflight preflightWith(Shared& shared, const Experiment& experiment,
                        const std::optional<KnownSizes>& sizes, Question question) {
  Preflight preflight;
  if (question.dataset) preflight.dataset = question.dataset->hash();
  const auto addError = [&](const Error& error, std::string accepted) {
    preflight.findings.problems.push_back({error.pointer, error.message, std::move(accepted)});
  };
  if (!experiment.dataset.namesData())
    preflight.findings.warnings.push_back(
        {"/dataset/path",
         fmt::format("no data yet: source \"{}\" reads {}",
                     experiment::sourceName(experiment.dataset.source),
                     experiment.dataset.source == experiment::SourceKind::kMovielens
                         ? "a MovieLens folder or zip"
                     : experiment.dataset.isText() ? "a file or folder of texts"
                                                   : "a file"),
         "a path; in the terminal --data PATH"});
  if (const Status settings = data::checkImportSettings(experiment.dataset); !settings)
    addError(settings.error(), "");
  else
    checkVocabularies(preflight, experiment.dataset, question.stop);
  checkNamedFiles(preflight, experiment.dataset);
  checkLabel(preflight, experiment);
  const auto mesh = mesh::DeviceMesh::create(experiment.mesh);
  if (!mesh) addError(mesh.error(), "devices of this machine, e.g. \"cpu*4\"");
  const int ranks = mesh ? mesh->ranks() : 1;
  preflight.batchRows = train::globalBatchRows(experiment.dataset.batch, ranks);
  if (mesh) {
    preflight.dataParallel =
        dataParallelText(*mesh, preflight.batchRows,
                         experiment::sequenceWindows(experiment) ? "sequence" : "example");
    checkIdleDevices(preflight, *mesh);
  }
  preflight.learningRate =
      experiment::optimizerOfRun(experiment.optimizer, experiment.schedule, {ranks, 0})
          .learningRate;

  const auto rows = vocabularyRows(experiment, sizes);
  const MachineFigures figures = storedFigures(shared, experiment);
  preflight.figuresUnusable = !figures.unusable.empty();
  if (preflight.figuresUnusable)
    preflight.findings.warnings.push_back(
        {"/mesh/devices", figures.unusable + ". A run and a plan measure this machine first",
         "`parapet-cli devices --measure`"});
  Resolution answer =
      mesh ? resolveExperiment(shared, experiment, figures, rows, std::move(question))
           : resolveAnywhere(shared, experiment, rows);
  for (Problem& problem : answer.problems) {
    problem.message = refusalText(problem, rows, experiment);
    preflight.findings.problems.push_back(std::move(problem));
  }
  if (!answer.model) return preflight;
  preflight.findings.append(checkInitialFiles(experiment, rows));
  if (sizes)
    if (const auto warning = warnOfNoLearning(experiment, sizes->rows, rows, preflight.batchRows))
      preflight.findings.warnings.push_back(*warning);
  estimateTables(preflight, experiment, answer.model->graph, rows);
  if (answer.resolved) {
    estimateRanks(preflight, answer.resolved->model);
    const bool isKnown = std::ranges::all_of(rows, [](const auto& row) { return row.second >= 0; });
    if (mesh && isKnown) checkCaches(preflight, experiment, answer.resolved->model);
    if (mesh)
      preflight.resolved = std::move(answer.resolved);
    else  // of a mesh that is none
      preflight.ranks.clear(), preflight.memory.clear();
  }
  checkMemory(preflight);
  checkBatch(preflight, experiment, sizes);
  checkSchedules(preflight, experiment, ranks, sizes);
  return preflight;
}

}  // namespace parapet::workspace
