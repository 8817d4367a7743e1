// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/known_splits.h"

#include <algorithm>

#include "engine/workspace/workspace.h"

namespace parapet::workspace {
namespace {

/// All that a split depends on.
std::string splitKey(const experiment::Experiment& experiment, const data::Dataset& dataset) {
  experiment::Experiment read;
  read.dataset.split = experiment.dataset.split;
  read.dataset.batch.window = experiment.dataset.batch.window;
  read.training.seed = experiment.training.seed;
  if (experiment.dataset.split.kind == experiment::SplitKind::kBatches) {
    read.dataset.batch = experiment.dataset.batch;
    read.mesh.devices = experiment.mesh.devices;
  }
  return dataset.rowsKey() + experiment::toJson(read).dump();
}

}  // namespace

Result<std::shared_ptr<const data::Split>> KnownSplits::of(const experiment::Experiment& experiment,
                                                           const data::Dataset& dataset) {
  const std::string key = splitKey(experiment, dataset);
  const auto find = [&] {
    return std::ranges::find(known_, key, [](const auto& entry) { return entry.first; });
  };
  {
    std::lock_guard lock(mutex_);
    if (const auto found = find(); found != known_.end()) {
      std::rotate(found, found + 1, known_.end());
      return known_.back().second;
    }
  }
  PARAPET_ASSIGN(data::Split made, splitFor(experiment, dataset));
  auto split = std::make_shared<const data::Split>(std::move(made));
  std::lock_guard lock(mutex_);
  if (find() == known_.end()) known_.emplace_back(key, split);
  if (known_.size() > kMaxKnown) known_.erase(known_.begin());
  return split;
}

}  // namespace parapet::workspace
