// SPDX-License-Identifier: Apache-2.0
#include "engine/train/tower_encoder.h"

#include <algorithm>

namespace parapet::train {
namespace {

// Queries per forward pass: their activations stay in the cache.
constexpr std::int64_t kQueries = 1024;

}  // namespace

Result<std::shared_ptr<const TowerEncoder>> TowerEncoder::create(
    const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
    const EntityInputs& inputs, std::span<const nn::Parameter> parameters) {
  PARAPET_ASSIGN(auto runners, ForwardRunners::create(experiment, std::move(dataset), parameters,
                                                      inputs, ForwardOutput::kQuery, kQueries));
  return std::shared_ptr<const TowerEncoder>(new TowerEncoder(std::move(runners)));
}

void TowerEncoder::encode(std::span<const retrieval::EncoderQuery> queries,
                          std::span<float> vectors) const {
  ForwardRunners::Lease runner = lease();
  const auto atOnce = static_cast<std::size_t>(runners().capacityRows());
  for (std::size_t begin = 0; begin < queries.size(); begin += atOnce) {
    const auto some = queries.subspan(begin, std::min(atOnce, queries.size() - begin));
    const auto out =
        runner.forward(runner.inputs().ofQueries(some), static_cast<std::int64_t>(some.size()));
    std::ranges::copy(out,
                      vectors.begin() + static_cast<std::ptrdiff_t>(begin) * runners().width());
  }
}

}  // namespace parapet::train
