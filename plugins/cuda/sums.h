// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "plugins/cuda/launch.h"

/// Sums in fixed order: within a warp by halves, within a block by warps, over blocks in a second
/// kernel. No result depends on which block came first.
namespace parapet::cuda {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
PP_DEVICE T sumOverWarp(T value) {
  for (int mask = 16; mask > 0; mask /= 2) value += acrossLanes(value, mask);
  return value;
}

template <class T>
PP_DEVICE T maxOverWarp(T value) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const T other = acrossLanes(value, mask);
    value = other > value ? other : value;
  }
  return value;
}

/// Sum over all threads of the block, returned to each of them.
template <class T>
PP_DEVICE T sumOverBlock(T value) {
  PP_SHARED T parts[32];
  value = sumOverWarp(value);
  if (lane() == 0) parts[warp()] = value;
  meet();
  T sum = T(0);
  for (std::int64_t w = 0; w < threads() / kWarp; ++w) sum += parts[w];
  meet();
  return sum;
}

template <class T>
PP_DEVICE T maxOverBlock(T value) {
  PP_SHARED T parts[32];
  value = maxOverWarp(value);
  if (lane() == 0) parts[warp()] = value;
  meet();
  T most = parts[0];
  for (std::int64_t w = 1; w < threads() / kWarp; ++w) most = parts[w] > most ? parts[w] : most;
  meet();
  return most;
}

/// K sums that are made together.
template <int K>
struct Sums {
  double of[K];
};

template <int K, class Term>
struct PartialSums {
  Term term;
  std::int64_t count;
  double* partial;
  PP_DEVICE void operator()() const {
    Sums<K> mine{};
    for (std::int64_t i = block() * threads() + thread(); i < count; i += blocks() * threads()) {
      const Sums<K> more = term(i);
      for (int k = 0; k < K; ++k) mine.of[k] += more.of[k];
    }
    for (int k = 0; k < K; ++k) {
      const double sum = sumOverBlock(mine.of[k]);
      if (thread() == 0) partial[block() * K + k] = sum;
    }
  }
};

template <int K, class Finish>
struct TotalSums {
  Finish finish;
  std::int64_t parts;
  const double* partial;
  PP_DEVICE void operator()() const {
    Sums<K> total{};
    for (int k = 0; k < K; ++k)
      total.of[k] = sumOverBlock(thread() < parts ? partial[thread() * K + k] : 0.0);
    if (thread() == 0) finish(total);
  }
};

/// finish(Σ term(i)) over i = 0 … count-1, by one thread.
template <int K, class Term, class Finish>
void sumAll(const PpCall* call, Scratch& scratch, std::int64_t count, const Term& term,
            const Finish& finish) {
  const std::int64_t parts = sumParts(count);
  auto* const partial = scratch.take<double>(parts * K);
  launch(call, {parts}, PartialSums<K, Term>{term, count, partial});
  launch(call, {1}, TotalSums<K, Finish>{finish, parts, partial});
}

template <int K, class Term>
struct PartialColumns {
  Term term;
  std::int64_t rows, width;
  ColumnCut cut;
  double* partial;
  PP_DEVICE void operator()() const {
    PP_SHARED double sums[K][kThreads / kWarp][kWarp];
    const std::int64_t column = block() % cut.strips * kWarp + lane(), part = block() / cut.strips;
    const std::int64_t end = std::min(rows, (part + 1) * cut.rowsPerPart);
    Sums<K> mine{};
    if (column < width)
      for (std::int64_t row = part * cut.rowsPerPart + warp(); row < end; row += kThreads / kWarp) {
        const Sums<K> more = term(row, column);
        for (int k = 0; k < K; ++k) mine.of[k] += more.of[k];
      }
    for (int k = 0; k < K; ++k) sums[k][warp()][lane()] = mine.of[k];
    meet();
    if (warp() != 0 || column >= width) return;
    for (int k = 0; k < K; ++k) {
      double sum = 0.0;
      for (std::int64_t w = 0; w < kThreads / kWarp; ++w) sum += sums[k][w][lane()];
      partial[(part * K + k) * width + column] = sum;
    }
  }
};

template <int K, class Finish>
struct TotalColumns {
  Finish finish;
  std::int64_t width, parts;
  const double* partial;
  PP_DEVICE void operator()(std::int64_t column) const {
    Sums<K> total{};
    for (std::int64_t part = 0; part < parts; ++part)
      for (int k = 0; k < K; ++k) total.of[k] += partial[(part * K + k) * width + column];
    finish(column, total);
  }
};

/// finish(column, Σ term(row, column)) of every column of a matrix, over its rows.
template <int K, class Term, class Finish>
void sumColumns(const PpCall* call, Scratch& scratch, std::int64_t rows, std::int64_t width,
                const Term& term, const Finish& finish) {
  const ColumnCut cut = columnCut(rows, width);
  auto* const partial = scratch.take<double>(cut.parts * K * width);
  launch(call, {cut.strips * cut.parts}, PartialColumns<K, Term>{term, rows, width, cut, partial});
  forElements(call, width, TotalColumns<K, Finish>{finish, width, cut.parts, partial});
}

}  // namespace parapet::cuda
