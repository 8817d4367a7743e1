// SPDX-License-Identifier: Apache-2.0
// Normalisation of rows. Means and variances are summed in double precision.
#include <cmath>

#include "plugins/cpu/kernels.h"
#include "plugins/cpu/powers.h"

namespace parapet::plugin {
namespace {

using Doubles = double __attribute__((vector_size(sizeof(Floats))));

inline Doubles widened(HalfFloats x) {
  return __builtin_convertvector(x, Doubles);
}

/// Σ body(x) over numbers that are made doubles first.
class ExactSum {
 public:
  template <class Number, class Body>
  void add(int i, Number x, const Body& body) {
    if constexpr (kWidth<Number> == 1) {
      rest_ += body(static_cast<double>(x));
    } else if constexpr (kWidth<Number> == kWidth<HalfFloats>) {
      lanes_[i] += body(widened(x));
    } else {
      lanes_[i] += body(widened(lowHalf(x)));
      lanes_[i] += body(widened(highHalf(x)));
    }
  }
  [[nodiscard]] double total() const {
    const Doubles all = (lanes_[0] + lanes_[1]) + (lanes_[2] + lanes_[3]);
    double sum = rest_;
    for (std::int64_t lane = 0; lane < kWidth<HalfFloats>; lane += 2)
      sum += all[lane] + all[lane + 1];
    return sum;
  }

 private:
  Doubles lanes_[4]{};
  double rest_ = 0.0;
};

/// (x − mean)·inverse is the normalised row.
struct RowStatistics {
  float mean, inverse;
  RowStatistics(const float* x, std::int64_t width, float epsilon) {
    const double share = 1.0 / static_cast<double>(width);
    ExactSum sum, squares;
    forLine(width, [&]<class Number>(int i, std::int64_t at) {
      sum.add(i, load<Number>(x + at), [](auto value) { return value; });
    });
    const double exactMean = sum.total() * share;
    forLine(width, [&]<class Number>(int i, std::int64_t at) {
      squares.add(i, load<Number>(x + at), [=](auto value) {
        const auto distance = value - exactMean;
        return distance * distance;
      });
    });
    mean = static_cast<float>(exactMean);
    inverse =
        static_cast<float>(1.0 / std::sqrt(squares.total() * share + static_cast<double>(epsilon)));
  }
};

void gradientOfRow(const PpLayerNormGradient& a, std::int64_t b) {
  const float* const x = a.x + b * a.width;
  const float* const dy = a.dy + b * a.width;
  float* const dx = a.dx + b * a.width;
  const RowStatistics statistics(x, a.width, a.epsilon);
  const double share = 1.0 / static_cast<double>(a.width);
  ExactSum sum, product;
  const auto itself = [](auto value) { return value; };
  forLine(a.width, [&]<class Number>(int i, std::int64_t at) {
    const Number towards = load<Number>(a.gamma + at) * load<Number>(dy + at);
    sum.add(i, towards, itself);
    product.add(i, towards * ((load<Number>(x + at) - statistics.mean) * statistics.inverse),
                itself);
  });
  const auto mean = static_cast<float>(sum.total() * share);
  const auto slope = static_cast<float>(product.total() * share);
  forLine(a.width, [&]<class Number>(int, std::int64_t at) {
    const Number towards = load<Number>(a.gamma + at) * load<Number>(dy + at);
    const Number normalised = (load<Number>(x + at) - statistics.mean) * statistics.inverse;
    store(dx + at, (towards - mean - normalised * slope) * statistics.inverse);
  });
}

void parameterGradients(const PpLayerNormGradient& a) {
  if (a.dgamma) std::fill_n(a.dgamma, a.width, 0.0f);
  if (a.dbeta) std::fill_n(a.dbeta, a.width, 0.0f);
  for (std::int64_t b = 0; b < a.rows; ++b) {
    const float* const x = a.x + b * a.width;
    const float* const dy = a.dy + b * a.width;
    if (a.dbeta)
      forLine(a.width, [&]<class Number>(int, std::int64_t at) {
        store(a.dbeta + at, load<Number>(a.dbeta + at) + load<Number>(dy + at));
      });
    if (!a.dgamma) continue;
    const RowStatistics statistics(x, a.width, a.epsilon);
    forLine(a.width, [&]<class Number>(int, std::int64_t at) {
      const Number normalised = (load<Number>(x + at) - statistics.mean) * statistics.inverse;
      store(a.dgamma + at, load<Number>(a.dgamma + at) + load<Number>(dy + at) * normalised);
    });
  }
}

}  // namespace

std::int32_t layerNorm(const PpCall* call, const PpLayerNorm* args) {
  const PpLayerNorm a = *args;
  forBlocks(call, a.rows, rowGrain(a.width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const float* const x = a.x + b * a.width;
      float* const y = a.y + b * a.width;
      const RowStatistics statistics(x, a.width, a.epsilon);
      forLine(a.width, [&]<class Number>(int, std::int64_t at) {
        const Number normalised = (load<Number>(x + at) - statistics.mean) * statistics.inverse;
        store(y + at, load<Number>(a.gamma + at) * normalised + load<Number>(a.beta + at));
      });
    }
  });
  return PP_OK;
}

std::int32_t layerNormGradient(const PpCall* call, const PpLayerNormGradient* args) {
  const PpLayerNormGradient a = *args;
  // First: dx may overwrite dy.
  if (a.dgamma || a.dbeta) parameterGradients(a);
  if (!a.dx) return PP_OK;
  forBlocks(call, a.rows, rowGrain(a.width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) gradientOfRow(a, b);
  });
  return PP_OK;
}

}  // namespace parapet::plugin
