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

}  // namespace parapet::selftest::reference
