// SPDX-License-Identifier: Apache-2.0
// Losses of rows, and of lists by a block each: terms in f32, their sums in double precision.
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

PP_DEVICE float weightOf(const float* weights, std::int64_t row) {
  return weights ? weights[row] : 1.0f;
}

/// Loss of a pair and its derivative by d.
struct PairTerm {
  float loss, slope;
};

// `labels` is the difference of the labels. e^−|d| does not overflow; of σ(−d) = 1 − σ(d) the form
// is taken that does not cancel.
PP_DEVICE PairTerm pairTerm(std::int32_t kind, float d, float labels) {
  if (kind == PP_PAIR_HINGE) return d < 1.0f ? PairTerm{1.0f - d, -1.0f} : PairTerm{0.0f, 0.0f};
  if (kind == PP_PAIR_SQUARED) {
    const float rest = labels - d;
    return {rest * rest, -2.0f * rest};
  }
  const float e = std::exp(-std::abs(d));
  const float wrong = (d >= 0.0f ? e : 1.0f) / (1.0f + e);
  if (kind == PP_PAIR_LOGISTIC) return {(d < 0.0f ? -d : 0.0f) + std::log1p(e), -wrong};
  return {wrong, -(e / ((1.0f + e) * (1.0f + e)))};
}

/// A block's list: row i, by one thread, meets all others; its loss counts from the side of the
/// greater label, its gradient from both.
struct PairsOfList {
  PpPairLoss a;
  double* losses;
  PP_DEVICE void operator()(std::int64_t list) const {
    const std::int64_t begin = a.lists[list], end = a.lists[list + 1];
    const float inverse = 1.0f / a.temperature;
    double sum = 0.0;
    for (std::int64_t i = begin + thread(); i < end; i += threads()) {
      double gradient = 0.0;
      for (std::int64_t j = begin; j < end && a.label[i] >= 0.0f; ++j) {
        if (j == i || !(a.label[j] >= 0.0f)) continue;
        const bool both = a.kind == PP_PAIR_SQUARED;
        if (!both && a.label[i] == a.label[j]) continue;
        const bool isAbove = both || a.label[i] > a.label[j];
        const std::int64_t above = isAbove ? i : j, below = isAbove ? j : i;
        const PairTerm term = pairTerm(a.kind, (a.score[above] - a.score[below]) * inverse,
                                       a.label[above] - a.label[below]);
        const float weight = weightOf(a.weight, above) + (both ? weightOf(a.weight, below) : 0.0f);
        const float slope = weight * term.slope;
        gradient += static_cast<double>(isAbove ? slope : -slope);
        if (isAbove)
          sum += static_cast<double>(weightOf(a.weight, i)) * static_cast<double>(term.loss);
      }
      if (a.gradient) a.gradient[i] = a.gradientScale * inverse * static_cast<float>(gradient);
    }
    sum = sumOverBlock(sum);
    if (thread() == 0) losses[list] = sum;
  }
};

/// A warp's list. Ranks are found side by side; the sums from the last rank to the first, and back,
/// are one lane's: see PpListMle and the portable kernel for the slope of the greatest score.
struct ListMleOfList {
  PpListMle a;
  double* losses;

  PP_DEVICE void operator()(std::int64_t list) const {
    const std::int64_t begin = a.lists[list], end = a.lists[list + 1];
    std::int32_t* const order = a.order + begin;
    std::int32_t mine = 0;
    for (std::int64_t row = begin + lane(); row < end; row += kWarp) {
      if (a.gradient) a.gradient[row] = 0.0f;
      if (!(a.label[row] >= 0.0f)) continue;
      ++mine;
      std::int64_t rank = 0;
      for (std::int64_t other = begin; other < end; ++other)
        if (a.label[other] > a.label[row] || (a.label[other] == a.label[row] && other < row))
          ++rank;
      order[rank] = static_cast<std::int32_t>(row);
    }
    const std::int32_t count = sumOverWarp(mine);
    meet();
    if (lane() == 0) losses[list] = run(order, count, begin, end);
  }

 private:
  PP_DEVICE double run(const std::int32_t* order, std::int32_t count, std::int64_t begin,
                       std::int64_t end) const {
    constexpr double kEpsilon = 1e-10;
    const float inverse = 1.0f / a.temperature;
    float greatest = -kInfinity;
    std::int64_t rowOfGreatest = begin;
    for (std::int64_t row = begin; row < end; ++row)
      if (a.label[row] >= 0.0f && a.score[row] * inverse > greatest) {
        rowOfGreatest = row;
        greatest = a.score[row] * inverse;
      }
    double sum = 0.0, tail = 0.0;
    for (std::int64_t i = count - 1; i >= 0; --i) {
      const float s = a.score[order[i]] * inverse - greatest;
      tail += static_cast<double>(std::exp(s));
      sum += static_cast<double>(weightOf(a.weight, order[i])) *
             (std::log(tail + kEpsilon) - static_cast<double>(s));
      if (a.gradient) a.gradient[order[i]] = static_cast<float>(tail);
    }
    if (!a.gradient || count == 0) return sum;
    double shares = 0.0, ofShift = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = order[i];
      const auto weight = static_cast<double>(weightOf(a.weight, row));
      const double share = weight / (static_cast<double>(a.gradient[row]) + kEpsilon);
      shares += share;
      ofShift += share * kEpsilon;
      const float power = std::exp(a.score[row] * inverse - greatest);
      const double slope = static_cast<double>(power) * shares - weight;
      a.gradient[row] = a.gradientScale * inverse * static_cast<float>(slope);
    }
    a.gradient[rowOfGreatest] += a.gradientScale * inverse * static_cast<float>(ofShift);
    return sum;
  }
};

/// *sum += Σ losses.
void addLosses(const PpCall* call, Scratch& scratch, const double* losses, std::int64_t count,
               double* sum) {
  sumAll<1>(
      call, scratch, count, [=] PP_DEVICE(std::int64_t i) { return Sums<1>{{losses[i]}}; },
      [=] PP_DEVICE(const Sums<1>& total) { *sum += total.of[0]; });
}

}  // namespace

std::int32_t squaredError(const PpCall* call, const PpSquaredError* args) {
  const PpSquaredError a = *args;
  Scratch scratch(call);
  sumAll<3>(
      call, scratch, a.rows,
      [a] PP_DEVICE(std::int64_t b) {
        const float error = a.prediction[b] - a.label[b], weight = weightOf(a.weight, b);
        const double weighted = static_cast<double>(weight) * static_cast<double>(error);
        if (a.gradient) a.gradient[b] = a.gradientScale * 2.0f * weight * error;
        return Sums<3>{{weighted * static_cast<double>(error), std::abs(weighted),
                        static_cast<double>(weight)}};
      },
      [a] PP_DEVICE(const Sums<3>& total) {
        for (int k = 0; k < 3; ++k) a.sums[k] += total.of[k];
      });
  return done(call);
}

std::int32_t logisticLoss(const PpCall* call, const PpLogisticLoss* args) {
  const PpLogisticLoss a = *args;
  Scratch scratch(call);
  sumAll<1>(
      call, scratch, a.rows,
      [a] PP_DEVICE(std::int64_t b) {
        const float s = a.logit[b], y = a.label[b], weight = weightOf(a.weight, b);
        const float e = std::exp(-std::abs(s));
        const float probability = (s >= 0.0f ? 1.0f : e) / (1.0f + e);
        if (a.gradient) a.gradient[b] = a.gradientScale * weight * (probability - y);
        const float loss = (s > 0.0f ? s : 0.0f) - s * y + std::log1p(e);
        return Sums<1>{{static_cast<double>(weight) * static_cast<double>(loss)}};
      },
      [a] PP_DEVICE(const Sums<1>& total) { *a.sum += total.of[0]; });
  return done(call);
}

std::int32_t pairLoss(const PpCall* call, const PpPairLoss* args) {
  Scratch scratch(call);
  auto* const losses = scratch.take<double>(args->listCount);
  forBlocks(call, args->listCount, PairsOfList{*args, losses}, kWarp * 2);
  addLosses(call, scratch, losses, args->listCount, args->sum);
  return done(call);
}

std::int32_t listMle(const PpCall* call, const PpListMle* args) {
  Scratch scratch(call);
  auto* const losses = scratch.take<double>(args->listCount);
  forBlocks(call, args->listCount, ListMleOfList{*args, losses}, kWarp);
  addLosses(call, scratch, losses, args->listCount, args->sum);
  return done(call);
}

}  // namespace parapet::cuda
