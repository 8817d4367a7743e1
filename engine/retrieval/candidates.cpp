// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/candidates.h"

#include <algorithm>

namespace parapet::retrieval {

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

std::vector<std::uint8_t> candidateMask(const Interactions& interactions, ColdItems cold) {
  const std::span<const std::int64_t> trainingRows = interactions.popularity();
  std::vector<std::uint8_t> mask(trainingRows.size());
  for (std::int32_t item = 1; item < interactions.index().size(); ++item) {
    const auto at = static_cast<std::size_t>(item);
    mask[at] = interactions.index().hasRow(item) &&
               (cold == ColdItems::kCandidates || trainingRows[at] > 0);
  }
  return mask;
}

std::int64_t candidateCount(const Interactions& interactions, ColdItems cold) {
  return std::ranges::count(candidateMask(interactions, cold), std::uint8_t{1});
}

std::int64_t coldItemCount(const Interactions& interactions) {
  return candidateCount(interactions, ColdItems::kCandidates) -
         candidateCount(interactions, ColdItems::kLeftOut);
}

}  // namespace parapet::retrieval
