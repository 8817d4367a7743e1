// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/cpu/eigen.h"
#include "engine/tensor/kernels/attention_tiles.h"

namespace parapet::tensor::cpu {

/// The functions over a row of a tile that attention, tableSoftmax and topK are made of; the
/// headers of their tiles tell what each does.
struct Lines {
  [[nodiscard]] float greatest(float* line, std::int64_t count, const float* bias) const;
  [[nodiscard]] float powers(float* line, std::int64_t count, float scale, float shift) const;
  void slopes(const AttentionLine& of) const;
  void keep(float* line, std::int64_t count, const PpAttention& args, std::uint64_t first) const;
};

}  // namespace parapet::tensor::cpu
