// SPDX-License-Identifier: Apache-2.0
#include "engine/train/column_ids.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/query_context.h"

namespace parapet::train {
namespace {

/// Items of a history on average, if rows are looked back at however long and all count: the n-th
/// row of a user has min(n − 1, length) before it.
double historyItems(const data::EventColumns& events, std::int64_t length) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(events.userCount), 0);
  std::int64_t items = 0;
  events.forEachRow([&](std::int64_t row) {
    const std::int32_t user = events.users[static_cast<std::size_t>(row)];
    if (user > 0) items += std::min(rows[static_cast<std::size_t>(user)]++, length);
  });
  return static_cast<double>(items) / static_cast<double>(std::max<std::int64_t>(1, events.rows));
}

constexpr std::int64_t kSamples = 8, kMaxRows = 1 << 17;
constexpr std::size_t kBins = 16;

/// Ids of rows drawn at random; `stream` tells samples apart.
std::vector<std::int32_t> drawIds(const data::Dataset& dataset, std::string_view column,
                                  std::int64_t rows, std::uint64_t stream) {
  const Random random(0, RandomPurpose::kSampling, stream);
  const auto ids = dataset.ids(column);
  const auto offsets = dataset.bagOffsets(column);
  std::vector<std::int32_t> found;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(
        random.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(dataset.rows())));
    if (offsets.empty())
      found.push_back(ids[row]);
    else if (const data::BagRange bag(offsets, static_cast<std::int64_t>(row)); true)
      found.insert(found.end(), ids.begin() + bag.begin, ids.begin() + bag.end);
  }
  return found;
}

/// The ids of a column in a few batches, drawn from all of the data set, always the same ones.
/// InvalidArgument for an unknown column.
nn::ColumnIds measureIds(const data::Dataset& dataset, std::string_view column,
                         std::int64_t batchRows) {
  nn::ColumnIds ids;
  if (const data::IdColumnInfo* info = dataset.idColumn(column))
    ids.maxIds = std::max<std::int64_t>(1, info->longestBag);
  if (dataset.rows() == 0) return ids;
  const std::int64_t size = dataset.vocabularyOf(column).size();
  const std::int64_t rows = std::min(batchRows, kMaxRows);
  // Samples of an eighth of a batch and of a batch, on average.
  mesh::DistinctRows::Sample small{}, large{};
  std::vector<double> load(kBins, 0.0);
  double different = 0.0;
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    const auto stream = static_cast<std::uint64_t>(sample);
    const auto add = [](std::vector<std::int32_t>& drawn, mesh::DistinctRows::Sample& to) {
      to.ids += static_cast<double>(drawn.size()) / kSamples;
      std::ranges::sort(drawn);
      drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
      to.distinct += static_cast<double>(drawn.size()) / kSamples;
    };
    std::vector<std::int32_t> batch = drawIds(dataset, column, rows, 2 * stream);
    std::vector<std::int32_t> part =
        drawIds(dataset, column, std::max<std::int64_t>(1, rows / 8), 2 * stream + 1);
    add(batch, large);
    add(part, small);
    for (const std::int32_t id : batch) {
      const double bin =
          static_cast<double>(id) / static_cast<double>(size) * static_cast<double>(kBins);
      load[std::min(static_cast<std::size_t>(bin), kBins - 1)] += 1.0;
    }
    different += static_cast<double>(batch.size());
  }
  ids.distinct = mesh::DistinctRows::measured(size, small, large);
  ids.idsPerExample = large.ids / static_cast<double>(rows);
  ids.accessCdf.push_back(0.0);
  for (const double bin : load)
    ids.accessCdf.push_back(ids.accessCdf.back() + bin / std::max(1.0, different));
  return ids;
}

}  // namespace

std::map<std::string, nn::ColumnIds> measureColumns(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    std::int64_t batchRows) {
  std::map<std::string, nn::ColumnIds> columns;
  for (const experiment::Feature& feature : experiment.features) {
    const std::string column = experiment::batchColumn(feature);
    if (feature.table.empty() || columns.contains(column)) continue;
    const double perExample =
        feature.history ? historyItems(data::EventColumns(dataset), feature.history->length) : 1.0;
    nn::ColumnIds ids =
        measureIds(dataset, feature.column,
                   std::max<std::int64_t>(
                       1, static_cast<std::int64_t>(static_cast<double>(batchRows) * perExample)));
    ids.idsPerExample *= perExample;
    if (feature.history) ids.maxIds = std::max<std::int64_t>(2, feature.history->length);
    columns.emplace(column, std::move(ids));
  }
  return columns;
}

}  // namespace parapet::train
