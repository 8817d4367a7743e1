// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Rows that are classified by their products with the rows of a table, of which one is the label.
struct TableLogits {
  std::int64_t rows = 0, tableRows = 0, width = 0;
  const float* hidden = nullptr;         ///< [M, D]
  const float* table = nullptr;          ///< [V, D]
  const float* bias = nullptr;           ///< [V]; null: 0
  const std::int32_t* labels = nullptr;  ///< [M], in [0, V)
  const float* weight = nullptr;         ///< [M]; null: all 1
};

/// Where gradients go; any may be null. All null: forward alone.
struct TableGradients {
  float* dHidden = nullptr;  ///< [M, D], overwritten
  float* dTable = nullptr;   ///< [V, D], added to
  float* dBias = nullptr;    ///< [V], added to
  [[nodiscard]] bool any() const { return dHidden || dTable || dBias; }
};

/// Whether tableSoftmax() is asked for any gradient.
enum class TableSoftmaxPass { kForward, kGradients };

/// f32 elements that tableSoftmax needs for its work on up to so many rows.
std::int64_t tableSoftmaxScratch(std::int64_t rows, std::int64_t tableRows, std::int64_t width,
                                 TableSoftmaxPass pass);

/// Cross entropy of each row's label among all rows of a table, and its gradients.
///
///   s[i, v] = hidden[i]·table[v] + bias[v];  ℓ_i = log Σ_v e^s[i, v] − s[i, label_i]
///   sums[0] += Σ_i w[i]·ℓ_i
///   sums[1] += Σ_i w[i]·[label_i is the first v with the greatest s[i, v]]
///   sums[2] += Σ_i w[i]
///   dHidden = gradientScale·d(sums[0])/d(hidden);  dTable, dBias += the same
///
/// Shapes   sums [3], in the device's memory.
/// Memory   scratch [tableSoftmaxScratch(M, V, D, …)], 64 MiB at most where 16 rows fit into that.
/// Order    fixed tiles; the sums in double precision and the order of i.
/// Errors   InvalidArgument if M < 0, V < 1, D < 1 or a label is outside [0, V), naming i and the
///          value.
void tableSoftmax(const Launch& launch, const TableLogits& inputs, float gradientScale,
                  float* scratch, const TableGradients& gradients, double* sums);

}  // namespace parapet::tensor
