// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/initializers.h"

#include <cmath>

#include "engine/base/hash.h"
#include "engine/base/random.h"

namespace parapet::nn {
namespace {

using experiment::Initializer;
using experiment::InitializerKind;
using experiment::VarianceDistribution;
using experiment::VarianceMode;

// Standard deviation of a unit normal truncated to ±2: Keras divides by it so that σ is met.
constexpr double kTruncatedDeviation = 0.87962566103423978;

void fillUniform(const Random& random, double min, double max, std::span<float> weight) {
  const auto low = static_cast<float>(min);
  const auto range = static_cast<float>(max - min);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = low + range * random.uniform(i);
}

void fillNormal(const Random& random, double mean, double stddev, bool truncated,
                std::span<float> weight) {
  for (std::size_t i = 0; i < weight.size(); ++i)
    weight[i] = static_cast<float>(mean + stddev * random.normal(i, truncated));
}

void fillVarianceScaling(const Initializer& spec, const Random& random, double fanIn, double fanOut,
                         std::span<float> weight) {
  const double n = spec.mode == VarianceMode::kFanIn    ? fanIn
                   : spec.mode == VarianceMode::kFanOut ? fanOut
                                                        : (fanIn + fanOut) / 2.0;
  const double deviation = std::sqrt(spec.scale / std::max(1.0, n));
  switch (spec.distribution) {
    case VarianceDistribution::kUniform:
      return fillUniform(random, -std::sqrt(3.0) * deviation, std::sqrt(3.0) * deviation, weight);
    case VarianceDistribution::kNormal:
      return fillNormal(random, 0.0, deviation, false, weight);
    case VarianceDistribution::kTruncatedNormal:
      return fillNormal(random, 0.0, deviation / kTruncatedDeviation, true, weight);
  }
}

}  // namespace

void initialize(const Initializer& spec, std::uint64_t seed, std::string_view name,
                std::int64_t rows, std::int64_t cols, std::span<float> weight) {
  const Random random(seed, RandomPurpose::kInitializer, hash64(name));
  const auto fanIn = static_cast<double>(rows);
  const auto fanOut = static_cast<double>(cols);
  switch (spec.kind) {
    case InitializerKind::kUniform:
      return fillUniform(random, spec.min, spec.max, weight);
    case InitializerKind::kNormal:
      return fillNormal(random, spec.mean, spec.stddev, false, weight);
    case InitializerKind::kTruncatedNormal:
      return fillNormal(random, spec.mean, spec.stddev, true, weight);
    case InitializerKind::kVarianceScaling:
      return fillVarianceScaling(spec, random, fanIn, fanOut, weight);
    case InitializerKind::kGlorotUniform: {
      const double limit = std::sqrt(6.0 / (fanIn + fanOut));
      return fillUniform(random, -limit, limit, weight);
    }
    case InitializerKind::kConstant:
      std::fill(weight.begin(), weight.end(), static_cast<float>(spec.value));
  }
}

}  // namespace parapet::nn
