// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/tensor/ops/ops.h"

namespace parapet::selftest {

/// Values of a reference implementation, and beside each the sum of its terms' magnitudes: what
/// rounding is measured against, since a sum that cancels has no relative error to speak of.
struct Exact {
  std::vector<double> value, magnitude;

  Exact() = default;
  explicit Exact(std::size_t count) : value(count), magnitude(count) {}
  void add(std::size_t at, double term);
};

// The naive reference implementations: the formula of each op's header, term by term, in double
// precision and without any thought of speed. Letters and shapes are those of the headers.
namespace reference {

using Doubles = std::span<const double>;
using Rows = std::span<const std::int32_t>;

Exact gatherRows(Doubles table, std::int64_t width, Rows rows);

struct Merged {
  std::vector<std::int32_t> rows;  ///< in order of first appearance
  Exact grad;
};
Merged mergeRows(Rows rows, Doubles grad, std::int64_t width);

/// Each element with the 8 significant bits of bf16, ties to even.
std::vector<double> toBf16(std::span<const float> values);

/// A matrix as it is stored, with the element that op(matrix) has at (i, j).
struct Matrix {
  Doubles data;
  std::int64_t stride = 0;
  bool transposed = false;
  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const;
};
/// c [m, strideC]; what lies behind column n is c's own. beta 0 does not read c.
Exact matmul(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b,
             double beta, Doubles c, std::int64_t strideC);

double activation(tensor::ActivationOp op, double z);
double activationSlope(tensor::ActivationOp op, double z);
/// act(sum + bias) in place of the sums of a product, columns [0, width) of rows of `stride`; bias
/// empty: none. The magnitudes carry those of the sums.
void finish(tensor::ActivationOp op, std::int64_t width, std::int64_t stride, Doubles bias,
            Exact& sums);
/// bias empty: none.
Exact biasActivation(tensor::ActivationOp op, std::int64_t width, Doubles x, Doubles bias);
struct BiasActivationGradient {
  Exact dx, dbias;
};
BiasActivationGradient biasActivationGradient(tensor::ActivationOp op, std::int64_t width,
                                              Doubles x, Doubles bias, Doubles dy);

Exact dotRows(std::int64_t width, Doubles x, Doubles y);
/// before + dout[b]·other[b, :]; before empty: nothing was there.
Exact dotRowsGradient(std::int64_t width, Doubles other, Doubles dout, Doubles before);

struct SquaredError {
  Exact sums{3};  ///< Σ w·(p−y)², Σ w·|p−y|, Σ w
  Exact gradient;
};
/// weight empty: all 1.
SquaredError squaredError(Doubles prediction, Doubles label, Doubles weight, double scale);

/// One weight with its optimizer slots, and how large the terms were that made them.
struct Element {
  double weight = 0.0, slot[2] = {0.0, 0.0};
  double weightMagnitude = 0.0, slotMagnitude[2] = {0.0, 0.0};
};
Element sgd(const Element& before, double grad, double rate);
Element momentum(const Element& before, double grad, double rate, double momentum);
Element adagrad(const Element& before, double grad, double rate, double epsilon,
                tensor::AdagradEpsilon mode);
/// slot[0] is the accumulator of the element's row, `meanSquare` that row's mean of grad².
Element rowwiseAdagrad(const Element& before, double grad, double meanSquare, double rate,
                       double epsilon, tensor::AdagradEpsilon mode);

/// slot[0] is the accumulator, slot[1] the linear term.
struct FtrlSettings {
  float learningRate, learningRatePower, l1, l2, beta;
};
Element ftrl(const Element& before, double grad, const FtrlSettings& settings);

struct AdamSettings {
  double rate, beta1, beta2, epsilon;
  std::int64_t step;  ///< t, from 1
  bool corrected;     ///< ε beside √v̂ (paper) rather than beside √v (Keras)
};
/// `momentBeta1`, `momentBeta2` are β1 and β2 as the op gets them, rounded to f32.
Element adam(const Element& before, double grad, const AdamSettings& settings, double momentBeta1,
             double momentBeta2);

}  // namespace reference
}  // namespace parapet::selftest
