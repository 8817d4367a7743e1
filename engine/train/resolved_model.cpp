// SPDX-License-Identifier: Apache-2.0
#include "engine/train/resolved_model.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/layout.h"
#include "engine/mesh/placement.h"
#include "engine/nn/missing_ops.h"
#include "engine/train/session.h"
#include "engine/train/task.h"

namespace parapet::train {
namespace {

using experiment::Experiment;
using experiment::Placement;
using experiment::Problem;
using nlohmann::json;

std::vector<std::int64_t> longestIds(const Experiment& experiment, const nn::Model& model,
                                     const ResolveInput& input) {
  if (input.dataset) return longestBags(*input.dataset, experiment, model.columns);
  std::vector<std::int64_t> longest;
  for (const std::string& column : model.columns) {
    const auto found = input.columns.find(column);
    longest.push_back(found == input.columns.end() ? 1 : found->second.maxIds);
  }
  return longest;
}

/// The document with every `auto` replaced by what was decided before.
Experiment keeping(Experiment experiment, const std::map<std::string, KeptPlacement>& kept) {
  if (kept.empty()) return experiment;
  experiment.tables = experiment::withLayout(experiment);
  experiment.layout.clear();
  for (experiment::Table& table : experiment.tables) {
    const auto found = kept.find(table.name);
    if (found == kept.end() || table.placement != Placement::kAuto) continue;
    table.placement = found->second.placement;
    table.axes = found->second.axes;
    if (!found->second.device.empty()) table.device = found->second.device;
  }
  return experiment;
}

/// Where the parameters lie, and how memory holds them.
Status place(ResolvedModel& resolved) {
  const auto& parameters = resolved.model->graph.parameters();
  resolved.placed.clear();
  resolved.shardings.clear();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const nn::ParameterSpec& spec = parameters[i];
    mesh::Sharding placed = mesh::Sharding::replicated(spec.rows, spec.cols, resolved.mesh.ranks());
    if (i < resolved.tables.size()) {
      PARAPET_ASSIGN(placed, mesh::placeTable(resolved.tables[i], resolved.mesh, spec.rows,
                                              fmt::format("/tables/{}", i)));
    }
    resolved.shardings.push_back(mesh::heldSharding(placed, resolved.mesh));
    resolved.placed.push_back(std::move(placed));
  }
  return {};
}

/// The bytes of the plan, as the session will allocate them.
void countBuffers(ResolvedModel& resolved, const Experiment& experiment) {
  resolved.evaluationBytes.assign(resolved.plan.devices.size(), 0);
  for (const nn::StepTask& task : sessionTasks(experiment, resolved)) {
    const auto bytes =
        nn::stepBytes(resolved.model->graph, resolved.shardings, resolved.mesh, task);
    for (std::size_t rank = 0; rank < bytes.size() && rank < resolved.plan.devices.size(); ++rank)
      if (task.purpose == nn::StepPurpose::kTrain)
        resolved.plan.devices[rank].bufferBytes = bytes[rank];
      else
        resolved.evaluationBytes[rank] += bytes[rank];
  }
}

/// The first cache with fewer slots than a plan may read rows at once; nullopt if there is none.
std::optional<Problem> smallCache(const ResolvedModel& resolved, const Experiment& experiment) {
  const nn::Graph& graph = resolved.model->graph;
  nn::SpaceCapacity capacity;
  capacity.idsPerRow = resolved.idsPerRow;
  const auto hasOwnMemory = [&](int space) { return !resolved.mesh.spaceDevice(space).isHost(); };
  for (std::size_t i = 0; i < resolved.tables.size(); ++i) {
    const nn::ParameterSpec& spec = graph.parameters()[i];
    const std::vector<int> owners = resolved.shardings[i].owners(0);
    if (spec.cacheRows == 0 || std::ranges::none_of(owners, hasOwnMemory)) continue;
    const std::string pointer = fmt::format("/tables/{}/cache_rows", i);
    const auto table = static_cast<nn::ParameterIndex>(i);
    if (graph.readsWhole(table))
      return Problem{pointer, "the model reads all of the table in every step", "null"};
    std::int64_t idsPerRow = 0, most = 0;
    for (const nn::Lookup& lookup : graph.lookups())
      if (lookup.table == table) idsPerRow += capacity.idsOf(lookup);
    for (const nn::StepTask& task : sessionTasks(experiment, resolved))
      most = std::max(most, task.capacityRows * idsPerRow);
    const std::int64_t all = resolved.shardings[i].shardRows(0);
    if (spec.cacheRows >= std::min(most, all)) continue;
    const std::string places =
        fmt::format("{} row{}", formatCount(spec.cacheRows), spec.cacheRows == 1 ? "" : "s");
    if (most >= all)
      return Problem{pointer,
                     fmt::format("{}, and all {} that a device has may be read at once", places,
                                 formatCount(all)),
                     "null"};
    return Problem{pointer,
                   fmt::format("{}, and up to {} are read at once", places, formatCount(most)),
                   fmt::format("{} and more, or null", most)};
  }
  return std::nullopt;
}

/// The first device that does not hold what will be allocated on it; nullopt if all do. The planner
/// has searched by an estimate of the buffers: what counts is what is shown and allocated.
std::optional<Problem> overfullDevice(const ResolvedModel& resolved,
                                      const std::optional<experiment::DeviceCapacity>& capacity) {
  for (std::size_t rank = 0; rank < resolved.plan.devices.size(); ++rank) {
    const mesh::DevicePlan& device = resolved.plan.devices[rank];
    const std::int64_t evaluation = resolved.evaluationBytes[rank];
    const std::int64_t needed = device.bytes() + evaluation;
    if (device.capacityBytes == 0 || needed <= device.capacityBytes) continue;
    const auto text = [](std::int64_t bytes) {
      return fmt::format("{} ({} bytes)", formatBytes(static_cast<std::uint64_t>(bytes)), bytes);
    };
    return Problem{
        mesh::capacityPointer(capacity, static_cast<int>(rank), device.capacityBytes),
        fmt::format("{} are missing: {} needs {}, of it {} for steps and {} for "
                    "evaluation, and has {}",
                    text(needed - device.capacityBytes), device.name, text(needed),
                    text(device.bufferBytes), text(evaluation), text(device.capacityBytes)),
        "more devices, more memory on each, or smaller batches"};
  }
  return std::nullopt;
}

json spacesJson(const ResolvedModel& resolved) {
  json spaces = json::array();
  for (std::size_t rank = 0; rank < resolved.plan.devices.size(); ++rank) {
    const mesh::DevicePlan& device = resolved.plan.devices[rank];
    auto space = std::ranges::find_if(
        spaces, [&](const json& known) { return known["name"] == device.memory; });
    if (space == spaces.end()) {
      spaces.push_back({{"name", device.memory}, {"devices", json::array()}});
      space = std::prev(spaces.end());
    }
    (*space)["devices"].push_back(device.name);
    const auto add = [&](const char* key, std::int64_t bytes) {
      (*space)[key] = space->value(key, std::int64_t{0}) + bytes;
    };
    add("bytes", device.bytes());
    add("table_bytes", device.tableBytes);
    add("slot_bytes", device.slotBytes);
    add("dense_bytes", device.denseBytes);
    add("buffer_bytes", device.bufferBytes);
    add("evaluation_buffer_bytes", resolved.evaluationBytes[rank]);
  }
  return spaces;
}

json tablesJson(const ResolvedModel& resolved) {
  json tables = json::array();
  for (std::size_t i = 0; i < resolved.tables.size() && i < resolved.plan.tables.size(); ++i) {
    const mesh::TablePlan& plan = resolved.plan.tables[i];
    const mesh::Sharding& sharding = resolved.placed[i];
    json devices = json::array();
    for (const int rank : plan.devices)
      devices.push_back(resolved.plan.devices[static_cast<std::size_t>(rank)].name);
    tables.push_back({{"name", plan.name},
                      {"rows", sharding.rows()},
                      {"columns", sharding.cols()},
                      {"placement", mesh::placementName(resolved.tables[i].placement)},
                      {"axes", resolved.tables[i].axes},
                      {"device", plan.device.empty() ? json(nullptr) : json(plan.device)},
                      {"devices", std::move(devices)},
                      {"shards", sharding.shards()},
                      {"bytes", plan.bytes},
                      {"reason", plan.reason}});
  }
  return tables;
}

}  // namespace

json ResolvedModel::toJson() const {
  return {{"devices", mesh.deviceNames()},
          {"shape", mesh.shape()},
          {"axes", mesh.axes()},
          {"processes", mesh.processes().size()},
          {"memory",
           std::ssize(mesh.spaces()) == mesh.ranks() && mesh.ranks() > 1 ? "separate" : "shared"},
          {"batch_rows", batchRows},
          {"spaces", spacesJson(*this)},
          {"tables", tablesJson(*this)},
          {"step_seconds", plan.stepSeconds},
          {"assumptions", plan.assumptions}};
}

std::vector<nn::StepTask> sessionTasks(const Experiment& experiment,
                                       const ResolvedModel& resolved) {
  const nn::Model& model = *resolved.model;
  nn::StepTask trained = nn::trainingTask(experiment, resolved.batchRows, resolved.idsPerRow);
  for (const nn::Model::Head& head : model.heads) {
    trained.targets.push_back(head.lossValue);
    if (experiment::traitsOf(head.loss.kind).takesLogits)
      trained.targets.push_back(head.prediction);
  }
  std::vector<nn::StepTask> tasks{std::move(trained)};
  const auto add = [&](std::vector<nn::Value> targets, std::int64_t capacityRows) {
    nn::StepTask task{.targets = std::move(targets),
                      .capacityRows = capacityRows,
                      .idsPerRow = resolved.idsPerRow,
                      .stackTables = experiment.mesh.stackTables};
    tasks.push_back(std::move(task));
  };
  const Task& task = Task::of(model.kind);
  add(evaluatedValues(model),
      nn::stepRows(experiment, task.evaluationRows(model, resolved.batchRows)));
  for (const Task::Output& output : task.outputs(model, resolved.batchRows))
    add({output.value}, output.capacityRows);
  return tasks;
}

std::string programText(const Experiment& experiment, const ResolvedModel& resolved) {
  const nn::Graph& graph = resolved.model->graph;
  return nn::text(nn::compile(graph, sessionTasks(experiment, resolved)[0], resolved.mesh, 0,
                              resolved.shardings),
                  graph);
}

ResolveOutcome resolve(const Experiment& document, ResolveInput input) {
  ResolveOutcome outcome;
  const Experiment experiment = keeping(document, input.kept);
  auto built = nn::buildModel(experiment, input.vocabularyRows);
  if (!built) {
    outcome.problems.push_back({built.error().pointer, built.error().message, ""});
    return outcome;
  }
  ResolvedModel resolved{.mesh = input.mesh,
                         .model = std::make_shared<const nn::Model>(std::move(built).value()),
                         .tables = {},
                         .placed = {},
                         .shardings = {},
                         .idsPerRow = {},
                         .batchRows = globalBatchRows(experiment.dataset.batch, input.mesh.ranks()),
                         .plan = {},
                         .evaluationBytes = {}};
  outcome.model = resolved.model;
  if (!input.mesh.isHypothetical())
    outcome.problems = nn::missingOps(experiment, *resolved.model, input.mesh);
  resolved.idsPerRow = longestIds(experiment, *resolved.model, input);
  for (std::size_t i = 0; i < resolved.idsPerRow.size(); ++i)
    if (const auto found = input.columns.find(resolved.model->columns[i]);
        found != input.columns.end())
      found->second.maxIds = resolved.idsPerRow[i];
  // Checks capacities against the mesh that is resolved for, which a profile of hardware may give.
  if (auto problem = experiment::capacityProblem(experiment.mesh, resolved.mesh.deviceNames())) {
    outcome.problems.push_back(*std::move(problem));
    return outcome;
  }
  const mesh::PlanRequest request =
      nn::planRequest(experiment, *resolved.model, input.columns, std::move(input.mesh),
                      std::move(input.hardware), resolved.batchRows);
  mesh::PlanOutcome planned = mesh::planTables(request);
  if (planned.plan.devices.empty()) {
    std::ranges::move(planned.problems, std::back_inserter(outcome.problems));
    return outcome;
  }
  resolved.plan = std::move(planned.plan);
  for (const mesh::TableRequest& table : request.tables) resolved.tables.push_back(table.table);
  resolved.tables = nn::withPlacements(std::move(resolved.tables), resolved.plan);
  for (mesh::TablePlan& table : resolved.plan.tables)
    if (const auto found = input.kept.find(table.name);
        found != input.kept.end() && !found->second.reason.empty())
      table.reason = found->second.reason;
  if (const Status done = place(resolved); !done) {
    outcome.problems.push_back({done.error().pointer, done.error().message, ""});
    return outcome;
  }
  if (auto small = smallCache(resolved, experiment)) outcome.problems.push_back(*std::move(small));
  countBuffers(resolved, experiment);
  // With a plan, the only problem that the planner has is that of the memory.
  auto overfull = overfullDevice(resolved, request.capacityBytes);
  if (overfull && !planned.problems.empty()) overfull = std::move(planned.problems.front());
  if (overfull) outcome.problems.push_back(*std::move(overfull));
  outcome.resolved = std::move(resolved);
  return outcome;
}

Result<ResolvedModel> rebuilt(const ResolvedModel& resolved, const Experiment& experiment,
                              const data::Dataset& dataset) {
  ResolvedModel other = resolved;
  PARAPET_ASSIGN(nn::Model model, nn::buildModel(experiment, vocabularySizes(experiment, dataset)));
  other.model = std::make_shared<const nn::Model>(std::move(model));
  PARAPET_TRY(place(other));
  countBuffers(other, experiment);
  return other;
}

std::map<std::string, KeptPlacement> keptPlacements(const json& resolved,
                                                    const mesh::DeviceMesh& mesh) {
  std::map<std::string, KeptPlacement> kept;
  if (!resolved.is_object() || !resolved.contains("tables")) return kept;
  // Placements of another mesh mean nothing here.
  if (resolved.value("devices", std::vector<std::string>{}) != mesh.deviceNames() ||
      resolved.value("shape", std::vector<std::int64_t>{}) != mesh.shape() ||
      resolved.value("axes", std::vector<std::string>{}) != mesh.axes())
    return kept;
  for (const json& table : resolved.at("tables")) {
    const std::string placement = table.value("placement", "");
    for (const Placement known : {Placement::kReplicated, Placement::kRow, Placement::kRowBlock,
                                  Placement::kColumn, Placement::kTable}) {
      if (placement != mesh::placementName(known)) continue;
      const json& device = table.at("device");
      kept[table.value("name", "")] = {
          known, table.value("axes", std::vector<std::string>{}),
          device.is_string() ? device.get<std::string>() : std::string(),
          table.value("reason", "")};
    }
  }
  return kept;
}

}  // namespace parapet::train
