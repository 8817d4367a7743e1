// SPDX-License-Identifier: Apache-2.0
#include "engine/train/entity_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/result.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/candidates.h"

namespace parapet::train {

Histories makeHistories(const experiment::Experiment& experiment, const data::Dataset& dataset,
                        const data::RowSet& trainingRows, std::stop_token stop) {
  std::map<std::pair<experiment::HistoryRows, experiment::EventOrder>,
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

using retrieval::ContextCell;
using retrieval::EncoderQuery;

EntityInputs::EntityInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
                           const experiment::Experiment& experiment,
                           const data::RowSet& trainingRows, Histories histories)
    : dataset_(std::move(dataset)), histories_(std::move(histories)) {
  if (histories_.empty()) histories_ = makeHistories(experiment, *dataset_, trainingRows);
  const std::vector<std::string> contexts = experiment::contextColumns(experiment);
  for (const std::string& name : contexts)
    contexts_.push_back({name, dataset_->idColumn(name) == nullptr});
  bool needsUsers = !contexts.empty(), needsItems = false;
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    Column column{
        model.columns[i], Kind::kNumeric, true, -1, 0, 0, 0.0f, {}, {}, {}, {}, {}, {}, {}};
    if (const data::IdColumnInfo* info = dataset_->idColumn(column.name))
      column.kind = info->longestBag > 0 ? Kind::kBags : Kind::kIds;
    if (column.kind == Kind::kIds)
      column.zeroRow = static_cast<std::int32_t>(dataset_->vocabularyOf(column.name).size());
    if (i < experiment.features.size())
      column.ofUser = experiment.features[i].tower == experiment::Tower::kQuery;
    if (const auto found = histories_.find(column.name); found != histories_.end()) {
      column.kind = Kind::kHistory;
      column.history = found->second;
    }
    if (column.name == model.queryColumn) column.kind = Kind::kUserId;
    if (column.name == model.candidateColumn) column.kind = Kind::kItemId;
    if (column.kind == Kind::kUserId || column.kind == Kind::kItemId)
      column.trained = trainedIds(column, experiment, trainingRows);
    if (const auto found = std::ranges::find(contexts, column.name); found != contexts.end())
      column.context = found - contexts.begin();
    const bool own = column.kind == Kind::kUserId || column.kind == Kind::kItemId ||
                     column.kind == Kind::kHistory || column.context >= 0;
    if (!own) column.known = knownOf(column, model);
    needsUsers = needsUsers || (!own && !column.known && column.ofUser);
    needsItems = needsItems || (!own && !column.known && !column.ofUser);
    if (column.kind != Kind::kItemId && (column.ofUser || column.context >= 0) &&
        i < experiment.features.size() && features_.size() < retrieval::kMaxQueryFeatures) {
      column.bit = std::uint64_t{1} << features_.size();
      features_.push_back({experiment.features[i].name, column.name});
      if (column.kind == Kind::kNumeric) column.usual = meanOf(column.name, trainingRows);
    }
    columns_.push_back(std::move(column));
  }
  if (needsUsers)
    users_ =
        std::make_shared<const data::EntityFeatures>(*dataset_, model.queryColumn, trainingRows);
  if (needsItems)
    items_ = std::make_shared<const data::EntityFeatures>(*dataset_, model.candidateColumn,
                                                          trainingRows);
  findUsualContext(trainingRows);
  views_.resize(columns_.size());
}

std::shared_ptr<const std::vector<bool>> EntityInputs::trainedIds(
    const Column& column, const experiment::Experiment& experiment,
    const data::RowSet& trainingRows) const {
  const bool reads =
      retrieval::coldItems(experiment, *dataset_, column.name) == retrieval::ColdItems::kCandidates;
  if (!reads || retrieval::beginsWithVectors(experiment, column.name)) return nullptr;
  std::vector<bool> trained(static_cast<std::size_t>(dataset_->vocabularyOf(column.name).size()));
  const std::span<const std::int32_t> ids = dataset_->ids(column.name);
  trainingRows.forEach([&](std::int64_t row) {
    trained[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])] = true;
  });
  return std::make_shared<const std::vector<bool>>(std::move(trained));
}

std::optional<data::EntityColumn> EntityInputs::knownOf(const Column& column,
                                                        const nn::Model& model) const {
  auto known = dataset_->entityColumn(column.name);
  const std::string& key = column.ofUser ? model.queryColumn : model.candidateColumn;
  if (known && known->vocabulary != dataset_->vocabularyOf(key).name()) known.reset();
  return known;
}

float EntityInputs::meanOf(const std::string& column, const data::RowSet& trainingRows) const {
  const std::span<const float> values = dataset_->denseValues(column);
  double sum = 0.0;
  trainingRows.forEach(
      [&](std::int64_t row) { sum += static_cast<double>(values[static_cast<std::size_t>(row)]); });
  return static_cast<float>(sum /
                            static_cast<double>(std::max<std::int64_t>(1, trainingRows.size())));
}

void EntityInputs::findUsualContext(const data::RowSet& trainingRows) {
  for (const retrieval::ContextColumn& column : contexts_) {
    if (column.isNumeric) {
      usual_.push_back({0, meanOf(column.name, trainingRows)});
      continue;
    }
    const std::span<const std::int32_t> ids = dataset_->ids(column.name);
    std::vector<std::int64_t> counts(
        static_cast<std::size_t>(dataset_->vocabularyOf(column.name).size()));
    trainingRows.forEach([&](std::int64_t row) {
      ++counts[static_cast<std::size_t>(ids[static_cast<std::size_t>(row)])];
    });
    usual_.push_back(
        {static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin()), 0.0f});
  }
}

std::vector<ContextCell> EntityInputs::lastContext(std::int32_t user) const {
  if (contexts_.empty()) return {};
  const std::int64_t row = users_->rowOf(user);
  if (row == data::EntityFeatures::kNone) return usual_;
  const auto at = static_cast<std::size_t>(row);
  std::vector<ContextCell> cells;
  for (const retrieval::ContextColumn& column : contexts_)
    cells.push_back(column.isNumeric ? ContextCell{0, dataset_->denseValues(column.name)[at]}
                                     : ContextCell{dataset_->ids(column.name)[at], 0.0f});
  return cells;
}

void EntityInputs::appendHistory(const data::HistoryColumn& column, const EncoderQuery& query,
                                 std::vector<std::int32_t>& items) {
  if (query.history) {
    const auto count = static_cast<std::int64_t>(query.history->size());
    items.insert(items.end(), query.history->end() - std::min(count, column.window.length),
                 query.history->end());
  } else if (query.row >= 0) {
    column.history->appendBefore(query.row, column.window, items);
  } else {
    column.history->appendLast(query.user, column.window, items);
  }
}

std::vector<std::int32_t> EntityInputs::historyOf(const EncoderQuery& query) const {
  std::vector<std::int32_t> longest;
  for (const auto& [name, column] : histories_) {
    std::vector<std::int32_t> items;
    appendHistory(column, query, items);
    if (items.size() > longest.size()) longest = std::move(items);
  }
  return longest;
}

std::int64_t EntityInputs::rowOf(const Column& column, const Examples& examples,
                                 std::size_t example) const {
  if (!column.ofUser) {
    if (examples.items.empty()) return data::EntityFeatures::kNone;
    const std::int32_t item = examples.items[example];
    return column.known ? item : items_->rowOf(item);
  }
  const EncoderQuery* query = examples.query(example);
  if (!query) return data::EntityFeatures::kNone;
  return column.known ? query->user : users_->rowOf(query->user);
}

std::int32_t EntityInputs::idOf(const Column& column, std::int32_t entity) const {
  return column.trained && !(*column.trained)[static_cast<std::size_t>(entity)] ? 0 : entity;
}

void EntityInputs::fill(Column& column, const Examples& examples) const {
  const auto cellOf = [&](std::size_t example) {
    const EncoderQuery* query = examples.query(example);
    return query ? query->context[static_cast<std::size_t>(column.context)] : ContextCell{};
  };
  const auto isTakenOut = [&](std::size_t example) {
    const EncoderQuery* query = examples.query(example);
    return query && (query->without & column.bit) != 0;
  };
  column.ids.clear();
  column.weights.clear();
  if (column.kind == Kind::kNumeric) {
    const std::span<const float> values =
        column.known ? column.known->values : dataset_->denseValues(column.name);
    column.numeric.assign(examples.count, 0.0f);
    for (std::size_t b = 0; b < examples.count; ++b)
      if (isTakenOut(b))
        column.numeric[b] = column.usual;
      else if (column.context >= 0)
        column.numeric[b] = cellOf(b).number;
      else if (const std::int64_t row = rowOf(column, examples, b); row >= 0)
        column.numeric[b] = values[static_cast<std::size_t>(row)];
    return;
  }
  if (column.kind == Kind::kHistory) {
    column.offsets.assign(1, 0);
    column.ids.reserve(1);  // no id is not no column
    for (std::size_t b = 0; b < examples.count; ++b) {
      if (const EncoderQuery* query = examples.query(b); query && !isTakenOut(b))
        appendHistory(column.history, *query, column.ids);
      column.offsets.push_back(static_cast<std::int32_t>(column.ids.size()));
    }
    return;
  }
  if (column.kind != Kind::kBags) {
    const std::span<const std::int32_t> ids =
        column.known ? column.known->ids : dataset_->ids(column.name);
    column.ids.assign(examples.count, 0);
    for (std::size_t b = 0; b < examples.count; ++b) {
      const EncoderQuery* query = examples.query(b);
      if (isTakenOut(b))
        column.ids[b] = column.zeroRow;
      else if (column.kind == Kind::kUserId)
        column.ids[b] = query ? idOf(column, query->user) : 0;
      else if (column.kind == Kind::kItemId)
        column.ids[b] = examples.items.empty() ? 0 : idOf(column, examples.items[b]);
      else if (column.context >= 0)
        column.ids[b] = cellOf(b).row;
      else if (const std::int64_t row = rowOf(column, examples, b); row >= 0)
        column.ids[b] = ids[static_cast<std::size_t>(row)];
    }
    return;
  }
  const std::span<const std::int32_t> ids =
      column.known ? column.known->ids : dataset_->ids(column.name);
  const std::span<const std::int64_t> bags =
      column.known ? column.known->offsets : dataset_->bagOffsets(column.name);
  const std::span<const float> weights =
      column.known ? std::span<const float>() : dataset_->bagWeights(column.name);
  column.offsets.assign(1, 0);
  for (std::size_t b = 0; b < examples.count; ++b) {
    if (const std::int64_t row =
            isTakenOut(b) ? data::EntityFeatures::kNone : rowOf(column, examples, b);
        row >= 0) {
      const auto [begin, end] = data::BagRange(bags, row);
      column.ids.insert(column.ids.end(), ids.begin() + begin, ids.begin() + end);
      if (!weights.empty())
        column.weights.insert(column.weights.end(), weights.begin() + begin, weights.begin() + end);
    }
    column.offsets.push_back(static_cast<std::int32_t>(column.ids.size()));
  }
}

std::span<const data::FeatureIds> EntityInputs::of(const Examples& examples) {
  for (const EncoderQuery& query : examples.queries)
    if (query.context.size() != contexts_.size())
      throw InvalidArgument(fmt::format("[train.EntityInputs] a query has {} values of {} contexts",
                                        query.context.size(), contexts_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    fill(column, examples);
    views_[i] = {};
    if (column.kind == Kind::kNumeric)
      views_[i].dense = column.numeric;
    else
      views_[i].ids = column.ids;
    if (column.kind == Kind::kBags || column.kind == Kind::kHistory) {
      views_[i].offsets = column.offsets;
      views_[i].weights = column.weights;
    }
  }
  return views_;
}

std::span<const data::FeatureIds> EntityInputs::ofQueries(std::span<const EncoderQuery> queries) {
  return of({queries, {}, queries.size()});
}

std::span<const data::FeatureIds> EntityInputs::ofPairs(const EncoderQuery& query,
                                                        std::span<const std::int32_t> items) {
  return of({{&query, 1}, items, items.size()});
}

std::span<const data::FeatureIds> EntityInputs::ofItems(std::span<const std::int32_t> items) {
  return of({{}, items, items.size()});
}

}  // namespace parapet::train
