// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/matmul.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void matmul(const Launch& launch, std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef a,
            MatrixRef b, float beta, float* c, std::int64_t strideC) {
  constexpr std::string_view kOp = "matmul";
  for (const std::int64_t size : {m, n, k})
    requireArgument(size >= 0, kOp, "size", size, "at least 0 is accepted");
  requireArgument(a.stride >= (a.transposed ? m : k), kOp, "stride of a", a.stride,
                  "at least one stored row is accepted");
  requireArgument(b.stride >= (b.transposed ? k : n), kOp, "stride of b", b.stride,
                  "at least one stored row is accepted");
  requireArgument(strideC >= n, kOp, "stride of c", strideC, "at least n is accepted");
  const PpCall call = makeCall(launch);
  const PpMatmul args{m,        n,    k, a.transposed, b.transposed, a.data, a.stride, b.data,
                      b.stride, beta, c, strideC};
  requireOk(launch.device->ops().matmul(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor
