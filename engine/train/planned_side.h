// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/retrieval/query_encoder.h"
#include "engine/train/forward_plans.h"

namespace parapet::train {

/// A copy of a model behind an encoder or a scorer: what its query side reads is what its plans
/// read. `Side` is retrieval::QueryEncoder or retrieval::PairScorer.
///
/// Thread   any.
template <class Side>
class PlannedSide : public Side {
 public:
  [[nodiscard]] std::span<const retrieval::ContextColumn> contexts() const override {
    return plans_->inputs().contexts();
  }
  [[nodiscard]] std::vector<retrieval::ContextCell> lastContext(std::int32_t user) const override {
    return plans_->inputs().lastContext(user);
  }
  [[nodiscard]] std::span<const retrieval::QueryFeature> features() const override {
    return plans_->inputs().features();
  }
  [[nodiscard]] bool readsHistory() const override { return plans_->inputs().readsHistory(); }
  [[nodiscard]] std::vector<std::int32_t> historyOf(
      const retrieval::EncoderQuery& query) const override {
    return plans_->inputs().historyOf(query);
  }
  [[nodiscard]] const ForwardPlans& plans() const { return *plans_; }

 protected:
  explicit PlannedSide(std::unique_ptr<ForwardPlans> plans) : plans_(std::move(plans)) {}
  [[nodiscard]] ForwardPlans::Lease lease() const { return plans_->take(); }

 private:
  std::unique_ptr<ForwardPlans> plans_;
};

}  // namespace parapet::train
