// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/batches.h"
#include "engine/data/dataset.h"

namespace parapet::data {

/// The columns of a data set that batches are made of.
struct BatchColumns {
  std::vector<std::span<const std::int32_t>> ids;  ///< one per feature
  std::span<const float> labels;
  std::span<const float> weights;  ///< empty: all 1

  /// InvalidArgument for a column that the data set has not.
  BatchColumns(const Dataset& dataset, const std::vector<std::string>& names);
};

/// Room for the gathered columns of a fixed number of rows.
class BatchBuffer {
 public:
  BatchBuffer(const BatchColumns& columns, std::int64_t capacity);

  /// ids[f][i] = column f at rows[i], likewise labels and weights; i below rows.size() ≤ capacity.
  void gather(const BatchColumns& columns, std::span<const std::int64_t> rows);
  /// Points `batch` at `count` gathered rows from `first`. Allocates nothing.
  void view(Batch& batch, std::int64_t first, std::int64_t count) const;

 private:
  std::vector<std::vector<std::int32_t>> ids_;
  std::vector<float> labels_, weights_;
};

}  // namespace parapet::data
