// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/document_index.h"

#include "engine/experiment/experiment.h"

namespace parapet::experiment {

DocumentIndex::DocumentIndex(const Experiment& experiment)
    : columns(experiment.dataset.columns),
      vocabularies(experiment.dataset.vocabularies),
      vectors(experiment.dataset.vectors),
      tables(experiment.tables),
      idColumns(experiment.dataset.idColumns()),
      numericColumns(experiment.dataset.numericColumns()),
      dataset_(&experiment.dataset) {
  for (const Table& table : experiment.tables)
    if (!table.name.empty() && tables.find(table.name) != &table)
      duplicateTableVocabularies.insert(table.vocabulary);
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
