// SPDX-License-Identifier: Apache-2.0
// Transforms of dense features that are fitted to the training rows: what evaluation rows hold has
// no part in them.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/data/dataset/event_columns.h"
#include "engine/nn/parameters.h"
#include "engine/train/session_state.h"

namespace parapet::train {
namespace {

// More rows tell quantiles no better.
constexpr std::int64_t kMaxSample = 1 << 20;

/// Scale 1, shift 0, mean and variance; the variance is 1 where all numbers are equal.
std::array<float, nn::kMomentColumns> momentsOf(std::span<const float> values,
                                                const data::RowSet& rows) {
  double sum = 0.0, squares = 0.0;
  rows.forEach([&](std::int64_t row) { sum += values[static_cast<std::size_t>(row)]; });
  const auto count = static_cast<double>(std::max<std::int64_t>(1, rows.size()));
  const double mean = sum / count;
  rows.forEach([&](std::int64_t row) {
    const double from = values[static_cast<std::size_t>(row)] - mean;
    squares += from * from;
  });
  const auto variance = static_cast<float>(squares / count);
  return {1.0f, 0.0f, static_cast<float>(mean), variance > 0.0f ? variance : 1.0f};
}

/// Numbers of equally spaced ranks, the smallest first and the largest last.
std::vector<float> quantilesOf(std::span<const float> values, const data::RowSet& rows,
                               std::int64_t knots) {
  std::vector<float> sample;
  const std::int64_t stride = (rows.size() + kMaxSample - 1) / kMaxSample;
  std::int64_t index = 0;
  rows.forEach([&](std::int64_t row) {
    if (index++ % std::max<std::int64_t>(1, stride) == 0)
      sample.push_back(values[static_cast<std::size_t>(row)]);
  });
  std::ranges::sort(sample);
  std::vector<float> found(static_cast<std::size_t>(knots));
  for (std::int64_t knot = 0; knot < knots && !sample.empty(); ++knot) {
    const double rank = static_cast<double>(knot) / static_cast<double>(knots - 1) *
                        static_cast<double>(sample.size() - 1);
    found[static_cast<std::size_t>(knot)] = sample[static_cast<std::size_t>(std::llround(rank))];
  }
  return found;
}

}  // namespace

void Session::State::fitTransforms(Session& session, const data::RowSet& trainingRows,
                                   const std::stop_token& stop) {
  if (isLoaded) return;
  for (const auto& [feature, parameter] : model.fitted) {
    if (stop.stop_requested()) throw data::PassStopped();
    nn::Parameter& into = parameters[static_cast<std::size_t>(parameter)];
    const std::span<const float> values = dataset->denseValues(model.columns[feature]);
    if (experiment.features[feature].transform == experiment::NumericTransform::kStandardize)
      session.scatterRows(into, -1, momentsOf(values, trainingRows));
    else
      session.scatterRows(into, -1, quantilesOf(values, trainingRows, into.spec.cols));
  }
}

}  // namespace parapet::train
