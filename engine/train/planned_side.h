// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/retrieval/query_encoder.h"
#include "engine/train/forward_runners.h"

namespace parapet::train {

/// A copy of a model behind an encoder or a scorer: what its query side reads is what its runners
/// read. `Side` is retrieval::QueryEncoder or retrieval::PairScorer.
///
/// Thread   any.
template <class Side>
class PlannedSide : public Side {
 public:
  [[nodiscard]] std::span<const retrieval::ContextColumn> contexts() const override {
    return runners_->inputs().contexts();
  }
  [[nodiscard]] std::vector<retrieval::ContextCell> lastContext(std::int32_t user) const override {
    return runners_->inputs().lastContext(user);
  }
  [[nodiscard]] std::span<const retrieval::QueryFeature> features() const override {
    return runners_->inputs().features();
  }
  [[nodiscard]] bool readsHistory() const override { return runners_->inputs().readsHistory(); }
  [[nodiscard]] std::vector<std::int32_t> historyOf(
      const retrieval::EncoderQuery& query) const override {
    return runners_->inputs().historyOf(query);
  }
  [[nodiscard]] const ForwardRunners& runners() const { return *runners_; }

 protected:
  explicit PlannedSide(std::unique_ptr<ForwardRunners> runners) : runners_(std::move(runners)) {}
  [[nodiscard]] ForwardRunners::Lease lease() const { return runners_->take(); }

 private:
  std::unique_ptr<ForwardRunners> runners_;
};

}  // namespace parapet::train
