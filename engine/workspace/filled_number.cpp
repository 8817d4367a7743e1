// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/filled_number.h"

#include <span>

namespace parapet::workspace {

float filledNumber(const data::Dataset& dataset, const std::string& column,
                   experiment::MissingNumbers policy) {
  const std::span<const float> values = dataset.denseValues(column);
  if (policy != experiment::MissingNumbers::kMean || values.empty()) return 0.0f;
  double sum = 0.0;
  for (const float value : values) sum += value;
  return static_cast<float>(sum / static_cast<double>(values.size()));
}

}  // namespace parapet::workspace
