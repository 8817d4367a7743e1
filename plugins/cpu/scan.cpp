// SPDX-License-Identifier: Apache-2.0
// Scores of queries against a catalogue, compared with the thresholds while they are in registers.
#include <algorithm>

#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

// A tile of kTileQueries × kPanel scores fills the registers: 12 of 16 accumulate on x86-64-v3.
#ifdef __AVX512F__
constexpr int kTileQueries = 12;
#else
constexpr int kTileQueries = 6;
#endif
constexpr std::int64_t kPanel = 2 * kLanes;
// Candidates are packed this many at a time, so that they stay in the nearest cache at width 64.
constexpr std::int64_t kPacked = 64;
constexpr std::int64_t kMaxPackedWidth = 512;
// With fewer queries packing costs more than it saves, and memory is the limit anyway.
constexpr std::int64_t kFewQueries = 4;

void offer(const PpScanScores& args, std::int64_t query, std::int64_t candidate, float score) {
  float& threshold = args.thresholds[query];
  if (!(score < threshold)) threshold = args.offer(args.offerContext, query, candidate, score);
}

/// panels[p][d][lane] = candidates[p·kPanel + lane, d]; missing candidates are 0.
void pack(const float* candidates, std::int64_t count, std::int64_t width, float* panels) {
  for (std::int64_t first = 0; first < count; first += kPanel)
    for (std::int64_t lane = 0; lane < kPanel; ++lane) {
      float* to = panels + first * width + lane;
      if (first + lane >= count) {
        for (std::int64_t d = 0; d < width; ++d) to[d * kPanel] = 0.0f;
        continue;
      }
      const float* from = candidates + (first + lane) * width;
      for (std::int64_t d = 0; d < width; ++d) to[d * kPanel] = from[d];
    }
}

/// Scores of Q queries against one panel; those that reach their threshold are offered.
template <int Q>
void scanTile(const PpScanScores& args, std::int64_t query, const float* panel, std::int64_t first,
              std::int64_t count) {
  const std::int64_t width = args.width;
  const float* queries = args.queries + query * width;
  Floats score[Q][2] = {};
  for (std::int64_t d = 0; d < width; ++d) {
    const Floats left = load<Floats>(panel + d * kPanel);
    const Floats right = load<Floats>(panel + d * kPanel + kLanes);
#pragma GCC unroll 16
    for (int q = 0; q < Q; ++q) {
      const Floats x = Floats{} + queries[q * width + d];
      score[q][0] += x * left;
      score[q][1] += x * right;
    }
  }
  auto below = score[0][0] < args.thresholds[query];
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q)
    below &=
        (score[q][0] < args.thresholds[query + q]) & (score[q][1] < args.thresholds[query + q]);
  int all = -1;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) all &= below[lane];
  if (all) return;
  for (int q = 0; q < Q; ++q)
    for (std::int64_t lane = 0; lane < std::min(kPanel, count); ++lane)
      offer(args, query + q, first + lane, score[q][lane / kLanes][lane % kLanes]);
}

void scanPacked(const PpScanScores& args) {
  alignas(64) float panels[kPacked * kMaxPackedWidth];
  for (std::int64_t block = 0; block < args.candidateCount; block += kPacked) {
    const std::int64_t count = std::min(kPacked, args.candidateCount - block);
    pack(args.candidates + block * args.width, count, args.width, panels);
    std::int64_t query = 0;
    const auto scanAll = [&]<int Q>() {
      for (; query + Q <= args.queryCount; query += Q)
        for (std::int64_t first = 0; first < count; first += kPanel)
          scanTile<Q>(args, query, panels + first * args.width, block + first, count - first);
    };
    scanAll.template operator()<kTileQueries>();
    scanAll.template operator()<2>();
    scanAll.template operator()<1>();
  }
}

/// Four sums over the lanes at once.
inline __m128 sums(const Floats (&x)[4]) {
  __m256 half[4];
  for (int i = 0; i < 4; ++i)
#ifdef __AVX512F__
    half[i] = _mm256_add_ps(_mm512_castps512_ps256(x[i]), _mm512_extractf32x8_ps(x[i], 1));
#else
    half[i] = x[i];
#endif
  const __m256 pairs =
      _mm256_hadd_ps(_mm256_hadd_ps(half[0], half[1]), _mm256_hadd_ps(half[2], half[3]));
  return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
}

float dot(const float* x, const float* y, std::int64_t width) {
  Floats lanes{};
  float rest = 0.0f;
  std::int64_t d = 0;
  for (; d + kLanes <= width; d += kLanes) lanes += load<Floats>(x + d) * load<Floats>(y + d);
  for (; d < width; ++d) rest += x[d] * y[d];
  return sum(lanes) + rest;
}

/// Reads each candidate once, four side by side, for all queries.
void scanInPlace(const PpScanScores& args) {
  const std::int64_t width = args.width, whole = width / kLanes * kLanes;
  std::int64_t v = 0;
  for (; v + 4 <= args.candidateCount; v += 4) {
    const float* candidates = args.candidates + v * width;
    for (std::int64_t query = 0; query < args.queryCount; ++query) {
      const float* x = args.queries + query * width;
      Floats lanes[4] = {};
      for (std::int64_t d = 0; d < whole; d += kLanes) {
        const Floats left = load<Floats>(x + d);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) lanes[i] += left * load<Floats>(candidates + i * width + d);
      }
      float score[4];
      _mm_storeu_ps(score, sums(lanes));
      for (std::int64_t d = whole; d < width; ++d)
        for (int i = 0; i < 4; ++i) score[i] += x[d] * candidates[i * width + d];
      for (int i = 0; i < 4; ++i) offer(args, query, v + i, score[i]);
    }
  }
  for (; v < args.candidateCount; ++v)
    for (std::int64_t query = 0; query < args.queryCount; ++query)
      offer(args, query, v, dot(args.queries + query * width, args.candidates + v * width, width));
}

}  // namespace

std::int32_t scanScores(const PpCall*, const PpScanScores* args) {
  if (args->queryCount < kFewQueries || args->width > kMaxPackedWidth)
    scanInPlace(*args);
  else
    scanPacked(*args);
  return PP_OK;
}

}  // namespace parapet::plugin
