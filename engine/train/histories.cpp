// SPDX-License-Identifier: Apache-2.0
#include "engine/train/histories.h"

#include <memory>
#include <utility>

#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/query_context.h"

namespace parapet::train {

Histories makeHistories(const experiment::Experiment& experiment, const data::Dataset& dataset,
                        const data::RowSet& trainingRows, std::stop_token stop) {
  std::map<std::pair<experiment::HistoryRows, experiment::HistoryOrder>,
           std::shared_ptr<const data::UserHistory>>
      indexes;
  Histories histories;
  for (const experiment::Feature& feature : experiment.features) {
    if (!feature.history) continue;
    const experiment::History& wanted = *feature.history;
    auto& index = indexes[{wanted.rows, wanted.order}];
    if (!index) {
      std::optional<data::RowSet> counted;
      if (wanted.rows == experiment::HistoryRows::kTrain) counted = trainingRows;
      index = std::make_shared<const data::UserHistory>(
          data::EventColumns(dataset, stop), counted, wanted.order,
          data::HistoryStorage{.folder = dataset.folder().parent_path()});
    }
    histories[experiment::batchColumn(feature)] = {index, {wanted.length, wanted.withinSeconds}};
  }
  return histories;
}

}  // namespace parapet::train
