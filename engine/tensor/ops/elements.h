// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"
#include "engine/tensor/ops/step_numbers.h"

namespace parapet::tensor {

/// Drops elements at random and scales the others up, so that their mean stays. Its own gradient:
/// applied to dy with the same key.
///
///   y[i] = 0 where the draw of element first + i is below rate, else x[i]/(1 − rate)
///
/// Shapes   x, y [count]; y may be x.
/// Draws    a pure function of (key, first + i), see PpDropout: neither the cut of a batch over
///          ranks nor the number of workers changes a mask.
/// Errors   InvalidArgument if count or first < 0, or the rate is outside [0, 1).
void dropout(const Launch& launch, std::int64_t count, const float* x, double rate, DrawKey key,
             std::int64_t first, float* y);

/// y[i] = sign(x[i])·log(1 + |x[i]|), for counts and amounts whose sizes differ by powers of ten.
///
/// Shapes   x, y [count]; y may be x.
/// Errors   InvalidArgument if count < 0.
void signedLog(const Launch& launch, std::int64_t count, const float* x, float* y);

/// The share of a sample that is below a number, in [0, 1], whatever the numbers' scale.
///
///   y[i] = (position of x[i] among the knots)/(knots − 1)
///
/// Between two knots the position is interpolated; of a run of equal knots it is the middle; below
/// the first it is 0, above the last knots − 1.
///
/// Shapes   x, y [count]; values [knots], ascending, on the device; y may be x.
/// Errors   InvalidArgument if count < 0 or knots < 2.
void quantile(const Launch& launch, std::int64_t count, const float* x, std::int64_t knots,
              const float* values, float* y);

}  // namespace parapet::tensor
