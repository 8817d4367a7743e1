// SPDX-License-Identifier: Apache-2.0
// Normalisation over the columns of a row, by a warp, and over the rows of a batch, by sums of
// columns. Means and variances are summed in double precision.
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// (x − mean)·inverse is the normalised row.
struct RowStatistics {
  float mean, inverse;
};

PP_DEVICE RowStatistics statisticsOf(const float* x, std::int64_t width, float epsilon) {
  double sum = 0.0, squares = 0.0;
  for (std::int64_t d = lane(); d < width; d += kWarp) sum += static_cast<double>(x[d]);
  const double mean = sumOverWarp(sum) / static_cast<double>(width);
  for (std::int64_t d = lane(); d < width; d += kWarp) {
    const double distance = static_cast<double>(x[d]) - mean;
    squares += distance * distance;
  }
  const double variance = sumOverWarp(squares) / static_cast<double>(width);
  return {static_cast<float>(mean),
          static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(epsilon)))};
}

/// Mean and variance of a column, from sums over all rows.
struct ColumnStatistics {
  double mean, variance;
  PP_DEVICE double inverse(float epsilon) const {
    return 1.0 / std::sqrt(variance + static_cast<double>(epsilon));
  }
};

PP_DEVICE ColumnStatistics fromMoments(const double* s1, const double* s2, std::int64_t column,
                                       std::int64_t rows) {
  return {s1[column] / static_cast<double>(rows), s2[column] / static_cast<double>(rows)};
}

PP_DEVICE void moveTo(float* moving, float momentum, double now) {
  const auto kept = static_cast<double>(momentum);
  *moving = static_cast<float>(kept * static_cast<double>(*moving) + (1.0 - kept) * now);
}

/// Means and variances of the columns of x into [width] of each. Sums are of the distances to the
/// first row, so that a large mean does not cancel the variance. after(column, statistics).
template <class After>
void columnStatistics(const PpCall* call, Scratch& scratch, std::int64_t rows, std::int64_t width,
                      const float* x, ColumnStatistics* out, const After& after) {
  sumColumns<2>(
      call, scratch, rows, width,
      [=] PP_DEVICE(std::int64_t row, std::int64_t c) {
        const double distance = static_cast<double>(x[row * width + c]) - static_cast<double>(x[c]);
        return Sums<2>{{distance, distance * distance}};
      },
      [=] PP_DEVICE(std::int64_t c, const Sums<2>& total) {
        const double shift = total.of[0] / static_cast<double>(rows);
        const double variance = total.of[1] / static_cast<double>(rows) - shift * shift;
        out[c] = {shift + static_cast<double>(x[c]), variance > 0.0 ? variance : 0.0};
        after(c, out[c]);
      });
}

struct Nothing {
  PP_DEVICE void operator()(std::int64_t, const ColumnStatistics&) const {}
};
struct MoveStatistics {
  float *mean, *variance, momentum;
  PP_DEVICE void operator()(std::int64_t c, const ColumnStatistics& now) const {
    moveTo(mean + c, momentum, now.mean);
    moveTo(variance + c, momentum, now.variance);
  }
};

/// sums[0 … width) = Σ dy, sums[width … 2·width) = Σ dy·h; and to dbeta and dgamma, which may be
/// null.
void gradientSums(const PpCall* call, Scratch& scratch, std::int64_t rows, std::int64_t width,
                  const float* x, const float* dy, const ColumnStatistics* of, float epsilon,
                  double* sums, float* dgamma, float* dbeta) {
  sumColumns<2>(
      call, scratch, rows, width,
      [=] PP_DEVICE(std::int64_t row, std::int64_t c) {
        const auto slope = static_cast<double>(dy[row * width + c]);
        const double h =
            (static_cast<double>(x[row * width + c]) - of[c].mean) * of[c].inverse(epsilon);
        return Sums<2>{{slope, slope * h}};
      },
      [=] PP_DEVICE(std::int64_t c, const Sums<2>& total) {
        sums[c] = total.of[0];
        sums[width + c] = total.of[1];
        if (dbeta) dbeta[c] = static_cast<float>(total.of[0]);
        if (dgamma) dgamma[c] = static_cast<float>(total.of[1]);
      });
}

/// dx = gamma/sqrt(variance + eps)·(dy − sums[c]/batchRows − h·sums[width + c]/batchRows).
void gradientOfSums(const PpCall* call, std::int64_t rows, std::int64_t width,
                    std::int64_t batchRows, const float* x, const float* dy, const float* gamma,
                    const ColumnStatistics* of, float epsilon, const double* sums, float* dx) {
  forRows(call, rows, width, [=] PP_DEVICE(std::int64_t row, std::int64_t c) {
    const std::int64_t at = row * width + c;
    const double share = 1.0 / static_cast<double>(batchRows), inverse = of[c].inverse(epsilon);
    const double h = (static_cast<double>(x[at]) - of[c].mean) * inverse;
    const double centred =
        static_cast<double>(dy[at]) - share * sums[c] - share * sums[width + c] * h;
    dx[at] = static_cast<float>(static_cast<double>(gamma[c]) * inverse * centred);
  });
}

void momentsToStatistics(const PpCall* call, std::int64_t width, std::int64_t batchRows,
                         const double* s1, const double* s2, ColumnStatistics* out) {
  forElements(call, width,
              [=] PP_DEVICE(std::int64_t c) { out[c] = fromMoments(s1, s2, c, batchRows); });
}

}  // namespace

std::int32_t layerNorm(const PpCall* call, const PpLayerNorm* args) {
  const PpLayerNorm a = *args;
  forWarps(call, a.rows, [a] PP_DEVICE(std::int64_t b) {
    const float* const x = a.x + b * a.width;
    const RowStatistics of = statisticsOf(x, a.width, a.epsilon);
    for (std::int64_t d = lane(); d < a.width; d += kWarp)
      a.y[b * a.width + d] = a.gamma[d] * ((x[d] - of.mean) * of.inverse) + a.beta[d];
  });
  return done(call);
}

// The sums over the rows first: dx may overwrite dy.
std::int32_t layerNormGradient(const PpCall* call, const PpLayerNormGradient* args) {
  const PpLayerNormGradient a = *args;
  if (a.dgamma || a.dbeta) {
    Scratch scratch(call);
    auto* const statistics = scratch.take<RowStatistics>(a.rows);
    forWarps(call, a.rows, [=] PP_DEVICE(std::int64_t b) {
      const RowStatistics of = statisticsOf(a.x + b * a.width, a.width, a.epsilon);
      if (lane() == 0) statistics[b] = of;
    });
    sumColumns<2>(
        call, scratch, a.rows, a.width,
        [=] PP_DEVICE(std::int64_t b, std::int64_t d) {
          const float dy = a.dy[b * a.width + d];
          const float h = (a.x[b * a.width + d] - statistics[b].mean) * statistics[b].inverse;
          return Sums<2>{{static_cast<double>(dy), static_cast<double>(dy * h)}};
        },
        [=] PP_DEVICE(std::int64_t d, const Sums<2>& total) {
          if (a.dbeta) a.dbeta[d] = static_cast<float>(total.of[0]);
          if (a.dgamma) a.dgamma[d] = static_cast<float>(total.of[1]);
        });
  }
  if (!a.dx) return done(call);
  forWarps(call, a.rows, [a] PP_DEVICE(std::int64_t b) {
    const float *const x = a.x + b * a.width, *const dy = a.dy + b * a.width;
    const RowStatistics of = statisticsOf(x, a.width, a.epsilon);
    double sum = 0.0, along = 0.0;
    for (std::int64_t d = lane(); d < a.width; d += kWarp) {
      const float towards = a.gamma[d] * dy[d];
      sum += static_cast<double>(towards);
      along += static_cast<double>(towards * ((x[d] - of.mean) * of.inverse));
    }
    const auto mean = static_cast<float>(sumOverWarp(sum) / static_cast<double>(a.width));
    const auto slope = static_cast<float>(sumOverWarp(along) / static_cast<double>(a.width));
    for (std::int64_t d = lane(); d < a.width; d += kWarp) {
      const float h = (x[d] - of.mean) * of.inverse;
      a.dx[b * a.width + d] = (a.gamma[d] * dy[d] - mean - h * slope) * of.inverse;
    }
  });
  return done(call);
}

std::int32_t batchNorm(const PpCall* call, const PpBatchNorm* args) {
  const PpBatchNorm a = *args;
  Scratch scratch(call);
  auto* const statistics = scratch.take<ColumnStatistics>(a.width);
  if (a.useBatch) {
    if (a.rows == 0) return done(call);
    columnStatistics(call, scratch, a.rows, a.width, a.x, statistics,
                     MoveStatistics{a.movingMean, a.movingVariance, a.momentum});
  } else {
    forElements(call, a.width, [=] PP_DEVICE(std::int64_t c) {
      statistics[c] = {static_cast<double>(a.movingMean[c]),
                       static_cast<double>(a.movingVariance[c])};
    });
  }
  forRows(call, a.rows, a.width, [=] PP_DEVICE(std::int64_t b, std::int64_t c) {
    const auto mean = static_cast<float>(statistics[c].mean);
    const float factor = static_cast<float>(statistics[c].inverse(a.epsilon)) * a.gamma[c];
    a.y[b * a.width + c] = (a.x[b * a.width + c] - mean) * factor + a.beta[c];
  });
  return done(call);
}

std::int32_t batchNormGradient(const PpCall* call, const PpBatchNormGradient* args) {
  const PpBatchNormGradient a = *args;
  if (a.rows == 0) return done(call);
  Scratch scratch(call);
  auto* const statistics = scratch.take<ColumnStatistics>(a.width);
  auto* const sums = scratch.take<double>(2 * a.width);
  columnStatistics(call, scratch, a.rows, a.width, a.x, statistics, Nothing{});
  gradientSums(call, scratch, a.rows, a.width, a.x, a.dy, statistics, a.epsilon, sums, a.dgamma,
               a.dbeta);
  if (a.dx)
    gradientOfSums(call, a.rows, a.width, a.rows, a.x, a.dy, a.gamma, statistics, a.epsilon, sums,
                   a.dx);
  return done(call);
}

std::int32_t batchMoments(const PpCall* call, const PpBatchMoments* args) {
  const PpBatchMoments a = *args;
  Scratch scratch(call);
  sumColumns<1>(
      call, scratch, a.rows, a.width,
      [a] PP_DEVICE(std::int64_t b, std::int64_t c) {
        const auto x = static_cast<double>(a.x[b * a.width + c]);
        if (!a.center) return Sums<1>{{x}};
        const double distance = x - a.center[c] / static_cast<double>(a.batchRows);
        return Sums<1>{{distance * distance}};
      },
      [a] PP_DEVICE(std::int64_t c, const Sums<1>& total) { a.sums[c] = total.of[0]; });
  return done(call);
}

std::int32_t batchNormOfMoments(const PpCall* call, const PpBatchNormOfMoments* args) {
  const PpBatchNormOfMoments a = *args;
  const MoveStatistics move{a.movingMean, a.movingVariance, a.momentum};
  forElements(call, a.width, [a, move] PP_DEVICE(std::int64_t c) {
    move(c, fromMoments(a.s1, a.s2, c, a.batchRows));
  });
  forRows(call, a.rows, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t c) {
    const ColumnStatistics of = fromMoments(a.s1, a.s2, c, a.batchRows);
    const float factor = static_cast<float>(of.inverse(a.epsilon)) * a.gamma[c];
    const float distance = a.x[b * a.width + c] - static_cast<float>(of.mean);
    a.y[b * a.width + c] = distance * factor + a.beta[c];
  });
  return done(call);
}

std::int32_t batchNormGradientSums(const PpCall* call, const PpBatchNormGradientSums* args) {
  const PpBatchNormGradientSums a = *args;
  Scratch scratch(call);
  auto* const statistics = scratch.take<ColumnStatistics>(a.width);
  momentsToStatistics(call, a.width, a.batchRows, a.s1, a.s2, statistics);
  gradientSums(call, scratch, a.rows, a.width, a.x, a.dy, statistics, a.epsilon, a.sums, a.dgamma,
               a.dbeta);
  return done(call);
}

std::int32_t batchNormGradientOfSums(const PpCall* call, const PpBatchNormGradientOfSums* args) {
  const PpBatchNormGradientOfSums a = *args;
  Scratch scratch(call);
  auto* const statistics = scratch.take<ColumnStatistics>(a.width);
  momentsToStatistics(call, a.width, a.batchRows, a.s1, a.s2, statistics);
  gradientOfSums(call, a.rows, a.width, a.batchRows, a.x, a.dy, a.gamma, statistics, a.epsilon,
                 a.sums, a.dx);
  return done(call);
}

std::int32_t l2Normalize(const PpCall* call, const PpL2Normalize* args) {
  const PpL2Normalize a = *args;
  forWarps(call, a.rows, [a] PP_DEVICE(std::int64_t b) {
    const float* const x = a.x + b * a.width;
    double squares = 0.0;
    for (std::int64_t d = lane(); d < a.width; d += kWarp)
      squares += static_cast<double>(x[d]) * static_cast<double>(x[d]);
    squares = sumOverWarp(squares);
    const auto least = static_cast<double>(a.epsilon);
    const auto inverse = static_cast<float>(1.0 / std::sqrt(squares > least ? squares : least));
    for (std::int64_t d = lane(); d < a.width; d += kWarp) a.y[b * a.width + d] = x[d] * inverse;
  });
  return done(call);
}

// Along x the length does not change, unless it is that of epsilon.
std::int32_t l2NormalizeGradient(const PpCall* call, const PpL2NormalizeGradient* args) {
  const PpL2NormalizeGradient a = *args;
  forWarps(call, a.rows, [a] PP_DEVICE(std::int64_t b) {
    const float *const x = a.x + b * a.width, *const dy = a.dy + b * a.width;
    double squares = 0.0, product = 0.0;
    for (std::int64_t d = lane(); d < a.width; d += kWarp) {
      squares += static_cast<double>(x[d]) * static_cast<double>(x[d]);
      product += static_cast<double>(x[d]) * static_cast<double>(dy[d]);
    }
    squares = sumOverWarp(squares);
    product = sumOverWarp(product);
    const auto least = static_cast<double>(a.epsilon);
    const auto inverse = static_cast<float>(1.0 / std::sqrt(squares > least ? squares : least));
    const auto along = squares < least ? 0.0f : static_cast<float>(product / squares);
    for (std::int64_t d = lane(); d < a.width; d += kWarp)
      a.dx[b * a.width + d] = (dy[d] - x[d] * along) * inverse;
  });
  return done(call);
}

}  // namespace parapet::cuda
