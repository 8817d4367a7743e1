// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/tensor/device.h"
#include "engine/tensor/ops/dot_rows.h"

namespace parapet::tensor {

/// B ragged sequences, one after the other: sequence b has the positions offsets[b] … offsets[b+1]−1
/// and may be empty. Arrays over positions have P rows, the first of which is that of offsets[0].
struct Sequences {
  std::int64_t count = 0;                 ///< B
  std::int64_t positions = 0;             ///< P
  const std::int32_t* offsets = nullptr;  ///< [B + 1], in the device's memory
};

/// Checks the counts, and offsets that the host can read: ascending, over P positions.
void requireSequences(const Launch& launch, std::string_view op, const Sequences& sequences);

/// The same, and that no sequence is longer than `maxLength`.
void requireSequences(const Launch& launch, std::string_view op, const Sequences& sequences,
                      std::int64_t maxLength);

/// Adds a row of a table to each position of a sequence.
///
///   y[p, :] = x[p, :] + table[i, :] for position p = offsets[b] + i
///
/// Shapes   x, y [P, D]; table [N, D]; y may be x.
/// Errors   InvalidArgument if D < 1, for offsets that descend or do not span P, and for a sequence
///          longer than N.
void addPositions(const Launch& launch, const Sequences& sequences, std::int64_t width,
                  const float* x, const float* table, std::int64_t tableRows, float* y);

/// The gradient of that table; that of x is dy.
///
///   dtable[i, :] = Σ_b dy[offsets[b] + i, :] over the sequences longer than i
///
/// Shapes   dy [P, D]; dtable [N, D], overwritten.
/// Order    sums in the order of b.
/// Errors   as addPositions().
void addPositionsGradient(const Launch& launch, const Sequences& sequences, std::int64_t width,
                          const float* dy, std::int64_t tableRows, float* dtable);

/// How the positions of a sequence become one row; the values are the ABI's.
enum class PoolOp : std::int32_t {
  kSum = PP_POOL_SUM,
  kMean = PP_POOL_MEAN,
  kLast = PP_POOL_LAST,          ///< the last position alone
  kWeighted = PP_POOL_WEIGHTED,  ///< Σ weights[p]·x[p, :]
};

/// Pools each sequence.
///
///   out[b, :] = Σ_p c[p]·x[p, :];  c = 1 (sum), 1/T (mean), [p is last] (last), weights[p] (weighted)
///
/// Shapes   x [P, D]; weights [P], read by kWeighted alone; out [B, D]; an empty sequence gives 0.
/// Order    sums in the order of p.
/// Errors   InvalidArgument if D < 1, for offsets that descend or do not span P, and for weights that
///          are missing.
void pool(const Launch& launch, PoolOp op, const Sequences& sequences, std::int64_t width,
          const float* x, const float* weights, float* out);

/// What pool() read.
struct PoolInputs {
  const float* x = nullptr;        ///< [P, D], for dweights alone
  const float* weights = nullptr;  ///< [P], of kWeighted
};
/// Where its gradients go; either may be null.
struct PoolGradients {
  float* dx = nullptr;  ///< [P, D]
  Accumulate accumulate = Accumulate::kNo;
  float* dweights = nullptr;  ///< [P], of kWeighted, overwritten
};

/// The gradient of pool().
///
///   dx[p, :] (+)= c[p]·dout[b, :];  dweights[p] = x[p, :]·dout[b, :]
///
/// With kSum this also spreads a row of each sequence over its positions, whose gradient is pool()
/// with kSum.
/// Errors   as pool().
void poolGradient(const Launch& launch, PoolOp op, const Sequences& sequences, std::int64_t width,
                  const PoolInputs& inputs, const float* dout, const PoolGradients& gradients);

/// y[p] = e^x[p] / Σ e^x over the sequence of p, for weights of an attention pooling.
///
/// Shapes   x, y [P]; y may be x.
/// Errors   InvalidArgument for offsets that descend or do not span P.
void softmaxBySequence(const Launch& launch, const Sequences& sequences, const float* x, float* y);

/// dx[p] = y[p]·(dy[p] − Σ y·dy over the sequence of p); dx may be dy.
void softmaxBySequenceGradient(const Launch& launch, const Sequences& sequences, const float* y,
                               const float* dy, float* dx);

}  // namespace parapet::tensor
