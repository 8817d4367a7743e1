// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <list>
#include <memory>

#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// A checkpoint of a run, as a picker gives it.
struct ModelChoice {
  QString runId;
  workspace::CheckpointChoice checkpoint;
  bool operator==(const ModelChoice& other) const {
    using enum workspace::WhichCheckpoint;
    return runId == other.runId && checkpoint.which == other.checkpoint.which &&
           (checkpoint.which != kStep || checkpoint.step == other.checkpoint.step);
  }
};

using RecommenderPtr = std::shared_ptr<const retrieval::Recommender>;

/// Models that were opened last, so that going back and forth over the checkpoints of a run reads
/// each once. What is least recently used goes first.
///
/// Memory   at most kModels of them and, beyond the newest, kBytes of their vectors.
/// Thread   GUI.
class ModelCache {
 public:
  static constexpr std::size_t kModels = 12;
  static constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;

  /// A checkpoint of a step that is at hand; null for others, and for "last" and "best", which may
  /// have become another one.
  [[nodiscard]] RecommenderPtr find(const ModelChoice& choice);
  void add(const RecommenderPtr& model);
  /// Any model of a run, which shares its data with the others; null if there is none.
  [[nodiscard]] RecommenderPtr ofRun(const QString& runId) const;
  [[nodiscard]] std::size_t size() const { return models_.size(); }

 private:
  std::list<RecommenderPtr> models_;  ///< the newest first
};

}  // namespace parapet::ui
