// SPDX-License-Identifier: Apache-2.0
// Losses of rows and of lists: terms in f32, their sums in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor::cpu {
namespace {

float weightOf(const float* weights, std::int64_t row) {
  return weights ? weights[row] : 1.0f;
}

/// Loss of a pair and its derivative by d.
struct PairTerm {
  float loss, slope;
};

// `labels` is the difference of the labels.
PairTerm pairTerm(std::int32_t kind, float d, float labels) {
  switch (kind) {
    case PP_PAIR_HINGE:
      return d < 1.0f ? PairTerm{1.0f - d, -1.0f} : PairTerm{0.0f, 0.0f};
    case PP_PAIR_SQUARED: {
      const float rest = labels - d;
      return {rest * rest, -2.0f * rest};
    }
    default:
      break;
  }
  // e^−|d| does not overflow; of σ(−d) = 1 − σ(d) the form is taken that does not cancel.
  const float e = std::exp(-std::abs(d));
  const float wrong = (d >= 0.0f ? e : 1.0f) / (1.0f + e);
  if (kind == PP_PAIR_LOGISTIC) return {std::max(-d, 0.0f) + std::log1p(e), -wrong};
  return {wrong, -(e / ((1.0f + e) * (1.0f + e)))};
}

// Every pair of rows is met once. The squared loss counts it from both sides, the others from that
// of the greater label.
double pairsOfList(const PpPairLoss& args, std::int64_t begin, std::int64_t end) {
  const float inverse = 1.0f / args.temperature;
  if (args.gradient) std::fill(args.gradient + begin, args.gradient + end, 0.0f);
  double sum = 0.0;
  for (std::int64_t i = begin; i < end; ++i) {
    if (!(args.label[i] >= 0.0f)) continue;
    for (std::int64_t j = i + 1; j < end; ++j) {
      if (!(args.label[j] >= 0.0f)) continue;
      const bool both = args.kind == PP_PAIR_SQUARED;
      if (!both && args.label[i] == args.label[j]) continue;
      const std::int64_t above = args.label[i] >= args.label[j] ? i : j;
      const std::int64_t below = above == i ? j : i;
      const float weight =
          weightOf(args.weight, above) + (both ? weightOf(args.weight, below) : 0.0f);
      const PairTerm term = pairTerm(args.kind, (args.score[above] - args.score[below]) * inverse,
                                     args.label[above] - args.label[below]);
      sum += static_cast<double>(weight) * static_cast<double>(term.loss);
      if (!args.gradient) continue;
      const float change = args.gradientScale * inverse * weight * term.slope;
      args.gradient[above] += change;
      args.gradient[below] -= change;
    }
  }
  return sum;
}

// The sums of e^s grow from the last rank to the first; the gradient's memory keeps them for a
// second pass from the first rank to the last, where d(sum)/d(s_k) = e^{s_k}·Σ_{i ≤ k} w_i/(sum_i +
// ε) − w_k is complete at k. With ε the loss depends on the shift: the greatest s, which is
// subtracted, has a slope of its own, Σ_i w_i·ε/(sum_i + ε).
double listMleOfList(const PpListMle& args, std::int64_t begin, std::int64_t end) {
  constexpr double kEpsilon = 1e-10;  // Keras has it; without it a far tail would divide by 0
  const float inverse = 1.0f / args.temperature;
  std::int32_t* const order = args.order + begin;
  std::int64_t count = 0;
  float greatest = -std::numeric_limits<float>::infinity();
  std::int64_t rowOfGreatest = begin;
  for (std::int64_t row = begin; row < end; ++row) {
    if (args.gradient) args.gradient[row] = 0.0f;
    if (!(args.label[row] >= 0.0f)) continue;
    order[count++] = static_cast<std::int32_t>(row);
    const float s = args.score[row] * inverse;
    if (s > greatest) rowOfGreatest = row;
    greatest = std::max(greatest, s);
  }
  // With ties cut by row this is the stable order, and needs no memory.
  std::sort(order, order + count, [&](std::int32_t a, std::int32_t b) {
    return args.label[a] != args.label[b] ? args.label[a] > args.label[b] : a < b;
  });
  const auto shifted = [&](std::int32_t row) { return args.score[row] * inverse - greatest; };
  double sum = 0.0, tail = 0.0;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const std::int32_t row = order[i];
    const float s = shifted(row);
    tail += static_cast<double>(std::exp(s));
    sum += static_cast<double>(weightOf(args.weight, row)) *
           (std::log(tail + kEpsilon) - static_cast<double>(s));
    if (args.gradient) args.gradient[row] = static_cast<float>(tail);
  }
  if (!args.gradient || count == 0) return sum;
  double shares = 0.0, ofShift = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t row = order[i];
    const auto weight = static_cast<double>(weightOf(args.weight, row));
    const double share = weight / (static_cast<double>(args.gradient[row]) + kEpsilon);
    shares += share;
    ofShift += share * kEpsilon;
    const double slope = static_cast<double>(std::exp(shifted(row))) * shares - weight;
    args.gradient[row] = args.gradientScale * inverse * static_cast<float>(slope);
  }
  args.gradient[rowOfGreatest] += args.gradientScale * inverse * static_cast<float>(ofShift);
  return sum;
}

/// Rows of a list, on the average.
template <class Args>
std::int64_t averageRows(const Args& args) {
  return args.listCount > 0 ? (args.lists[args.listCount] - args.lists[0]) / args.listCount : 0;
}

// A list is never cut. `work` is that of an average list, in exponentials or so: a block should be
// worth waking a worker for.
template <class Args, class OfList>
double sumLists(const PpCall* call, const Args& args, std::int64_t work, const OfList& ofList) {
  constexpr std::int64_t kWork = 8192;
  return sumBlocks(call, args.listCount, 1 + kWork / (work + 1),
                   [&](std::int64_t begin, std::int64_t end) {
                     double sum = 0.0;
                     for (std::int64_t list = begin; list < end; ++list)
                       sum += ofList(args, args.lists[list], args.lists[list + 1]);
                     return sum;
                   });
}

}  // namespace

std::int32_t logisticLoss(const PpCall* call, const PpLogisticLoss* args) {
  constexpr std::int64_t kGrain = 4096;
  *args->sum += sumBlocks(call, args->rows, kGrain, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0.0;
    for (std::int64_t b = begin; b < end; ++b) {
      const float s = args->logit[b], y = args->label[b], weight = weightOf(args->weight, b);
      const float e = std::exp(-std::abs(s));
      sum += static_cast<double>(weight) *
             static_cast<double>(std::max(s, 0.0f) - s * y + std::log1p(e));
      if (!args->gradient) continue;
      const float probability = (s >= 0.0f ? 1.0f : e) / (1.0f + e);
      args->gradient[b] = args->gradientScale * weight * (probability - y);
    }
    return sum;
  });
  return PP_OK;
}

std::int32_t pairLoss(const PpCall* call, const PpPairLoss* args) {
  const std::int64_t rows = averageRows(*args);
  *args->sum += sumLists(call, *args, rows * rows / 2, pairsOfList);
  return PP_OK;
}

std::int32_t listMle(const PpCall* call, const PpListMle* args) {
  *args->sum += sumLists(call, *args, 4 * averageRows(*args), listMleOfList);
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
