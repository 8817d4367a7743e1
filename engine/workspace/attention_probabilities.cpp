// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/workspace/masked_model.h"

namespace parapet::workspace {

std::vector<double> attentionProbabilities(std::span<const float> qkv, std::int64_t positions,
                                           const AttentionLayer& layer, std::int64_t head) {
  const auto length = static_cast<std::size_t>(positions);
  const auto heads = static_cast<std::size_t>(layer.heads);
  if (head < 0 || head >= layer.heads || length == 0 || qkv.size() % (3 * heads * length) != 0)
    throw InvalidArgument(
        fmt::format("[workspace.attentionProbabilities] head {} of {}, {} elements for {} "
                    "positions; accepted are head < heads and positions × 3 × heads × width "
                    "elements",
                    head, heads, qkv.size(), length));
  const std::size_t row = qkv.size() / length, width = row / (3 * heads);
  const auto own = static_cast<std::size_t>(head) * width;
  const double scale = 1.0 / std::sqrt(static_cast<double>(width));
  std::vector<double> probabilities(length * length, 0.0);
  for (std::size_t i = 0; i < length; ++i) {
    const float* const query = qkv.data() + i * row + own;
    const auto scores = std::span(probabilities).subspan(i * length, layer.causal ? i + 1 : length);
    double greatest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const float* const key = qkv.data() + j * row + heads * width + own;
      double score = 0.0;
      for (std::size_t d = 0; d < width; ++d)
        score += static_cast<double>(query[d]) * static_cast<double>(key[d]);
      scores[j] = scale * score;
      greatest = std::max(greatest, scores[j]);
    }
    for (double& score : scores) sum += score = std::exp(score - greatest);
    for (double& score : scores) score /= sum;
  }
  return probabilities;
}

}  // namespace parapet::workspace
