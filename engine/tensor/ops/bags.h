// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// How a bag of rows becomes one; the values are the ABI's.
enum class CombinerOp : std::int32_t {
  kMean = PP_MEAN,    ///< Σ w·e / Σ w
  kSum = PP_SUM,      ///< Σ w·e
  kSqrtn = PP_SQRTN,  ///< Σ w·e / √(Σ w²)
};

/// Looks up bags of embedding rows: bag b has the values n in [offsets[b], offsets[b+1]).
///
///   out[b, :] = Σ_n scales[n]·table[rows[n], :]        (an empty bag: 0)
///
/// Shapes   table [V, D] f32; offsets [B + 1], or null: value b is the only one of bag b;
///          rows, scales [N] from value offsets[0] on (the bags of a slice of a batch);
///          scales null: 1; out [B, D].
/// Order    sums in the order of n.
/// Errors   InvalidArgument if a row is outside [0, V), offsets descend or do not span the rows.
void bagRows(const Launch& launch, const float* table, std::int64_t tableRows, std::int64_t width,
             std::span<const std::int32_t> rows, const std::int32_t* offsets, const float* scales,
             std::int64_t bags, float* out);

/// The factor of each value in its bag.
///
///   scales[n] = w[n] / divisor;  divisor = Σ w (mean), 1 (sum), √(Σ w²) (sqrtn); 0 where it is 0
///
/// Shapes   offsets [B + 1]; weights [N] or null (all 1) and scales [N] from value offsets[0] on;
///          scales may be weights.
/// Errors   InvalidArgument if B < 0 or offsets descend.
/// Source   keras-rs EmbedReduce (divide_no_nan).
void bagScales(const Launch& launch, CombinerOp combiner, const std::int32_t* offsets,
               const float* weights, std::int64_t bags, float* scales);

}  // namespace parapet::tensor
