// SPDX-License-Identifier: Apache-2.0
#include "engine/train/ranking_scorer.h"

#include <algorithm>

namespace parapet::train {
namespace {

// Pairs per forward pass: their activations stay in the cache.
constexpr std::int64_t kPairs = 1024;

}  // namespace

Result<std::shared_ptr<const RankingScorer>> RankingScorer::create(
    const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
    const EntityInputs& inputs, std::span<const nn::Parameter> parameters) {
  PARAPET_ASSIGN(auto runners, ForwardRunners::create(experiment, std::move(dataset), parameters,
                                                      inputs, ForwardOutput::kScore, kPairs));
  return std::shared_ptr<const RankingScorer>(new RankingScorer(std::move(runners)));
}

void RankingScorer::score(const retrieval::EncoderQuery& query, std::span<const std::int32_t> items,
                          std::span<float> scores) const {
  ForwardRunners::Lease runner = lease();
  const auto atOnce = static_cast<std::size_t>(runners().capacityRows());
  for (std::size_t begin = 0; begin < items.size(); begin += atOnce) {
    const auto some = items.subspan(begin, std::min(atOnce, items.size() - begin));
    const auto out = runner.forward(runner.inputs().ofPairs(query, some),
                                    static_cast<std::int64_t>(some.size()));
    std::ranges::copy(out, scores.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace parapet::train
