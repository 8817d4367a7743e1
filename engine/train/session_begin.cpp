// SPDX-License-Identifier: Apache-2.0
// How a session begins with the weights of another run.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/train/bert_weights.h"
#include "engine/train/parameter_fit.h"
#include "engine/train/session_state.h"
#include "engine/train/vocabulary_tensors.h"

namespace parapet::train {
namespace {

using experiment::Experiment;

Error refused(const experiment::Problem& problem) {
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("{}; accepted: {}", problem.message, problem.accepted), problem.pointer};
}

std::span<const float> elementsOf(const checkpoint::TensorView& tensor) {
  return {reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

/// The optimizer of a parameter.
experiment::OptimizerKind optimizerOf(const Experiment& experiment, const std::string& parameter) {
  for (const experiment::Table& table : experiment.tables)
    if ("tables/" + table.name == parameter && table.optimizer) return table.optimizer->kind;
  return experiment.optimizer.kind;
}

/// Rows that mean other ids would be trained on as if they were these.
Status checkIds(const checkpoint::Checkpoint& checkpoint, const Experiment& experiment,
                const data::Dataset& dataset) {
  for (std::size_t index = 0; index < experiment.dataset.vocabularies.size(); ++index) {
    const std::string& name = experiment.dataset.vocabularies[index].name;
    if (std::ranges::find(experiment.tables, name, &experiment::Table::vocabulary) ==
        experiment.tables.end())
      continue;
    const data::Vocabulary& here = dataset.vocabulary(name);
    PARAPET_ASSIGN(const auto there, CheckpointVocabulary::open(checkpoint, name));
    const std::int64_t rows = std::min(here.size(), there.rows());
    for (std::int64_t row = 0; row < rows; ++row)
      if (here.rawId(row) != there.rawId(row))
        return refused({fmt::format("/dataset/vocabularies/{}", index),
                        fmt::format("row {} of the vocabulary \"{}\" is the id \"{}\" here and "
                                    "\"{}\" in the checkpoint",
                                    row, name, here.rawId(row), there.rawId(row)),
                        "the data of the run, or a new run with a warm_start of its tables, which "
                        "matches rows by raw id"});
  }
  return {};
}

/// The slots of a parameter in a checkpoint; empty if it does not have them all.
std::vector<const checkpoint::TensorView*> slotsIn(const checkpoint::Checkpoint& checkpoint,
                                                   const nn::Parameter& parameter) {
  std::vector<const checkpoint::TensorView*> slots;
  for (const nn::SlotSpec& spec : nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols)) {
    const checkpoint::TensorView* found = checkpoint.find(parameter.spec.name + "/" + spec.name);
    if (!found || found->type != checkpoint::ElementType::kF32 ||
        found->shape != std::vector{parameter.spec.rows, spec.cols})
      return {};
    slots.push_back(found);
  }
  return slots;
}

std::int64_t slotsSinceIn(const checkpoint::Manifest& manifest, const std::string& parameter) {
  const nlohmann::json& state = manifest.trainerState;
  const auto all = state.is_object() ? state.find("slots_since") : state.end();
  return state.is_object() && all != state.end() ? all->value(parameter, std::int64_t{0}) : 0;
}

}  // namespace

void Session::State::restoreSlotsSince(const checkpoint::Manifest& manifest) {
  for (nn::Parameter& parameter : parameters)
    parameter.slotsSince = slotsSinceIn(manifest, parameter.spec.name);
  tellSlotsSince();
}

nlohmann::json Session::slotsSince() const {
  nlohmann::json steps = nlohmann::json::object();
  for (const nn::Parameter& parameter : state_->parameters)
    if (parameter.slotsSince > 0) steps[parameter.spec.name] = parameter.slotsSince;
  return steps;
}

Result<Session::TakenOver> Session::takeOver(const checkpoint::Checkpoint& checkpoint,
                                             const Experiment& source) {
  State& s = *state_;
  const auto unfit =
      unfitParameters(s.experiment, shapesOf(s.model.graph.parameters()), shapesOf(checkpoint));
  if (!unfit.empty()) return refused(unfit.front());
  PARAPET_TRY(checkIds(checkpoint, s.experiment, *s.dataset));
  TakenOver kept;
  for (nn::Parameter& parameter : s.parameters) {
    const std::string& name = parameter.spec.name;
    const checkpoint::TensorView* weight = checkpoint.find(name + "/weight");
    const std::int64_t step = checkpoint.manifest().step;
    parameter.slotsSince = step;
    if (!weight || weight->type != checkpoint::ElementType::kF32) {
      kept.newWeights.push_back(name);
      continue;
    }
    scatterRows(parameter, -1, elementsOf(*weight));
    const bool hasSlots = !parameter.shards[0].slots.empty();
    const auto slots = slotsIn(checkpoint, parameter);
    if (hasSlots &&
        (slots.empty() || optimizerOf(s.experiment, name) != optimizerOf(source, name))) {
      kept.newSlots.push_back(name);
      continue;
    }
    for (std::size_t slot = 0; slot < parameter.shards[0].slots.size(); ++slot)
      scatterRows(parameter, static_cast<int>(slot), elementsOf(*slots[slot]));
    parameter.slotsSince = slotsSinceIn(checkpoint.manifest(), name);
  }
  s.tellSlotsSince();
  PARAPET_TRY(checkpoint.intact());
  return kept;
}

Result<std::vector<std::string>> Session::takeBert(const checkpoint::SafetensorsFile& file) {
  State& s = *state_;
  const experiment::BertLayout layout = experiment::bertLayout(s.experiment);
  const std::int64_t pieces = s.parameters.at(at(s.model.tokenTable)).spec.rows;
  PARAPET_ASSIGN(BertMatch match, matchBert(layout, file, pieces));
  PARAPET_TRY(train::takeBert(layout, match, *this));
  PARAPET_TRY(file.intact());
  return std::move(match.notes);
}

Result<Session::WarmRows> Session::warmStart(std::size_t table,
                                             const checkpoint::Checkpoint& checkpoint,
                                             const Experiment& source) {
  State& s = *state_;
  if (const auto problem = warmStartProblem(s.experiment, table, source)) return refused(*problem);
  const experiment::Table& into = s.experiment.tables.at(table);
  const experiment::Table& from = *warmStartTable(into, source);
  nn::Parameter& parameter = s.parameters.at(table);
  const checkpoint::TensorView* weight = checkpoint.find("tables/" + from.name + "/weight");
  PARAPET_ASSIGN(const auto theirs, CheckpointVocabulary::open(checkpoint, from.vocabulary));
  if (!weight || weight->type != checkpoint::ElementType::kF32 ||
      weight->shape != std::vector{theirs.rows(), parameter.spec.cols})
    return Error{ErrorCode::kData,
                 fmt::format("the checkpoint of step {} has no table \"{}\" with a row for each id",
                             checkpoint.manifest().step, from.name),
                 {},
                 checkpoint.folder().string()};
  std::unordered_map<std::string_view, std::int64_t> rowOf;
  for (std::int64_t row = 0; row < theirs.rows(); ++row)
    if (!theirs.rawId(row).empty()) rowOf.emplace(theirs.rawId(row), row);

  const auto cols = static_cast<std::size_t>(parameter.spec.cols);
  std::vector<float> weights(static_cast<std::size_t>(parameter.spec.rows) * cols);
  gatherRows(parameter, -1, weights);
  const std::span<const float> elements = elementsOf(*weight);
  const auto copy = [&](std::int64_t to, std::int64_t row) {
    std::ranges::copy(elements.subspan(static_cast<std::size_t>(row) * cols, cols),
                      weights.begin() + to * parameter.spec.cols);
  };
  const data::Vocabulary& ours = s.dataset->vocabulary(into.vocabulary);
  if (sharesUnknownRow(s.experiment, into, source, from)) copy(0, 0);
  WarmRows warm;
  for (std::int64_t row = 0; row < std::min(ours.size(), parameter.spec.rows); ++row) {
    if (ours.rawId(row).empty()) continue;
    ++warm.rows;
    const auto found = rowOf.find(ours.rawId(row));
    if (found == rowOf.end()) continue;
    ++warm.found;
    copy(row, found->second);
  }
  PARAPET_TRY(checkpoint.intact());
  scatterRows(parameter, -1, weights);
  return warm;
}

}  // namespace parapet::train
