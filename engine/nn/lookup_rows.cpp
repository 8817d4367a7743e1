// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/lookup_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

tensor::CombinerOp combinerOp(experiment::Combiner combiner) {
  switch (combiner) {
    case experiment::Combiner::kMean:
      return tensor::CombinerOp::kMean;
    case experiment::Combiner::kSum:
      return tensor::CombinerOp::kSum;
    case experiment::Combiner::kSqrtn:
      return tensor::CombinerOp::kSqrtn;
  }
  return tensor::CombinerOp::kMean;
}

/// Whether the ids of a lookup become slots in a cache of its table; ids of exchanged tables do so
/// where their rows are.
bool isCached(const Program& program, const Lookup& lookup, const ParameterSpec& table,
              const tensor::Device& device) {
  return table.rowsIn(device, table.rows) < table.rows && !program.capacity.isSplit(lookup.table);
}

}  // namespace

LookupRows::LookupRows(const Program& program, std::size_t index, const Graph& graph,
                       const tensor::Device& device)
    : lookup_(graph.lookups()[index]),
      device_(device),
      capacity_(program.maxIds(lookup_)),
      tableRows_(graph.parameters()[at(lookup_.table)].rows),
      bag_(program.isBag(lookup_)) {
  if (!program.runs[index]) return;
  if (isCached(program, lookup_, graph.parameters()[at(lookup_.table)], device))
    placeMemory_ = tensor::StagedArray<std::int32_t>(device, capacity_);
  if (!bag_) return;
  const bool truncates =
      lookup_.maxLength > 0 && lookup_.maxLength < program.capacity.idsOf(lookup_.feature);
  if (!lookup_.sequence) {
    scaleMemory_ = tensor::StagedArray<float>(device, capacity_);
    if (program.trains()) rowMemory_ = tensor::StagedArray<std::int32_t>(device, capacity_);
    if (truncates) weightMemory_ = tensor::Buffer<float>(tensor::hostFor(device), capacity_);
  }
  if (truncates) idMemory_ = tensor::StagedArray<std::int32_t>(device, capacity_);
  if (truncates || lookup_.sequence)
    offsetMemory_ = tensor::StagedArray<std::int32_t>(device, program.capacity.rows + 1);
}

void LookupRows::requireBags(const data::FeatureIds& feature, std::int64_t rows) const {
  const auto require = [&](bool holds, const char* what, std::size_t found, std::int64_t accepted) {
    if (!holds)
      throw InvalidArgument(fmt::format("[nn.LookupRows] {} {} of feature {}; {} are accepted",
                                        found, what, lookup_.feature, accepted));
  };
  const std::size_t ids = feature.ids.size();
  if (feature.offsets.empty()) {
    require(ids == static_cast<std::size_t>(rows), "ids", ids, rows);
    return;
  }
  require(feature.offsets.size() == static_cast<std::size_t>(rows) + 1, "offsets",
          feature.offsets.size(), rows + 1);
  require(feature.weights.empty() || feature.weights.size() == ids, "weights",
          feature.weights.size(), static_cast<std::int64_t>(ids));
  const bool inside = feature.offsets.front() >= 0 &&
                      static_cast<std::size_t>(feature.offsets.back()) <= ids &&
                      std::ranges::is_sorted(feature.offsets);
  require(inside, "ids", ids, feature.offsets.back());
}

// Copies the ids that stay where an example has more than the maximum.
void LookupRows::truncate(const data::FeatureIds& feature, std::int64_t rows) {
  std::int32_t* const offsets = offsetMemory_.data();
  std::int32_t count = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::int32_t begin = feature.offsets[at], end = feature.offsets[at + 1];
    const auto kept =
        std::min<std::int32_t>(end - begin, static_cast<std::int32_t>(lookup_.maxLength));
    const std::int32_t from =
        lookup_.truncationSide == experiment::TruncationSide::kEnd ? begin : end - kept;
    offsets[row] = count;
    std::copy_n(feature.ids.data() + from, kept, idMemory_.data() + count);
    if (!feature.weights.empty() && !lookup_.sequence)
      std::copy_n(feature.weights.data() + from, kept, weightMemory_.data() + count);
    count += kept;
  }
  offsets[rows] = count;
  offsetMemory_.upload(rows + 1);
  idMemory_.upload(count);
  host_.offsets = offsets;
  host_.ids = idMemory_.data();
  here_.offsets = offsetMemory_.here();
  here_.ids = idMemory_.here();
  values_ = count;
}

void LookupRows::prepareBags(const data::FeatureIds& feature, const std::int32_t* offsetsHere,
                             std::int64_t rows) {
  const auto lengthOf = [&](std::size_t row) {
    return feature.offsets[row + 1] - feature.offsets[row];
  };
  std::int32_t longest = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    longest = std::max(longest, lengthOf(row));
    counts_.empty += lengthOf(row) == 0;
  }
  const std::int32_t first = feature.offsets.front();
  const float* weights = feature.weights.empty() ? nullptr : feature.weights.data() + first;
  const std::int64_t all = feature.offsets.back() - first;
  if (lookup_.maxLength > 0 && longest > lookup_.maxLength) {
    truncate(feature, rows);
    if (weights) weights = weightMemory_.data();
  } else {
    host_.offsets = feature.offsets.data();
    here_.offsets = offsetsHere;
    host_.ids += first;
    here_.ids += first;
    values_ = all;
  }
  counts_.truncated = all - values_;
  if (values_ > capacity_)
    throw InvalidArgument(fmt::format("[nn.LookupRows] {} ids of feature {}; the plan holds {}",
                                      values_, lookup_.feature, capacity_));
  if (!lookup_.sequence) scaleBags(weights, rows);
}

void LookupRows::countOff(std::int64_t rows) {
  std::iota(offsetMemory_.data(), offsetMemory_.data() + rows + 1, 0);
  offsetMemory_.upload(rows + 1);
  host_.offsets = offsetMemory_.data();
  here_.offsets = offsetMemory_.here();
}

void LookupRows::scaleBags(const float* weights, std::int64_t rows) {
  tensor::run({&tensor::hostFor(device_), nullptr},
              PpBagScales{.combiner = numberOf(combinerOp(lookup_.combiner)),
                          .offsets = host_.offsets,
                          .weights = lookup_.weighted ? weights : nullptr,
                          .bags = rows,
                          .scales = scaleMemory_.data()});
  scaleMemory_.upload(values_);
  host_.scales = scaleMemory_.data();
  here_.scales = scaleMemory_.here();
  if (rowMemory_.size() == 0) return;
  const std::int32_t begin = host_.offsets[0];
  for (std::int64_t row = 0; row < rows; ++row)
    std::fill(rowMemory_.data() + host_.offsets[row] - begin,
              rowMemory_.data() + host_.offsets[row + 1] - begin, static_cast<std::int32_t>(row));
  rowMemory_.upload(values_);
  host_.rowOfValue = rowMemory_.data();
  here_.rowOfValue = rowMemory_.here();
}

// Ops check the rows that they can read; what goes into a device's own memory is checked here.
void LookupRows::requireInTable() const {
  if (device_.isHost()) return;
  for (const std::int32_t id : ids())
    if (id < 0 || id >= tableRows_)
      throw InvalidArgument(fmt::format("[nn.LookupRows] id {} of feature {}; accepted are 0 … {}",
                                        id, lookup_.feature, tableRows_ - 1));
}

void LookupRows::prepare(const data::FeatureIds& feature, const std::int32_t* idsHere,
                         const std::int32_t* offsetsHere, std::int64_t rows) {
  requireBags(feature, rows);
  counts_ = {.rows = rows};
  host_ = {.ids = feature.ids.data()};
  here_ = {.ids = idsHere};
  values_ = static_cast<std::int64_t>(feature.ids.size());
  if (bag_ && !feature.offsets.empty()) {
    prepareBags(feature, offsetsHere, rows);
  } else if (!feature.offsets.empty()) {
    throw InvalidArgument(
        fmt::format("[nn.LookupRows] feature {} has bags; the plan was made for "
                    "one id a row",
                    lookup_.feature));
  } else if (lookup_.sequence) {
    countOff(rows);
  }
  requireInTable();
  counts_.ids = values_ + counts_.truncated;
  const auto bucket = static_cast<std::int32_t>(lookup_.firstBucket);
  const std::int32_t firstKnown = lookup_.rowZeroIsId ? 0 : 1;
  for (const std::int32_t id : ids())
    counts_.oov += id < firstKnown || (bucket > 0 && id >= bucket);
}

void LookupRows::bring(RowCache& cache, RowCache::Use use) {
  cache.bring(ids(), use, placeMemory_.data());
  placeMemory_.upload(values_);
  host_.ids = placeMemory_.data();
  here_.ids = placeMemory_.here();
}

std::pair<std::int64_t, std::int64_t> LookupRows::valueRange(std::int64_t begin,
                                                             std::int64_t end) const {
  if (!host_.offsets) return {begin, end};
  return {host_.offsets[begin] - host_.offsets[0], host_.offsets[end] - host_.offsets[0]};
}

}  // namespace parapet::nn
