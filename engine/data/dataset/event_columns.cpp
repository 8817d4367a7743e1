// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/event_columns.h"

#include <utility>

namespace parapet::data {

EventColumns::EventColumns(const Dataset& dataset, std::stop_token stop)
    : rows(dataset.rows()),
      times(dataset.times()),
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

}  // namespace parapet::data
