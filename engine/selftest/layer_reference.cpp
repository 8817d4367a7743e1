// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/layer_reference.h"

#include <algorithm>
#include <cmath>

namespace parapet::selftest::reference {

using tensor::CombinerOp;

namespace {

struct ValueRange {
  std::size_t begin, end;
};
ValueRange valueRange(Rows offsets, std::size_t bag) {
  if (offsets.empty()) return {bag, bag + 1};
  return {static_cast<std::size_t>(offsets[bag] - offsets[0]),
          static_cast<std::size_t>(offsets[bag + 1] - offsets[0])};
}

double orOne(Doubles weights, std::size_t n) {
  return weights.empty() ? 1.0 : weights[n];
}

/// Mean, variance and √(variance + ε) of the values at(0) … at(count − 1).
struct Moments {
  double mean = 0.0, variance = 0.0, size = 0.0;  ///< size: the largest |value|
  template <class At>
  Moments(std::size_t count, const At& at) {
    for (std::size_t i = 0; i < count; ++i) {
      mean += at(i) / static_cast<double>(count);
      size = std::max(size, std::abs(at(i)));
    }
    for (std::size_t i = 0; i < count; ++i)
      variance += (at(i) - mean) * (at(i) - mean) / static_cast<double>(count);
  }
};

// x − mean is formed in f32 and may cancel, so the magnitudes carry |x| + |mean| instead.
void setNormalised(Exact& out, std::size_t at, double x, double mean, double factor, double beta) {
  out.value[at] = (x - mean) * factor + beta;
  out.magnitude[at] = (std::abs(x) + std::abs(mean)) * std::abs(factor) + std::abs(beta);
}

}  // namespace

Exact bagRows(Doubles table, std::int64_t width, Rows rows, Rows offsets, Doubles scales) {
  const auto cols = static_cast<std::size_t>(width);
  const std::size_t bags = offsets.empty() ? rows.size() : offsets.size() - 1;
  Exact out(bags * cols);
  for (std::size_t b = 0; b < bags; ++b)
    for (std::size_t n = valueRange(offsets, b).begin; n < valueRange(offsets, b).end; ++n)
      for (std::size_t d = 0; d < cols; ++d)
        out.add(b * cols + d,
                orOne(scales, n) * table[static_cast<std::size_t>(rows[n]) * cols + d]);
  return out;
}

Exact bagScales(CombinerOp combiner, Rows offsets, Doubles weights) {
  Exact out(static_cast<std::size_t>(offsets.back() - offsets.front()));
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const auto [begin, end] = valueRange(offsets, b);
    double sum = 0.0, squares = 0.0;
    for (std::size_t n = begin; n < end; ++n) {
      sum += orOne(weights, n);
      squares += orOne(weights, n) * orOne(weights, n);
    }
    const double divisor = combiner == CombinerOp::kMean  ? sum
                           : combiner == CombinerOp::kSum ? 1.0
                                                          : std::sqrt(squares);
    for (std::size_t n = begin; n < end; ++n)
      out.add(n, divisor == 0.0 ? 0.0 : orOne(weights, n) / divisor);
  }
  return out;
}

Exact cross(Doubles x0, Doubles x, Doubles u, double diagScale) {
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.add(i, x0[i] * u[i]);
    out.add(i, x0[i] * diagScale * x[i]);
    out.add(i, x[i]);
  }
  return out;
}

Exact dotInteraction(std::int64_t width, const std::vector<Doubles>& parts,
                     tensor::SelfInteraction self) {
  const auto cols = static_cast<std::size_t>(width);
  const std::size_t rows = parts[0].size() / cols;
  const auto outCols = static_cast<std::size_t>(
      tensor::interactionWidth(static_cast<std::int64_t>(parts.size()), self));
  Exact out(rows * outCols);
  for (std::size_t b = 0; b < rows; ++b) {
    std::size_t pair = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (j > i || (j == i && self == tensor::SelfInteraction::kNo)) continue;
        for (std::size_t d = 0; d < cols; ++d)
          out.add(b * outCols + pair, parts[i][b * cols + d] * parts[j][b * cols + d]);
        ++pair;
      }
  }
  return out;
}

// SplitMix64 as it is published: a state that grows by a constant, and a mixer of it.
Exact dropout(Doubles x, double rate, std::uint64_t key, std::int64_t first) {
  constexpr std::uint64_t kGrowth = 0x9E3779B97F4A7C15ull;
  std::uint64_t state = key + static_cast<std::uint64_t>(first) * kGrowth;
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t z = (state += kGrowth);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    const double draw = static_cast<double>((z ^ (z >> 31)) >> 40) * 0x1p-24;
    out.add(i, draw < rate ? 0.0 : x[i] / (1.0 - rate));
  }
  return out;
}

Exact signedLog(Doubles x) {
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    out.add(i, std::copysign(std::log(1.0 + std::abs(x[i])), x[i]));
  return out;
}

Exact quantile(Doubles x, Doubles knots) {
  Exact out(x.size());
  const std::size_t last = knots.size() - 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t below = 0, upTo = 0;  // knots that are smaller, and not larger
    for (const double knot : knots) {
      below += knot < x[i];
      upTo += knot <= x[i];
    }
    double position = 0.0;
    if (upTo > below)
      position = 0.5 * static_cast<double>(below + upTo - 1);
    else if (below == knots.size())
      position = static_cast<double>(last);
    else if (below > 0)
      position = static_cast<double>(below - 1) +
                 (x[i] - knots[below - 1]) / (knots[below] - knots[below - 1]);
    out.add(i, position / static_cast<double>(last));
  }
  return out;
}

Exact layerNorm(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(x.size());
  for (std::size_t row = 0; row < x.size(); row += cols) {
    const Moments moments(cols, [&](std::size_t d) { return x[row + d]; });
    const double root = std::sqrt(moments.variance + epsilon);
    for (std::size_t d = 0; d < cols; ++d)
      setNormalised(out, row + d, x[row + d], moments.mean, gamma[d] / root, beta[d]);
  }
  return out;
}

BatchNorm batchNorm(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon) {
  const auto cols = static_cast<std::size_t>(width);
  BatchNorm out{{}, Exact(cols), Exact(cols)};
  for (std::size_t d = 0; d < cols; ++d) {
    const Moments moments(x.size() / cols, [&](std::size_t b) { return x[b * cols + d]; });
    out.mean.value[d] = moments.mean;
    out.mean.magnitude[d] = moments.size;
    out.variance.value[d] = moments.variance;
    out.variance.magnitude[d] = moments.size * moments.size;
  }
  out.y = normalised(width, x, gamma, beta, epsilon, out.mean.value, out.variance.value);
  return out;
}

Exact normalised(std::int64_t width, Doubles x, Doubles gamma, Doubles beta, double epsilon,
                 Doubles mean, Doubles variance) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t d = i % cols;
    setNormalised(out, i, x[i], mean[d], gamma[d] / std::sqrt(variance[d] + epsilon), beta[d]);
  }
  return out;
}

}  // namespace parapet::selftest::reference
