// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/event_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/result.h"

namespace parapet::data {

EventColumns::EventColumns(const Dataset& dataset, std::stop_token stop)
    : rows(dataset.rows()),
      times(dataset.times()),
      microseconds(dataset.timeMicroseconds()),
      parts(dataset.parts()),
      onConsumed([&dataset, stop = std::move(stop)](std::int64_t first, std::int64_t last) {
        if (stop.stop_requested()) throw PassStopped();
        if (first < last) dataset.release(first, last);
      }) {
  for (const IdColumnInfo& column : dataset.columns()) {
    if (column.role == "user") {
      users = dataset.ids(column.name);
      userCount = dataset.vocabulary(column.vocabulary).size();
      userEntries = dataset.entries(column.name);
      userEntryCount = dataset.vocabulary(column.vocabulary).entries();
    } else if (column.role == "item") {
      items = dataset.ids(column.name);
      itemCount = dataset.vocabulary(column.vocabulary).size();
      itemEntries = dataset.entries(column.name);
      itemEntryCount = dataset.vocabulary(column.vocabulary).entries();
    }
  }
}

EntityFeatures::EntityFeatures(const Dataset& dataset, std::string_view key,
                               const RowSet& trainingRows) {
  const auto entities = dataset.ids(key);
  if (!dataset.bagOffsets(key).empty())
    throw InvalidArgument(
        fmt::format("[EntityFeatures] column \"{}\" has bags; one id a row is accepted", key));
  const auto size = static_cast<std::size_t>(dataset.vocabularyOf(key).size());
  rows_.assign(size, kNone);
  const EventColumns events(dataset);
  const bool timed = !events.times.empty();
  std::vector<std::int64_t> latest(timed ? size : 0, std::numeric_limits<std::int64_t>::min());
  events.forEachRow(trainingRows, [&](std::int64_t row) {
    if (row < 0 || row >= dataset.rows())
      throw InvalidArgument(
          fmt::format("[EntityFeatures] row {}; the data set has {}", row, dataset.rows()));
    const auto at = static_cast<std::size_t>(row);
    const auto entity = static_cast<std::size_t>(entities[at]);
    if (!timed) {
      rows_[entity] = std::max(rows_[entity], row);
      return;
    }
    // Rows come in any order; of equally late ones the one that lies behind counts.
    const std::int64_t tick = events.tickOf(row);
    if (tick < latest[entity] || (tick == latest[entity] && row < rows_[entity])) return;
    latest[entity] = tick;
    rows_[entity] = row;
  });
  rows_.front() = kNone;
}

}  // namespace parapet::data
