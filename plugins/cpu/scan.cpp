// SPDX-License-Identifier: Apache-2.0
// Scores of queries against a catalogue, compared with the thresholds while they are in registers.
#include <algorithm>
#include <bit>

#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/transposes.h"

namespace parapet::plugin {
namespace {

// A tile of kTileQueries × kPanel scores fills the registers: 12 of 16 accumulate on x86-64-v3, 24
// of 32 on x86-64-v4.
constexpr int kTileQueries = kRegisters == 32 ? 12 : 6;
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
  constexpr std::int64_t kBlock = kWidth<Eight>;
  const std::int64_t whole = width / kBlock * kBlock;
  for (std::int64_t first = 0; first < count; first += kPanel)
    for (std::int64_t lane = 0; lane < kPanel; lane += kBlock) {
      const float* from = candidates + (first + lane) * width;
      float* to = panels + first * width + lane;
      const std::int64_t present = std::clamp<std::int64_t>(count - first - lane, 0, kBlock);
      const std::int64_t transposed = present == kBlock ? whole : 0;
      for (std::int64_t d = 0; d < transposed; d += kBlock)
        transposeEight(from + d, width, to + d * kPanel, kPanel);
      for (std::int64_t d = transposed; d < width; ++d)
        for (std::int64_t i = 0; i < kBlock; ++i)
          to[d * kPanel + i] = i < present ? from[i * width + d] : 0.0f;
    }
}

/// Scores of Q queries against one panel; those that reach their threshold are offered. A function
/// of its own, so that nothing else takes its registers.
template <int Q>
[[gnu::noinline]] void scanTile(const PpScanScores& args, std::int64_t query, const float* panel,
                                std::int64_t first, std::int64_t count) {
  const std::int64_t width = args.width;
  const float* queries = args.queries + query * width;
  Floats score[Q][2];
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q) score[q][0] = score[q][1] = Floats{};
  for (std::int64_t d = 0; d < width; ++d) {
    const Floats left = load<Floats>(panel + d * kPanel);
    const Floats right = load<Floats>(panel + d * kPanel + kLanes);
#pragma GCC unroll 16
    for (int q = 0; q < Q; ++q) {
      const Floats x = splat(queries[q * width + d]);
      score[q][0] += x * left;
      score[q][1] += x * right;
    }
  }
  // Lanes beyond the last candidate offer nothing.
  using Lanes = std::uint64_t;
  const Lanes present = (Lanes{1} << std::min(count, kPanel)) - 1;
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q) {
    const Floats threshold = splat(args.thresholds[query + q]);
    const Lanes below = Lanes{lanesBelow(score[q][0], threshold)} |
                        Lanes{lanesBelow(score[q][1], threshold)} << kLanes;
    Lanes reached = present & ~below;
    if (reached == 0) continue;
    alignas(64) float scores[kPanel];
    store(scores, score[q][0]);
    store(scores + kLanes, score[q][1]);
    for (; reached != 0; reached &= reached - 1) {
      const int lane = std::countr_zero(reached);
      offer(args, query + q, first + lane, scores[lane]);
    }
  }
}

void scanPacked(const PpScanScores& args) {
  alignas(64) float panels[kPacked * kMaxPackedWidth];
  for (std::int64_t block = 0; block < args.candidateCount; block += kPacked) {
    const std::int64_t count = std::min(kPacked, args.candidateCount - block);
    // The next ones come from memory while these are compared.
    const std::int64_t following = std::min(kPacked, args.candidateCount - block - count);
    prefetchRow(args.candidates + (block + count) * args.width, following * args.width);
    pack(args.candidates + block * args.width, count, args.width, panels);
    std::int64_t query = 0;
    const auto scanAll = [&]<int Q>() {
      for (; query + Q <= args.queryCount; query += Q)
        for (std::int64_t first = 0; first < count; first += kPanel)
          scanTile<Q>(args, query, panels + first * args.width, block + first, count - first);
    };
    scanAll.template operator()<kTileQueries>();
    if constexpr (kTileQueries > 6) scanAll.template operator()<6>();
    scanAll.template operator()<2>();
    scanAll.template operator()<1>();
  }
}

/// Four sums over the lanes at once.
inline __m128 sums(const Eight (&lanes)[4]) {
  const __m256 pairs =
      _mm256_hadd_ps(_mm256_hadd_ps(lanes[0], lanes[1]), _mm256_hadd_ps(lanes[2], lanes[3]));
  return _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
}

/// Scores of one query and four candidates side by side. Eight lanes on every instruction set: rows
/// of candidates begin anywhere, and every register of sixteen would be read out of two cache
/// lines.
template <class Width>
inline __m128 scoreFour(Width width, const float* query, const float* const (&candidates)[4]) {
  constexpr std::int64_t kStep = kWidth<Eight>;
  Eight lanes[4] = {};
  const std::int64_t whole = width / kStep * kStep;
  for (std::int64_t d = 0; d < whole; d += kStep) {
    const Eight x = load<Eight>(query + d);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) lanes[i] += x * load<Eight>(candidates[i] + d);
  }
  __m128 scores = sums(lanes);
  for (std::int64_t d = whole; d < width; ++d)
    scores += query[d] *
              _mm_setr_ps(candidates[0][d], candidates[1][d], candidates[2][d], candidates[3][d]);
  return scores;
}

/// Reads each candidate once, for all queries. The last four are filled up with the last of all, so
/// that each is scored in the same way: equal rows get equal scores, and ties are broken by row.
void scanInPlace(const PpScanScores& args) {
  withWidth(args.width, [&](auto width) {
    for (std::int64_t v = 0; v < args.candidateCount; v += 4) {
      const std::int64_t last = std::min<std::int64_t>(3, args.candidateCount - 1 - v);
      const float* const first = args.candidates + v * width;
      const float* const candidates[4] = {first, first + std::min<std::int64_t>(1, last) * width,
                                          first + std::min<std::int64_t>(2, last) * width,
                                          first + last * width};
      for (std::int64_t query = 0; query < args.queryCount; ++query) {
        const __m128 scores = scoreFour(width, args.queries + query * width, candidates);
        const __m128 below = _mm_cmplt_ps(scores, _mm_set1_ps(args.thresholds[query]));
        if (_mm_movemask_ps(below) == 0xf) continue;
        for (std::int64_t i = 0; i <= last; ++i) offer(args, query, v + i, scores[i]);
      }
    }
  });
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
