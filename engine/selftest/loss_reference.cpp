// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/loss_reference.h"

#include <algorithm>
#include <cmath>

namespace parapet::selftest::reference {
namespace {

double weightOf(Doubles weight, std::size_t row) {
  return weight.empty() ? 1.0 : weight[row];
}

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

struct PairTerm {
  double loss, slope;
};
PairTerm pairTerm(tensor::PairLossOp op, double d, double labels) {
  switch (op) {
    case tensor::PairLossOp::kHinge:
      return d < 1.0 ? PairTerm{1.0 - d, -1.0} : PairTerm{0.0, 0.0};
    case tensor::PairLossOp::kLogistic:
      return {std::log1p(std::exp(-d)), -sigmoid(-d)};
    case tensor::PairLossOp::kSoftZeroOne:
      return {1.0 - sigmoid(d), -sigmoid(d) * sigmoid(-d)};
    case tensor::PairLossOp::kSquared:
      return {(labels - d) * (labels - d), -2.0 * (labels - d)};
  }
  return {};
}

/// Rows of a list with a label of at least 0, in the order of ListMLE.
std::vector<std::size_t> byLabel(const ListInputs& lists, std::int32_t begin, std::int32_t end) {
  std::vector<std::size_t> rows;
  for (std::int32_t row = begin; row < end; ++row)
    if (lists.label[static_cast<std::size_t>(row)] >= 0.0)
      rows.push_back(static_cast<std::size_t>(row));
  std::ranges::stable_sort(
      rows, [&](std::size_t a, std::size_t b) { return lists.label[a] > lists.label[b]; });
  return rows;
}

}  // namespace

ScoreLoss logisticLoss(Doubles logit, Doubles label, Doubles weight, double scale) {
  ScoreLoss out;
  out.gradient = Exact(logit.size());
  for (std::size_t b = 0; b < logit.size(); ++b) {
    const double s = logit[b], y = label[b], w = weightOf(weight, b);
    const double loss = y * std::log1p(std::exp(-s)) + (1.0 - y) * std::log1p(std::exp(s));
    out.sum.value[0] += w * loss;
    out.sum.magnitude[0] += w * (1.0 + 2.0 * std::abs(s));
    out.gradient.value[b] = scale * w * (sigmoid(s) - y);
    // e^s has the rounding of s times its own size.
    out.gradient.magnitude[b] = scale * w * ((1.0 + std::abs(s)) * sigmoid(s) + y);
  }
  return out;
}

// What is rounded in a pair is the difference of two scores.
ScoreLoss pairLoss(tensor::PairLossOp op, const ListInputs& lists, double scale) {
  ScoreLoss out;
  out.gradient = Exact(lists.score.size());
  for (std::size_t list = 0; list + 1 < lists.offsets.size(); ++list) {
    const auto begin = static_cast<std::size_t>(lists.offsets[list]);
    const auto end = static_cast<std::size_t>(lists.offsets[list + 1]);
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = begin; j < end; ++j) {
        const double labels = lists.label[i] - lists.label[j];
        if (i == j || lists.label[i] < 0.0 || lists.label[j] < 0.0) continue;
        if (op != tensor::PairLossOp::kSquared && labels <= 0.0) continue;
        const double d = (lists.score[i] - lists.score[j]) / lists.temperature;
        const double size = 1.0 + std::abs(labels) + std::abs(d), w = weightOf(lists.weight, i);
        const PairTerm term = pairTerm(op, d, labels);
        out.sum.value[0] += w * term.loss;
        out.sum.magnitude[0] += w * size * (op == tensor::PairLossOp::kSquared ? size : 1.0);
        const double change = scale * w / lists.temperature;
        for (const auto& [row, sign] : {std::pair{i, 1.0}, std::pair{j, -1.0}}) {
          out.gradient.value[row] += sign * change * term.slope;
          out.gradient.magnitude[row] += change * size;
        }
      }
  }
  return out;
}

ScoreLoss listMle(const ListInputs& lists, double scale) {
  constexpr double kEpsilon = 1e-10;
  ScoreLoss out;
  out.gradient = Exact(lists.score.size());
  for (std::size_t list = 0; list + 1 < lists.offsets.size(); ++list) {
    const auto rows = byLabel(lists, lists.offsets[list], lists.offsets[list + 1]);
    if (rows.empty()) continue;
    const std::size_t first =
        *std::ranges::max_element(rows, {}, [&](std::size_t row) { return lists.score[row]; });
    const double greatest = lists.score[first] / lists.temperature;
    const auto shifted = [&](std::size_t i) {
      return lists.score[rows[i]] / lists.temperature - greatest;
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double w = weightOf(lists.weight, rows[i]);
      double tail = kEpsilon, spread = 0.0;
      for (std::size_t j = i; j < rows.size(); ++j) {
        tail += std::exp(shifted(j));
        spread = std::max(spread, std::abs(shifted(j)));
      }
      out.sum.value[0] += w * (std::log(tail) - shifted(i));
      out.sum.magnitude[0] += w * (1.0 + 2.0 * spread + 2.0 * std::abs(greatest));
      const double change = scale * w / lists.temperature;
      out.gradient.value[rows[i]] -= change;
      out.gradient.magnitude[rows[i]] += change;
      out.gradient.value[first] += change * kEpsilon / tail;
      out.gradient.magnitude[first] += change * kEpsilon / tail * (1.0 + 2.0 * spread);
      for (std::size_t j = i; j < rows.size(); ++j) {
        const double share = std::exp(shifted(j)) / tail;
        out.gradient.value[rows[j]] += change * share;
        out.gradient.magnitude[rows[j]] +=
            change * share * (1.0 + 2.0 * spread + 2.0 * std::abs(greatest));
      }
    }
  }
  return out;
}

InBatchSoftmax inBatchSoftmax(const SoftmaxInputs& inputs, double scale) {
  const auto width = static_cast<std::size_t>(inputs.width);
  const std::size_t rows = inputs.queries.size() / width;
  InBatchSoftmax out;
  out.logSumExp = Exact(rows);
  out.dQueries = out.dCandidates = Exact(rows * width);
  std::vector<double> scores(rows);
  for (std::size_t b = 0; b < rows; ++b) {
    double tail = 0.0, size = 1.0;
    for (std::size_t j = 0; j < rows; ++j) {
      double score = 0.0, terms = 0.0;
      for (std::size_t d = 0; d < width; ++d) {
        const double term =
            inputs.queries[b * width + d] * inputs.candidates[j * width + d] / inputs.temperature;
        score += term;
        terms += std::abs(term);
      }
      scores[j] = score;
      tail += std::exp(score);
      size = std::max(size, 1.0 + 3.0 * terms);
    }
    const double w = weightOf(inputs.weight, b), logTail = std::log(tail);
    out.logSumExp.value[b] = logTail;
    out.logSumExp.magnitude[b] = size + std::abs(logTail);
    out.sum.value[0] += w * (logTail - scores[b]);
    out.sum.magnitude[0] += w * (size + std::abs(logTail));
    const double change = scale * w / inputs.temperature;
    for (std::size_t j = 0; j < rows; ++j) {
      const double share = scores[j] - logTail > -700.0 ? std::exp(scores[j] - logTail) : 0.0;
      const double own = j == b ? 1.0 : 0.0;
      for (std::size_t d = 0; d < width; ++d) {
        const double q = inputs.queries[b * width + d], c = inputs.candidates[j * width + d];
        out.dQueries.value[b * width + d] += change * (share - own) * c;
        out.dQueries.magnitude[b * width + d] += change * (size * share + own) * std::abs(c);
        out.dCandidates.value[j * width + d] += change * (share - own) * q;
        out.dCandidates.magnitude[j * width + d] += change * (size * share + own) * std::abs(q);
      }
    }
  }
  return out;
}

}  // namespace parapet::selftest::reference
