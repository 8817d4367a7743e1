// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parameter_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/query_context.h"

namespace parapet::train {
namespace {

constexpr std::string_view kTemperature = "dense/loss_log_temperature";

using Shape = std::array<std::int64_t, 2>;

std::string textOf(const Shape& shape) {
  return fmt::format("[{}, {}]", shape[0], shape[1]);
}

std::string vocabularyPointer(const experiment::Experiment& experiment,
                              const std::string& parameter) {
  for (const experiment::Table& table : experiment.tables)
    for (std::size_t index = 0; index < experiment.dataset.vocabularies.size(); ++index)
      if ("tables/" + table.name == parameter &&
          experiment.dataset.vocabularies[index].name == table.vocabulary)
        return fmt::format("/dataset/vocabularies/{}", index);
  return "/dataset/vocabularies";
}

experiment::Problem otherShape(const experiment::Experiment& experiment, const std::string& name,
                               const Shape& wanted, const Shape& found) {
  const std::string message =
      fmt::format("{} is {} here and {} in the checkpoint", name, textOf(wanted), textOf(found));
  if (!name.starts_with("tables/"))
    return {experiment::parameterPointer(experiment, name), message, "weights " + textOf(found)};
  if (wanted[1] != found[1])
    return {experiment::parameterPointer(experiment, name) + "/embedding_dim", message,
            fmt::format("{}", found[1])};
  return {vocabularyPointer(experiment, name), message,
          fmt::format("the {} rows of the run, or a new run with a warm_start of the table, which "
                      "matches rows by raw id",
                      found[0])};
}

using experiment::Experiment;
using experiment::Table;

bool hasUnknownRow(const Experiment& experiment, const Table& table) {
  const auto& all = experiment.dataset.vocabularies;
  const auto found = std::ranges::find(all, table.vocabulary, &experiment::Vocabulary::name);
  return found != all.end() && found->oovKind() == experiment::OovKind::kRow &&
         found->kind == experiment::VocabularyKind::kCompressed &&
         !experiment::usesRowZero(experiment.dataset, *found);
}

}  // namespace

ParameterShapes shapesOf(std::span<const nn::ParameterSpec> specs) {
  ParameterShapes shapes;
  for (const nn::ParameterSpec& spec : specs) shapes[spec.name] = {spec.rows, spec.cols};
  return shapes;
}

ParameterShapes shapesOf(const checkpoint::Checkpoint& checkpoint) {
  constexpr std::string_view kWeight = "/weight";
  ParameterShapes shapes;
  for (const checkpoint::TensorView& tensor : checkpoint.tensors())
    if (tensor.name.ends_with(kWeight) && tensor.shape.size() == 2)
      shapes[tensor.name.substr(0, tensor.name.size() - kWeight.size())] = {tensor.shape[0],
                                                                            tensor.shape[1]};
  return shapes;
}

std::vector<experiment::Problem> unfitParameters(const experiment::Experiment& experiment,
                                                 const ParameterShapes& wanted,
                                                 const ParameterShapes& found) {
  constexpr const char* kAccepted = "the tables and layers of the run";
  std::vector<experiment::Problem> problems;
  std::set<std::string> told;
  const auto add = [&](experiment::Problem problem) {
    if (told.insert(problem.pointer).second) problems.push_back(std::move(problem));
  };
  for (const auto& [name, shape] : wanted) {
    const auto there = found.find(name);
    if (there != found.end() && there->second != shape)
      add(otherShape(experiment, name, shape, there->second));
    else if (there == found.end() && name != kTemperature)
      add({experiment::parameterPointer(experiment, name),
           fmt::format("the checkpoint has no weights {} {}", name, textOf(shape)), kAccepted});
  }
  for (const auto& [name, shape] : found)
    if (!wanted.contains(name) && name != kTemperature)
      add({name.starts_with("tables/") ? "/tables" : "/model",
           fmt::format("the checkpoint has weights {} {}, and the document nothing that they "
                       "belong to",
                       name, textOf(shape)),
           kAccepted});
  return problems;
}

const Table* warmStartTable(const Table& table, const Experiment& source) {
  if (!table.warmStart) return nullptr;
  const std::string& name = table.warmStart->table.value_or(table.name);
  const auto found = std::ranges::find(source.tables, name, &Table::name);
  return found == source.tables.end() ? nullptr : &*found;
}

std::optional<experiment::Problem> warmStartProblem(const Experiment& experiment, std::size_t table,
                                                    const Experiment& source) {
  const Table& into = experiment.tables.at(table);
  if (!into.warmStart) return std::nullopt;
  const std::string at = fmt::format("/tables/{}/warm_start/table", table);
  const std::string& name = into.warmStart->table.value_or(into.name);
  if (const Table* from = warmStartTable(into, source)) {
    if (from->embeddingDim == into.embeddingDim) return std::nullopt;
    return experiment::Problem{
        at,
        fmt::format("the table \"{}\" of run {} is {} wide, and this one {}", name,
                    into.warmStart->run, from->embeddingDim, into.embeddingDim),
        fmt::format("a table that is as wide, or an embedding_dim of {}", from->embeddingDim)};
  }
  std::vector<std::string> names;
  for (const Table& there : source.tables) names.push_back(there.name);
  return experiment::Problem{at,
                             fmt::format("run {} has no table \"{}\"{}", into.warmStart->run,
                                         printable(name), didYouMean(name, names)),
                             names.empty() ? "a run with tables" : join(names)};
}

bool sharesUnknownRow(const Experiment& experiment, const Table& table, const Experiment& source,
                      const Table& from) {
  return hasUnknownRow(experiment, table) && hasUnknownRow(source, from);
}

}  // namespace parapet::train
