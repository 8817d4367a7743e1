// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"
#include "engine/tensor/ops/bias_activation.h"

namespace parapet::tensor {

/// A row-major matrix, possibly to be read as its transpose.
struct MatrixRef {
  const float* data;
  std::int64_t stride;  ///< elements between stored rows
  bool transposed = false;
};

/// What is done to the elements of a product before they are written; without arguments nothing.
struct Epilogue {
  const float* bias = nullptr;  ///< [n]; null: none
  ActivationOp activation = ActivationOp::kLinear;
};

/// c = act(op(a)·op(b) + beta·c + bias), the epilogue's act and bias. With Precision::kBf16 the elements
/// of a and b are rounded to the nearest bf16 first; with Precision::kTf32 they may be rounded or cut
/// off to TF32. c, bias and the activation stay in f32.
///
/// Shapes   op(a) [m, k], op(b) [k, n], c [m, n] with row stride `strideC`, bias [n] or null.
/// Errors   InvalidArgument if a size is negative or a stride is shorter than its row.
/// Order    fixed by (m, n, k) and the backend; the number of workers changes no bit. On a CPU the
///          bits are those of the product followed by biasActivation.
void matmul(const Launch& launch, std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef a,
            MatrixRef b, float beta, float* c, std::int64_t strideC, Epilogue epilogue = {});

}  // namespace parapet::tensor
