// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/loss_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

// Rounding in a pair is that of the difference of two scores.
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

namespace {

/// The scores of a query, written out: which candidates are its negatives, and their rounding.
struct QueryScores {
  std::vector<std::size_t> negatives;
  std::vector<double> scores;  ///< f[b, j]
  double size = 1.0;           ///< of what is rounded

  QueryScores(const NegativesInputs& inputs, std::size_t query) : scores(candidatesOf(inputs)) {
    const auto width = static_cast<std::size_t>(inputs.width);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      double terms = inputs.shift.empty() ? 0.0 : std::abs(inputs.shift[j]);
      for (std::size_t d = 0; d < width; ++d) {
        const double term = inputs.queries[query * width + d] * inputs.candidates[j * width + d] /
                            inputs.temperature;
        scores[j] += term;
        terms += std::abs(term);
      }
      size = std::max(size, 1.0 + 3.0 * terms);
      if (isNegative(inputs, query, j)) negatives.push_back(j);
    }
    const auto shifted = [&](std::size_t j) {
      return scores[j] - (inputs.shift.empty() ? 0.0 : inputs.shift[j]);
    };
    if (inputs.hardest == 0) return;
    std::ranges::stable_sort(negatives, std::greater<>(), shifted);
    negatives.resize(std::min(negatives.size(), static_cast<std::size_t>(inputs.hardest)));
  }

  static std::size_t candidatesOf(const NegativesInputs& inputs) {
    return inputs.candidates.size() / static_cast<std::size_t>(inputs.width);
  }
  static bool isNegative(const NegativesInputs& inputs, std::size_t query, std::size_t j) {
    if (j == query || (!inputs.items.empty() && inputs.items[j] == inputs.items[query]))
      return false;
    if (j < inputs.users.size() && inputs.users[j] == inputs.users[query]) return false;
    const auto rows = static_cast<std::size_t>(inputs.rows);
    if (j >= rows) return true;
    if (!inputs.inBatch) return false;
    const auto groupOf = [&](std::size_t row) {
      return std::ranges::upper_bound(inputs.groups, static_cast<std::int32_t>(row)) -
             inputs.groups.begin();
    };
    return inputs.groups.empty() || groupOf(query) == groupOf(j);
  }
};

/// A loss and its derivatives by the own score and by those of the negatives.
struct QueryLoss {
  double loss = 0.0, own = 0.0;
  std::vector<double> slopes;
  std::vector<double> open{};  ///< the greatest errors of slopes that are not decided; empty: none
};

QueryLoss softmaxOf(const NegativesInputs& inputs, const QueryScores& of, std::size_t query) {
  const double own = of.scores[query] - (inputs.ownShift.empty() ? 0.0 : inputs.ownShift[query]);
  QueryLoss out;
  double greatest = own, total = 0.0;
  for (const std::size_t j : of.negatives) {
    out.slopes.push_back(of.scores[j] - (inputs.shift.empty() ? 0.0 : inputs.shift[j]));
    greatest = std::max(greatest, out.slopes.back());
  }
  for (double& slope : out.slopes) total += slope = std::exp(slope - greatest);
  const double rest = total;
  total += std::exp(own - greatest);
  for (double& slope : out.slopes) slope /= total;
  out.loss = std::log(total) + greatest - own;
  out.own = -rest / total;
  return out;
}

QueryLoss bprOf(const QueryScores& of, std::size_t query) {
  QueryLoss out;
  const double share = 1.0 / std::max<double>(1.0, static_cast<double>(of.negatives.size()));
  for (const std::size_t j : of.negatives) {
    const double x = of.scores[j] - of.scores[query];
    out.loss += share * (std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))));
    out.slopes.push_back(share * sigmoid(x));
    out.own -= out.slopes.back();
  }
  return out;
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

QueryLoss bceOf(const NegativesInputs& inputs, const QueryScores& of, std::size_t query) {
  QueryLoss out;
  const double share = 1.0 / (static_cast<double>(of.negatives.size()) + 1.0);
  const double own = of.scores[query], weight = share * inputs.ownWeight;
  out.loss = weight * softplus(-own);
  out.own = -weight * sigmoid(-own);
  for (const std::size_t j : of.negatives) {
    out.loss += share * softplus(of.scores[j]);
    out.slopes.push_back(share * sigmoid(of.scores[j]));
  }
  return out;
}

QueryLoss cclOf(const NegativesInputs& inputs, const QueryScores& of, std::size_t query) {
  QueryLoss out{.loss = 1.0 - of.scores[query], .own = -1.0, .slopes = {}};
  const double share =
      inputs.negativeWeight / std::max<double>(1.0, static_cast<double>(of.negatives.size()));
  for (const std::size_t j : of.negatives) {
    const double above = of.scores[j] - inputs.margin;
    out.loss += share * std::max(0.0, above);
    out.slopes.push_back(above > 0.0 ? share : 0.0);
    out.open.push_back(std::abs(above) <= inputs.tolerance * of.size ? share : 0.0);
  }
  return out;
}

QueryLoss lossOf(tensor::NegativesLossOp op, const NegativesInputs& inputs, const QueryScores& of,
                 std::size_t query) {
  switch (op) {
    case tensor::NegativesLossOp::kSoftmax:
      return softmaxOf(inputs, of, query);
    case tensor::NegativesLossOp::kBpr:
      return bprOf(of, query);
    case tensor::NegativesLossOp::kBce:
      return bceOf(inputs, of, query);
    case tensor::NegativesLossOp::kCcl:
      return cclOf(inputs, of, query);
  }
  return {};
}

}  // namespace

NegativesLoss negativesLoss(tensor::NegativesLossOp op, const NegativesInputs& inputs,
                            double scale) {
  const auto rows = static_cast<std::size_t>(inputs.rows),
             width = static_cast<std::size_t>(inputs.width);
  NegativesLoss out;
  out.dQueries = Exact(rows * width);
  out.dCandidates = Exact(inputs.candidates.size());
  for (std::size_t b = 0; b < rows; ++b) {
    const QueryScores scores(inputs, b);
    const QueryLoss loss = lossOf(op, inputs, scores, b);
    const double w = weightOf(inputs.weight, b), change = scale * w / inputs.temperature;
    out.sum.value[0] += w * loss.loss;
    // A score near a margin errs as others do, times its slope.
    const bool isSteep = op == tensor::NegativesLossOp::kCcl;
    out.sum.magnitude[0] +=
        w * (scores.size * (isSteep ? 1.0 + inputs.negativeWeight : 1.0) + std::abs(loss.loss));
    const auto add = [&](std::size_t j, double slope, double size) {
      for (std::size_t d = 0; d < width; ++d) {
        const double q = inputs.queries[b * width + d], c = inputs.candidates[j * width + d];
        out.dQueries.value[b * width + d] += change * slope * c;
        out.dQueries.magnitude[b * width + d] += change * size * std::abs(c);
        out.dCandidates.value[j * width + d] += change * slope * q;
        out.dCandidates.magnitude[j * width + d] += change * size * std::abs(q);
      }
    };
    for (std::size_t i = 0; i < scores.negatives.size(); ++i)
      add(scores.negatives[i], loss.slopes[i],
          scores.size * loss.slopes[i] +
              (loss.open.empty() ? 0.0 : loss.open[i] / inputs.tolerance));
    add(b, loss.own, 1.0 + scores.size * std::abs(loss.own));
  }
  return out;
}

}  // namespace parapet::selftest::reference
