// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/query_context.h"

#include <algorithm>

namespace parapet::experiment {

std::vector<std::string> contextColumns(const Experiment& experiment) {
  std::vector<std::string> columns;
  for (const Feature& feature : experiment.features) {
    const auto role = experiment.dataset.roleOf(feature.column);
    const bool ofQuery = feature.tower == Tower::kQuery;
    const bool isContext =
        role == ColumnRole::kContext && (ofQuery || experiment.model.kind == ModelKind::kRanking);
    const bool isNumber = role == ColumnRole::kNumeric && ofQuery;
    if ((isContext || isNumber) && std::ranges::find(columns, feature.column) == columns.end())
      columns.push_back(feature.column);
  }
  return columns;
}

EvaluationUnit evaluationUnit(const Experiment& experiment) {
  return experiment.evaluation.unit.value_or(
      contextColumns(experiment).empty() ? EvaluationUnit::kUser : EvaluationUnit::kExample);
}

}  // namespace parapet::experiment
