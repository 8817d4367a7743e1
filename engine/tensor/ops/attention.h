// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/ops/sequences.h"
#include "engine/tensor/ops/step_numbers.h"

namespace parapet::tensor {

/// Which positions a position sees.
enum class AttentionMask : std::int32_t {
  kNone = 0,    ///< all of its sequence
  kCausal = 1,  ///< those up to itself
};

struct AttentionSettings {
  std::int64_t heads = 1;  ///< H
  std::int64_t width = 1;  ///< of a head
  AttentionMask mask = AttentionMask::kNone;
  double rate = 0.0;  ///< of dropped probabilities
  DrawKey key{};      ///< of their draws
  /// What sequence 0 is in its batch: the draws do not depend on how a batch is cut.
  std::int64_t firstSequence = 0;
  std::int64_t maxLength = 1;  ///< of any sequence of the batch, where the rate is above 0
};

/// Multi-head self-attention within each sequence.
///
///   out[i, h, :] = Σ_j kept(i, j)·p[i, j]·v[j, h, :],  p[i, :] = softmax_j(q[i, h]·k[j, h] / √width)
///
/// over the positions j of i's sequence, with a causal mask those up to i; kept is 0 for a dropped
/// probability, else 1/(1 − rate).
///
/// Shapes   qkv [P, 3·H·width]: the queries of all heads, then keys, then values; out [P, H·width];
///          logSumExp [P, H], of the scores, for the gradient.
/// Memory   scores are made in tiles; there are never T·T of them.
/// Draws    a pure function of key, sequence, head, i and j, see PpAttention.
/// Errors   InvalidArgument if H or width < 1, the rate is outside [0, 1), for offsets that descend
///          or do not span P, and with a rate for a sequence longer than maxLength.
/// Source   Vaswani et al. 2017; tiles with a running softmax: Dao et al. 2022.
void attention(const Launch& launch, const Sequences& sequences, const AttentionSettings& settings,
               const float* qkv, float* out, float* logSumExp);

/// What attention() read and wrote.
struct AttentionResult {
  const float* qkv = nullptr;
  const float* out = nullptr;
  const float* logSumExp = nullptr;
};

/// The gradient of attention(), from scores that are made anew.
///
/// Shapes   dout [P, H·width]; dqkv [P, 3·H·width], overwritten.
/// Order    fixed tiles.
/// Errors   as attention().
void attentionGradient(const Launch& launch, const Sequences& sequences,
                       const AttentionSettings& settings, const AttentionResult& forward,
                       const float* dout, float* dqkv);

}  // namespace parapet::tensor
