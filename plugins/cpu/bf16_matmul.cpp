// SPDX-License-Identifier: Apache-2.0
// Matrix products of operands that are rounded to bf16, added up in f32.
//
// Both operands are packed as pairs along k, (x[k], x[k+1]) in 32 bits, in panels of rows or
// columns side by side; the instruction of avx512_bf16 adds two products of such pairs to each sum:
//
//   sum = fma(a[k], b[k], fma(a[k+1], b[k+1], sum)),   denormals taken and given as 0
//
// A processor without it does the same with multiply-adds of AVX2, in that order and with denormals
// off, so that both give the same bits.
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/bf16_pairs.h"
#include "plugins/cpu/denormals.h"
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/product_blocks.h"

namespace parapet::plugin {
namespace {

constexpr std::int64_t kPanelRows = 8, kPanelCols = 32;  // of a and of b
constexpr std::int64_t kMaxRows = 256, kDepth = 512;     ///< of a block

/// Where the sums of a panel go on: at zero, or at what c holds.
enum class Start { kZero, kHere };

/// c [8, 32] (+)= a panel of a times a panel of b, `depth` pairs deep.
using Multiply = void (*)(const Pair* a, const Pair* b, std::int64_t depth, Start start, float* c,
                          std::int64_t strideC);

__attribute__((target("avx512f,avx512bf16"))) void multiplyByInstruction(
    const Pair* a, const Pair* b, std::int64_t depth, Start start, float* c, std::int64_t strideC) {
  __m512 sum[kPanelRows][2];
  for (int i = 0; i < kPanelRows; ++i)
    for (int j = 0; j < 2; ++j)
      sum[i][j] =
          start == Start::kZero ? _mm512_setzero_ps() : _mm512_loadu_ps(c + i * strideC + 16 * j);
  for (std::int64_t p = 0; p < depth; ++p) {
    const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + p * kPanelCols));
    const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + p * kPanelCols + 16));
    for (int i = 0; i < kPanelRows; ++i) {
      const auto x =
          reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[p * kPanelRows + i])));
      sum[i][0] = _mm512_dpbf16_ps(sum[i][0], x, left);
      sum[i][1] = _mm512_dpbf16_ps(sum[i][1], x, right);
    }
  }
  for (int i = 0; i < kPanelRows; ++i)
    for (int j = 0; j < 2; ++j) _mm512_storeu_ps(c + i * strideC + 16 * j, sum[i][j]);
}

/// Multiplies two panels without the instruction; denormals are off.
void multiplyByParts(const Pair* a, const Pair* b, std::int64_t depth, Start start, float* c,
                     std::int64_t strideC) {
  const __m256i highHalf = _mm256_set1_epi32(static_cast<int>(0xffff0000));
  for (int i = 0; i < kPanelRows; i += 2)
    for (int j = 0; j < kPanelCols; j += 16) {
      __m256 sum[2][2];
      for (int r = 0; r < 2; ++r)
        for (int h = 0; h < 2; ++h)
          sum[r][h] = start == Start::kZero ? _mm256_setzero_ps()
                                            : _mm256_loadu_ps(c + (i + r) * strideC + j + 8 * h);
      for (std::int64_t p = 0; p < depth; ++p)
        for (int h = 0; h < 2; ++h) {
          const __m256i y =
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + p * kPanelCols + j + 8 * h));
          const __m256 first = _mm256_castsi256_ps(_mm256_slli_epi32(y, 16));
          const __m256 second = _mm256_castsi256_ps(_mm256_and_si256(y, highHalf));
          for (int r = 0; r < 2; ++r) {
            const Pair x = a[p * kPanelRows + i + r];
            const __m256 xFirst = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(x << 16)));
            const __m256 xSecond =
                _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(x & 0xffff0000u)));
            sum[r][h] = _mm256_fmadd_ps(xFirst, first, _mm256_fmadd_ps(xSecond, second, sum[r][h]));
          }
        }
      for (int r = 0; r < 2; ++r)
        for (int h = 0; h < 2; ++h) _mm256_storeu_ps(c + (i + r) * strideC + j + 8 * h, sum[r][h]);
    }
}

Multiply bestMultiply() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") ? multiplyByInstruction : multiplyByParts;
}

/// One panel against another; a corner of c that is smaller than that goes through a whole one.
void multiplyPanels(Multiply multiply, const Pair* a, const Pair* b, std::int64_t depth,
                    Start start, float* c, std::int64_t strideC, std::int64_t rows,
                    std::int64_t cols) {
  if (rows == kPanelRows && cols == kPanelCols) return multiply(a, b, depth, start, c, strideC);
  float corner[kPanelRows * kPanelCols] = {};
  for (std::int64_t i = 0; start == Start::kHere && i < rows; ++i)
    std::copy_n(c + i * strideC, cols, corner + i * kPanelCols);
  multiply(a, b, depth, start, corner, kPanelCols);
  for (std::int64_t i = 0; i < rows; ++i)
    std::copy_n(corner + i * kPanelCols, cols, c + i * strideC);
}

/// A product of at most kMaxRows rows.
void multiplyBlock(Multiply multiply, const PpMatmul& m) {
  alignas(64) Pair a[kMaxRows * kDepth / 2], b[kPanelCols * kDepth / 2];
  const DenormalsOff denormals;
  Start start = m.beta == 0.0f && m.k > 0 ? Start::kZero : Start::kHere;
  if (start == Start::kHere && m.beta != 1.0f) scaleSums(m);
  const std::int64_t aLine = m.transposeA ? 1 : m.strideA, aDepth = m.transposeA ? m.strideA : 1;
  const std::int64_t bLine = m.transposeB ? m.strideB : 1, bDepth = m.transposeB ? 1 : m.strideB;
  for (std::int64_t from = 0; from < m.k; from += kDepth) {
    const std::int64_t to = std::min(m.k, from + kDepth), depth = (to - from + 1) / 2;
    for (std::int64_t i = 0; i < m.m; i += kPanelRows)
      packPairs<Eight>(
          {m.a + i * aLine, aLine, aDepth, from, to, std::min(kPanelRows, m.m - i), kPanelRows},
          a + i * depth);
    for (std::int64_t j = 0; j < m.n; j += kPanelCols) {
      const std::int64_t cols = std::min(kPanelCols, m.n - j);
      packPairs<Floats>({m.b + j * bLine, bLine, bDepth, from, to, cols, kPanelCols}, b);
      for (std::int64_t i = 0; i < m.m; i += kPanelRows)
        multiplyPanels(multiply, a + i * depth, b, depth, start, m.c + i * m.strideC + j, m.strideC,
                       std::min(kPanelRows, m.m - i), cols);
    }
    start = Start::kHere;
  }
}

}  // namespace

std::int32_t bf16Matmul(const PpCall* call, const PpMatmul* args) {
  static const Multiply multiply = bestMultiply();
  forProductBlocks(call, *args, productBlocks(*args, {kPanelRows, kPanelCols, kMaxRows, true}),
                   [](const PpMatmul& part) {
                     multiplyBlock(multiply, part);
                     finishProduct(part);
                   });
  return PP_OK;
}

}  // namespace parapet::plugin
