// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/text/word_piece.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {

struct OpenedRun;

/// A piece that may stand at a masked position.
struct PieceGuess {
  std::string piece;
  double probability = 0.0;
};

/// A masked position of a text, and the most probable pieces for it, best first.
struct MaskedPosition {
  std::int64_t position = 0;  ///< among the pieces of the sequence; [CLS] is 0
  std::vector<PieceGuess> pieces;
};

/// The answer of a model to a text with [MASK].
struct FilledText {
  std::vector<std::string> pieces;  ///< [CLS] … [SEP]
  std::vector<MaskedPosition> masked;
};

/// An attention layer of a model.
struct AttentionLayer {
  std::int64_t heads = 1;
  bool causal = false;  ///< a piece reads those before it and itself alone
};

/// The weights with which a head of an attention layer reads a text of T pieces.
struct AttentionMap {
  std::vector<std::string> pieces;    ///< [CLS] … [SEP]
  std::vector<double> probabilities;  ///< [T, T]: row i is what piece i reads, its sum is 1

  /// How much piece `reader` reads of piece `read`.
  [[nodiscard]] double at(std::size_t reader, std::size_t read) const {
    return probabilities[reader * pieces.size() + read];
  }
};

/// The probabilities of a head by the definition of attention, in double precision:
///
///   p[i, j] = exp(s[i, j]) / Σ_j' exp(s[i, j']),  s[i, j] = q[i]·k[j] / √width
///
/// over all j of the sequence (causal: j ≤ i; 0 elsewhere).
///
/// Shapes   qkv [T, 3·heads·width]: queries of all heads, then keys, then values; returns [T, T].
/// Errors   InvalidArgument for a head outside [0, heads), or a qkv of another width.
/// Source   Vaswani et al., "Attention is all you need" (2017), 3.2.1.
std::vector<double> attentionProbabilities(std::span<const float> qkv, std::int64_t positions,
                                           const AttentionLayer& layer, std::int64_t head);

/// A trained masked language model that is asked about texts.
///
/// Thread   any; questions wait for one another.
class MaskedModel {
 public:
  MaskedModel(std::unique_ptr<OpenedRun> opened, data::WordPiece pieces);
  ~MaskedModel();

  /// V, the pieces of the vocabulary.
  [[nodiscard]] std::int64_t pieceCount() const;
  /// The `k` most probable pieces of every "[MASK]" of a text.
  ///
  /// Errors   kInvalidDocument: a text without [MASK], that is not UTF-8, or longer than the sequences
  ///          of the model; a k outside 1 … V.
  Result<FilledText> fill(std::string_view text, std::int64_t k);
  /// The layers with attention, from the first one on.
  [[nodiscard]] std::vector<AttentionLayer> attentionLayers() const;
  /// The weights with which a head reads a text, with or without [MASK]; `layer` and `head` from 0.
  ///
  /// Errors   kInvalidDocument: a text longer than the sequences of the model; a layer or a head that
  ///          there is not.
  Result<AttentionMap> attention(std::string_view text, std::int64_t layer, std::int64_t head);

  [[nodiscard]] const std::string& runId() const;
  [[nodiscard]] std::int64_t step() const;
  [[nodiscard]] const std::vector<std::string>& warnings() const;

 private:
  Result<std::vector<std::int32_t>> idsOf(std::string_view text) const;
  /// A value of the model's graph for one text.
  Result<std::span<const float>> compute(std::int32_t value, std::span<const std::int32_t> ids,
                                         std::span<const std::int32_t> masked);
  [[nodiscard]] std::vector<std::string> piecesOf(std::span<const std::int32_t> ids) const;
  [[nodiscard]] std::vector<PieceGuess> best(std::span<const float> hidden, std::int64_t k) const;

  std::unique_ptr<OpenedRun> opened_;
  data::WordPiece pieces_;
  std::vector<float> table_, bias_;  ///< [V, D], [V]
  std::mutex mutex_;
};

}  // namespace parapet::workspace
