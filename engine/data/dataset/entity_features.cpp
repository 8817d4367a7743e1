// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/entity_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/result.h"
#include "engine/data/dataset/event_columns.h"

namespace parapet::data {

EntityFeatures::EntityFeatures(const Dataset& dataset, std::string_view key,
                               const RowSet& trainingRows) {
  const auto entities = dataset.ids(key);
  if (!dataset.bagOffsets(key).empty())
    throw InvalidArgument(
        fmt::format("[EntityFeatures] column \"{}\" has bags; one id a row is accepted", key));
  const auto size = static_cast<std::size_t>(dataset.vocabularyOf(key).size());
  rows_.assign(size, kNone);
  const auto times = dataset.times();
  std::vector<std::int64_t> latest(times.empty() ? 0 : size,
                                   std::numeric_limits<std::int64_t>::min());
  EventColumns(dataset).forEachRow(trainingRows, [&](std::int64_t row) {
    if (row < 0 || row >= dataset.rows())
      throw InvalidArgument(
          fmt::format("[EntityFeatures] row {}; the data set has {}", row, dataset.rows()));
    const auto at = static_cast<std::size_t>(row);
    const auto entity = static_cast<std::size_t>(entities[at]);
    if (times.empty()) {
      rows_[entity] = std::max(rows_[entity], row);
      return;
    }
    // Rows come in any order; of equally late ones the one that lies behind counts.
    const bool isLater = times[at] > latest[entity];
    if (!isLater && !(times[at] == latest[entity] && row > rows_[entity])) return;
    latest[entity] = times[at];
    rows_[entity] = row;
  });
  rows_.front() = kNone;
}

}  // namespace parapet::data
