// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/retrieval/query_encoder.h"
#include "engine/train/forward_plans.h"

namespace parapet::train {

/// A copy of a trained model that scores queries with items, independent of further training.
///
/// Thread   score() from any thread; calls compute side by side.
class RankingScorer final : public retrieval::PairScorer {
 public:
  /// `parameters`: weights to copy, in the order of the model's.
  static Result<std::shared_ptr<const RankingScorer>> create(
      const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
      const EntityInputs& inputs, std::span<const nn::Parameter> parameters);

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
  void score(const retrieval::EncoderQuery& query, std::span<const std::int32_t> items,
             std::span<float> scores) const override;

 private:
  explicit RankingScorer(std::unique_ptr<ForwardPlans> plans) : plans_(std::move(plans)) {}
  std::unique_ptr<ForwardPlans> plans_;
};

}  // namespace parapet::train
