// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/train/session.h"
#include "engine/workspace/verification.h"

namespace parapet::workspace {

inline std::span<const float> elementsOf(const checkpoint::TensorView& tensor) {
  return {reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

/// Compares the tensors of two trainings that differ by the order of summation alone.
///
/// A gradient is the same then within rounding of its largest terms, and so is the weight that SGD
/// makes of it. Adam does not pass that on: in its first step a weight moves by α·g/(|g| + ε'), with
/// ε' = ε/√(1 − β₂) where ε is added to the uncorrected root, so that an error δ of g becomes
/// α·ε'·δ/(|g| + ε')². For |g| below ε' that is up to α/ε' times δ (3,000 at α = 0.01 and Keras' ε
/// of 1e-7), whatever computes g. What is accepted follows from that in two parts:
///
///   every tensor    rms(a − b) ≤ τ·scale,                              τ = kRelativeTolerance
///   every element   |a − b| ≤ max(τ·scale, min(4·maximum|a − c|, τ'·change))
///
/// where c is the same training as a, on the same devices, whose weights began one last bit (2⁻²⁴
/// relative) higher or lower, and `change` is how far the training has moved the tensor, τ' = 1e-3.
/// So single elements may differ by more than τ only as far as one device alone would let them, and
/// never by a share of what the steps did that would make another training of it.
///
/// If even that refuses a tensor, gradients decide, since plain descent passes on rounding as it is.
/// They are measured on the devices of a and of b, for one batch at the weights that a ended with:
///
///   every gradient  max |g_a − g_b| ≤ τ·(largest |g_a| of its kind), or nothing more is accepted
///   no effect       a parameter with max |g_a|, |g_b| ≤ τ·(largest |g_a| of its kind): its exact
///                   gradient is 0, as that of a bias in front of a batch norm is. Adam makes whole
///                   steps of what rounding leaves, and no loss depends on them. Moving statistics
///                   are those of values that it is added to, so they may follow it.
///
/// After many steps of an optimizer that magnifies rounding, whole tensors are apart, and by how much is
/// chance. Where they are apart by what last bits do as well (kMaxLastBits), verify() therefore compares
/// each step from the weights and slots of a, by the same rules. Plain descent magnifies nothing, and is
/// held to the whole training.
///
/// The scale of a tensor is the largest absolute value of a table's weight or slot, or of all layers
/// together for the same slot. A single tensor of a layer may be nothing but rounding, as is a bias
/// that shifts all scores of a list alike, while what it is added to is far larger. The change is
/// taken over the same tensors.
class TensorDifferences {
 public:
  static constexpr double kRelativeTolerance = 1e-5;
  static constexpr double kMaxShareOfChange = 1e-3;
  static constexpr double kLastBits = 4.0;
  /// How much more than one draw of last bits another order of summation may do to a whole training: the
  /// largest that was seen is 9.
  static constexpr double kMaxLastBits = 32.0;

  TensorDifferences(train::Session& a, train::Session& b);

  /// Widens what is accepted of single elements by c, and by what a began with (tensors() of it).
  void allowForLastBits(train::Session& c, const std::vector<std::vector<float>>& start);
  using Gradients = std::vector<std::vector<float>>;  ///< by parameter
  /// Tells tensors without effect by the gradients of a and b.
  void allowForGradients(const Gradients& ofA, const Gradients& ofB);

  [[nodiscard]] const std::vector<TensorDifference>& all() const { return all_; }
  [[nodiscard]] bool accepted() const;
  /// Whether every tensor that is not accepted would be refused of a and c, too; after
  /// allowForLastBits(). How far rounding alone moves such a tensor is chance: one c says that it
  /// does, and no bound.
  [[nodiscard]] bool areMagnifiedRounding() const;
  /// Whether every tensor that is not accepted differs by kMaxLastBits times what last bits do at most;
  /// after allowForLastBits().
  [[nodiscard]] bool areOfRounding() const;

 private:
  /// "user/weight" of a table, "layers/weight" of any layer.
  [[nodiscard]] std::string keyOf(const std::string& tensor) const;

  train::Session& a_;
  std::map<std::string, std::string> groupOf_;  ///< by name of a parameter that is no table
  std::map<std::string, double> scale_;         ///< by keyOf()
  std::vector<TensorDifference> all_;
};

}  // namespace parapet::workspace
