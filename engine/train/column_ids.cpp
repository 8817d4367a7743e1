// SPDX-License-Identifier: Apache-2.0
#include "engine/train/column_ids.h"

#include "engine/data/split/id_spread.h"

namespace parapet::train {

std::map<std::string, nn::ColumnIds> measureColumns(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    std::int64_t batchRows) {
  std::map<std::string, nn::ColumnIds> columns;
  for (const experiment::Feature& feature : experiment.features) {
    if (feature.table.empty() || columns.contains(feature.column)) continue;
    const data::IdSpread spread = data::measureIds(dataset, feature.column, batchRows);
    nn::ColumnIds& ids = columns[feature.column];
    ids.idsPerExample = spread.idsPerRow;
    ids.maxIds = spread.longestBag;
    ids.accessCdf = spread.accessCdf;
    ids.distinct = mesh::DistinctRows::measured(
        static_cast<std::int64_t>(dataset.vocabularyOf(feature.column).size()),
        {spread.smallIds, spread.smallDistinct}, {spread.largeIds, spread.largeDistinct});
  }
  return columns;
}

}  // namespace parapet::train
