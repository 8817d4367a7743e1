// SPDX-License-Identifier: Apache-2.0
// Attention over ragged sequences: products of tiles in registers, and one pass over a row of
// scores.
#include "engine/tensor/kernels/attention_tiles.h"

#include "plugins/cpu/kernels.h"
#include "plugins/cpu/lines.h"

namespace parapet::plugin {

std::int32_t attention(const PpCall* call, const PpAttention* args) {
  return tensor::runAttention(call, args, tileProduct, Lines{});
}

std::int32_t attentionGradient(const PpCall* call, const PpAttentionGradient* args) {
  return tensor::runAttentionGradient(call, args, tileProduct, Lines{});
}

}  // namespace parapet::plugin
