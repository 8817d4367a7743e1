// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/lookup_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/tensor/ops/bags.h"

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

}  // namespace

void FeatureCounts::add(const FeatureCounts& other) {
  rows += other.rows;
  ids += other.ids;
  truncated += other.truncated;
  oov += other.oov;
  empty += other.empty;
}

LookupRows::LookupRows(const PlanLayout& layout, const Lookup& lookup, const tensor::Device& device,
                       PlanPurpose purpose)
    : lookup_(lookup), capacity_(layout.maxIds(lookup)), bag_(layout.isBag(lookup)) {
  if (!bag_) return;
  scaleBuffer_ = tensor::Buffer<float>(device, capacity_);
  if (purpose == PlanPurpose::kTrain) rowBuffer_ = tensor::Buffer<std::int32_t>(device, capacity_);
  if (lookup.maxLength == 0 || lookup.maxLength >= layout.capacity.idsOf(lookup.feature)) return;
  idBuffer_ = tensor::Buffer<std::int32_t>(device, capacity_);
  weightBuffer_ = tensor::Buffer<float>(device, capacity_);
  offsetBuffer_ = tensor::Buffer<std::int32_t>(device, layout.capacity.rows + 1);
}

std::uint64_t LookupRows::bytes() const {
  return scaleBuffer_.bytes() + weightBuffer_.bytes() + rowBuffer_.bytes() + idBuffer_.bytes() +
         offsetBuffer_.bytes();
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
  std::int32_t* const offsets = offsetBuffer_.data();
  std::int32_t count = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    const std::int32_t begin = feature.offsets[at], end = feature.offsets[at + 1];
    const auto kept =
        std::min<std::int32_t>(end - begin, static_cast<std::int32_t>(lookup_.maxLength));
    const std::int32_t from =
        lookup_.truncationSide == experiment::TruncationSide::kEnd ? begin : end - kept;
    offsets[row] = count;
    std::copy_n(feature.ids.data() + from, kept, idBuffer_.data() + count);
    if (!feature.weights.empty())
      std::copy_n(feature.weights.data() + from, kept, weightBuffer_.data() + count);
    count += kept;
  }
  offsets[rows] = count;
}

void LookupRows::prepare(const tensor::Launch& launch, const data::FeatureIds& feature,
                         std::int64_t rows) {
  requireBags(feature, rows);
  counts_ = {.rows = rows};
  offsets_ = rowOfValue_ = nullptr;
  scales_ = nullptr;
  ids_ = feature.ids;
  if (bag_ && !feature.offsets.empty()) {
    const auto lengthOf = [&](std::size_t row) {
      return feature.offsets[row + 1] - feature.offsets[row];
    };
    std::int32_t longest = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      longest = std::max(longest, lengthOf(row));
      counts_.empty += lengthOf(row) == 0;
    }
    const std::int32_t first = feature.offsets.front();
    offsets_ = feature.offsets.data();
    const float* weights = feature.weights.empty() ? nullptr : feature.weights.data() + first;
    const std::int64_t all = feature.offsets.back() - first;
    if (lookup_.maxLength > 0 && longest > lookup_.maxLength) {
      truncate(feature, rows);
      offsets_ = offsetBuffer_.data();
      ids_ = {idBuffer_.data(), static_cast<std::size_t>(offsets_[rows])};
      if (weights) weights = weightBuffer_.data();
    } else {
      ids_ = ids_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(all));
    }
    const auto kept = static_cast<std::int64_t>(ids_.size());
    counts_.truncated = all - kept;
    if (kept > capacity_)
      throw InvalidArgument(fmt::format("[nn.LookupRows] {} ids of feature {}; the plan holds {}",
                                        kept, lookup_.feature, capacity_));
    tensor::bagScales(launch, combinerOp(lookup_.combiner), offsets_,
                      lookup_.weighted ? weights : nullptr, rows, scaleBuffer_.data());
    scales_ = scaleBuffer_.data();
    if (rowBuffer_.size() > 0) {
      for (std::int64_t row = 0; row < rows; ++row)
        std::fill(rowBuffer_.data() + offsets_[row] - offsets_[0],
                  rowBuffer_.data() + offsets_[row + 1] - offsets_[0],
                  static_cast<std::int32_t>(row));
      rowOfValue_ = rowBuffer_.data();
    }
  } else if (!feature.offsets.empty()) {
    throw InvalidArgument(
        fmt::format("[nn.LookupRows] feature {} has bags; the plan was made for "
                    "one id a row",
                    lookup_.feature));
  }
  counts_.ids = static_cast<std::int64_t>(ids_.size()) + counts_.truncated;
  const auto bucket = static_cast<std::int32_t>(lookup_.firstBucket);
  const std::int32_t firstKnown = lookup_.rowZeroIsId ? 0 : 1;
  for (const std::int32_t id : ids_) counts_.oov += id < firstKnown || (bucket > 0 && id >= bucket);
}

std::pair<std::int64_t, std::int64_t> LookupRows::valueRange(std::int64_t begin,
                                                             std::int64_t end) const {
  if (!offsets_) return {begin, end};
  return {offsets_[begin] - offsets_[0], offsets_[end] - offsets_[0]};
}

}  // namespace parapet::nn
