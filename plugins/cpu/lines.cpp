// SPDX-License-Identifier: Apache-2.0
// Attention over ragged sequences: products of tiles in registers, and one pass over a row of
// scores.
// Softmax over a table, and its best rows: products by this plugin's matmul, and two passes over a
// row of a tile.
#include "plugins/cpu/lines.h"

#include "engine/tensor/kernels/attention_tiles.h"
#include "engine/tensor/kernels/table_softmax.h"
#include "engine/tensor/kernels/top_k.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

std::int32_t attention(const PpCall* call, const PpAttention* args) {
  return tensor::runAttention(call, args, tileProduct, Lines{});
}

std::int32_t attentionGradient(const PpCall* call, const PpAttentionGradient* args) {
  return tensor::runAttentionGradient(call, args, tileProduct, Lines{});
}

std::int32_t tableSoftmax(const PpCall* call, const PpTableSoftmax* args) {
  return tensor::runTableSoftmax(call, args, matmul, Lines{});
}

std::int32_t topK(const PpCall* call, const PpTopK* args) {
  return tensor::runTopK(call, args, matmul, Lines{});
}

}  // namespace parapet::plugin
