// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/dataset/dataset.h"

namespace parapet::data {

/// How the ids of a column spread over the rows of its vocabulary, from samples of batches.
struct IdSpread {
  double idsPerRow = 1.0;       ///< on average
  std::int64_t longestBag = 1;  ///< most ids of a row
  /// Ids of a sample, and how many different ones are among them: of an eighth of a batch and of a
  /// batch, on average over the samples.
  double smallIds = 0.0, smallDistinct = 0.0, largeIds = 0.0, largeDistinct = 0.0;
  /// Share of the different ids of a batch in the first i/16 of the vocabulary, i = 0 … 16.
  std::vector<double> accessCdf;
};

/// Draws a few batches of rows from all of the data set, always the same ones. InvalidArgument for
/// an unknown column.
IdSpread measureIds(const Dataset& dataset, std::string_view column, std::int64_t batchRows);

}  // namespace parapet::data
