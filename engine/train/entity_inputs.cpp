// SPDX-License-Identifier: Apache-2.0
#include "engine/train/entity_inputs.h"

#include <algorithm>

namespace parapet::train {

EntityInputs::EntityInputs(std::shared_ptr<const data::Dataset> dataset, const nn::Model& model,
                           const experiment::Experiment& experiment,
                           const data::RowSet& trainingRows)
    : dataset_(std::move(dataset)) {
  bool needsUsers = false, needsItems = false;
  for (std::size_t i = 0; i < model.columns.size(); ++i) {
    Column column{model.columns[i], Kind::kNumeric, true, {}, {}, {}, {}};
    if (const data::IdColumnInfo* info = dataset_->idColumn(column.name))
      column.kind = info->longestBag > 0 ? Kind::kBags : Kind::kIds;
    if (i < experiment.features.size())
      column.ofUser = experiment.features[i].tower == experiment::Tower::kQuery;
    if (column.name == model.queryColumn) column.kind = Kind::kUserId;
    if (column.name == model.candidateColumn) column.kind = Kind::kItemId;
    const bool own = column.kind == Kind::kUserId || column.kind == Kind::kItemId;
    needsUsers = needsUsers || (!own && column.ofUser);
    needsItems = needsItems || (!own && !column.ofUser);
    columns_.push_back(std::move(column));
  }
  if (needsUsers) users_ = data::EntityFeatures(*dataset_, model.queryColumn, trainingRows);
  if (needsItems) items_ = data::EntityFeatures(*dataset_, model.candidateColumn, trainingRows);
  views_.resize(columns_.size());
}

std::int64_t EntityInputs::rowOf(const Column& column, std::span<const std::int32_t> entities,
                                 std::size_t exampleIndex) const {
  if (entities.empty()) return data::EntityFeatures::kNone;
  return (column.ofUser ? users_ : items_).rowOf(entities[exampleIndex]);
}

void EntityInputs::fill(Column& column, std::span<const std::int32_t> entities,
                        std::size_t rows) const {
  column.ids.clear();
  column.weights.clear();
  if (column.kind == Kind::kNumeric) {
    const std::span<const float> values = dataset_->numbers(column.name);
    column.numeric.assign(rows, 0.0f);
    for (std::size_t b = 0; b < rows; ++b)
      if (const std::int64_t row = rowOf(column, entities, b); row >= 0)
        column.numeric[b] = values[static_cast<std::size_t>(row)];
    return;
  }
  const std::span<const std::int32_t> ids = dataset_->ids(column.name);
  if (column.kind == Kind::kIds) {
    column.ids.assign(rows, 0);
    for (std::size_t b = 0; b < rows; ++b)
      if (const std::int64_t row = rowOf(column, entities, b); row >= 0)
        column.ids[b] = ids[static_cast<std::size_t>(row)];
    return;
  }
  const std::span<const std::int64_t> bags = dataset_->bagOffsets(column.name);
  const std::span<const float> weights = dataset_->bagWeights(column.name);
  column.offsets.assign(1, 0);
  for (std::size_t b = 0; b < rows; ++b) {
    if (const std::int64_t row = rowOf(column, entities, b); row >= 0) {
      const auto begin = bags[static_cast<std::size_t>(row)];
      const auto end = bags[static_cast<std::size_t>(row) + 1];
      column.ids.insert(column.ids.end(), ids.begin() + begin, ids.begin() + end);
      if (!weights.empty())
        column.weights.insert(column.weights.end(), weights.begin() + begin, weights.begin() + end);
    }
    column.offsets.push_back(static_cast<std::int32_t>(column.ids.size()));
  }
}

std::span<const data::FeatureIds> EntityInputs::of(std::span<const std::int32_t> users,
                                                   std::span<const std::int32_t> items,
                                                   std::span<const Given> given) {
  const std::size_t rows = std::max(users.size(), items.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    const auto told = std::ranges::find(given, column.name, &Given::column);
    const std::span<const std::int32_t> own = column.kind == Kind::kUserId ? users : items;
    if (told != given.end()) {
      column.ids.assign(rows, told->row);
    } else if (column.kind == Kind::kUserId || column.kind == Kind::kItemId) {
      column.ids.assign(own.begin(), own.end());
      column.ids.resize(rows, 0);
    } else {
      fill(column, column.ofUser ? users : items, rows);
    }
    views_[i] = {};
    if (column.kind == Kind::kNumeric)
      views_[i].numbers = column.numeric;
    else
      views_[i].ids = column.ids;
    if (column.kind == Kind::kBags) {
      if (told != given.end()) {
        column.offsets.resize(rows + 1);
        for (std::size_t b = 0; b <= rows; ++b) column.offsets[b] = static_cast<std::int32_t>(b);
        column.weights.clear();
      }
      views_[i].offsets = column.offsets;
      views_[i].weights = column.weights;
    }
  }
  return views_;
}

}  // namespace parapet::train
