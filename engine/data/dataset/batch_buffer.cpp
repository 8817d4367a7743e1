// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/batch_buffer.h"

#include <algorithm>

namespace parapet::data {
namespace {

template <class T>
void gatherColumn(std::span<const T> column, std::span<const std::int64_t> rows, T* out) {
  std::transform(rows.begin(), rows.end(), out,
                 [&](std::int64_t row) { return column[static_cast<std::size_t>(row)]; });
}

// Ids that the buffer of so many rows holds from the start: of the longest bags, or of bags
// four times the mean if the longest are far beyond.
std::size_t bagCapacity(const ColumnView& column, std::size_t rows) {
  if (column.history.isShared) return rows;
  if (column.history.history) return rows * static_cast<std::size_t>(column.longestBag);
  const std::size_t bags = column.offsets.size() - 1;
  const std::size_t mean = bags > 0 ? (column.ids.size() + bags - 1) / bags : 1;
  return rows * std::min(static_cast<std::size_t>(column.longestBag), 4 * mean);
}

}  // namespace

BatchColumns::BatchColumns(const Dataset& dataset, const std::vector<std::string>& names,
                           const std::map<std::string, HistoryColumn>& histories)
    : labels(dataset.labels()), weights(dataset.weights()) {
  for (const std::string& name : names) {
    ColumnView& column = features.emplace_back();
    if (const auto found = histories.find(name); found != histories.end()) {
      column.history = found->second;
      column.longestBag = column.history.window.length;
      continue;
    }
    if (dataset.isDense(name)) {
      column.dense = dataset.denseValues(name);
      continue;
    }
    column.ids = dataset.ids(name);
    column.offsets = dataset.bagOffsets(name);
    column.weights = dataset.bagWeights(name);
    column.longestBag = dataset.idColumn(name)->longestBag;
  }
}

bool BatchColumns::hasBags() const {
  return std::any_of(features.begin(), features.end(),
                     [](const ColumnView& column) { return column.hasBags(); });
}

std::int64_t BatchColumns::historyIds() const {
  std::int64_t ids = 0;
  for (const ColumnView& column : features)
    if (column.history.history) ids += column.history.isShared ? 1 : column.longestBag;
  return ids;
}

std::int64_t BatchColumns::rowBytes() const {
  return 4 * (static_cast<std::int64_t>(features.size()) + (weights.empty() ? 1 : 2));
}

BatchBuffer::BatchBuffer(const BatchColumns& columns, std::int64_t capacity)
    : features_(columns.features.size()) {
  const auto rows = static_cast<std::size_t>(capacity);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const ColumnView& column = columns.features[f];
    if (!column.dense.empty()) {
      features_[f].dense.resize(rows);
      continue;
    }
    if (!column.hasBags()) {
      features_[f].ids.resize(rows);
      continue;
    }
    features_[f].offsets.resize(rows + 1);
    features_[f].ids.reserve(bagCapacity(column, rows));
    if (!column.weights.empty()) features_[f].weights.reserve(features_[f].ids.capacity());
  }
  if (!columns.labels.empty()) labels_.resize(rows);
  if (!columns.weights.empty()) weights_.resize(rows);
}

void BatchBuffer::gather(const BatchColumns& columns, const BatchRows::Rows& batch,
                         std::int64_t at) {
  const std::span<const std::int64_t> rows = batch.rows;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const ColumnView& column = columns.features[f];
    if (!column.dense.empty())
      gatherColumn(column.dense, rows, features_[f].dense.data() + at);
    else if (!column.hasBags())
      gatherColumn(column.ids, rows, features_[f].ids.data() + at);
    else if (column.history.isShared)
      gatherSequences(column.history, batch, features_[f]);
    else if (column.history.history)
      gatherHistories(column.history, rows, features_[f]);
    else
      gatherBags(column, rows, features_[f]);
  }
  if (!labels_.empty()) gatherColumn(columns.labels, rows, labels_.data() + at);
  if (!weights_.empty()) gatherColumn(columns.weights, rows, weights_.data() + at);
}

void BatchBuffer::gatherBatch(const BatchColumns& columns, const BatchRows::Rows& rows) {
  gather(columns, rows);
  rows_ = static_cast<std::int64_t>(rows.rows.size());
  if (!rows.lists.empty()) lists_.reserve(labels_.size() + 1);
  lists_.assign(rows.lists.begin(), rows.lists.end());
}

void BatchBuffer::gatherBags(const ColumnView& column, std::span<const std::int64_t> rows,
                             Values& out) {
  out.ids.clear();
  out.weights.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [begin, end] = BagRange(column.offsets, rows[i]);
    out.ids.insert(out.ids.end(), column.ids.begin() + begin, column.ids.begin() + end);
    if (!column.weights.empty())
      out.weights.insert(out.weights.end(), column.weights.begin() + begin,
                         column.weights.begin() + end);
    out.offsets[i + 1] = static_cast<std::int32_t>(out.ids.size());
  }
}

void BatchBuffer::gatherHistories(const HistoryColumn& column, std::span<const std::int64_t> rows,
                                  Values& out) {
  out.ids.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    column.history->appendBefore(rows[i], column.window, out.ids);
    out.offsets[i + 1] = static_cast<std::int32_t>(out.ids.size());
  }
}

void BatchBuffer::gatherSequences(const HistoryColumn& column, const BatchRows::Rows& rows,
                                  Values& out) {
  out.ids.clear();
  positions_.clear();
  for (std::size_t list = 0; list + 1 < rows.lists.size(); ++list) {
    const auto begin = static_cast<std::size_t>(rows.lists[list]),
               end = static_cast<std::size_t>(rows.lists[list + 1]);
    column.history->appendBefore(rows.rows[end - 1], column.window, out.ids);
    for (std::size_t i = begin; i < end; ++i) {
      out.offsets[i + 1] = static_cast<std::int32_t>(out.ids.size());
      positions_.push_back(
          static_cast<std::int32_t>(column.history->rowsBetween(rows.rows[i], rows.rows[end - 1])));
    }
  }
}

void BatchBuffer::view(Batch& batch, std::int64_t first, std::int64_t count) const {
  const auto begin = static_cast<std::size_t>(first);
  const auto size = static_cast<std::size_t>(count);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const Values& from = features_[f];
    if (!from.dense.empty())
      batch.features[f].dense = std::span(from.dense).subspan(begin, size);
    else if (from.offsets.empty())
      batch.features[f].ids = std::span(from.ids).subspan(begin, size);
    else
      batch.features[f] = {.ids = from.ids,
                           .offsets = std::span(from.offsets).first(size + 1),
                           .weights = from.weights};
  }
  if (!labels_.empty()) batch.labels = std::span(labels_).subspan(begin, size);
  if (!weights_.empty()) batch.weights = std::span(weights_).subspan(begin, size);
  batch.lists = lists_;
  batch.positions = positions_;
  batch.rows = count;
}

}  // namespace parapet::data
