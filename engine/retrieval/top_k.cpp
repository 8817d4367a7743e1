// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/top_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/result.h"
#include "engine/tensor/ops/matmul.h"

namespace parapet::retrieval {
namespace {

// Scores are made in tiles of kQueryBlock × kCandidateBlock: 256 KiB, so that a tile stays in L2
// between the product that writes it and the scan that reads it.
constexpr std::int64_t kQueryBlock = 64;
constexpr std::int64_t kCandidateBlock = 1024;
// A few queries over a large catalogue are cut along the catalogue instead, in ranges of this size.
constexpr std::int64_t kCandidateRange = 64 * kCandidateBlock;

bool better(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.row < b.row);
}

/// The best k seen so far. Keeps up to 2k (at least 64) and cuts back to k when full, so a
/// candidate costs one comparison with the worst kept and, rarely, an insertion.
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)) {}

  void offer(Scored candidate) {
    if (!better(candidate, worst_)) return;
    kept_.push_back(candidate);
    if (kept_.size() >= std::max<std::size_t>(2 * k_, 64)) cut();
  }
  [[nodiscard]] float threshold() const { return worst_.score; }
  std::vector<Scored> finish() {
    std::sort(kept_.begin(), kept_.end(), better);
    if (kept_.size() > k_) kept_.resize(k_);
    return std::move(kept_);
  }

 private:
  void cut() {
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1),
                     kept_.end(), better);
    kept_.resize(k_);
    worst_ = kept_[k_ - 1];
  }
  std::size_t k_;
  std::vector<Scored> kept_;
  // Everything is better than this, NaN scores (offered as −∞) included.
  Scored worst_{std::numeric_limits<std::int32_t>::max(), -std::numeric_limits<float>::infinity()};
};

struct Problem {
  std::span<const float> queries, candidates;
  std::int64_t dim, queryCount, candidateCount, k;
  std::span<const std::uint8_t> eligible;
  const std::function<std::span<const std::int32_t>(std::int64_t)>& excluded;
};

// Offers the scores of one query against candidates [first, first + count) to `best`.
void scan(const Problem& problem, std::int64_t query, const float* scores, std::int64_t first,
          std::int64_t count, Best& best) {
  const std::span<const std::int32_t> excluded =
      problem.excluded ? problem.excluded(query) : std::span<const std::int32_t>{};
  for (std::int64_t i = 0; i < count; ++i) {
    const float score = std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
    if (score < best.threshold()) continue;
    const auto row = static_cast<std::int32_t>(first + i);
    if (!problem.eligible[static_cast<std::size_t>(row)]) continue;
    if (std::binary_search(excluded.begin(), excluded.end(), row)) continue;
    best.offer({row, score});
  }
}

// The best of queries [query0, query0 + queries) among candidates [begin, end).
std::vector<std::vector<Scored>> search(const Problem& problem, std::int64_t query0,
                                        std::int64_t queries, std::int64_t begin,
                                        std::int64_t end) {
  const tensor::Launch launch{&tensor::hostDevice(), nullptr};
  std::vector<Best> best(static_cast<std::size_t>(queries), Best(problem.k));
  std::vector<float> scores(static_cast<std::size_t>(queries * kCandidateBlock));
  for (std::int64_t first = begin; first < end; first += kCandidateBlock) {
    const std::int64_t count = std::min(kCandidateBlock, end - first);
    tensor::matmul(launch, queries, count, problem.dim,
                   {problem.queries.data() + query0 * problem.dim, problem.dim},
                   {problem.candidates.data() + first * problem.dim, problem.dim, true}, 0.0f,
                   scores.data(), kCandidateBlock);
    for (std::int64_t q = 0; q < queries; ++q)
      scan(problem, query0 + q, scores.data() + q * kCandidateBlock, first, count,
           best[static_cast<std::size_t>(q)]);
  }
  std::vector<std::vector<Scored>> lists;
  for (Best& of : best) lists.push_back(of.finish());
  return lists;
}

std::vector<Scored> mergeLists(std::vector<Scored> a, const std::vector<Scored>& b,
                               std::int64_t k) {
  std::vector<Scored> merged;
  merged.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged), better);
  if (merged.size() > static_cast<std::size_t>(k)) merged.resize(static_cast<std::size_t>(k));
  return merged;
}

void requireShapes(std::size_t queries, std::size_t candidates, std::size_t eligible,
                   std::int64_t dim, std::int64_t k) {
  if (k < 1)
    throw InvalidArgument(fmt::format("[retrieval.topK] k is {}; at least 1 is accepted", k));
  if (dim < 1)
    throw InvalidArgument(fmt::format("[retrieval.topK] dim is {}; at least 1 is accepted", dim));
  const auto width = static_cast<std::size_t>(dim);
  if (queries % width != 0 || candidates != eligible * width)
    throw InvalidArgument(fmt::format(
        "[retrieval.topK] {} query and {} candidate numbers, {} flags do not fit dim {}", queries,
        candidates, eligible, dim));
}

}  // namespace

std::vector<std::vector<Scored>> topK(
    std::span<const float> queries, std::span<const float> candidates, std::int64_t dim,
    std::span<const std::uint8_t> eligible, std::int64_t k,
    const std::function<std::span<const std::int32_t>(std::int64_t)>& excluded, Workers& workers) {
  requireShapes(queries.size(), candidates.size(), eligible.size(), dim, k);
  const auto queryCount = static_cast<std::int64_t>(queries.size()) / dim;
  const auto candidateCount = static_cast<std::int64_t>(eligible.size());
  const Problem problem{queries,        candidates, dim,      queryCount,
                        candidateCount, k,          eligible, excluded};
  const std::int64_t queryBlocks = (queryCount + kQueryBlock - 1) / kQueryBlock;
  const std::int64_t ranges =
      std::max<std::int64_t>(1, (candidateCount + kCandidateRange - 1) / kCandidateRange);

  std::vector<std::vector<std::vector<Scored>>> parts(
      static_cast<std::size_t>(queryBlocks * ranges));
  workers.parallelFor(queryBlocks * ranges, [&](std::int64_t item) {
    const std::int64_t query0 = item / ranges * kQueryBlock;
    const std::int64_t begin = item % ranges * kCandidateRange;
    parts[static_cast<std::size_t>(item)] =
        search(problem, query0, std::min(kQueryBlock, queryCount - query0), begin,
               std::min(begin + kCandidateRange, candidateCount));
  });
  std::vector<std::vector<Scored>> lists(static_cast<std::size_t>(queryCount));
  for (std::size_t item = 0; item < parts.size(); ++item)
    for (std::size_t q = 0; q < parts[item].size(); ++q) {
      auto& list = lists[item / static_cast<std::size_t>(ranges) * kQueryBlock + q];
      list =
          list.empty() ? std::move(parts[item][q]) : mergeLists(std::move(list), parts[item][q], k);
    }
  return lists;
}

}  // namespace parapet::retrieval
