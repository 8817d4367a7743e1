// SPDX-License-Identifier: Apache-2.0
// Row updates of the optimizers. The gradient of a row is merged in registers, in the order of the
// batch, and applied at once: it is never written out. A row is updated by one worker, so cutting
// the rows over workers changes no bit.
#include <atomic>
#include <cmath>

#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

/// The first term of the gradient of row u of the target.
inline std::int64_t firstTerm(const PpUpdateTarget& target, std::int64_t u) {
  return target.first ? target.first[u] : u;
}

/// Term n, without its scale.
template <class Width>
inline const float* termsOf(const PpUpdateTarget& target, Width width, std::int64_t n) {
  return target.grad + (target.gradRows ? target.gradRows[n] : n) * width;
}

/// N registers of the gradient of row u of the target, from column d on.
template <class Number, int N, class Width>
[[gnu::always_inline]] inline void mergeGradient(const PpUpdateTarget& target, Width width,
                                                 std::int64_t u, std::int64_t d, Number (&sum)[N]) {
  const auto scaleOf = [&](std::int64_t n) { return target.scale ? target.scale[n] : 1.0f; };
  std::int64_t n = firstTerm(target, u);
  const float* terms = termsOf(target, width, n) + d;
  const float scale = scaleOf(n);
  for (int i = 0; i < N; ++i) sum[i] = scale * load<Number>(terms + i * kWidth<Number>);
  if (!target.first) return;
  // The rows of a group lie anywhere in the batch: the next one is asked for while this one is
  // added.
  n = target.next[n];
  while (n >= 0) {
    const std::int64_t following = target.next[n];
    const float* more = termsOf(target, width, n) + d;
    const float factor = scaleOf(n);
    if (following >= 0) prefetchRow(termsOf(target, width, following) + d, N * kWidth<Number>);
    for (int i = 0; i < N; ++i) sum[i] += factor * load<Number>(more + i * kWidth<Number>);
    n = following;
  }
}

/// Stores a weight and gives it back.
template <class Number>
inline Number stored(float* at, Number weight) {
  store(at, weight);
  return weight;
}

/// Looks for weights that are NaN or infinite while they are updated: 0 · weight is then NaN, and
/// so is the sum of these products. They are summed in registers first: a sum that is kept while
/// the rows go by lies in memory, and waits for itself.
class FiniteCheck {
 public:
  /// 0, or NaN.
  template <class Number>
  static Number ofWeight(Number weight) {
    return 0.0f * weight;
  }
  template <class Number>
  void add(Number seen) {
    if constexpr (kWidth<Number> == kLanes)
      wide_ += seen;
    else
      narrow_ += sum(seen);
  }
  void report(const PpUpdateTarget& target) const {
    if (target.nonFinite && std::isnan(narrow_ + sum(wide_)))
      std::atomic_ref(*target.nonFinite).store(1, std::memory_order_relaxed);
  }

 private:
  Floats wide_{};
  float narrow_ = 0.0f;
};

/// For rows that are merged and not applied.
struct NoCheck {
  template <class Number>
  static Number ofWeight(Number) {
    return Number{};
  }
  template <class Number>
  void add(Number) {}
};

/// Calls rule(at, gradient) for the elements of row u of the target; `at` is their offset, the rule
/// gives the new weights.
template <class Width, class Rule, class Check>
[[gnu::always_inline]] inline void updateRow(const PpUpdateTarget& target, Width width,
                                             std::int64_t row, std::int64_t u, const Rule& rule,
                                             Check& check) {
  forNarrowChunks(width, [&]<class Number, int N>(std::int64_t d) {
    Number gradient[N];
    mergeGradient(target, width, u, d, gradient);
    Number seen{};
    for (int i = 0; i < N; ++i)
      seen += Check::ofWeight(rule(row * width + d + i * kWidth<Number>, gradient[i]));
    check.add(seen);
  });
}

/// updateRow() for a row without a gradient, which is 0.
template <class Width, class Rule>
[[gnu::always_inline]] inline void updateIdleRow(Width width, std::int64_t row, const Rule& rule,
                                                 FiniteCheck& check) {
  forNarrowChunks(width, [&]<class Number, int N>(std::int64_t d) {
    Number seen{};
    for (int i = 0; i < N; ++i)
      seen += FiniteCheck::ofWeight(rule(row * width + d + i * kWidth<Number>, Number{}));
    check.add(seen);
  });
}

/// Every row has a gradient: one long row, however narrow the rows are.
template <class Rule>
void forWholeParameter(const PpCall* call, const PpUpdateTarget& target, const Rule& rule) {
  forBlocks(call, target.count * target.width, parameterGrain(1),
            [target, rule](std::int64_t begin, std::int64_t end) {
              const float* const grad = target.grad;
              FiniteCheck check;
              forChunks(end - begin, [=, &check]<class Number, int N>(std::int64_t d) {
                Number seen{};
                for (int i = 0; i < N; ++i) {
                  const std::int64_t at = begin + d + i * kWidth<Number>;
                  seen += FiniteCheck::ofWeight(rule(at, load<Number>(grad + at)));
                }
                check.add(seen);
              });
              check.report(target);
            });
}

/// The rows that have a gradient. `slot0`, `slot1`: arrays like the weight that the rule uses, or
/// null.
template <class Rule>
void forGradientRows(const PpCall* call, const PpUpdateTarget& to, const Rule& rule,
                     const float* slot0 = nullptr, const float* slot1 = nullptr) {
  if (!to.rows) return forWholeParameter(call, to, rule);
  const bool ahead = to.tableRows * to.width > kCachedElements;
  forBlocks(call, to.count, updateGrain(to),
            [target = to, rule, ahead, slot0, slot1](std::int64_t begin, std::int64_t end) {
              withNarrowWidth(target.width, [=](auto width) {
                FiniteCheck check;
                for (std::int64_t u = begin; u < end; ++u) {
                  if (ahead && u + kRowsAhead < end) {
                    const std::int64_t at = target.rows[u + kRowsAhead] * width;
                    prefetchRow(target.weight + at, width);
                    prefetchRow(termsOf(target, width, firstTerm(target, u + kRowsAhead)), width);
                    if (slot0) prefetchRow(slot0 + at, width);
                    if (slot1) prefetchRow(slot1 + at, width);
                  }
                  updateRow(target, width, target.rows[u], u, rule, check);
                }
                check.report(target);
              });
            });
}

/// Every row of a parameter; those without a gradient take part with 0. indexOfRow maps a row to
/// its index in the gradient for the duration of the call.
template <class Rule>
void forEveryRow(const PpCall* call, const PpUpdateTarget& to, std::int32_t* indexOfRow,
                 const Rule& rule) {
  for (std::int64_t u = 0; u < to.count; ++u) indexOfRow[to.rows[u]] = static_cast<std::int32_t>(u);
  forBlocks(call, to.tableRows, parameterGrain(to.width),
            [target = to, indexOfRow, rule](std::int64_t begin, std::int64_t end) {
              withWidth(target.width, [=](auto width) {
                FiniteCheck check;
                for (std::int64_t row = begin; row < end; ++row)
                  if (indexOfRow[row] < 0)
                    updateIdleRow(width, row, rule, check);
                  else
                    updateRow(target, width, row, indexOfRow[row], rule, check);
                check.report(target);
              });
            });
  for (std::int64_t u = 0; u < to.count; ++u) indexOfRow[to.rows[u]] = -1;
}

template <class Rule>
void forRows(const PpCall* call, const PpUpdateTarget& target, bool everyRow,
             std::int32_t* indexOfRow, const Rule& rule, const float* slot0, const float* slot1) {
  if (everyRow && target.rows)
    forEveryRow(call, target, indexOfRow, rule);
  else
    forGradientRows(call, target, rule, slot0, slot1);
}

/// The two conventions of Adagrad in one formula: one of the two epsilons is zero.
struct Root {
  float inside, outside;
  Root(float epsilon, bool isInside)
      : inside(isInside ? epsilon : 0.0f), outside(isInside ? 0.0f : epsilon) {}
  template <class Number>
  Number of(Number accumulator) const {
    return squareRoot(accumulator + inside) + outside;
  }
};

/// x^power of non-negative x; almost always a root.
template <class Number>
inline Number raised(Number x, float power) {
  if (power == 0.5f) return squareRoot(x);
  if constexpr (kWidth<Number> == 1) {
    return std::pow(x, power);
  } else {
    for (int lane = 0; lane < kWidth<Number>; ++lane) x[lane] = std::pow(x[lane], power);
    return x;
  }
}

/// x within [-limit, limit]; NaN stays.
template <class Number>
inline Number clamped(Number x, float limit) {
  const Number high = Number{} + limit;
  x = x > high ? high : x;
  return x < -high ? -high : x;
}

/// Mean over the columns of the squared gradient of row u. The row is merged once for this and
/// once more for its update, when what it is made of lies in the nearest cache.
template <class Width>
inline float meanSquare(const PpUpdateTarget& target, Width width, std::int64_t u) {
  float squares = 0.0f;
  forChunks(width, [&]<class Number, int N>(std::int64_t d) {
    Number gradient[N], total{};
    mergeGradient(target, width, u, d, gradient);
    for (int i = 0; i < N; ++i) total += gradient[i] * gradient[i];
    squares += sum(total);
  });
  return squares / static_cast<float>(std::int64_t{width});
}

}  // namespace

std::int32_t sgd(const PpCall* call, const PpSgd* args) {
  const PpSgd a = current(*args);
  const float rate = a.learningRate, momentum = a.momentum;
  float* const weight = a.target.weight;
  float* const velocity = a.velocity;
  if (!velocity) {
    forGradientRows(call, a.target, [=]<class Number>(std::int64_t at, Number gradient) {
      return stored(weight + at, load<Number>(weight + at) - rate * gradient);
    });
    return PP_OK;
  }
  forRows(
      call, a.target, a.everyRow, a.indexOfRow,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number v = momentum * load<Number>(velocity + at) - rate * gradient;
        store(velocity + at, v);
        return stored(weight + at, load<Number>(weight + at) + v);
      },
      velocity, nullptr);
  return PP_OK;
}

std::int32_t adagrad(const PpCall* call, const PpAdagrad* args) {
  const PpAdagrad a = current(*args);
  const float rate = a.learningRate;
  const Root root(a.epsilon, a.epsilonInsideRoot != 0);
  float* const weight = a.target.weight;
  float* const accumulator = a.accumulator;
  forGradientRows(
      call, a.target,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number sum = load<Number>(accumulator + at) + gradient * gradient;
        store(accumulator + at, sum);
        return stored(weight + at, load<Number>(weight + at) - rate * gradient / root.of(sum));
      },
      accumulator);
  return PP_OK;
}

std::int32_t rowwiseAdagrad(const PpCall* call, const PpRowwiseAdagrad* args) {
  const PpRowwiseAdagrad a = current(*args);
  const PpUpdateTarget& to = a.target;
  const Root root(a.epsilon, a.epsilonInsideRoot != 0);
  const float rate = a.learningRate;
  const bool ahead = to.rows && to.tableRows * to.width > kCachedElements;
  forBlocks(call, to.count, updateGrain(to),
            [=, target = to, accumulators = a.accumulator, means = a.meanSquares](
                std::int64_t begin, std::int64_t end) {
              withWidth(target.width, [=](auto width) {
                FiniteCheck check;
                for (std::int64_t u = begin; u < end; ++u) {
                  if (ahead && u + kRowsAhead < end) {
                    const std::int64_t later = target.rows[u + kRowsAhead];
                    prefetchRow(target.weight + later * width, width);
                    prefetchRow(accumulators + later, 1);
                    prefetchRow(termsOf(target, width, firstTerm(target, u + kRowsAhead)), width);
                  }
                  const std::int64_t row = target.rows ? target.rows[u] : u;
                  accumulators[row] += means ? means[u] : meanSquare(target, width, u);
                  const float step = rate / root.of(accumulators[row]);
                  updateRow(
                      target, width, row, u,
                      [=, weight = target.weight]<class Number>(std::int64_t at, Number gradient) {
                        return stored(weight + at, load<Number>(weight + at) - step * gradient);
                      },
                      check);
                }
                check.report(target);
              });
            });
  return PP_OK;
}

std::int32_t adam(const PpCall* call, const PpAdam* args) {
  const PpAdam a = current(*args);
  forRows(
      call, a.target, a.everyRow, a.indexOfRow,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number m = a.beta1 * load<Number>(a.moment + at) + (1.0f - a.beta1) * gradient;
        const Number v =
            a.beta2 * load<Number>(a.variance + at) + (1.0f - a.beta2) * gradient * gradient;
        store(a.moment + at, m);
        store(a.variance + at, v);
        const Number root = squareRoot(v) * a.rootScale + a.epsilon;
        return stored(a.target.weight + at,
                      load<Number>(a.target.weight + at) - a.stepSize * m / root);
      },
      a.moment, a.variance);
  return PP_OK;
}

std::int32_t ftrl(const PpCall* call, const PpFtrl* args) {
  const PpFtrl a = current(*args);
  const float power = -a.learningRatePower, pull = 2.0f * a.l2 + a.beta / a.learningRate;
  forGradientRows(
      call, a.target,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number before = load<Number>(a.accumulator + at), sum = before + gradient * gradient;
        const Number after = raised(sum, power), weight = load<Number>(a.target.weight + at);
        const Number linear = load<Number>(a.linear + at) + gradient -
                              (after - raised(before, power)) / a.learningRate * weight;
        store(a.accumulator + at, sum);
        store(a.linear + at, linear);
        return stored(a.target.weight + at,
                      (clamped(linear, a.l1) - linear) / (after / a.learningRate + pull));
      },
      a.accumulator, a.linear);
  return PP_OK;
}

std::int32_t mergeRows(const PpCall* call, const PpMergeRows* args) {
  const PpUpdateTarget to = current(args->target);
  forBlocks(call, to.count, updateGrain(to),
            [target = to, out = args->out](std::int64_t begin, std::int64_t end) {
              withWidth(target.width, [=](auto width) {
                NoCheck check;
                for (std::int64_t u = begin; u < end; ++u)
                  updateRow(
                      target, width, u, u,
                      [=]<class Number>(std::int64_t at, Number gradient) {
                        return stored(out + at, gradient);
                      },
                      check);
              });
            });
  return PP_OK;
}

}  // namespace parapet::plugin
