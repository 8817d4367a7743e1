// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/selftest/reference.h"

namespace parapet::selftest::reference {

/// Offsets empty: one value per bag; scales empty: all 1.
Exact bagRows(Doubles table, std::int64_t width, Rows rows, Rows offsets, Doubles scales);
/// Weights empty: all 1.
Exact bagScales(tensor::CombinerOp combiner, Rows offsets, Doubles weights);

Exact cross(Doubles x0, Doubles x, Doubles u, double diagScale);
Exact dotInteraction(std::int64_t width, const std::vector<Doubles>& parts,
                     tensor::SelfInteraction self);
Exact multiply(Doubles x, Doubles y);
/// Logits [rows, parts].
Exact mixture(std::int64_t width, const std::vector<Doubles>& parts, Doubles logits);

Exact dropout(Doubles x, double rate, std::uint64_t key, std::int64_t first);
Exact signedLog(Doubles x);
/// Knots ascend.
Exact quantile(Doubles x, Doubles knots);

/// Gamma and beta [width]; mean and variance are those of each row.
Exact layerNorm(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon);

struct BatchNorm {
  Exact y, mean, variance;  ///< [rows, width], [width], [width]
};
/// Mean and variance are those of each column.
BatchNorm batchNorm(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon);
/// Batch norm with a given mean and variance.
Exact normalised(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon,
                 Doubles mean, Doubles variance);

/// See PpAttention; offsets [B + 1] begin where they like.
struct AttentionInputs {
  Rows offsets;
  std::int64_t heads = 1, width = 1;
  bool causal = false;
  double rate = 0.0;
  std::uint64_t key = 0;
  std::int64_t first = 0, maxLength = 1;
};
struct Attention {
  Exact out, logSumExp;
};
Attention attention(const AttentionInputs& inputs, Doubles qkv);
Exact attentionGradient(const AttentionInputs& inputs, Doubles qkv, Doubles dout);

Exact addPositions(Rows offsets, std::int64_t width, bool fromEnd, Doubles x, Doubles table);
Exact addPositionsGradient(Rows offsets, std::int64_t width, std::int64_t tableRows, bool fromEnd,
                           Doubles dy);

/// Weights of kWeighted alone.
Exact pool(tensor::PoolOp op, Rows offsets, std::int64_t width, Doubles x, Doubles weights);
Exact softmaxBySequence(Rows offsets, Doubles x);

/// Added to `before`; empty: zeros.
Exact scatterRows(Rows rows, std::int64_t width, Doubles in, std::int64_t outRows, Doubles before);

/// See PpTableSoftmax; bias and weight may be empty.
struct TableInputs {
  std::int64_t width = 1;
  Doubles hidden, table, bias;
  Rows labels;
  Doubles weight;
};
struct TableSoftmax {
  Exact sums{3};
  Exact dHidden, dTable, dBias;
};
TableSoftmax tableSoftmax(const TableInputs& inputs, double scale);

/// The scores of all candidates for a query, and the logarithm of the sum of their powers.
struct Scores {
  Exact of;
  double logSumExp = 0.0;
};
Scores scoresOf(Doubles query, Doubles candidates, Doubles bias);

}  // namespace parapet::selftest::reference
