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

/// Names of the features that masks add to a batch of texts: positions of masked tokens among all
/// tokens of the batch, and the tokens that stood there. No data set has such columns.
inline constexpr const char* kMaskedPositions = "tokens//masked";
inline constexpr const char* kMaskedLabels = "tokens//labels";

/// A model as a document describes it. Feature f of the graph is feature f of the document; after
/// them come the items, if only the loss reads them, numeric columns that are only labels of heads,
/// and of texts what masks add.
struct Model {
  experiment::ModelKind kind{};
  Graph graph;
  /// Data column of each feature of the graph; of a history experiment::batchColumn.
  std::vector<std::string> columns;
  std::string queryColumn, candidateColumn;        ///< of users and of items
  Value query = -1, candidate = -1;                ///< kRetrieval: outputs of the towers
  Value score = -1;                                ///< [B, 1]; a logit under bce
  Value hidden = -1;                               ///< kMaskedLm: of the masked positions, [M, D]
  ParameterIndex tokenTable = -1, tokenBias = -1;  ///< kMaskedLm: what `hidden` is multiplied with
  ParameterIndex temperature = -1;  ///< logarithm of that of the loss; −1: a constant
  /// Losses and predictions of the score and of each head, in the document's order.
  struct Head {
    std::string name;  ///< "" for the score
    experiment::Loss loss;
    Value prediction = -1;  ///< −1: none (kMaskedLm)
    Value lossValue = -1;
    std::int32_t label = -1;  ///< feature with its labels; −1: those of the data set
  };
  std::vector<Head> heads;
  /// Dense features whose transform is fitted to the training rows, and where what it was fitted to
  /// is kept: kMomentColumns, or kQuantileKnots quantiles.
  struct Fitted {
    std::size_t feature;
    ParameterIndex parameter;
  };
  std::vector<Fitted> fitted;
  /// Where the nodes of the graph come from: those up to `end` that no earlier one has.
  struct Origin {
    std::size_t end;
    std::string pointer;  ///< into the document
  };
  std::vector<Origin> origins;
  /// JSON pointer of a node of the graph; "/model" for one that no document describes.
  [[nodiscard]] const std::string& originOf(std::size_t node) const;
};

/// Columns of a standardization: 1, 0, mean and variance, as a batch norm reads them.
inline constexpr std::int64_t kMomentColumns = 4;
/// Knots of a quantile transform: every hundredth of the rows.
inline constexpr std::int64_t kQuantileKnots = 101;

/// Builds the graph of a valid experiment. `vocabularySizes` gives the rows of each vocabulary.
///
/// Errors   kInvalidDocument with a JSON pointer, for faults that only sizes show.
Result<Model> buildModel(const experiment::Experiment& experiment,
                         const std::map<std::string, std::int64_t>& vocabularySizes);

}  // namespace parapet::nn
