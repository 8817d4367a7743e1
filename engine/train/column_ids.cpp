// SPDX-License-Identifier: Apache-2.0
#include "engine/train/column_ids.h"

#include <algorithm>
#include <vector>

#include "engine/data/dataset/event_columns.h"
#include "engine/data/split/id_spread.h"
#include "engine/experiment/query_context.h"

namespace parapet::train {
namespace {

/// Items of a history on average, if rows are looked back at however long and all count: the n-th
/// row of a user has min(n − 1, length) before it.
double historyItems(const data::EventColumns& events, std::int64_t length) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(events.userCount), 0);
  std::int64_t items = 0;
  events.forEachRow([&](std::int64_t row) {
    const std::int32_t user = events.users[static_cast<std::size_t>(row)];
    if (user > 0) items += std::min(rows[static_cast<std::size_t>(user)]++, length);
  });
  return static_cast<double>(items) / static_cast<double>(std::max<std::int64_t>(1, events.rows));
}

}  // namespace

std::map<std::string, nn::ColumnIds> measureColumns(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    std::int64_t batchRows) {
  std::map<std::string, nn::ColumnIds> columns;
  for (const experiment::Feature& feature : experiment.features) {
    const std::string column = experiment::batchColumn(feature);
    if (feature.table.empty() || columns.contains(column)) continue;
    const double perExample =
        feature.history ? historyItems(data::EventColumns(dataset), feature.history->length) : 1.0;
    const data::IdSpread spread = data::measureIds(
        dataset, feature.column,
        std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(batchRows) * perExample)));
    nn::ColumnIds& ids = columns[column];
    ids.idsPerExample = perExample * spread.idsPerRow;
    ids.maxIds =
        feature.history ? std::max<std::int64_t>(2, feature.history->length) : spread.longestBag;
    ids.accessCdf = spread.accessCdf;
    ids.distinct = mesh::DistinctRows::measured(
        static_cast<std::int64_t>(dataset.vocabularyOf(feature.column).size()),
        {spread.smallIds, spread.smallDistinct}, {spread.largeIds, spread.largeDistinct});
  }
  return columns;
}

}  // namespace parapet::train
