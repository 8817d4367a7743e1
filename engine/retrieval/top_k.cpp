// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/top_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "engine/base/result.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::retrieval {
namespace {

// Queries that share one pass over the candidates: with 64 dimensions each they stay in a core's
// cache.
constexpr std::int64_t kQueryBlock = 504;
// Products of two floats between two looks for a stop: a few hundredths of a second.
constexpr std::int64_t kProductsOfLook = std::int64_t{1} << 28;
// With fewer pieces than this the candidates are split, too, but never below kMinRange.
constexpr std::int64_t kPieces = 8;
static_assert(kPieces * kQueryBlock == kQueriesOfTopK);
constexpr std::int64_t kMinRange = 8192;
// The CPU device scans in tiles of so many candidates from the first on, and how a product is
// rounded may depend on where in its tile a candidate is. Only whole tiles are left out, so a score
// has the same bits whatever else is eligible.
constexpr std::int64_t kTile = 256;
// Queries that a product rounds alike: those that are left over of such blocks may differ.
constexpr std::int64_t kQueryStep = 4;
static_assert(kQueryBlock % kQueryStep == 0);

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The best k so far, in order. A score that is not better than the last of them costs a
/// comparison.
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)) {
    kept_.reserve(std::min<std::size_t>(k_, 1024));
  }

  void offer(Scored candidate) {
    if (kept_.size() == k_) {
      if (!isBetter(candidate, kept_.back())) return;
      kept_.pop_back();
    }
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), candidate, isBetter), candidate);
  }
  /// The least score that can still be among the best.
  [[nodiscard]] float threshold() const {
    return kept_.size() < k_ ? -std::numeric_limits<float>::infinity() : kept_.back().score;
  }
  std::vector<Scored> finish() { return std::move(kept_); }

 private:
  std::size_t k_;
  std::vector<Scored> kept_;
};

struct Problem {
  std::span<const float> queries, candidates;
  std::int64_t dim, queryCount, candidateCount, k;
  std::span<const std::uint8_t> eligible;
  const std::function<std::span<const std::int32_t>(std::int64_t)>& excluded;
  const std::stop_token& stop;
};

/// Receives the scores of the scan of a piece.
struct Receiver {
  const Problem& problem;
  std::int64_t firstCandidate;
  std::vector<Best> best;
  std::vector<std::span<const std::int32_t>> excluded;

  float take(std::int64_t query, std::int64_t candidate, float score) {
    const auto q = static_cast<std::size_t>(query);
    const auto row = static_cast<std::int32_t>(firstCandidate + candidate);
    if (std::isnan(score)) score = -std::numeric_limits<float>::infinity();
    // Most offers are kept, so the cheap tests run last to first.
    if (score >= best[q].threshold() && problem.eligible[static_cast<std::size_t>(row)] &&
        !std::ranges::binary_search(excluded[q], row))
      best[q].offer({row, score});
    return best[q].threshold();
  }
  static float offer(void* receiver, std::int64_t query, std::int64_t candidate, float score) {
    return static_cast<Receiver*>(receiver)->take(query, candidate, score);
  }
};

/// The next candidates that are scanned at once, in [begin, end): tiles that have an eligible one.
struct Run {
  std::int64_t begin, end;
};
Run nextRun(std::span<const std::uint8_t> eligible, std::int64_t begin, std::int64_t end) {
  const auto hasAny = [&](std::int64_t tile) {
    const auto first = eligible.begin() + tile;
    const auto last = eligible.begin() + std::min(tile + kTile, end);
    return std::any_of(first, last, [](std::uint8_t flag) { return flag != 0; });
  };
  while (begin < end && !hasAny(begin)) begin += kTile;
  std::int64_t after = begin;
  while (after < end && hasAny(after)) after += kTile;
  return {std::min(begin, end), std::min(after, end)};
}

// The best of queries [query0, query0 + queries) among candidates [begin, end).
std::vector<std::vector<Scored>> search(const Problem& problem, std::int64_t query0,
                                        std::int64_t queries, std::int64_t begin,
                                        std::int64_t end) {
  const auto count = static_cast<std::size_t>(queries);
  Receiver receiver{problem, begin, {}, {}};
  receiver.best.reserve(count);
  for (std::int64_t q = query0; q < query0 + queries; ++q) {
    receiver.best.emplace_back(problem.k);
    receiver.excluded.push_back(problem.excluded ? problem.excluded(q)
                                                 : std::span<const std::int32_t>{});
  }
  std::vector<float> thresholds(count, -std::numeric_limits<float>::infinity());
  const std::int64_t atOnce =
      ceilDivide(kProductsOfLook, std::max<std::int64_t>(1, queries) * problem.dim);
  for (; begin < end; begin += atOnce) {
    if (problem.stop.stop_requested()) throw data::PassStopped();
    const std::int64_t endOfLook = std::min(begin + atOnce, end);
    for (Run run = nextRun(problem.eligible, begin, endOfLook); run.begin < run.end;
         run = nextRun(problem.eligible, run.end, endOfLook)) {
      receiver.firstCandidate = run.begin;
      tensor::run({&tensor::cpuDevice()},
                  PpScanScores{.queryCount = queries,
                               .candidateCount = run.end - run.begin,
                               .width = problem.dim,
                               .queries = problem.queries.data() + query0 * problem.dim,
                               .candidates = problem.candidates.data() + run.begin * problem.dim,
                               .thresholds = thresholds.data(),
                               .offer = Receiver::offer,
                               .offerContext = &receiver});
    }
  }
  std::vector<std::vector<Scored>> lists;
  lists.reserve(count);
  for (Best& of : receiver.best) lists.push_back(of.finish());
  return lists;
}

std::vector<Scored> mergeLists(std::vector<Scored> a, const std::vector<Scored>& b,
                               std::int64_t k) {
  std::vector<Scored> merged;
  merged.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged), isBetter);
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
        "[retrieval.topK] {} query and {} candidate elements, {} flags do not fit dim {}", queries,
        candidates, eligible, dim));
}

}  // namespace

bool isBetter(const Scored& a, const Scored& b) {
  return a.score > b.score || (a.score == b.score && a.item < b.item);
}

std::vector<std::vector<Scored>> topK(
    std::span<const float> queries, std::span<const float> candidates, std::int64_t dim,
    std::span<const std::uint8_t> eligible, std::int64_t k,
    const std::function<std::span<const std::int32_t>(std::int64_t)>& excluded, Workers& workers,
    const std::stop_token& stop) {
  requireShapes(queries.size(), candidates.size(), eligible.size(), dim, k);
  const auto queryCount = static_cast<std::int64_t>(queries.size()) / dim;
  const auto candidateCount = static_cast<std::int64_t>(eligible.size());
  const Problem problem{queries, candidates, dim,      queryCount, candidateCount,
                        k,       eligible,   excluded, stop};
  const std::int64_t blockQueries =
      queryCount == 0
          ? 1
          : ceilDivide(ceilDivide(queryCount, ceilDivide(queryCount, kQueryBlock)), kQueryStep) *
                kQueryStep;
  const std::int64_t queryBlocks = ceilDivide(queryCount, blockQueries);
  const std::int64_t ranges =
      queryBlocks == 0
          ? 0
          : std::clamp<std::int64_t>(ceilDivide(kPieces, queryBlocks), 1,
                                     std::max<std::int64_t>(1, candidateCount / kMinRange));
  const std::int64_t rangeRows = ranges == 0 ? 0 : ceilDivide(candidateCount, ranges);

  std::vector<std::vector<std::vector<Scored>>> parts(
      static_cast<std::size_t>(queryBlocks * ranges));
  workers.parallelFor(queryBlocks * ranges, [&](std::int64_t item) {
    const std::int64_t query0 = item / ranges * blockQueries;
    const std::int64_t begin = std::min(item % ranges * rangeRows, candidateCount);
    parts[static_cast<std::size_t>(item)] =
        search(problem, query0, std::min(blockQueries, queryCount - query0), begin,
               std::min(begin + rangeRows, candidateCount));
  });
  std::vector<std::vector<Scored>> lists(static_cast<std::size_t>(queryCount));
  for (std::size_t item = 0; item < parts.size(); ++item)
    for (std::size_t q = 0; q < parts[item].size(); ++q) {
      auto& list =
          lists[item / static_cast<std::size_t>(ranges) * static_cast<std::size_t>(blockQueries) +
                q];
      list =
          list.empty() ? std::move(parts[item][q]) : mergeLists(std::move(list), parts[item][q], k);
    }
  return lists;
}

ItemSearch::ItemSearch(const data::ItemIndex& index, std::span<const std::uint8_t> eligible)
    : sharesRows_(index.sharesRows()), eligible_(eligible) {
  if (!sharesRows_) return;
  const std::size_t rows = index.layout().size();
  offsets_.resize(rows + 1);
  eligibleRows_.resize(rows);
  const auto forEach = [&](const auto& visit) {
    for (std::int32_t item = 1; item < index.size(); ++item)
      if (eligible[static_cast<std::size_t>(item)])
        visit(item, static_cast<std::size_t>(index.row(item)));
  };
  forEach([&](std::int32_t, std::size_t row) {
    ++offsets_[row + 1];
    eligibleRows_[row] = 1;
  });
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  items_.resize(static_cast<std::size_t>(offsets_.back()));
  std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
  forEach([&](std::int32_t item, std::size_t row) {
    items_[static_cast<std::size_t>(next[row]++)] = item;
  });
}

// All items of the rows, in order.
std::vector<Scored> ItemSearch::itemsOf(std::span<const Scored> rows,
                                        std::span<const std::int32_t> excluded) const {
  std::vector<Scored> list;
  for (const auto& [row, score] : rows) {
    const auto at = static_cast<std::size_t>(row);
    for (std::int64_t i = offsets_[at]; i < offsets_[at + 1]; ++i)
      if (const std::int32_t item = items_[static_cast<std::size_t>(i)];
          !std::ranges::binary_search(excluded, item))
        list.push_back({item, score});
  }
  std::ranges::sort(list, isBetter);
  return list;
}

// The best rows are few; of rows with the score of the last one that counts, any may have the item
// that comes first, so more are asked for until there is none of that score left.
std::vector<std::vector<Scored>> ItemSearch::top(
    std::span<const float> queries, std::span<const float> vectors, std::int64_t dim,
    std::int64_t k, const std::function<std::span<const std::int32_t>(std::int64_t)>& excluded,
    Workers& workers, const std::stop_token& stop) const {
  if (!sharesRows_) return topK(queries, vectors, dim, eligible_, k, excluded, workers, stop);
  const auto width = static_cast<std::size_t>(dim), length = static_cast<std::size_t>(k);
  std::vector<std::vector<Scored>> lists(queries.size() / width);
  std::vector<std::size_t> open(lists.size()), next;
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::vector<float> some;
  for (std::int64_t wanted = k; !open.empty(); wanted *= 4) {
    some.clear();
    for (const std::size_t query : open)
      std::ranges::copy(queries.subspan(query * width, width), std::back_inserter(some));
    // A query has the bits of the first pass in the others, too, where it is among fewer.
    while (lists.size() > 1 && some.size() % (kQueryStep * width) != 0)
      std::ranges::copy(queries.last(width), std::back_inserter(some));
    const auto best = topK(some, vectors, dim, eligibleRows_, wanted, {}, workers, stop);
    next.clear();
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::vector<Scored>& list = lists[open[i]];
      list = itemsOf(best[i], excluded ? excluded(static_cast<std::int64_t>(open[i]))
                                       : std::span<const std::int32_t>{});
      const bool allRows = static_cast<std::int64_t>(best[i].size()) < wanted;
      if (!allRows && !(list.size() >= length && best[i].back().score < list[length - 1].score))
        next.push_back(open[i]);
      if (list.size() > length) list.resize(length);
    }
    open = next;
  }
  return lists;
}

}  // namespace parapet::retrieval
