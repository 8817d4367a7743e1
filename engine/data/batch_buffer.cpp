// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_buffer.h"

#include <algorithm>

namespace parapet::data {
namespace {

template <class T>
void gatherColumn(std::span<const T> column, std::span<const std::int64_t> rows,
                  std::vector<T>& out) {
  std::transform(rows.begin(), rows.end(), out.begin(),
                 [&](std::int64_t row) { return column[static_cast<std::size_t>(row)]; });
}

}  // namespace

BatchColumns::BatchColumns(const Dataset& dataset, const std::vector<std::string>& names)
    : labels(dataset.labels()), weights(dataset.weights()) {
  for (const std::string& name : names) ids.push_back(dataset.ids(name));
}

BatchBuffer::BatchBuffer(const BatchColumns& columns, std::int64_t capacity) {
  const auto rows = static_cast<std::size_t>(capacity);
  ids_.assign(columns.ids.size(), std::vector<std::int32_t>(rows));
  labels_.resize(rows);
  if (!columns.weights.empty()) weights_.resize(rows);
}

void BatchBuffer::gather(const BatchColumns& columns, std::span<const std::int64_t> rows) {
  for (std::size_t f = 0; f < ids_.size(); ++f) gatherColumn(columns.ids[f], rows, ids_[f]);
  gatherColumn(columns.labels, rows, labels_);
  if (!weights_.empty()) gatherColumn(columns.weights, rows, weights_);
}

void BatchBuffer::view(Batch& batch, std::int64_t first, std::int64_t count) const {
  const auto begin = static_cast<std::size_t>(first);
  const auto size = static_cast<std::size_t>(count);
  for (std::size_t f = 0; f < ids_.size(); ++f)
    batch.features[f].ids = std::span(ids_[f]).subspan(begin, size);
  batch.labels = std::span(labels_).subspan(begin, size);
  if (!weights_.empty()) batch.weights = std::span(weights_).subspan(begin, size);
  batch.rows = count;
}

}  // namespace parapet::data
