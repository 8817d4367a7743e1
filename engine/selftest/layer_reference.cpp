// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/layer_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parapet::selftest::reference {
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

/// A sequence's positions, counted from the first one of all.
struct Positions {
  std::size_t begin, count;
  Positions(Rows offsets, std::size_t b)
      : begin(static_cast<std::size_t>(offsets[b] - offsets[0])),
        count(static_cast<std::size_t>(offsets[b + 1] - offsets[b])) {}
};

std::size_t countOf(Rows offsets) {
  return offsets.size() - 1;
}
std::size_t positionsOf(Rows offsets) {
  return static_cast<std::size_t>(offsets.back() - offsets.front());
}

/// The result of query i of a head: p[i, j] and kept(i, j) of the keys it sees.
struct Query {
  std::vector<double> probability, kept;
  double logSumExp = 0.0;
  double size = 0.0;  ///< how large the terms of its scores were, at most
};

/// One head of one sequence.
class Head {
 public:
  Head(const AttentionInputs& inputs, std::size_t sequence, std::size_t head, Doubles qkv)
      : inputs_(inputs),
        positions_(inputs.offsets, sequence),
        sequence_(sequence),
        head_(head),
        heads_(static_cast<std::size_t>(inputs.heads)),
        width_(static_cast<std::size_t>(inputs.width)),
        qkv_(qkv) {}
  [[nodiscard]] std::size_t length() const { return positions_.count; }
  [[nodiscard]] double scale() const { return 1.0 / std::sqrt(static_cast<double>(width_)); }
  /// Index into [P, 3·H·width]; part 0: queries, 1: keys, 2: values.
  [[nodiscard]] std::size_t in(std::size_t part, std::size_t i, std::size_t d) const {
    return ((positions_.begin + i) * 3 + part) * heads_ * width_ + head_ * width_ + d;
  }
  /// Index into [P, H·width].
  [[nodiscard]] std::size_t out(std::size_t i, std::size_t d) const {
    return ((positions_.begin + i) * heads_ + head_) * width_ + d;
  }
  [[nodiscard]] std::size_t line(std::size_t i) const {
    return (positions_.begin + i) * heads_ + head_;
  }
  [[nodiscard]] Query query(std::size_t i) const {
    const std::size_t seen = inputs_.causal ? i + 1 : length();
    Query made;
    double greatest = -std::numeric_limits<double>::infinity(), total = 0.0;
    for (std::size_t j = 0; j < seen; ++j) {
      double score = 0.0, size = 0.0;
      for (std::size_t d = 0; d < width_; ++d) {
        const double term = scale() * qkv_[in(0, i, d)] * qkv_[in(1, j, d)];
        score += term;
        size += std::abs(term);
      }
      made.probability.push_back(score);
      greatest = std::max(greatest, score);
      made.size = std::max(made.size, size);
    }
    for (double& p : made.probability) total += p = std::exp(p - greatest);
    for (double& p : made.probability) p /= total;
    made.logSumExp = greatest + std::log(total);
    made.kept = dropout(std::vector<double>(seen, 1.0), inputs_.rate, inputs_.key, draws(i)).value;
    return made;
  }

 private:
  [[nodiscard]] std::int64_t draws(std::size_t i) const {
    const auto row = (inputs_.first + static_cast<std::int64_t>(sequence_)) * inputs_.heads +
                     static_cast<std::int64_t>(head_);
    return (row * inputs_.maxLength + static_cast<std::int64_t>(i)) * inputs_.maxLength;
  }

  const AttentionInputs& inputs_;
  Positions positions_;
  std::size_t sequence_, head_, heads_, width_;
  Doubles qkv_;
};

template <class Body>
void forHeads(const AttentionInputs& inputs, Doubles qkv, const Body& body) {
  for (std::size_t b = 0; b < countOf(inputs.offsets); ++b)
    for (std::size_t h = 0; h < static_cast<std::size_t>(inputs.heads); ++h)
      body(Head(inputs, b, h, qkv));
}

/// A term of a sum, and how large it is for the rounding of what made it. What is smaller than the
/// least normal f32 may be 0.
void add(Exact& to, std::size_t at, double term, double size) {
  constexpr double kVanishing = 1e-30;
  to.value[at] += term;
  to.magnitude[at] += std::abs(size) + kVanishing;
}

}  // namespace

using tensor::CombinerOp;

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
Exact multiply(Doubles x, Doubles y) {
  Exact out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out.add(i, x[i] * y[i]);
  return out;
}

Exact mixture(std::int64_t width, const std::vector<Doubles>& parts, Doubles logits) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(parts[0].size());
  for (std::size_t b = 0; b < parts[0].size() / cols; ++b) {
    const Doubles ofRow = logits.subspan(b * parts.size(), parts.size());
    double sum = 0.0;
    for (const double logit : ofRow) sum += std::exp(logit);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t d = 0; d < cols; ++d)
        out.add(b * cols + d, std::exp(ofRow[i]) / sum * parts[i][b * cols + d]);
  }
  return out;
}

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

// The magnitudes carry 1 + the size of the scores: what these lose, their exponentials have as a
// relative error.
Attention attention(const AttentionInputs& inputs, Doubles qkv) {
  const auto width = static_cast<std::size_t>(inputs.width);
  Attention made{Exact(qkv.size() / 3), Exact(qkv.size() / 3 / width)};
  forHeads(inputs, qkv, [&](const Head& head) {
    for (std::size_t i = 0; i < head.length(); ++i) {
      const Query query = head.query(i);
      const double size = 1.0 + query.size;
      add(made.logSumExp, head.line(i), query.logSumExp, size + std::abs(query.logSumExp));
      for (std::size_t j = 0; j < query.probability.size(); ++j)
        for (std::size_t d = 0; d < width; ++d) {
          const double term = query.kept[j] * query.probability[j] * qkv[head.in(2, j, d)];
          add(made.out, head.out(i, d), term, size * term);
        }
    }
  });
  return made;
}

Exact attentionGradient(const AttentionInputs& inputs, Doubles qkv, Doubles dout) {
  const auto width = static_cast<std::size_t>(inputs.width);
  Exact made(qkv.size());
  forHeads(inputs, qkv, [&](const Head& head) {
    for (std::size_t i = 0; i < head.length(); ++i) {
      const Query query = head.query(i);
      const std::size_t keys = query.probability.size();
      std::vector<double> slopes(keys), sizes(keys);
      double sum = 0.0, sumSize = 0.0;
      for (std::size_t j = 0; j < keys; ++j) {
        for (std::size_t d = 0; d < width; ++d) {
          const double term = query.kept[j] * dout[head.out(i, d)] * qkv[head.in(2, j, d)];
          slopes[j] += term;
          sizes[j] += std::abs(term);
        }
        sum += query.probability[j] * slopes[j];
        sumSize += query.probability[j] * sizes[j];
      }
      const double size = 1.0 + query.size + std::abs(query.logSumExp);
      for (std::size_t j = 0; j < keys; ++j) {
        const double p = query.probability[j], slope = head.scale() * p * (slopes[j] - sum);
        const double slopeSize = head.scale() * p * (sizes[j] + sumSize) * size;
        for (std::size_t d = 0; d < width; ++d) {
          const double q = qkv[head.in(0, i, d)], k = qkv[head.in(1, j, d)];
          const double value = query.kept[j] * p * dout[head.out(i, d)];
          add(made, head.in(0, i, d), slope * k, slopeSize * k);
          add(made, head.in(1, j, d), slope * q, slopeSize * q);
          add(made, head.in(2, j, d), value, value * size);
        }
      }
    }
  });
  return made;
}

Exact addPositions(Rows offsets, std::int64_t width, bool fromEnd, Doubles x, Doubles table) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(x.size());
  for (std::size_t b = 0; b < countOf(offsets); ++b) {
    const Positions positions(offsets, b);
    const std::size_t skipped = fromEnd ? table.size() - positions.count * cols : 0;
    for (std::size_t i = 0; i < positions.count * cols; ++i) {
      out.add(positions.begin * cols + i, x[positions.begin * cols + i]);
      out.add(positions.begin * cols + i, table[skipped + i]);
    }
  }
  return out;
}

Exact addPositionsGradient(Rows offsets, std::int64_t width, std::int64_t tableRows, bool fromEnd,
                           Doubles dy) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(static_cast<std::size_t>(tableRows) * cols);
  for (std::size_t b = 0; b < countOf(offsets); ++b) {
    const Positions positions(offsets, b);
    const std::size_t skipped = fromEnd ? static_cast<std::size_t>(tableRows) - positions.count : 0;
    for (std::size_t i = 0; i < positions.count * cols; ++i)
      out.add(skipped * cols + i, dy[positions.begin * cols + i]);
  }
  return out;
}

Exact pool(tensor::PoolOp op, Rows offsets, std::int64_t width, Doubles x, Doubles weights) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(countOf(offsets) * cols);
  for (std::size_t b = 0; b < countOf(offsets); ++b) {
    const Positions positions(offsets, b);
    for (std::size_t i = 0; i < positions.count; ++i) {
      double factor = 1.0;
      if (op == tensor::PoolOp::kMean) factor = 1.0 / static_cast<double>(positions.count);
      if (op == tensor::PoolOp::kLast) factor = i + 1 == positions.count ? 1.0 : 0.0;
      if (op == tensor::PoolOp::kWeighted) factor = weights[positions.begin + i];
      for (std::size_t d = 0; d < cols; ++d)
        out.add(b * cols + d, factor * x[(positions.begin + i) * cols + d]);
    }
  }
  return out;
}

Exact softmaxBySequence(Rows offsets, Doubles x) {
  Exact out(positionsOf(offsets));
  for (std::size_t b = 0; b < countOf(offsets); ++b) {
    const Positions positions(offsets, b);
    const Doubles of = x.subspan(positions.begin, positions.count);
    if (of.empty()) continue;
    const double greatest = *std::ranges::max_element(of);
    double total = 0.0;
    for (const double value : of) total += std::exp(value - greatest);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const double y = std::exp(of[i] - greatest) / total;
      add(out, positions.begin + i, y, y * (1.0 + std::abs(of[i] - greatest)));
    }
  }
  return out;
}

Exact scatterRows(Rows rows, std::int64_t width, Doubles in, std::int64_t outRows, Doubles before) {
  const auto cols = static_cast<std::size_t>(width);
  Exact out(static_cast<std::size_t>(outRows) * cols);
  for (std::size_t i = 0; i < before.size(); ++i) out.add(i, before[i]);
  for (std::size_t i = 0; i < in.size(); ++i)
    out.add(static_cast<std::size_t>(rows[i / cols]) * cols + i % cols, in[i]);
  return out;
}

Scores scoresOf(Doubles query, Doubles candidates, Doubles bias) {
  Scores made{Exact(candidates.size() / query.size())};
  std::vector<double>& values = made.of.value;
  for (std::size_t v = 0; v < values.size(); ++v) {
    for (std::size_t d = 0; d < query.size(); ++d)
      made.of.add(v, query[d] * candidates[v * query.size() + d]);
    if (!bias.empty()) made.of.add(v, bias[v]);
  }
  if (values.empty()) return made;
  const double greatest = *std::ranges::max_element(values);
  double total = 0.0;
  for (const double value : values) total += std::exp(value - greatest);
  made.logSumExp = greatest + std::log(total);
  return made;
}

TableSoftmax tableSoftmax(const TableInputs& inputs, double scale) {
  const auto width = static_cast<std::size_t>(inputs.width);
  const std::size_t rows = inputs.labels.size(), tableRows = inputs.table.size() / width;
  TableSoftmax made;
  made.dHidden = Exact(rows * width);
  made.dTable = Exact(inputs.table.size());
  made.dBias = Exact(tableRows);
  for (std::size_t i = 0; i < rows; ++i) {
    const Doubles hidden = inputs.hidden.subspan(i * width, width);
    const Scores scores = scoresOf(hidden, inputs.table, inputs.bias);
    const std::vector<double>& s = scores.of.value;
    const auto label = static_cast<std::size_t>(inputs.labels[i]);
    const double weight = inputs.weight.empty() ? 1.0 : inputs.weight[i], change = scale * weight;
    const double size = 1.0 + *std::ranges::max_element(scores.of.magnitude);
    const auto best = std::ranges::max_element(s) - s.begin();
    add(made.sums, 0, weight * (scores.logSumExp - s[label]), weight * size);
    made.sums.add(1, best == inputs.labels[i] ? weight : 0.0);
    made.sums.add(2, weight);
    for (std::size_t v = 0; v < tableRows; ++v) {
      const double p = std::exp(s[v] - scores.logSumExp);
      const double slope = change * (p - (v == label ? 1.0 : 0.0));
      const double slopeSize = std::abs(change) * (size * p + (v == label ? 1.0 : 0.0));
      add(made.dBias, v, slope, slopeSize);
      for (std::size_t d = 0; d < width; ++d) {
        add(made.dHidden, i * width + d, slope * inputs.table[v * width + d],
            slopeSize * inputs.table[v * width + d]);
        add(made.dTable, v * width + d, slope * hidden[d], slopeSize * hidden[d]);
      }
    }
  }
  return made;
}

}  // namespace parapet::selftest::reference
