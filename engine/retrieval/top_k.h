// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/workers.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::retrieval {

/// An item (data::ItemIndex) and its raw score; of topK() a candidate.
struct Scored {
  std::int32_t item = 0;
  float score = 0.0f;
  bool operator==(const Scored&) const = default;
};

/// The order of lists: by descending score, ties by ascending item.
bool isBetter(const Scored& a, const Scored& b);

/// Queries of a call that are worked on by blocks of equal size, of which 2, 4 or 8 threads get as
/// many each, and that are enough for every block to pass over all candidates once: a list that is
/// put together from several ranges of candidates costs more comparisons.
inline constexpr std::int64_t kQueriesOfTopK = 8 * 504;

/// Exact maximum-inner-product search.
///
///   score[q, v] = Σ_d queries[q, d] · candidates[v, d]
///
/// Shapes   queries [Q, D], candidates [V, D] row-major f32; eligible [V] bytes, 0 = never a
///          candidate; excluded(q) → ascending candidates left out for query q (may be empty).
/// Returns  Q lists, each at most k long, by descending score, ties by ascending v. A list is
///          shorter than k only if fewer candidates are eligible. NaN scores rank last.
/// Errors   InvalidArgument if k < 1, D < 1 or the sizes do not fit. Throws data::PassStopped once
///          `stop` fires.
/// Thread   uses the workers given; the result does not depend on how many there are.
std::vector<std::vector<Scored>> topK(
    std::span<const float> queries, std::span<const float> candidates, std::int64_t dim,
    std::span<const std::uint8_t> eligible, std::int64_t k,
    const std::function<std::span<const std::int32_t>(std::int64_t query)>& excluded,
    Workers& workers, const std::stop_token& stop = {});

/// Finds the best items of queries, as topK() of candidates that are items. Where items share rows,
/// each has the score of its row, and equal scores go by item all the same.
///
/// Memory   where items share rows, 4 bytes per item and 9 per row.
/// Thread   safe: it does not change.
class ItemSearch {
 public:
  /// Both must outlive it; `eligible` is by item.
  ItemSearch(const data::ItemIndex& index, std::span<const std::uint8_t> eligible);

  /// Shapes   vectors laid out as the layout() of the index says, [., D]; excluded(q) by item.
  [[nodiscard]] std::vector<std::vector<Scored>> top(
      std::span<const float> queries, std::span<const float> vectors, std::int64_t dim,
      std::int64_t k,
      const std::function<std::span<const std::int32_t>(std::int64_t query)>& excluded,
      Workers& workers, const std::stop_token& stop = {}) const;

 private:
  [[nodiscard]] std::vector<Scored> itemsOf(std::span<const Scored> rows,
                                            std::span<const std::int32_t> excluded) const;

  bool sharesRows_;
  std::span<const std::uint8_t> eligible_;
  // Where items share rows: the eligible items of each row, ascending.
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> items_;
  std::vector<std::uint8_t> eligibleRows_;  ///< marks rows that have an eligible item
};

}  // namespace parapet::retrieval
