// SPDX-License-Identifier: Apache-2.0
// Row updates of the optimizers. The gradient of a row is merged in registers, in the order of the
// batch, and applied at once: it is never written out. A row is updated by one worker, so cutting
// the rows over workers changes no bit.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

/// N registers of the gradient that belongs to place u of the target, from column d on.
template <class Number, int N>
inline void mergeGradient(const PpUpdateTarget& target, std::int64_t u, std::int64_t d,
                          Number (&sum)[N]) {
  const auto add = [&](std::int64_t n, auto combine) {
    const std::int64_t row = target.gradRows ? target.gradRows[n] : n;
    const float* from = target.grad + row * target.width + d;
    const float scale = target.scale ? target.scale[n] : 1.0f;
    for (int i = 0; i < N; ++i) combine(sum[i], scale * load<Number>(from + i * kWidth<Number>));
  };
  std::int64_t n = target.first ? target.first[u] : u;
  add(n, [](Number& to, Number term) { to = term; });
  if (!target.first) return;
  while ((n = target.next[n]) >= 0) add(n, [](Number& to, Number term) { to += term; });
}

/// Calls rule(at, gradient) for the numbers of the row at place u; `at` is their offset.
template <class Rule>
inline void updateRow(const PpUpdateTarget& target, std::int64_t row, std::int64_t u,
                      const Rule& rule) {
  forChunks(target.width, [&]<class Number, int N>(std::int64_t d) {
    Number gradient[N];
    mergeGradient(target, u, d, gradient);
    for (int i = 0; i < N; ++i) rule(row * target.width + d + i * kWidth<Number>, gradient[i]);
  });
}

/// The same for a row without a gradient: that is 0.
template <class Rule>
inline void updateIdleRow(const PpUpdateTarget& target, std::int64_t row, const Rule& rule) {
  forChunks(target.width, [&]<class Number, int N>(std::int64_t d) {
    for (int i = 0; i < N; ++i) rule(row * target.width + d + i * kWidth<Number>, Number{});
  });
}

/// Every row of a parameter that has a gradient. `slots`: arrays like the weight that the rule
/// uses.
template <class Rule>
void forGradientRows(const PpCall* call, const PpUpdateTarget& target, const Rule& rule,
                     const float* slot0 = nullptr, const float* slot1 = nullptr) {
  const std::int64_t width = target.width;
  if (!target.rows) {
    // One long row, however narrow the rows are.
    constexpr std::int64_t kGrain = 64 * 1024;
    forBlocks(call, target.count * width, kGrain, [&](std::int64_t begin, std::int64_t end) {
      forChunks(end - begin, [&]<class Number, int N>(std::int64_t d) {
        for (int i = 0; i < N; ++i) {
          const std::int64_t at = begin + d + i * kWidth<Number>;
          rule(at, load<Number>(target.grad + at));
        }
      });
    });
    return;
  }
  const bool ahead = target.tableRows * width > kCachedNumbers;
  forBlocks(call, target.count, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      if (ahead && u + kRowsAhead < end) {
        const std::int64_t at = target.rows[u + kRowsAhead] * width;
        prefetchRow(target.weight + at, width);
        if (slot0) prefetchRow(slot0 + at, width);
        if (slot1) prefetchRow(slot1 + at, width);
      }
      updateRow(target, target.rows[u], u, rule);
    }
  });
}

/// Every row of a parameter; those without a gradient take part with 0. placeOfRow maps a row to
/// its place in the gradient for the duration of the call.
template <class Rule>
void forEveryRow(const PpCall* call, const PpUpdateTarget& target, std::int32_t* placeOfRow,
                 const Rule& rule) {
  for (std::int64_t u = 0; u < target.count; ++u)
    placeOfRow[target.rows[u]] = static_cast<std::int32_t>(u);
  forBlocks(call, target.tableRows, rowGrain(target.width),
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t row = begin; row < end; ++row)
                if (placeOfRow[row] < 0)
                  updateIdleRow(target, row, rule);
                else
                  updateRow(target, row, placeOfRow[row], rule);
            });
  for (std::int64_t u = 0; u < target.count; ++u) placeOfRow[target.rows[u]] = -1;
}

template <class Rule>
void forRows(const PpCall* call, const PpUpdateTarget& target, bool everyRow,
             std::int32_t* placeOfRow, const Rule& rule, const float* slot0, const float* slot1) {
  if (everyRow && target.rows)
    forEveryRow(call, target, placeOfRow, rule);
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

}  // namespace

std::int32_t sgd(const PpCall* call, const PpSgd* args) {
  const float rate = args->learningRate, momentum = args->momentum;
  float* const weight = args->target.weight;
  float* const velocity = args->velocity;
  if (!velocity) {
    forGradientRows(call, args->target, [=]<class Number>(std::int64_t at, Number gradient) {
      store(weight + at, load<Number>(weight + at) - rate * gradient);
    });
    return PP_OK;
  }
  forRows(
      call, args->target, args->everyRow, args->placeOfRow,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number v = momentum * load<Number>(velocity + at) - rate * gradient;
        store(velocity + at, v);
        store(weight + at, load<Number>(weight + at) + v);
      },
      velocity, nullptr);
  return PP_OK;
}

std::int32_t adagrad(const PpCall* call, const PpAdagrad* args) {
  const float rate = args->learningRate;
  const Root root(args->epsilon, args->epsilonInsideRoot != 0);
  float* const weight = args->target.weight;
  float* const accumulator = args->accumulator;
  forGradientRows(
      call, args->target,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number sum = load<Number>(accumulator + at) + gradient * gradient;
        store(accumulator + at, sum);
        store(weight + at, load<Number>(weight + at) - rate * gradient / root.of(sum));
      },
      accumulator);
  return PP_OK;
}

// The step of a row needs the squares of all its gradients first; they are merged twice, since the
// second time they are in the nearest cache.
std::int32_t rowwiseAdagrad(const PpCall* call, const PpRowwiseAdagrad* args) {
  const PpUpdateTarget& target = args->target;
  const std::int64_t width = target.width;
  const Root root(args->epsilon, args->epsilonInsideRoot != 0);
  const bool ahead = target.tableRows * width > kCachedNumbers;
  forBlocks(call, target.count, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t row = target.rows ? target.rows[u] : u;
      if (ahead && target.rows && u + kRowsAhead < end) {
        const std::int64_t later = target.rows[u + kRowsAhead];
        prefetchRow(target.weight + later * width, width);
        prefetchRow(args->accumulator + later, 1);
      }
      float squares = 0.0f;
      forChunks(width, [&]<class Number, int N>(std::int64_t d) {
        Number gradient[N], total{};
        mergeGradient(target, u, d, gradient);
        for (int i = 0; i < N; ++i) total += gradient[i] * gradient[i];
        squares += sum(total);
      });
      float& accumulator = args->accumulator[row];
      accumulator += squares / static_cast<float>(width);
      const float step = args->learningRate / root.of(accumulator);
      updateRow(target, row, u, [&]<class Number>(std::int64_t at, Number gradient) {
        store(target.weight + at, load<Number>(target.weight + at) - step * gradient);
      });
    }
  });
  return PP_OK;
}

std::int32_t adam(const PpCall* call, const PpAdam* args) {
  const PpAdam a = *args;
  forRows(
      call, a.target, a.everyRow, a.placeOfRow,
      [=]<class Number>(std::int64_t at, Number gradient) {
        const Number m = a.beta1 * load<Number>(a.moment + at) + (1.0f - a.beta1) * gradient;
        const Number v =
            a.beta2 * load<Number>(a.variance + at) + (1.0f - a.beta2) * gradient * gradient;
        store(a.moment + at, m);
        store(a.variance + at, v);
        const Number root = squareRoot(v) * a.rootScale + a.epsilon;
        store(a.target.weight + at, load<Number>(a.target.weight + at) - a.stepSize * m / root);
      },
      a.moment, a.variance);
  return PP_OK;
}

}  // namespace parapet::plugin
