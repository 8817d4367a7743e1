// SPDX-License-Identifier: Apache-2.0
// Every score that is not below its query's threshold, for the host: a product makes the scores of
// some candidates, a kernel collects those that are wanted, the host is offered them. The
// thresholds of a block of candidates are those that the offers before it have left.
#include <vector>

#include "plugins/cuda/copies.h"
#include "plugins/cuda/launch.h"
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ops.h"

namespace parapet::cuda {
namespace {

struct Found {
  std::int32_t query, candidate;
  float score;
};

}  // namespace

std::int32_t scanScores(const PpCall* call, const PpScanScores* args) {
  const PpScanScores a = *args;
  if (a.queryCount == 0 || a.candidateCount == 0) return done(call);
  Stream& stream = streamOf(call);
  Scratch scratch(call);
  constexpr std::int64_t kEach = 1 + sizeof(Found) / sizeof(float), kFixed = 64;
  constexpr std::int64_t kMaxElements = std::int64_t{1}
                                        << 22;  // a block's offers are copied at once
  const ScoreCut cut =
      scoreCut(a.queryCount, a.candidateCount,
               std::min(kMaxElements, scratch.left<float>() / 4 * 3), kEach, kFixed);
  const std::int64_t queries = std::max<std::int64_t>(1, cut.queries), stride = cut.candidates;
  auto* const thresholds = scratch.take<float>(queries);
  auto* const count = scratch.take<std::int32_t>(1);
  auto* const found = scratch.take<Found>(queries * stride);
  auto* const scores = scratch.take<float>(queries * stride);
  std::vector<Found> offers;
  for (std::int64_t begin = 0; begin < a.queryCount && stream.code == PP_OK; begin += queries) {
    const std::int64_t lines = std::min(queries, a.queryCount - begin);
    for (std::int64_t first = 0; first < a.candidateCount; first += stride) {
      const std::int64_t columns = std::min(stride, a.candidateCount - first);
      toDevice(stream, thresholds, a.thresholds + begin,
               static_cast<std::uint64_t>(lines) * sizeof(float));
      multiply(call, scratch,
               {lines, columns, a.width, 0, 1, a.queries + begin * a.width, a.width,
                a.candidates + first * a.width, a.width, 0.0f, scores, stride});
      forElements(call, 1, [=] PP_DEVICE(std::int64_t) { *count = 0; });
      forRows(call, lines, columns, [=] PP_DEVICE(std::int64_t q, std::int64_t v) {
        const float score = scores[q * stride + v];
        if (!(score < thresholds[q]))
          found[addAtomically(count, 1)] = {static_cast<std::int32_t>(begin + q),
                                            static_cast<std::int32_t>(first + v), score};
      });
      std::int32_t wanted = 0;
      toHost(stream, &wanted, count, sizeof wanted);
      if (stream.code != PP_OK) break;
      offers.resize(static_cast<std::size_t>(wanted));
      toHost(stream, offers.data(), found, offers.size() * sizeof(Found));
      if (stream.code != PP_OK) break;
      for (const Found& offer : offers) {
        float& threshold = a.thresholds[offer.query];
        if (!(offer.score < threshold))
          threshold = a.offer(a.offerContext, offer.query, offer.candidate, offer.score);
      }
    }
  }
  return done(call);
}

}  // namespace parapet::cuda
