// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/matmul.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void matmul(const Launch& launch, std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef a,
            MatrixRef b, float beta, float* c, std::int64_t strideC, Epilogue epilogue) {
  constexpr std::string_view kOp = "matmul";
  for (const std::int64_t size : {m, n, k})
    requireArgument(size >= 0, kOp, "size", size, "at least 0 is accepted");
  requireArgument(a.stride >= (a.transposed ? m : k), kOp, "stride of a", a.stride,
                  "at least one stored row is accepted");
  requireArgument(b.stride >= (b.transposed ? k : n), kOp, "stride of b", b.stride,
                  "at least one stored row is accepted");
  requireArgument(strideC >= n, kOp, "stride of c", strideC, "at least n is accepted");
  const PpCall call = makeCall(launch);
  const PpMatmul args{.m = m,
                      .n = n,
                      .k = k,
                      .transposeA = a.transposed,
                      .transposeB = b.transposed,
                      .a = a.data,
                      .strideA = a.stride,
                      .b = b.data,
                      .strideB = b.stride,
                      .beta = beta,
                      .c = c,
                      .strideC = strideC,
                      .bias = epilogue.bias,
                      .activation = static_cast<std::int32_t>(epilogue.activation)};
  requireOk(launch.device->ops().matmul(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor
