// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// How a tensor of BERT lies in a parameter of ours.
enum class BertPart {
  kWhole,       ///< the same elements in the same order: tables, vectors
  kFirstRows,   ///< the first rows of it, as many as the parameter has: positions
  kTransposed,  ///< [out, in] of a kernel [in, out]
  kQuery,       ///< the first third of the columns, of a kernel transposed
  kKey,
  kValue,
};

/// A tensor of BERT as files of Hugging Face name it, without the prefix "bert.".
struct BertTensor {
  std::string name;
  std::string parameter;  ///< of the graph
  BertPart part = BertPart::kWhole;
  std::vector<std::int64_t> shape;  ///< rows of a vocabulary: −1
  bool ofHead = false;              ///< of the prediction of masked pieces, which a file may lack
};

/// Settings of a BERT configuration besides the shapes.
struct BertSettings {
  std::int64_t width = 0, heads = 0, units = 0, positions = 0, blocks = 0;
  Activation activation = Activation::kGelu;
  double dropout = 0.0, epsilon = 1e-12;
};

/// A masked language model whose tensors are those of BERT: position, layer_norm, dropout if any,
/// transformer blocks with their norms after; over the masked positions a dense layer and a norm.
///
///   embeddings.word_embeddings      table of the tokens, tied to the output
///   embeddings.position_embeddings  position
///   embeddings.LayerNorm            layer_norm
///   encoder.layer.N                 transformer block N
///   cls.predictions                 masked_layers and the bias of the pieces
///
/// A text is one segment: the first row of embeddings.token_type_embeddings belongs to every
/// position, and is not among the tensors.
/// Source   transformers, BertForMaskedLM.
struct BertLayout {
  std::vector<BertTensor> tensors;
  BertSettings settings;
  /// Settings that a configuration has once and the model twice, with other values: for the user.
  std::vector<std::string> differences;
};

/// Notes at the layer why a model has not these tensors; `layout` is whole if there is no problem.
BertLayout bertLayout(const Experiment& experiment, const Location& root);
/// The layout of a model that is known to have the layers of BERT.
BertLayout bertLayout(const Experiment& experiment);

}  // namespace parapet::experiment
