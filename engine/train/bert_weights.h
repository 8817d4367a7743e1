// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/experiment/bert_layout.h"
#include "engine/nn/parameters.h"

namespace parapet::train {

class Session;

/// The text of a config.json of BertForMaskedLM.
std::string bertConfig(const experiment::BertSettings& settings, std::int64_t pieces);

/// Settings of a config.json beside a file of weights that differ from the model, for the user: shapes
/// tell neither the activation nor epsilon. Empty without a file that reads.
///
/// Errors   kInvalidDocument at /model/weights for another number of heads, which shapes do not
///          tell either.
Result<std::vector<std::string>> bertConfigNotes(const std::filesystem::path& weights,
                                                 const experiment::BertSettings& settings);

/// The tensors of a file that a model takes.
struct BertMatch {
  std::vector<const checkpoint::TensorView*> tensors;  ///< by tensor of the layout; null: none
  const checkpoint::TensorView* segments = nullptr;    ///< token_type_embeddings, if there are any
  std::vector<std::string> notes;                      ///< for the user: what is not as in the file
};

/// Finds the tensors of a model in a file, whose names may lack the prefix "bert." and may be the
/// older gamma and beta of norms. The whole head may be missing; then it begins with its
/// initializers. `pieces`: rows of the vocabulary; −1: not known.
///
/// Errors   kInvalidDocument at /model/weights with the path: tensors that are missing, each with
///          the nearest name that is there, tensors of another shape or type, more blocks than the
///          model has, a config.json beside it with other heads.
Result<BertMatch> matchBert(const experiment::BertLayout& layout,
                            const checkpoint::SafetensorsFile& file, std::int64_t pieces);

/// Copies them into the parameters of a session, kernels transposed; the first segment is
/// added to every position.
///
/// Errors   kData for a tensor with NaN or infinite elements; nothing is changed then.
Status takeBert(const experiment::BertLayout& layout, const BertMatch& match, Session& session);

/// Tensors with their elements.
struct OwnedTensors {
  std::vector<checkpoint::TensorView> views;
  std::vector<std::vector<float>> values;
};
/// The parameters of a model as tensors of BERT, with the prefix "bert."; two segments of zeros, as
/// the positions have theirs.
OwnedTensors bertTensors(const experiment::BertLayout& layout,
                         std::span<const nn::Parameter> parameters);

}  // namespace parapet::train
