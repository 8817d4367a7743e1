// SPDX-License-Identifier: Apache-2.0
// Softmax over a table, and its best rows: products by this plugin's matmul, and two passes over a
// row of a tile.
#include "engine/tensor/kernels/table_softmax.h"

#include "engine/tensor/kernels/top_k.h"
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/lines.h"

namespace parapet::plugin {

std::int32_t tableSoftmax(const PpCall* call, const PpTableSoftmax* args) {
  return tensor::runTableSoftmax(call, args, matmul, Lines{});
}

std::int32_t topK(const PpCall* call, const PpTopK* args) {
  return tensor::runTopK(call, args, matmul, Lines{});
}

}  // namespace parapet::plugin
