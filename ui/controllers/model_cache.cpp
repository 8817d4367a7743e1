// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/model_cache.h"

#include <algorithm>

namespace parapet::ui {
namespace {

std::uint64_t vectorBytes(const RecommenderPtr& model) {
  return (model->model().queries.size() + model->model().candidates.size()) * sizeof(float);
}

}  // namespace

RecommenderPtr ModelCache::find(const ModelChoice& choice) {
  if (choice.checkpoint.which != workspace::WhichCheckpoint::kStep) return nullptr;
  const std::string run = choice.runId.toStdString();
  const auto found = std::ranges::find_if(models_, [&](const RecommenderPtr& model) {
    return model->model().runId == run && model->model().step == choice.checkpoint.step;
  });
  if (found == models_.end()) return nullptr;
  models_.splice(models_.begin(), models_, found);
  return models_.front();
}

void ModelCache::add(const RecommenderPtr& model) {
  models_.remove_if([&](const RecommenderPtr& other) {
    return other->model().runId == model->model().runId &&
           other->model().step == model->model().step;
  });
  models_.push_front(model);
  std::uint64_t bytes = 0;
  std::size_t kept = 0;
  for (const RecommenderPtr& each : models_) {
    bytes += vectorBytes(each);
    if (kept > 0 && (kept == kModels || bytes > kBytes)) break;
    ++kept;
  }
  models_.resize(kept);
}

RecommenderPtr ModelCache::ofRun(const QString& runId) const {
  const std::string run = runId.toStdString();
  const auto found = std::ranges::find_if(
      models_, [&](const RecommenderPtr& model) { return model->model().runId == run; });
  return found == models_.end() ? nullptr : *found;
}

}  // namespace parapet::ui
