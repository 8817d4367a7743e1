// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/document_index.h"

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {

namespace {

/// Names of the columns at whose role the reader has found a problem.
std::unordered_set<std::string_view> columnsWithoutRole(const std::vector<Column>& columns,
                                                        const Findings& read) {
  constexpr std::string_view kColumns = "/dataset/columns/", kRole = "/role";
  std::unordered_set<std::string_view> names;
  for (const Problem& problem : read.problems) {
    std::string_view pointer = problem.pointer;
    if (!pointer.starts_with(kColumns) || !pointer.ends_with(kRole)) continue;
    pointer.remove_prefix(kColumns.size());
    pointer.remove_suffix(kRole.size());
    const auto index = parseInt(pointer);
    if (index && *index >= 0 && *index < std::ssize(columns))
      names.insert(columns[static_cast<std::size_t>(*index)].name);
  }
  return names;
}

}  // namespace

DocumentIndex::DocumentIndex(const Experiment& experiment, const Findings& read)
    : columns(experiment.dataset.columns),
      vocabularies(experiment.dataset.vocabularies),
      vectors(experiment.dataset.vectors),
      tables(experiment.tables),
      unreadRoles(columnsWithoutRole(experiment.dataset.columns, read)),
      idColumns(experiment.dataset.idColumns()),
      numericColumns(experiment.dataset.numericColumns()),
      dataset_(&experiment.dataset) {
  for (const Table& table : experiment.tables)
    if (!table.name.empty() && tables.find(table.name) != &table)
      duplicateTableVocabularies.insert(table.vocabulary);
  for (const Problem& problem : read.problems) {
    lacksTables = lacksTables || problem.pointer == "/tables";
    lacksFeatures = lacksFeatures || problem.pointer == "/features";
  }
  if (auto expanded = expandDevices(experiment.mesh.devices); expanded.ok())
    devices = std::move(expanded).value();
  const Batch& batch = experiment.dataset.batch;
  if (batch.size)
    batchSize = batch.size;
  else if (batch.perDevice && !devices.empty())
    batchSize = *batch.perDevice * static_cast<std::int64_t>(devices.size());
}

std::optional<ColumnRole> DocumentIndex::roleOf(const std::string& column) const {
  if (dataset_->columns.empty()) return dataset_->roleOf(column);
  const Column* found = columns.find(column);
  return found ? std::optional(found->role) : std::nullopt;
}

const std::string* DocumentIndex::vocabularyOf(const std::string& column) const {
  if (dataset_->columns.empty()) return dataset_->vocabularyOf(column);
  const Column* found = columns.find(column);
  return found && holdsIds(found->role) ? &found->vocabularyName() : nullptr;
}

}  // namespace parapet::experiment
