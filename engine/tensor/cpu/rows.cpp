// SPDX-License-Identifier: Apache-2.0
// Kernels that move whole rows: fill, gather, groups, copies and sums.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor::cpu {
namespace {

constexpr std::int64_t kElementGrain = 64 * 1024;

void addRow(float* out, const float* in, std::int64_t width) {
  for (std::int64_t d = 0; d < width; ++d) out[d] += in[d];
}

}  // namespace

std::int32_t fill(const PpCall* call, const PpFill* args) {
  forBlocks(call, args->count, kElementGrain, [&](std::int64_t begin, std::int64_t end) {
    std::fill(args->out + begin, args->out + end, args->value);
  });
  return PP_OK;
}

std::int32_t gatherRows(const PpCall* call, const PpGatherRows* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->count, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
      std::memcpy(args->out + n * width, args->table + args->rows[n] * width,
                  static_cast<std::size_t>(width) * sizeof(float));
  });
  return PP_OK;
}

std::int32_t replaceRows(const PpCall* call, const PpReplaceRows* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->count, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n)
      std::memcpy(args->out + args->rows[n] * width, args->in + n * width,
                  static_cast<std::size_t>(width) * sizeof(float));
  });
  return PP_OK;
}

// Backwards, so that each value points to the one after it and a list starts at the first.
std::int32_t groupRows(const PpCall*, const PpGroupRows* args) {
  std::int64_t groups = 0;
  for (std::int64_t n = args->count; n-- > 0;) {
    const std::int32_t row = args->rows[n];
    const std::int32_t later = args->indexOfRow[row];
    args->next[n] = later;
    args->indexOfRow[row] = static_cast<std::int32_t>(n);
    if (later < 0) args->groupRows[groups++] = row;
  }
  for (std::int64_t u = 0; u < groups; ++u) {
    std::int32_t& index = args->indexOfRow[args->groupRows[u]];
    args->first[u] = std::exchange(index, -1);
  }
  *args->groupCount = groups;
  return PP_OK;
}

std::int32_t copyColumns(const PpCall* call, const PpCopyColumns* args) {
  // A call costs more than such a row, as those of a table whose columns lie on eight devices.
  constexpr std::int64_t kInlineWidth = 4;
  const std::int64_t width = args->width;
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const float* in = args->in + b * args->strideIn;
      float* out = args->out + b * args->strideOut;
      if (args->accumulate)
        addRow(out, in, width);
      else if (width == kInlineWidth)
        std::memcpy(out, in, kInlineWidth * sizeof(float));
      else
        std::memcpy(out, in, static_cast<std::size_t>(width) * sizeof(float));
    }
  });
  return PP_OK;
}

// Rows of the output are cut over workers, so that each sum has one worker and one order.
std::int32_t scatterRows(const PpCall* call, const PpScatterRows* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->outRows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    if (!args->accumulate) std::fill(args->out + begin * width, args->out + end * width, 0.0f);
    for (std::int64_t n = 0; n < args->count; ++n)
      if (args->rows[n] >= begin && args->rows[n] < end)
        addRow(args->out + args->rows[n] * width, args->in + n * width, width);
  });
  return PP_OK;
}

std::int32_t sumParts(const PpCall* call, const PpSumParts* args) {
  const std::int64_t grain = rowGrain(args->parts);
  forBlocks(call, args->count, grain, [&](std::int64_t begin, std::int64_t end) {
    if (args->out != args->in[0])
      std::copy(args->in[0] + begin, args->in[0] + end, args->out + begin);
    for (std::int32_t part = 1; part < args->parts; ++part)
      addRow(args->out + begin, args->in[part] + begin, end - begin);
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
