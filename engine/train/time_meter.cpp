// SPDX-License-Identifier: Apache-2.0
#include "engine/train/time_meter.h"

#include <algorithm>
#include <utility>

namespace parapet::train {

TimeMeter::TimeMeter(std::vector<std::string> features) {
  for (std::string& name : features) none_.features.push_back({std::move(name)});
  recent_ = epoch_ = none_;
}

void TimeMeter::restoreEpoch(const experiment::TimeUse& before) {
  epoch_ = none_;
  epoch_.add(before);
}

void TimeMeter::addIds(std::size_t lookup, const nn::FeatureCounts& counts) {
  for (experiment::TimeUse* use : {&recent_, &epoch_}) {
    experiment::FeatureUse& feature = use->features[lookup];
    feature.rows += counts.rows;
    feature.ids += counts.ids;
    feature.truncated += counts.truncated;
    feature.oov += counts.oov;
    feature.empty += counts.empty;
  }
}

void TimeMeter::addCache(const std::string& table, const nn::CacheCounts& counts) {
  for (experiment::TimeUse* use : {&recent_, &epoch_}) {
    auto own = std::ranges::find(use->caches, table, &experiment::CacheUse::table);
    if (own == use->caches.end()) own = use->caches.insert(own, {table});
    own->rows += counts.rows;
    own->hits += counts.hits;
  }
}

void TimeMeter::add(const nn::StepTimes& step, double inputSeconds, double stepSeconds) {
  for (experiment::TimeUse* use : {&recent_, &epoch_}) {
    // A resumed run may have had more ranks before.
    use->compute.resize(std::max(use->compute.size(), step.computeOfRank.size()));
    for (std::size_t rank = 0; rank < step.computeOfRank.size(); ++rank)
      use->compute[rank] += step.computeOfRank[rank];
    use->exchange += step.collective;
    use->update += step.update;
    use->input += inputSeconds;
    use->seconds += inputSeconds + stepSeconds;
  }
}

std::optional<experiment::TimeUse> TimeMeter::due() {
  if (recent_.empty() || sinceReport_.seconds() < kReportSeconds) return std::nullopt;
  sinceReport_.restart();
  return std::exchange(recent_, none_);
}

}  // namespace parapet::train
