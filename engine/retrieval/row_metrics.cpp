// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_metrics.h"

namespace parapet::retrieval {

using experiment::Reduction;

RowMetrics::RowMetrics(const experiment::Loss& loss, ListMetrics::Options lists)
    : loss_(loss), lists_(std::move(lists)) {}

void RowMetrics::add(const PredictionBlock& block) {
  count_ += static_cast<std::int64_t>(block.size());
  if (traits().takesValues())
    errors_.add(block);
  else if (!experiment::usesNegatives(loss_.kind))
    rows_.add(block);
}

std::vector<experiment::Metric> RowMetrics::values() const {
  if (traits().takesValues()) return errors_.values();
  if (traits().takesLogits) return classificationMetrics(rows_.all());
  return experiment::isListwise(loss_.kind) ? listMetrics(rows_.all(), lists_)
                                            : std::vector<experiment::Metric>{};
}

std::optional<double> RowMetrics::loss() const {
  if (!experiment::isRowwise(loss_.kind) || loss_.reduction == Reduction::kSum || count_ == 0)
    return std::nullopt;
  const RowLoss sums =
      traits().takesLogits ? logLossOf(rows_.all()) : RowLoss{errors_.squared, errors_.weight};
  const double denominator =
      loss_.reduction == Reduction::kMean ? static_cast<double>(count_) : sums.weight;
  return denominator > 0.0 ? std::optional(sums.sum / denominator) : std::nullopt;
}

}  // namespace parapet::retrieval
