// SPDX-License-Identifier: Apache-2.0
#include "engine/train/negative_inputs.h"

#include <algorithm>
#include <cmath>

#include "engine/data/dataset/batch_rows.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/candidates.h"

namespace parapet::train {

using experiment::NegativeSource;

namespace {

/// Rows by item.
struct ItemCounts {
  std::vector<std::int64_t> rows;
  std::int64_t total = 0;

  ItemCounts(std::span<const std::int32_t> column, std::size_t items)
      : rows(items, 0), column_(column) {}
  void add(std::int64_t row) {
    ++rows[at(column_[static_cast<std::size_t>(row)])];
    ++total;
  }
  /// None of the rows.
  [[nodiscard]] ItemCounts empty() const { return {column_, rows.size()}; }
  /// An item without a row counts as one row.
  [[nodiscard]] double shareOf(std::size_t item) const {
    return static_cast<double>(std::max<std::int64_t>(1, rows[item])) /
           static_cast<double>(std::max<std::int64_t>(1, total));
  }

 private:
  std::span<const std::int32_t> column_;
};

/// The other examples that a query meets, and their items.
struct Met {
  double others;
  ItemCounts items;
};

Met metIn(const data::Dataset& dataset, const experiment::Experiment& experiment,
          const data::RowSet& trainingRows, std::int64_t queriesTogether,
          const ItemCounts& ofTraining) {
  if (!experiment::meetsBatch(experiment.loss)) return {0.0, ofTraining};
  const auto others = static_cast<double>(queriesTogether - 1);
  const auto windows = experiment::sequenceWindows(experiment);
  if (!windows) return {others, ofTraining};
  const data::ListOrder sequences(data::EventColumns(dataset), trainingRows,
                                  {.batchRows = windows->stride, .windows = windows});
  Met met{0.0, ofTraining.empty()};
  for (const std::int64_t row : sequences.rows()) met.items.add(row);
  if (sequences.lists() > 0)
    met.others =
        others * static_cast<double>(sequences.size()) / static_cast<double>(sequences.lists());
  return met;
}

}  // namespace

NegativeInputs::NegativeInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
                               const experiment::Experiment& experiment,
                               const data::RowSet& trainingRows, std::int64_t queriesTogether,
                               Histories histories)
    : seed_(experiment.training.seed),
      entities_(dataset, model, experiment, trainingRows, std::move(histories)) {
  if (experiment.loss.extraNegatives) extra_ = *experiment.loss.extraNegatives;
  const data::Vocabulary& vocabulary = dataset->vocabularyOf(model.candidateColumn);
  const auto items = static_cast<std::size_t>(vocabulary.size());
  ItemCounts counts(dataset->ids(model.candidateColumn), items);
  trainingRows.forEach([&](std::int64_t row) { counts.add(row); });
  rowsUpTo_.resize(items);
  std::int64_t total = 0;
  for (std::size_t item = 0; item < items; ++item) rowsUpTo_[item] = total += counts.rows[item];
  // An item without a training row is no negative.
  for (std::size_t item = 1; item < items; ++item)
    if (counts.rows[item] > 0) catalogue_.push_back(static_cast<std::int32_t>(item));

  const Met met = metIn(*dataset, experiment, trainingRows, queriesTogether, counts);
  const auto extra = static_cast<double>(extra_.count);
  const double uniform = 1.0 / static_cast<double>(std::max<std::size_t>(1, catalogue_.size()));
  logQ_.resize(items);
  for (std::size_t item = 0; item < items; ++item) {
    const double popular = counts.shareOf(item);
    double drawn = popular;
    if (extra_.from == NegativeSource::kUniform) drawn = uniform;
    if (extra_.from == NegativeSource::kMixed) drawn = 0.5 * (popular + uniform);
    const double all = met.others + extra;
    logQ_[item] = static_cast<float>(std::log(
        all > 0.0 ? (met.others * met.items.shareOf(item) + extra * drawn) / all : popular));
  }
  const bool normalizesBatch =
      experiment::anyLayer(experiment.model, [](const experiment::Layer& layer) {
        return traitsOf(layer.kind).rows == experiment::LayerRows::kBatch;
      });
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    const bool isFeature = i < experiment.features.size();
    towers_.push_back(isFeature ? experiment.features[i].tower : experiment::Tower::kCandidate);
    isEmpty_.push_back(isFeature && (experiment.features[i].sequence ||
                                     (experiment.features[i].history && !normalizesBatch)));
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
  if (ofQuery && isEmpty_[index])
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
  // Fills examples that no loss may count: weight 0, and of listwise losses a label below 0 in a
  // list of their own.
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
