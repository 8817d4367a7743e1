// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/candidates.h"

#include <algorithm>

namespace parapet::retrieval {
namespace {

bool isCold(const data::Vocabulary& items, std::int64_t row) {
  return items.isCandidate(row) && items.count(row) == 0;
}

}  // namespace

bool beginsWithVectors(const experiment::Experiment& experiment, const std::string& column) {
  return std::ranges::any_of(experiment.features, [&](const experiment::Feature& feature) {
    if (feature.column != column || feature.history) return false;
    const auto table =
        std::ranges::find(experiment.tables, feature.table, &experiment::Table::name);
    return table != experiment.tables.end() &&
           table->initializer.kind == experiment::InitializerKind::kVectors;
  });
}

ColdItems coldItems(const experiment::Experiment& experiment, const data::Dataset& dataset,
                    const std::string& itemColumn) {
  const std::string& items = dataset.vocabularyOf(itemColumn).name();
  const bool reads = std::ranges::any_of(experiment.features, [&](const auto& feature) {
    if (!dataset.idColumn(feature.column) && !dataset.isDense(feature.column)) return false;
    const auto known = dataset.entityColumn(feature.column);
    return known && known->vocabulary == items;
  });
  return reads || beginsWithVectors(experiment, itemColumn) ? ColdItems::kCandidates
                                                            : ColdItems::kLeftOut;
}

std::vector<std::uint8_t> candidateMask(const data::Vocabulary& items, ColdItems cold) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(items.size()));
  for (std::int64_t row = 0; row < items.size(); ++row)
    mask[static_cast<std::size_t>(row)] =
        items.isCandidate(row) && (cold == ColdItems::kCandidates || items.count(row) > 0);
  return mask;
}

std::int64_t candidateCount(const data::Vocabulary& items, ColdItems cold) {
  return std::ranges::count(candidateMask(items, cold), std::uint8_t{1});
}

std::int64_t coldItemCount(const data::Vocabulary& items) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < items.size(); ++row) count += isCold(items, row);
  return count;
}

}  // namespace parapet::retrieval
