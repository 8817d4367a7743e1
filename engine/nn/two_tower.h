// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/nn/graph.h"

namespace parapet::nn {

/// The model kind "retrieval": features of each tower are looked up, concatenated and passed
/// through the tower's layers; the score of a pair is the dot product of the two outputs.
struct TwoTower {
  Graph graph;
  std::vector<std::string> columns;  ///< data column of each feature index
  std::string queryColumn, candidateColumn;
  Value query = -1, candidate = -1, score = -1, loss = -1;
};

/// Builds the graph. `vocabularySizes` gives the rows of each vocabulary by name.
///
/// Errors   kInvalidDocument with a JSON pointer: a vocabulary without a size, towers of different
///          width, a tower whose features read different columns.
Result<TwoTower> buildTwoTower(const experiment::Experiment& experiment,
                               const std::map<std::string, std::int64_t>& vocabularySizes);

}  // namespace parapet::nn
