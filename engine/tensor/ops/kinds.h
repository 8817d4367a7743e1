// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/tensor/plugin_abi.h"

/// Kinds of ops under names of C++, whose numbers are the ABI's, and values that callers make
/// arguments of.
namespace parapet::tensor {

/// The number by which an op's arguments know a kind.
template <class Kind>
constexpr std::int32_t numberOf(Kind kind) {
  return static_cast<std::int32_t>(kind);
}

/// Element-wise functions after a dense layer.
enum class ActivationOp : std::int32_t {
  kLinear = PP_LINEAR,
  kRelu = PP_RELU,
  kTanh = PP_TANH,
  kSigmoid = PP_SIGMOID,
  kGelu = PP_GELU,           ///< exact: x·Φ(x)
  kGeluTanh = PP_GELU_TANH,  ///< x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
  kSilu = PP_SILU,           ///< x·σ(x)
};

/// Whether an activation's gradient is taken from its input, not from its output.
inline bool slopesByInput(ActivationOp activation) {
  return ppSlopesByInput(numberOf(activation)) != 0;
}

/// Bias and activation of a product; neither by default.
struct Epilogue {
  const float* bias = nullptr;  ///< [n]; null: none
  ActivationOp activation = ActivationOp::kLinear;
};

/// How a bag of rows becomes one.
enum class CombinerOp : std::int32_t {
  kMean = PP_MEAN,    ///< Σ w·e / Σ w
  kSum = PP_SUM,      ///< Σ w·e
  kSqrtn = PP_SQRTN,  ///< Σ w·e / √(Σ w²)
};

/// Whether a gradient replaces what is there or is added to it.
enum class Accumulate : std::int32_t { kNo = 0, kYes = 1 };

/// One side of a row-wise product: row `rows[b]` of `data`, or row b where `rows` is null. So the
/// rows of a table are read in place.
struct GatheredRows {
  const float* data = nullptr;
  const std::int32_t* rows = nullptr;
  std::int64_t tableRows = 0;  ///< rows of `data`, where `rows` is given
};

/// Whether a part of PpDotInteraction also meets itself.
enum class SelfInteraction : std::int32_t { kNo = 0, kYes = 1 };

/// Columns of the interaction of F parts: F·(F − 1)/2, or F·(F + 1)/2 with themselves.
constexpr std::int64_t interactionWidth(std::int64_t parts, SelfInteraction self) {
  return parts * (self == SelfInteraction::kYes ? parts + 1 : parts - 1) / 2;
}

/// B ragged sequences, one after the other: sequence b has the positions offsets[b] …
/// offsets[b+1]−1 and may be empty. Arrays over positions have P rows, the first of which is that
/// of offsets[0].
struct Sequences {
  std::int64_t count = 0;                 ///< B
  std::int64_t positions = 0;             ///< P
  const std::int32_t* offsets = nullptr;  ///< [B + 1], in the device's memory
};

/// How the positions of a sequence become one row, see PpPool.
enum class PoolOp : std::int32_t {
  kSum = PP_POOL_SUM,
  kMean = PP_POOL_MEAN,
  kLast = PP_POOL_LAST,          ///< the last position alone
  kWeighted = PP_POOL_WEIGHTED,  ///< Σ weights[p]·x[p, :]
};

/// The rows that an optimizer with momentum moves.
enum class RowsMoved : std::int32_t {
  kGradientRows = 0,  ///< only rows that have a gradient ("lazy")
  kEveryRow = 1,      ///< rows without one take part with gradient 0 ("dense")
};

/// Where Adagrad adds epsilon.
enum class AdagradEpsilon : std::int32_t {
  kOutsideRoot = 0,  ///< lr·g/(√acc + ε) (PyTorch)
  kInsideRoot = 1,   ///< lr·g/√(acc + ε) (Keras)
};

/// PpScaleClamp that clamps nothing.
inline constexpr float kNoLimit = std::numeric_limits<float>::infinity();

/// How a pair of rows of a list is judged, see PpPairLoss; d is the difference of their scores.
enum class PairLossOp : std::int32_t {
  kHinge = PP_PAIR_HINGE,                ///< max(0, 1 − d)
  kLogistic = PP_PAIR_LOGISTIC,          ///< log(1 + e^−d)
  kSoftZeroOne = PP_PAIR_SOFT_ZERO_ONE,  ///< 1 − σ(d)
  kSquared = PP_PAIR_SQUARED,            ///< ((y_i − y_j) − d)²
};

/// How a query's own candidate is judged against its negatives, see PpNegativesLoss.
enum class NegativesLossOp : std::int32_t {
  kSoftmax = PP_NEGATIVES_SOFTMAX,  ///< cross entropy of the own score among the negatives
  kBpr = PP_NEGATIVES_BPR,          ///< mean over the negatives of −log σ(own − score)
  kBce = PP_NEGATIVES_BCE,          ///< binary cross entropy of each score
  kCcl = PP_NEGATIVES_CCL,          ///< cosine contrastive: negatives count above a margin
};

/// The factor of the scores of heads of a width: 1/√width.
inline float attentionScale(std::int64_t width) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(width)));
}

/// A rate of dropped elements as ops take it: their draws have 24 bits.
struct Dropping {
  std::uint32_t below;  ///< an element is dropped where its draw is below this
  float keptScale;      ///< factor of kept elements: 1/(1 − rate)
};
/// InvalidArgument unless the rate is at least 0 and below 1.
Dropping droppingAt(double rate);

}  // namespace parapet::tensor
