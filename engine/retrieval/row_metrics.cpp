// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_metrics.h"

namespace parapet::retrieval {

using experiment::LossKind;
using experiment::Reduction;

RowMetrics::RowMetrics(const experiment::Loss& loss, ListMetrics::Options lists)
    : loss_(loss), lists_(std::move(lists)) {}

void RowMetrics::add(const PredictionBlock& block) {
  count_ += static_cast<std::int64_t>(block.size());
  if (loss_.kind == LossKind::kMse)
    errors_.add(block);
  else if (!experiment::usesNegatives(loss_.kind))
    rows_.add(block);
}

std::vector<experiment::Metric> RowMetrics::values() const {
  if (loss_.kind == LossKind::kMse) return errors_.values();
  if (loss_.kind == LossKind::kBce) return classificationMetrics(rows_.all());
  return experiment::isListwise(loss_.kind) ? listMetrics(rows_.all(), lists_)
                                            : std::vector<experiment::Metric>{};
}

std::optional<double> RowMetrics::loss() const {
  const bool ofRows = loss_.kind == LossKind::kMse || loss_.kind == LossKind::kBce;
  if (!ofRows || loss_.reduction == Reduction::kSum || count_ == 0) return std::nullopt;
  const RowLoss sums = loss_.kind == LossKind::kMse ? RowLoss{errors_.squared, errors_.weight}
                                                    : logLossOf(rows_.all());
  const double denominator =
      loss_.reduction == Reduction::kMean ? static_cast<double>(count_) : sums.weight;
  return denominator > 0.0 ? std::optional(sums.sum / denominator) : std::nullopt;
}

}  // namespace parapet::retrieval
