// SPDX-License-Identifier: Apache-2.0
// Matrix products of operands that are rounded to bf16, without any instruction for it: tiles of
// both are rounded where they are small, and multiplied in f32.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

constexpr std::int64_t kRows = 64, kDepth = 128, kCols = 64;

/// To the nearest bf16, ties to even. NaN stays NaN.
float rounded(float x) {
  if (std::isnan(x)) return x;
  auto bits = std::bit_cast<std::uint32_t>(x);
  bits += 0x7fffu + (bits >> 16 & 1u);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

/// out [rows, cols] = the rounded part of op(x) that begins at (row, col).
void roundTile(const float* x, std::int64_t stride, bool transposed, std::int64_t row,
               std::int64_t rows, std::int64_t col, std::int64_t cols, float* out) {
  const std::int64_t down = transposed ? 1 : stride, along = transposed ? stride : 1;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      out[i * cols + j] = rounded(x[(row + i) * down + (col + j) * along]);
}

void multiplyRows(const PpMatmul& m, std::int64_t begin, std::int64_t end) {
  float a[kRows * kDepth], b[kDepth * kCols];
  const std::int64_t rows = end - begin;
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = 0; j < m.n; ++j) {
      float& c = m.c[i * m.strideC + j];
      c = m.beta == 0.0f ? 0.0f : m.beta * c;
    }
  for (std::int64_t k = 0; k < m.k; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, m.k - k);
    roundTile(m.a, m.strideA, m.transposeA != 0, begin, rows, k, depth, a);
    for (std::int64_t j = 0; j < m.n; j += kCols) {
      const std::int64_t cols = std::min(kCols, m.n - j);
      roundTile(m.b, m.strideB, m.transposeB != 0, k, depth, j, cols, b);
      Map c(m.c + begin * m.strideC + j, rows, cols, Stride(m.strideC));
      c.noalias() +=
          ConstMap(a, rows, depth, Stride(depth)) * ConstMap(b, depth, cols, Stride(cols));
    }
  }
}

}  // namespace

std::int32_t roundedMatmul(const PpCall* call, const PpMatmul* args) {
  fixCacheSizes();
  forBlocks(call, args->m, kRows, [args](std::int64_t begin, std::int64_t end) {
    multiplyRows(*args, begin, end);
    finishRows(*args, begin, end);
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
