// SPDX-License-Identifier: Apache-2.0
// The best of all candidates, and every score above a threshold. Queries meet the candidates some
// at a time: a product makes the scores, a block per query keeps those that are better than the
// worst of its k best so far, and chooses the k best of both.
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/ordered_keys.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// The state of a query between the blocks of candidates.
struct QueryState {
  std::uint64_t least;  // the k-th best key so far; 0 while there are fewer
  std::int32_t count;   // of the best so far
  float most;           // greatest score, and Σ e^(s − most)
  double total;
};

struct TopKLine {
  PpTopK a;
  std::int64_t first, columns, stride;  // candidates of this time; elements of a line
  float* scores;
  std::uint64_t* keys;  // [stride + k] of each query, its best first
  QueryState* states;

  PP_DEVICE void operator()(std::int64_t query) const {
    PP_SHARED std::int32_t taken;
    const float* const line = scores + query * stride;
    std::uint64_t* const mine = keys + query * (stride + a.k);
    const QueryState before = states[query];
    meet();
    if (thread() == 0) taken = before.count;
    meet();
    for (std::int64_t v = thread(); v < columns; v += threads()) {
      const float score = line[v] + (a.bias ? a.bias[first + v] : 0.0f);
      const std::uint64_t key = orderedKey(score, static_cast<std::uint32_t>(first + v));
      if (key > before.least) mine[addAtomically(&taken, 1)] = key;
    }
    meet();
    const std::int64_t count = taken;
    meet();
    if (a.normalised) addPowers(line, before, query);
    if (count <= a.k) {
      if (thread() == 0) states[query].count = static_cast<std::int32_t>(count);
      return;
    }
    const std::uint64_t least = keyOfRank(a.k, count, [mine](std::int64_t i) { return mine[i]; });
    keepBest(mine, count, least, scores + query * stride);
    if (thread() == 0) {
      states[query].count = static_cast<std::int32_t>(a.k);
      states[query].least = least;
    }
  }

 private:
  /// Moves the k keys that are not below `least` to the front, in any order: WriteBest sorts them.
  /// As many lie behind the front as others lie in it, one of each for each of the candidates at
  /// most; `gaps` has an element for each candidate, and says which are to be filled.
  PP_DEVICE void keepBest(std::uint64_t* mine, std::int64_t count, std::uint64_t least,
                          float* gaps) const {
    PP_SHARED std::int32_t found, filled;
    if (thread() == 0) found = filled = 0;
    meet();
    for (std::int64_t to = thread(); to < a.k; to += threads())
      if (mine[to] < least)
        gaps[addAtomically(&found, 1)] = floatOf(static_cast<std::uint32_t>(to));
    meet();
    for (std::int64_t from = a.k + thread(); from < count; from += threads())
      if (mine[from] >= least) mine[bitsOf(gaps[addAtomically(&filled, 1)])] = mine[from];
    meet();
  }

  PP_DEVICE void addPowers(const float* line, const QueryState& before, std::int64_t query) const {
    float most = before.most;
    for (std::int64_t v = thread(); v < columns; v += threads()) {
      const float score = line[v] + (a.bias ? a.bias[first + v] : 0.0f);
      most = score > most ? score : most;
    }
    most = maxOverBlock(most);
    double total = 0.0;
    for (std::int64_t v = thread(); v < columns; v += threads())
      total += static_cast<double>(std::exp(line[v] + (a.bias ? a.bias[first + v] : 0.0f) - most));
    total = sumOverBlock(total);
    if (thread() != 0) return;
    const double change =
        before.total > 0.0 ? std::exp(static_cast<double>(before.most) - static_cast<double>(most))
                           : 0.0;
    states[query].total = before.total * change + total;
    states[query].most = most;
  }
};

/// Writes the best of each query in their order: the rank of a key is how many are greater.
struct WriteBest {
  PpTopK a;
  std::int64_t begin, stride;
  const std::uint64_t* keys;
  const QueryState* states;

  PP_DEVICE void operator()(std::int64_t query) const {
    const std::uint64_t* const mine = keys + query * (stride + a.k);
    const std::int64_t count = states[query].count, at = (begin + query) * a.k;
    const float shift = a.normalised ? static_cast<float>(std::log(states[query].total) +
                                                          static_cast<double>(states[query].most))
                                     : 0.0f;
    for (std::int64_t i = thread(); i < a.k; i += threads()) {
      if (i >= count) {
        a.rows[at + i] = -1;
        a.scores[at + i] = -kInfinity;
        continue;
      }
      std::int64_t rank = 0;
      for (std::int64_t other = 0; other < count; ++other) rank += mine[other] > mine[i] ? 1 : 0;
      a.rows[at + rank] = static_cast<std::int32_t>(candidateOf(mine[i]));
      a.scores[at + rank] = scoreOf(mine[i]) - shift;
    }
  }
};

}  // namespace

std::int32_t topK(const PpCall* call, const PpTopK* args) {
  const PpTopK a = *args;
  if (a.queryCount == 0) return done(call);
  Scratch scratch(call);
  // A score takes its own element and those of a key; some are left for the products.
  constexpr std::int64_t kEach = 3;
  const std::int64_t fixed =
      2 * a.k + static_cast<std::int64_t>(sizeof(QueryState) / sizeof(float)) + 16;
  const ScoreCut cut = scoreCut(a.queryCount, std::max<std::int64_t>(1, a.candidateCount),
                                scratch.left<float>() / 4 * 3, kEach, fixed);
  const std::int64_t queries = std::max<std::int64_t>(1, cut.queries), stride = cut.candidates;
  auto* const keys = scratch.take<std::uint64_t>(queries * (stride + a.k));
  auto* const states = scratch.take<QueryState>(queries);
  auto* const scores = scratch.take<float>(queries * stride);
  if (cut.queries == 0) {
    fail(streamOf(call), PP_OUT_OF_MEMORY,
         "k = " + std::to_string(a.k) + " needs more scratch memory (PARAPET_CUDA_SCRATCH_MIB)");
    return done(call);
  }
  for (std::int64_t begin = 0; begin < a.queryCount; begin += queries) {
    const std::int64_t count = std::min(queries, a.queryCount - begin);
    forElements(call, count, [=] PP_DEVICE(std::int64_t q) {
      states[q] = {0, 0, -kInfinity, 0.0};
    });
    for (std::int64_t first = 0; first < a.candidateCount; first += stride) {
      const std::int64_t columns = std::min(stride, a.candidateCount - first);
      multiply(call, scratch,
               {count, columns, a.width, 0, 1, a.queries + begin * a.width, a.width,
                a.candidates + first * a.width, a.width, 0.0f, scores, stride});
      forBlocks(call, count, TopKLine{a, first, columns, stride, scores, keys, states});
    }
    forBlocks(call, count, WriteBest{a, begin, stride, keys, states});
  }
  return done(call);
}

}  // namespace parapet::cuda
