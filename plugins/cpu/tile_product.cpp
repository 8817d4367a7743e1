// SPDX-License-Identifier: Apache-2.0
// Products of small matrices: 6 × 16 sums in registers, to which a column of a times a row of b is
// added at a time. Neither is packed, but a b that is stored transposed is turned first.
#include "plugins/cpu/tile_product.h"

#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

constexpr std::int64_t kMaxRows = 6, kPanel = 2 * kLanes;
constexpr std::int64_t kMaxDepth = 128, kMaxColumns = 128;

/// Operands: a[i, p] = a[i·aRow + p·aDepth], b[p, j] = b[p·bDepth + j].
struct Operands {
  const float* a;
  std::int64_t aRow, aDepth;
  const float* b;
  std::int64_t bDepth, depth;
  float* c;
  std::int64_t strideC;
  bool adds;  ///< to what c holds
};

/// The first lanes alone.
inline __m256i maskOf(std::int64_t lanes) {
  alignas(32) static constexpr std::int32_t kMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMasks + kLanes - lanes));
}

/// kRows × kColumns registers of c; of the last of them `lanes` elements, if that is below 8.
template <int kRows, int kColumns, bool kMasked>
inline void multiplyTile(const Operands& of, std::int64_t lanes) {
  const __m256i mask = maskOf(kMasked ? lanes : kLanes);
  const auto loaded = [&](const float* from, int column) -> Floats {
    if (kMasked && column == kColumns - 1) return _mm256_maskload_ps(from + column * kLanes, mask);
    return _mm256_loadu_ps(from + column * kLanes);
  };
  Floats sum[kRows][kColumns];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      sum[i][j] = of.adds ? loaded(of.c + i * of.strideC, j) : Floats{};
  const float* a = of.a;
  const float* b = of.b;
  for (std::int64_t p = 0; p < of.depth; ++p, a += of.aDepth, b += of.bDepth) {
    Floats right[kColumns];
    for (int j = 0; j < kColumns; ++j) right[j] = loaded(b, j);
    for (int i = 0; i < kRows; ++i) {
      const Floats left = _mm256_broadcast_ss(a + i * of.aRow);
      for (int j = 0; j < kColumns; ++j) sum[i][j] = _mm256_fmadd_ps(left, right[j], sum[i][j]);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      float* const to = of.c + i * of.strideC + j * kLanes;
      if (kMasked && j == kColumns - 1)
        _mm256_maskstore_ps(to, mask, sum[i][j]);
      else
        _mm256_storeu_ps(to, sum[i][j]);
    }
}

template <int kRows>
inline void multiplyColumns(const Operands& of, std::int64_t columns) {
  if (columns == kPanel) return multiplyTile<kRows, 2, false>(of, kLanes);
  if (columns > kLanes) return multiplyTile<kRows, 2, true>(of, columns - kLanes);
  multiplyTile<kRows, 1, true>(of, columns);
}

/// `rows` rows of c by up to 16 columns.
void multiplyPanel(Operands of, std::int64_t rows, std::int64_t columns) {
  for (; rows >= kMaxRows; rows -= kMaxRows) {
    multiplyColumns<kMaxRows>(of, columns);
    of.a += kMaxRows * of.aRow;
    of.c += kMaxRows * of.strideC;
  }
  switch (rows) {
    case 5:
      return multiplyColumns<5>(of, columns);
    case 4:
      return multiplyColumns<4>(of, columns);
    case 3:
      return multiplyColumns<3>(of, columns);
    case 2:
      return multiplyColumns<2>(of, columns);
    case 1:
      return multiplyColumns<1>(of, columns);
    default:
      return;
  }
}

/// to[p, j] = from[j, p]; 8 × 8 at a time.
void transpose(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t columns,
               float* to, std::int64_t toStride) {
  std::int64_t j = 0;
  for (; j + 8 <= rows; j += 8) {
    std::int64_t p = 0;
    for (; p + 8 <= columns; p += 8) {
      __m256 line[8], two[8], four[8];
      for (int i = 0; i < 8; ++i) line[i] = _mm256_loadu_ps(from + (j + i) * stride + p);
      for (int i = 0; i < 8; i += 2) {
        two[i] = _mm256_unpacklo_ps(line[i], line[i + 1]);
        two[i + 1] = _mm256_unpackhi_ps(line[i], line[i + 1]);
      }
      for (int i = 0; i < 8; i += 4)
        for (int half = 0; half < 2; ++half) {
          four[i + 2 * half] = _mm256_shuffle_ps(two[i + half], two[i + 2 + half], 0x44);
          four[i + 2 * half + 1] = _mm256_shuffle_ps(two[i + half], two[i + 2 + half], 0xee);
        }
      for (int i = 0; i < 4; ++i) {
        float* const at = to + (p + i) * toStride + j;
        _mm256_storeu_ps(at, _mm256_permute2f128_ps(four[i], four[i + 4], 0x20));
        _mm256_storeu_ps(at + 4 * toStride, _mm256_permute2f128_ps(four[i], four[i + 4], 0x31));
      }
    }
    for (; p < columns; ++p)
      for (int i = 0; i < 8; ++i) to[p * toStride + j + i] = from[(j + i) * stride + p];
  }
  for (; j < rows; ++j)
    for (std::int64_t p = 0; p < columns; ++p) to[p * toStride + j] = from[j * stride + p];
}

}  // namespace

std::int32_t tileProduct(const PpCall* call, const PpMatmul* args) {
  const PpMatmul& m = *args;
  if (call->precision == PP_PRECISION_BF16 || m.k > kMaxDepth || m.n > kMaxColumns)
    return matmul(call, args);
  alignas(64) float turned[kMaxDepth * kMaxColumns];
  Operands of{m.a, m.strideA, 1, m.b, m.strideB, m.k, m.c, m.strideC, m.beta != 0.0f};
  if (m.transposeA) std::swap(of.aRow, of.aDepth);
  if (m.transposeB) {
    transpose(m.b, m.strideB, m.n, m.k, turned, kMaxColumns);
    of.b = turned;
    of.bDepth = kMaxColumns;
  }
  for (std::int64_t j = 0; j < m.n; j += kPanel) {
    multiplyPanel(of, m.m, std::min(kPanel, m.n - j));
    of.b += kPanel;
    of.c += kPanel;
  }
  return PP_OK;
}

}  // namespace parapet::plugin
