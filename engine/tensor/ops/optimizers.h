// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "engine/tensor/device.h"
#include "engine/tensor/ops/step_numbers.h"

namespace parapet::tensor {

/// The parameter to update and the gradient of its rows, grouped or not; see PpUpdateTarget.
using UpdateTarget = PpUpdateTarget;
/// Every row of `weight` [V, D] has its row of `grad` [V, D].
UpdateTarget everyRow(float* weight, std::int64_t tableRows, std::int64_t width, const float* grad);
/// Row rows[u] of `weight` has row u of `grad` [U, D]; `rows` [U] are distinct.
UpdateTarget someRows(float* weight, std::int64_t tableRows, std::int64_t width,
                      std::span<const std::int32_t> rows, const float* grad);
/// Throws InvalidArgument in the name of `op` unless the width is at least 1 and the rows are rows
/// of the table (without rows: as many as the table has).
void requireTarget(const Launch& launch, std::string_view op, const UpdateTarget& target);

/// Which rows an optimizer with momentum moves.
enum class RowsMoved {
  kGradientRows,  ///< only rows that have a gradient ("lazy")
  kEveryRow,      ///< rows without one take part with gradient 0 ("dense")
};

/// w −= lr·g; with velocity: v = momentum·v − lr·g, w += v.
///
/// Shapes   weight, velocity [V, D]; grad [U, D]; indexOfRow [V], −1 everywhere (kEveryRow only).
/// Units    grad is d(loss)/d(weight).
/// Errors   InvalidArgument if a row is out of range, or if a dense target has count ≠ V.
/// Source   Keras 3 SGD without Nesterov.
void sgd(const Launch& launch, const UpdateTarget& target, Rate learningRate, float momentum,
         float* velocity, RowsMoved moved, std::int32_t* indexOfRow);

/// Where Adagrad adds epsilon.
enum class AdagradEpsilon {
  kInsideRoot,   ///< lr·g/√(acc + ε) (Keras)
  kOutsideRoot,  ///< lr·g/(√acc + ε) (PyTorch)
};

/// acc += g², then w −= lr·g/√(acc + ε) or lr·g/(√acc + ε). A row without gradient never moves.
///
/// Shapes   weight, accumulator [V, D]; grad [U, D].
/// Source   Keras 3 Adagrad; PyTorch Adagrad.
void adagrad(const Launch& launch, const UpdateTarget& target, Rate learningRate, float epsilon,
             AdagradEpsilon mode, float* accumulator);

/// One accumulator a row: acc += mean_d g², then w as in adagrad.
///
/// Shapes   weight [V, D]; accumulator [V]; means [U] or null: mean_d g² of the target's own
///          columns.
/// Source   FBGEMM/TorchRec EXACT_ROWWISE_ADAGRAD (kOutsideRoot).
void rowwiseAdagrad(const Launch& launch, const UpdateTarget& target, Rate learningRate,
                    float epsilon, AdagradEpsilon mode, float* accumulator,
                    const float* means = nullptr);

/// The step-dependent factors of Adam: w −= stepSize·m/(√v·rootScale + ε). `here`: see Rate; both.
struct AdamFactors {
  float stepSize, rootScale;
  const float* here = nullptr;
  /// ε beside the uncorrected √v: stepSize = lr·√(1−β2^t)/(1−β1^t), rootScale = 1 (Keras).
  static AdamFactors uncorrected(double learningRate, double beta1, double beta2,
                                 std::int64_t step);
  /// ε beside the corrected √v̂: stepSize = lr/(1−β1^t), rootScale = 1/√(1−β2^t) (paper, PyTorch).
  static AdamFactors corrected(double learningRate, double beta1, double beta2, std::int64_t step);
};

/// m = β1·m + (1−β1)·g; v = β2·v + (1−β2)·g²; then the weight.
///
/// Shapes   weight, moment, variance [V, D]; grad [U, D]; indexOfRow [V], −1 (kEveryRow only).
/// Source   Kingma, Ba (2015); Keras 3 Adam; PyTorch Adam.
void adam(const Launch& launch, const UpdateTarget& target, AdamFactors factors, float beta1,
          float beta2, float epsilon, float* moment, float* variance, RowsMoved moved,
          std::int32_t* indexOfRow);

struct FtrlSettings {
  Rate learningRate{};
  float learningRatePower, l1, l2, beta;
};

/// Follow the regularised leader: a = acc + g², p = −learningRatePower,
///
///   linear += g − (a^p − acc^p)/lr · w
///   w = (clamp(linear, −l1, l1) − linear) / (a^p/lr + 2·l2 + beta/lr)
///   acc = a
///
/// A row without gradient stays where it is.
///
/// Shapes   weight, accumulator, linear [V, D].
/// Source   McMahan et al. (2013); Keras 3 Ftrl, without shrinkage.
void ftrl(const Launch& launch, const UpdateTarget& target, const FtrlSettings& settings,
          float* accumulator, float* linear);

/// w −= factor·w of the target's rows, or of every row: decoupled weight decay. Its gradient is not
/// used.
void decayRows(const Launch& launch, const UpdateTarget& target, Rate factor, RowsMoved moved);

}  // namespace parapet::tensor
