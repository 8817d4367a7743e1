// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/pyramid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/result.h"

namespace parapet::ui {
namespace {

using experiment::joinBucket;
using experiment::StepBucket;

/// Levels between two stored ones. 3 keeps 1 + 1/8 + 1/64 + … = 1.15 buckets a step; a query merges
/// at most 4 stored buckets into one.
constexpr int kStride = 3;
/// Steps are below 2^62, so no level above is ever asked for.
constexpr int kTopLevel = 62;

std::int64_t blockOf(const StepBucket& bucket, int level) {
  return bucket.lastStep >> level;
}

bool hasFinite(const StepBucket& bucket) {
  return std::isfinite(bucket.last);
}

/// Min and max are only meaningful beside a finite last; NaN keeps them out of every axis range.
StepBucket normalised(StepBucket bucket) {
  if (!hasFinite(bucket))
    bucket.min = bucket.max = bucket.last = std::numeric_limits<double>::quiet_NaN();
  return bucket;
}

auto firstReaching(const std::vector<StepBucket>& level, std::int64_t step) {
  return std::partition_point(level.begin(), level.end(),
                              [&](const StepBucket& bucket) { return bucket.lastStep < step; });
}

auto firstAfter(const std::vector<StepBucket>& level, std::int64_t step) {
  return std::partition_point(level.begin(), level.end(),
                              [&](const StepBucket& bucket) { return bucket.firstStep <= step; });
}

}  // namespace

double positionOf(const StepBucket& bucket, XAxis axis, std::int64_t stepsPerEpoch) {
  switch (axis) {
    case XAxis::kStep:
      return static_cast<double>(bucket.lastStep);
    case XAxis::kEpoch:
      if (stepsPerEpoch <= 0) return static_cast<double>(bucket.epoch);
      return static_cast<double>(bucket.lastStep) / static_cast<double>(stepsPerEpoch);
    case XAxis::kSeconds:
      return bucket.seconds;
  }
  throw InternalError("[plots.positionOf] unknown axis");
}

void Pyramid::append(std::span<const StepBucket> buckets) {
  for (const StepBucket& bucket : buckets) {
    if (bucket.firstStep < 0 || bucket.lastStep < bucket.firstStep)
      throw InvalidArgument(
          fmt::format("[plots.Pyramid.append] steps {}..{}; accepted are 0 ≤ first ≤ last",
                      bucket.firstStep, bucket.lastStep));
    if (bucket.firstStep <= lastStep())
      throw InvalidArgument(
          fmt::format("[plots.Pyramid.append] step {} after step {}; accepted is a later one "
                      "(truncateAfter first)",
                      bucket.firstStep, lastStep()));
    appendOne(normalised(bucket));
  }
}

void Pyramid::appendOne(const StepBucket& bucket) {
  growTo(bucket.lastStep);
  levels_[0].push_back(bucket);
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const int level = kStride * static_cast<int>(i);
    std::vector<StepBucket>& blocks = levels_[i];
    if (!blocks.empty() && blockOf(blocks.back(), level) == blockOf(bucket, level))
      joinBucket(blocks.back(), bucket);
    else
      blocks.push_back(bucket);
  }
}

/// A level is made when the first step outside its block 0 comes; its block 0 is then everything so
/// far.
void Pyramid::growTo(std::int64_t lastStep) {
  if (levels_.empty()) levels_.emplace_back();
  while (kStride * static_cast<int>(levels_.size()) < kTopLevel &&
         (lastStep >> (kStride * static_cast<int>(levels_.size() - 1))) > 0) {
    const int level = kStride * static_cast<int>(levels_.size());
    std::vector<StepBucket> blocks;
    for (const StepBucket& bucket : levels_.back()) {
      if (!blocks.empty() && blockOf(blocks.back(), level) == blockOf(bucket, level))
        joinBucket(blocks.back(), bucket);
      else
        blocks.push_back(bucket);
    }
    levels_.push_back(std::move(blocks));
  }
}

void Pyramid::truncateAfter(std::int64_t step) {
  if (lastStep() <= step) return;
  std::vector<StepBucket>& leaves = levels_[0];
  leaves.erase(firstReaching(leaves, step + 1), leaves.end());
  if (leaves.empty()) return clear();
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    // The last block may have lost some of its steps: it is made again from the level below.
    const int level = kStride * static_cast<int>(i);
    const std::int64_t block = blockOf(leaves.back(), level);
    const std::vector<StepBucket>& below = levels_[i - 1];
    std::vector<StepBucket>& blocks = levels_[i];
    blocks.erase(firstReaching(blocks, block << level), blocks.end());
    auto part = firstReaching(below, block << level);
    StepBucket last = *part;
    while (++part != below.end()) joinBucket(last, *part);
    blocks.push_back(last);
  }
}

void Pyramid::clear() {
  levels_.clear();
}

std::vector<StepBucket> Pyramid::query(StepRange range, std::size_t maxBuckets) const {
  if (maxBuckets == 0)
    throw InvalidArgument("[plots.Pyramid.query] 0 buckets asked for; at least 1 is accepted");
  std::vector<StepBucket> found;
  if (empty() || range.first > range.last) return found;
  const auto leafBegin = firstReaching(levels_[0], range.first);
  const auto leafEnd = firstAfter(levels_[0], range.last);
  if (leafBegin >= leafEnd) return found;
  if (static_cast<std::size_t>(leafEnd - leafBegin) <= maxBuckets) return {leafBegin, leafEnd};

  // Blocks are counted, not buckets: the level must depend on the range alone, or gaps and merged
  // arrivals would change the picture.
  const std::int64_t firstStep = leafBegin->lastStep, lastStep = (leafEnd - 1)->lastStep;
  int level = 1;
  while (static_cast<std::uint64_t>((lastStep >> level) - (firstStep >> level)) + 1 > maxBuckets)
    ++level;

  const auto stored = std::min(static_cast<std::size_t>(level / kStride), levels_.size() - 1);
  const std::vector<StepBucket>& source = levels_[stored];
  const std::int64_t lastBlock = lastStep >> level;
  for (auto bucket = firstReaching(source, (firstStep >> level) << level);
       bucket != source.end() && blockOf(*bucket, level) <= lastBlock; ++bucket) {
    if (!found.empty() && blockOf(found.back(), level) == blockOf(*bucket, level))
      joinBucket(found.back(), *bucket);
    else
      found.push_back(*bucket);
  }
  return found;
}

StepRange Pyramid::stepsBetween(XAxis axis, double from, double to,
                                std::int64_t stepsPerEpoch) const {
  if (empty()) return {};
  const std::vector<StepBucket>& leaves = levels_[0];
  auto begin = std::partition_point(leaves.begin(), leaves.end(), [&](const StepBucket& bucket) {
    return positionOf(bucket, axis, stepsPerEpoch) < from;
  });
  auto end = std::partition_point(begin, leaves.end(), [&](const StepBucket& bucket) {
    return positionOf(bucket, axis, stepsPerEpoch) <= to;
  });
  if (begin != leaves.begin()) --begin;
  if (end == leaves.end()) --end;
  return {begin->lastStep, end->lastStep};
}

const StepBucket* Pyramid::at(XAxis axis, double position, std::int64_t stepsPerEpoch) const {
  if (empty()) return nullptr;
  const std::vector<StepBucket>& leaves = levels_[0];
  const auto next =
      std::partition_point(leaves.begin(), leaves.end(), [&](const StepBucket& bucket) {
        return positionOf(bucket, axis, stepsPerEpoch) <= position;
      });
  return next == leaves.begin() ? nullptr : &*(next - 1);
}

std::span<const StepBucket> Pyramid::leaves() const {
  if (empty()) return {};
  return levels_[0];
}

StepBucket Pyramid::total() const {
  StepBucket all{.firstStep = 0, .lastStep = -1, .epoch = 0, .min = NAN, .max = NAN, .last = NAN};
  if (empty()) return all;
  all = levels_.back().front();
  for (std::size_t i = 1; i < levels_.back().size(); ++i) joinBucket(all, levels_.back()[i]);
  return all;
}

std::int64_t Pyramid::lastStep() const {
  return empty() ? -1 : levels_[0].back().lastStep;
}

std::size_t Pyramid::storedBuckets() const {
  std::size_t count = 0;
  for (const std::vector<StepBucket>& level : levels_) count += level.size();
  return count;
}

}  // namespace parapet::ui
