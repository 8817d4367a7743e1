// SPDX-License-Identifier: Apache-2.0
#include "engine/train/negative_inputs.h"

#include <algorithm>
#include <cmath>

#include "engine/retrieval/candidates.h"

namespace parapet::train {

using experiment::NegativeSource;

NegativeInputs::NegativeInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
                               const experiment::Experiment& experiment,
                               const data::RowSet& trainingRows, std::int64_t queriesTogether,
                               Histories histories)
    : seed_(experiment.training.seed),
      entities_(dataset, model, experiment, trainingRows, std::move(histories)) {
  if (experiment.loss.extraNegatives) extra_ = *experiment.loss.extraNegatives;
  const data::Vocabulary& vocabulary = dataset->vocabularyOf(model.candidateColumn);
  const auto items = static_cast<std::size_t>(vocabulary.size());
  std::vector<std::int64_t> counts(items, 0);
  const std::span<const std::int32_t> column = dataset->ids(model.candidateColumn);
  trainingRows.forEach([&](std::int64_t row) {
    ++counts[static_cast<std::size_t>(column[static_cast<std::size_t>(row)])];
  });
  rowsUpTo_.resize(items);
  std::int64_t total = 0;
  for (std::size_t item = 0; item < items; ++item) rowsUpTo_[item] = total += counts[item];
  // An item without a training row is no negative.
  for (std::size_t item = 1; item < items; ++item)
    if (counts[item] > 0) catalogue_.push_back(static_cast<std::int32_t>(item));

  const bool meetsBatch = experiment::traitsOf(experiment.loss.kind).meetsBatch;
  const double others = meetsBatch ? static_cast<double>(queriesTogether - 1) : 0.0;
  const auto extra = static_cast<double>(extra_.count);
  const double uniform = 1.0 / static_cast<double>(std::max<std::size_t>(1, catalogue_.size()));
  logQ_.resize(items);
  for (std::size_t item = 0; item < items; ++item) {
    const double popular = static_cast<double>(std::max<std::int64_t>(1, counts[item])) /
                           static_cast<double>(std::max<std::int64_t>(1, total));
    double drawn = popular;
    if (extra_.from == NegativeSource::kUniform) drawn = uniform;
    if (extra_.from == NegativeSource::kMixed) drawn = 0.5 * (popular + uniform);
    const double all = others + extra;
    logQ_[item] = static_cast<float>(
        std::log(all > 0.0 ? (others * popular + extra * drawn) / all : popular));
  }
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    const bool isFeature = i < experiment.features.size();
    towers_.push_back(isFeature ? experiment.features[i].tower : experiment::Tower::kCandidate);
    isSequence_.push_back(isFeature && experiment.features[i].sequence);
  }
}

std::vector<std::int32_t> NegativeInputs::draw(std::uint64_t key) const {
  const Random random(seed_, RandomPurpose::kSampling, key);
  const std::int64_t rows = rowsUpTo_.empty() ? 0 : rowsUpTo_.back();
  std::vector<std::int32_t> items(static_cast<std::size_t>(extra_.count), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool byRows = extra_.from == NegativeSource::kPopularity ||
                        (extra_.from == NegativeSource::kMixed && i % 2 == 1);
    if (byRows && rows > 0) {
      const auto row = static_cast<std::int64_t>(random.below(i, static_cast<std::uint64_t>(rows)));
      items[i] =
          static_cast<std::int32_t>(std::ranges::upper_bound(rowsUpTo_, row) - rowsUpTo_.begin());
    } else if (!catalogue_.empty()) {
      items[i] = catalogue_[random.below(i, catalogue_.size())];
    }
  }
  return items;
}

void NegativeInputs::extendColumn(std::size_t index, Column& column,
                                  const data::FeatureIds& examples, const data::FeatureIds& items,
                                  std::size_t rows) const {
  const auto extra = static_cast<std::size_t>(extra_.count);
  const bool ofQuery = towers_[index] == experiment::Tower::kQuery;
  const auto from = [&](std::size_t i) { return rows == 0 ? 0 : i % rows; };
  const data::FeatureIds& source = ofQuery ? examples : items;
  column.dense.assign(examples.dense.begin(), examples.dense.end());
  column.ids.clear();
  column.weights.clear();
  column.offsets.clear();
  const bool hasIds = examples.ids.data() != nullptr || !examples.offsets.empty();
  if (!examples.dense.empty() || !hasIds) {
    for (std::size_t i = 0; i < extra; ++i)
      column.dense.push_back(source.dense.empty() ? 0.0f : source.dense[ofQuery ? from(i) : i]);
    return;
  }
  if (examples.offsets.empty()) {
    column.ids.assign(examples.ids.begin(), examples.ids.end());
    for (std::size_t i = 0; i < extra; ++i)
      column.ids.push_back(source.ids.empty() ? 0 : source.ids[ofQuery ? from(i) : i]);
    return;
  }
  const bool weighted = !examples.weights.empty();
  const auto addBag = [&](const data::FeatureIds& of, std::size_t example) {
    for (auto value = at(of.offsets[example]); value < at(of.offsets[example + 1]); ++value) {
      column.ids.push_back(of.ids[value]);
      if (weighted) column.weights.push_back(of.weights.empty() ? 1.0f : of.weights[value]);
    }
    column.offsets.push_back(static_cast<std::int32_t>(column.ids.size()));
  };
  column.offsets.push_back(0);
  for (std::size_t example = 0; example < rows; ++example) addBag(examples, example);
  if (ofQuery && isSequence_[index])
    column.offsets.insert(column.offsets.end(), extra, column.offsets.back());
  else
    for (std::size_t i = 0; i < extra; ++i) addBag(source, ofQuery ? from(i) : i);
}

nn::StepBatch NegativeInputs::extend(const nn::StepBatch& input, const Key& key) {
  nn::StepBatch extended = input;
  extended.itemLogQ = itemLogQ();
  if (extra_.count == 0) return extended;
  Extended& out = extended_[key.draw % 2];
  const auto rows = static_cast<std::size_t>(input.rows);
  const auto all = rows + static_cast<std::size_t>(extra_.count);
  const std::span<const data::FeatureIds> items = entities_.ofItems(draw(key.draw));
  out.columns.resize(towers_.size());
  out.features.resize(towers_.size());
  for (std::size_t i = 0; i < towers_.size(); ++i) {
    Column& column = out.columns[i];
    extendColumn(i, column, input.features[i], items[i], rows);
    out.features[i] = {column.ids, column.offsets, column.weights, column.dense};
  }
  // What no loss may count: weight 0, and of listwise losses a label below 0 in a list of their own.
  out.labels.assign(input.labels.begin(), input.labels.end());
  if (!input.labels.empty()) out.labels.resize(all, -1.0f);
  out.weights.assign(input.weights.begin(), input.weights.end());
  if (input.weights.empty()) out.weights.assign(rows, 1.0f);
  out.weights.resize(all, 0.0f);
  out.lists.assign(input.lists.begin(), input.lists.end());
  if (!out.lists.empty() && input.positions.empty())
    out.lists.push_back(static_cast<std::int32_t>(all));
  extended.rows = static_cast<std::int64_t>(all);
  extended.examples = input.rows;
  extended.features = out.features;
  extended.labels = out.labels;
  extended.weights = out.weights;
  extended.lists = out.lists;
  return extended;
}

}  // namespace parapet::train
