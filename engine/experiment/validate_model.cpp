// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkInitializer(const Initializer& initializer, const Place& place) {
  if (initializer.kind == InitializerKind::kUniform && initializer.min > initializer.max)
    place.problem(fmt::format("min {} is above max {}", initializer.min, initializer.max),
                  "min at most max");
}

void checkTables(const Experiment& experiment, const Place& place) {
  refuseDuplicateNames(experiment.tables, place);
  for (std::size_t index = 0; index < experiment.tables.size(); ++index) {
    const Table& table = experiment.tables[index];
    const Place at = place / index;
    requireNamed(experiment.dataset.vocabularies, table.vocabulary, "vocabulary",
                 at / "vocabulary");
    checkInitializer(table.initializer, at / "initializer");
    if (table.optimizer) validateOptimizer(*table.optimizer, at / "optimizer");
    if (table.optimizer && !table.trainable)
      (at / "optimizer").warning("not used: the table is not trainable", "null");
    const bool used = std::ranges::any_of(
        experiment.features, [&](const Feature& feature) { return feature.table == table.name; });
    if (!used && !table.name.empty())
      at.warning("no feature uses the table \"" + table.name + "\"");
  }
}

void checkFeature(const Experiment& experiment, const Feature& feature, const Place& place) {
  requireNamed(experiment.tables, feature.table, "table", place / "table");
  const std::string* vocabulary = experiment.dataset.vocabularyOf(feature.column);
  if (!feature.column.empty() &&
      (vocabulary == nullptr ||
       findNamed(experiment.dataset.vocabularies, *vocabulary) == nullptr)) {
    const std::vector<std::string> names = experiment.dataset.idColumns();
    (place / "column")
        .problem("the column \"" + feature.column + "\" has no vocabulary" +
                     didYouMean(feature.column, names),
                 "a column with a vocabulary: " + join(names));
    return;
  }
  const Table* table = findNamed(experiment.tables, feature.table);
  if (table != nullptr && !feature.column.empty() && !table->vocabulary.empty() &&
      table->vocabulary != *vocabulary)
    (place / "table")
        .problem(fmt::format("the table \"{}\" has the rows of the vocabulary \"{}\", and the "
                             "column \"{}\" those of \"{}\"",
                             table->name, table->vocabulary, feature.column, *vocabulary),
                 "a table with the vocabulary \"" + *vocabulary + "\"");
}

/// A tower answers for a user or an item, so it can know nothing of the other.
void checkTowerColumn(const Feature& feature, const Place& place) {
  const bool query = feature.tower == Tower::kQuery;
  const std::string foreign = query ? "item" : "user";
  if (feature.column != foreign) return;
  (place / "column")
      .problem(fmt::format("the {} tower cannot read the column \"{}\"",
                           query ? "query" : "candidate", foreign),
               query ? "\"user\"" : "\"item\"");
}

/// Width of a tower's output; nullopt if it cannot be known.
std::optional<std::int64_t> towerWidth(const Experiment& experiment, Tower tower) {
  const std::vector<Layer>& layers =
      tower == Tower::kQuery ? experiment.model.query : experiment.model.candidate;
  if (!layers.empty()) return layers.back().units;
  std::int64_t width = 0;
  for (const Feature& feature : experiment.features) {
    if (feature.tower != tower) continue;
    const Table* table = findNamed(experiment.tables, feature.table);
    if (table == nullptr) return std::nullopt;
    width += table->embeddingDim;
  }
  return width > 0 ? std::optional(width) : std::nullopt;
}

void checkTowers(const Experiment& experiment, const Place& root) {
  for (const auto& [tower, name] :
       {std::pair{Tower::kQuery, "query"}, {Tower::kCandidate, "candidate"}}) {
    const bool has = std::ranges::any_of(
        experiment.features, [tower = tower](const Feature& f) { return f.tower == tower; });
    if (!has)
      (root / "features")
          .problem(fmt::format("the {} tower has no feature", name),
                   fmt::format("at least one feature with tower \"{}\"", name));
    const auto& layers =
        tower == Tower::kQuery ? experiment.model.query : experiment.model.candidate;
    for (std::size_t index = 0; index < layers.size(); ++index)
      checkInitializer(layers[index].initializer, root / "model" / name / index / "initializer");
  }
  const auto query = towerWidth(experiment, Tower::kQuery);
  const auto candidate = towerWidth(experiment, Tower::kCandidate);
  if (query && candidate && *query != *candidate)
    (root / "model")
        .problem(
            fmt::format("the query tower gives {} numbers and the candidate tower {}: their dot "
                        "product does not exist",
                        *query, *candidate),
            "towers of the same output width");
}

}  // namespace

void validateModel(const Experiment& experiment, const Place& root) {
  checkTables(experiment, root / "tables");
  refuseDuplicateNames(experiment.features, root / "features");
  for (std::size_t index = 0; index < experiment.features.size(); ++index) {
    checkFeature(experiment, experiment.features[index], root / "features" / index);
    checkTowerColumn(experiment.features[index], root / "features" / index);
  }
  checkTowers(experiment, root);
}

}  // namespace parapet::experiment
