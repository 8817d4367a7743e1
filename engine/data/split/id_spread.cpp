// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/id_spread.h"

#include <algorithm>

#include "engine/base/random.h"

namespace parapet::data {
namespace {

constexpr std::int64_t kSamples = 8, kMaxRows = 1 << 17;
constexpr std::size_t kBins = 16;

/// Ids of rows drawn at random; `stream` tells samples apart.
std::vector<std::int32_t> draw(const Dataset& dataset, std::string_view column, std::int64_t rows,
                               std::uint64_t stream) {
  const Random random(0, RandomPurpose::kSampling, stream);
  const auto ids = dataset.ids(column);
  const auto offsets = dataset.bagOffsets(column);
  std::vector<std::int32_t> found;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(
        random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(dataset.rows())));
    if (offsets.empty())
      found.push_back(ids[row]);
    else if (const BagRange bag(offsets, static_cast<std::int64_t>(row)); true)
      found.insert(found.end(), ids.begin() + bag.begin, ids.begin() + bag.end);
  }
  return found;
}

void makeDistinct(std::vector<std::int32_t>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

IdSpread measureIds(const Dataset& dataset, std::string_view column, std::int64_t batchRows) {
  IdSpread spread;
  if (const IdColumnInfo* info = dataset.idColumn(column))
    spread.longestBag = std::max<std::int64_t>(1, info->longestBag);
  const double vocabulary = static_cast<double>(dataset.vocabularyOf(column).size());
  const std::int64_t rows = std::min(batchRows, kMaxRows);
  if (dataset.rows() == 0) return spread;
  std::vector<double> load(kBins, 0.0);
  double different = 0.0;
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    const auto stream = static_cast<std::uint64_t>(sample);
    std::vector<std::int32_t> large = draw(dataset, column, rows, 2 * stream);
    std::vector<std::int32_t> small =
        draw(dataset, column, std::max<std::int64_t>(1, rows / 8), 2 * stream + 1);
    spread.largeIds += static_cast<double>(large.size()) / kSamples;
    spread.smallIds += static_cast<double>(small.size()) / kSamples;
    makeDistinct(large);
    makeDistinct(small);
    spread.largeDistinct += static_cast<double>(large.size()) / kSamples;
    spread.smallDistinct += static_cast<double>(small.size()) / kSamples;
    for (const std::int32_t id : large) {
      const double bin = static_cast<double>(id) / vocabulary * static_cast<double>(kBins);
      load[std::min(static_cast<std::size_t>(bin), kBins - 1)] += 1.0;
    }
    different += static_cast<double>(large.size());
  }
  spread.idsPerRow = spread.largeIds / static_cast<double>(rows);
  spread.accessCdf.push_back(0.0);
  for (const double bin : load)
    spread.accessCdf.push_back(spread.accessCdf.back() + bin / std::max(1.0, different));
  return spread;
}

}  // namespace parapet::data
