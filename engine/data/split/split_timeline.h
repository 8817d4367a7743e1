// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"

namespace parapet::data {

/// Where the parts of a split lie in time.
struct SplitTimeline {
  enum Part { kTrain, kValidation, kTest, kLeftOut };
  static constexpr std::size_t kParts = 4;
  using Counts = std::array<std::int64_t, kParts>;

  Counts totals{};           ///< rows; one that is in several parts counts in each
  bool hasTimes = false;     ///< else there are no bins and no spans
  std::int64_t begin = 0;    ///< second of the first row
  std::int64_t end = 0;      ///< end of the last bin, which has the last row
  std::vector<Counts> bins;  ///< rows by part, in equal pieces of [begin, end)
  struct Span {
    std::int64_t first = 0, last = 0;  ///< seconds; of no rows: 0
  };
  std::array<Span, kParts> spans{};
};

/// At most `bins` ≥ 1 bins, each of whole units of time: days where all rows are whole days apart, and so on,
/// so that none is emptier than its neighbours for no other reason. One bit of memory per row beside the
/// split itself.
SplitTimeline splitTimeline(const Dataset& dataset, const Split& split, int bins);

/// How many of the rows the most frequent ids of a vocabulary make up.
struct CoveragePoint {
  std::int64_t ids = 0;  ///< the most frequent ones
  double share = 0.0;    ///< of the imported rows, in [0, 1]; below 1 at the end: the rest is out
                         ///< of the vocabulary
};
/// At most `points` points, their ids in about equal ratios, the first with 1 id and the last with
/// all that occur. Empty for a vocabulary that no row uses.
std::vector<CoveragePoint> coverageCurve(const Vocabulary& vocabulary, int points);

}  // namespace parapet::data
