// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cpu/floats.h"

namespace parapet::plugin {

/// Eight rows of eight elements of 32 bits become the columns.
inline void transposeEight(__m256 (&row)[8]) {
  __m256 pair[8], four[8];
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      four[i + 2 * j] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0x44);
      four[i + 2 * j + 1] = _mm256_shuffle_ps(pair[i + j], pair[i + j + 2], 0xee);
    }
  for (int j = 0; j < 4; ++j) {
    row[j] = _mm256_permute2f128_ps(four[j], four[j + 4], 0x20);
    row[j + 4] = _mm256_permute2f128_ps(four[j], four[j + 4], 0x31);
  }
}

/// to[j·toStride + i] = from[i·stride + j], i, j < 8.
inline void transposeEight(const float* from, std::int64_t stride, float* to,
                           std::int64_t toStride) {
  __m256 row[8];
  for (int i = 0; i < 8; ++i) row[i] = load<Eight>(from + i * stride);
  transposeEight(row);
  for (int i = 0; i < 8; ++i) store<Eight>(to + i * toStride, row[i]);
}

/// to[j·toStride + i] = from[i·stride + j], i < rows, j < columns.
inline void transpose(const float* from, std::int64_t stride, std::int64_t rows,
                      std::int64_t columns, float* to, std::int64_t toStride) {
  std::int64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    std::int64_t j = 0;
    for (; j + 8 <= columns; j += 8)
      transposeEight(from + i * stride + j, stride, to + j * toStride + i, toStride);
    for (; j < columns; ++j)
      for (int k = 0; k < 8; ++k) to[j * toStride + i + k] = from[(i + k) * stride + j];
  }
  for (; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[j * toStride + i] = from[i * stride + j];
}

}  // namespace parapet::plugin
