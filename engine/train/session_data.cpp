// SPDX-License-Identifier: Apache-2.0
// How a session reads its data set: loaders and the sizes that plans are made for.
#include <algorithm>

#include "engine/experiment/query_context.h"
#include "engine/train/session_state.h"

namespace parapet::train {
namespace {

bool isOfMasks(const std::string& column) {
  return column == nn::kMaskedPositions || column == nn::kMaskedLabels;
}

/// Without what masks add to a batch.
std::vector<std::string> columnsOfData(const nn::Model& model) {
  std::vector<std::string> columns;
  std::ranges::remove_copy_if(model.columns, std::back_inserter(columns), isOfMasks);
  return columns;
}

/// Training encodes sequences of training rows alone: where histories are made of other rows, too, these
/// have an index of their own.
void shareSequences(const experiment::Experiment& experiment, const data::Dataset& dataset,
                    const data::RowSet& trainingRows, Histories& histories) {
  experiment::Experiment ofTraining = experiment;
  ofTraining.features.clear();
  for (const experiment::Feature& feature : experiment.features) {
    if (!experiment::isSharedSequence(experiment, feature)) continue;
    histories.at(experiment::batchColumn(feature)).isShared = true;
    if (feature.history->rows == experiment::HistoryRows::kTrain) continue;
    ofTraining.features.push_back(feature);
    ofTraining.features.back().history->rows = experiment::HistoryRows::kTrain;
  }
  for (const auto& [column, history] : makeHistories(ofTraining, dataset, trainingRows))
    histories.at(column).history = history.history;
}

}  // namespace

std::unique_ptr<data::BatchLoader> Session::loader(const data::Split& split,
                                                   experiment::SplitPart part,
                                                   const std::vector<std::string>& more) const {
  const bool training = part == experiment::SplitPart::kTrain,
             test = part == experiment::SplitPart::kTest;
  data::RowSet rows = training ? split.train : test ? split.test : split.validation;
  const experiment::Batch& batch = state_->experiment.dataset.batch;
  data::BatchLoader::Options options;
  options.batchRows = state_->batchRows;
  options.dropRemainder = training && batch.dropRemainder;
  options.cache = batch.cache;
  options.seed = state_->experiment.training.seed;
  options.window = batch.window;
  if (!split.reshuffled) options.groupSize = batch.groupSize;
  if (training) options.windows = experiment::sequenceWindows(state_->experiment);
  if (training) options.fixedBatches = batch.replayBatches;
  if (split.reshuffled) {
    const data::Split::Reshuffled& drawn = *split.reshuffled;
    const data::Shuffle& draw = training ? drawn.train : test ? drawn.test : drawn.validation;
    rows = drawn.all;
    options.order = experiment::BatchOrder::kEpoch;
    options.seed = draw.seed;
    options.rowRange = draw.rowRange;
  } else if (training) {
    options.order = batch.shuffle;
  } else if (rows.isAscending()) {
    options.order = experiment::BatchOrder::kNone;  // shuffling them would gain nothing
  }
  options.histories = state_->historiesOf(split.train);
  if (options.windows)
    shareSequences(state_->experiment, *state_->dataset, split.train, options.histories);
  std::vector<std::string> columns = columnsOfData(state_->model);
  columns.insert(columns.end(), more.begin(), more.end());
  return std::make_unique<data::BatchLoader>(state_->dataset, std::move(rows), std::move(columns),
                                             options);
}

std::unique_ptr<data::BatchLoader> Session::loader(data::RowSet rows,
                                                   const std::vector<std::string>& more) const {
  data::BatchLoader::Options options;
  options.batchRows = state_->batchRows;
  options.cache = false;
  options.order = experiment::BatchOrder::kNone;
  options.histories = state_->historiesOf(state_->history);
  std::vector<std::string> columns = columnsOfData(state_->model);
  columns.insert(columns.end(), more.begin(), more.end());
  return std::make_unique<data::BatchLoader>(state_->dataset, std::move(rows), std::move(columns),
                                             options);
}

std::int64_t stepsPerEpoch(const data::BatchLoader& loader, std::int64_t batchesPerStep,
                           std::int64_t epoch) {
  return (loader.batchesPerEpoch(epoch) + batchesPerStep - 1) / batchesPerStep;
}

std::int64_t stepsOfRun(const data::BatchLoader& loader, const experiment::Experiment& experiment) {
  const std::int64_t batches = experiment.optimizer.accumulateSteps;
  // Where batches are fixed, every epoch after the first is alike.
  return stepsPerEpoch(loader, batches, 1) +
         std::max<std::int64_t>(0, experiment.training.epochs - 1) *
             stepsPerEpoch(loader, batches, 2);
}

std::map<std::string, std::int64_t> vocabularySizes(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset) {
  std::map<std::string, std::int64_t> sizes;
  for (const experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies)
    sizes[vocabulary.name] = dataset.vocabulary(vocabulary.name).size();
  return sizes;
}

const Histories& Session::State::historiesOf(const data::RowSet& trainingRows) {
  if (!histories) histories = makeHistories(experiment, *dataset, trainingRows);
  return *histories;
}

std::vector<std::int64_t> longestBags(const data::Dataset& dataset,
                                      const experiment::Experiment& experiment,
                                      const std::vector<std::string>& columns) {
  std::map<std::string, std::int64_t> histories;
  for (const experiment::Feature& feature : experiment.features)
    if (feature.history) histories[experiment::batchColumn(feature)] = feature.history->length;
  std::vector<std::int64_t> longest;
  for (const std::string& column : columns) {
    if (isOfMasks(column)) {
      const auto masking = experiment.model.masking.value_or(experiment::Masking{});
      longest.push_back(std::max<std::int64_t>(2, masking.maxSelections));
      continue;
    }
    if (const auto history = histories.find(column); history != histories.end()) {
      longest.push_back(std::max<std::int64_t>(2, history->second));
      continue;
    }
    const data::IdColumnInfo* info = dataset.idColumn(column);
    // Bags of at most one id may be empty; only plans for two or more ids handle bags.
    const bool bag = info && info->longestBag > 0;
    longest.push_back(bag ? std::max<std::int64_t>(2, info->longestBag) : 1);
  }
  return longest;
}

std::int64_t globalBatchRows(const experiment::Batch& batch, std::int64_t ranks) {
  return batch.perDevice ? *batch.perDevice * ranks : batch.size.value_or(1);
}

}  // namespace parapet::train
