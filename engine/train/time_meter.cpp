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
  const experiment::FeatureUse more{{},         counts.rows, counts.ids, counts.truncated,
                                    counts.oov, counts.empty};
  for (experiment::TimeUse* use : {&recent_, &epoch_}) use->features[lookup].add(more);
}

void TimeMeter::addCache(const std::string& table, const nn::CacheCounts& counts) {
  for (experiment::TimeUse* use : {&recent_, &epoch_})
    use->cacheOf(table).add({{}, counts.rows, counts.hits});
}

void TimeMeter::add(const nn::StepTimes& step, double inputSeconds, double stepSeconds) {
  for (experiment::TimeUse* use : {&recent_, &epoch_}) {
    // A resumed run may have had more ranks before.
    use->compute.resize(std::max(use->compute.size(), step.computeOfRank.size()));
    for (std::size_t rank = 0; rank < step.computeOfRank.size(); ++rank)
      use->compute[rank] += step.computeOfRank[rank];
    use->exchange += step.collective;
    use->update += step.update;
    use->recorded.add({step.pieces, step.replayed});
    use->input += inputSeconds;
    use->seconds += inputSeconds + stepSeconds;
  }
}

std::optional<experiment::TimeUse> TimeMeter::due() {
  return sinceReport_.seconds() < kReportSeconds ? std::nullopt : rest();
}

std::optional<experiment::TimeUse> TimeMeter::rest() {
  if (recent_.empty()) return std::nullopt;
  sinceReport_.restart();
  return std::exchange(recent_, none_);
}

}  // namespace parapet::train
