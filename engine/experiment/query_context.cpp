// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/query_context.h"

#include <algorithm>

namespace parapet::experiment {

std::vector<std::string> contextColumns(const Experiment& experiment) {
  std::vector<std::string> columns;
  for (const Feature& feature : experiment.features) {
    if (feature.history) continue;
    const auto role = experiment.dataset.roleOf(feature.column);
    const bool ofQuery = feature.tower == Tower::kQuery;
    const bool isContext =
        role == ColumnRole::kContext && (ofQuery || scoresRows(experiment.model.kind));
    const bool isNumber = role == ColumnRole::kNumeric && ofQuery;
    if ((isContext || isNumber) && std::ranges::find(columns, feature.column) == columns.end())
      columns.push_back(feature.column);
  }
  return columns;
}

bool readsHistory(const Experiment& experiment) {
  return std::ranges::any_of(experiment.features,
                             [](const Feature& feature) { return feature.history.has_value(); });
}

bool isSharedSequence(const Experiment& experiment, const Feature& feature) {
  return experiment.training.objective == Objective::kAllPositions && feature.history &&
         feature.sequence;
}

std::optional<SequenceWindows> sequenceWindows(const Experiment& experiment) {
  const auto found = std::ranges::find_if(experiment.features, [&](const Feature& feature) {
    return isSharedSequence(experiment, feature);
  });
  if (found == experiment.features.end()) return std::nullopt;
  const std::int64_t length = found->history->length;
  return SequenceWindows{length, std::min(length, experiment.training.stride.value_or(length)),
                         found->history->order};
}

// Names of columns have no empty parts.
std::string batchColumn(const Feature& feature) {
  return feature.history ? feature.name + "//history" : feature.column;
}

EvaluationUnit evaluationUnit(const Experiment& experiment) {
  // The benchmark asks for users.
  if (experiment.evaluation.protocol) return EvaluationUnit::kUser;
  const bool ofUser = contextColumns(experiment).empty() && !readsHistory(experiment);
  return experiment.evaluation.unit.value_or(ofUser ? EvaluationUnit::kUser
                                                    : EvaluationUnit::kExample);
}

bool usesRowZero(const Dataset& dataset, const Vocabulary& vocabulary) {
  if (vocabulary.kind != VocabularyKind::kDirect || vocabulary.oovKind() != OovKind::kError)
    return false;
  bool isUsed = false;
  for (const Column& column : dataset.columns) {
    if (!holdsIds(column.role) || column.vocabularyName() != vocabulary.name) continue;
    if (column.role != ColumnRole::kContext) return false;
    isUsed = true;
  }
  return isUsed;
}

}  // namespace parapet::experiment
