// SPDX-License-Identifier: Apache-2.0
// Products with all rows of a table: their cross entropy, and the best of them. The headers of
// their tiles tell how.
#include "engine/tensor/kernels/table_softmax.h"

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/lines.h"
#include "engine/tensor/kernels/top_k.h"

namespace parapet::tensor::cpu {

std::int32_t tableSoftmax(const PpCall* call, const PpTableSoftmax* args) {
  return runTableSoftmax(call, args, matmul, Lines{});
}

std::int32_t topK(const PpCall* call, const PpTopK* args) {
  return runTopK(call, args, matmul, Lines{});
}

}  // namespace parapet::tensor::cpu
