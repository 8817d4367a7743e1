// SPDX-License-Identifier: Apache-2.0
// Normalisation over the columns of a row and over the rows of a batch. Means and variances are
// summed in double precision.
#include <algorithm>
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

// (x − mean)·inverse is the normalised row.
struct RowStatistics {
  float mean, inverse;
  RowStatistics(const ConstRow& x, float epsilon) {
    const double exactMean = x.cast<double>().mean();
    const double variance = (x.cast<double>() - exactMean).square().mean();
    mean = static_cast<float>(exactMean);
    inverse = static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(epsilon)));
  }
};

void layerNormParameterGradients(const PpLayerNormGradient& args) {
  const std::int64_t width = args.width;
  if (args.dgamma) Row(args.dgamma, width).setZero();
  if (args.dbeta) Row(args.dbeta, width).setZero();
  for (std::int64_t b = 0; b < args.rows; ++b) {
    const ConstRow x(args.x + b * width, width), dy(args.dy + b * width, width);
    if (args.dbeta) Row(args.dbeta, width) += dy;
    if (!args.dgamma) continue;
    const RowStatistics statistics(x, args.epsilon);
    Row(args.dgamma, width) += dy * ((x - statistics.mean) * statistics.inverse);
  }
}

// Neighbouring columns of a batch that are summed side by side: a cache line of f32.
constexpr std::int64_t kColumns = 16;

// Calls body(first, count) for strips of at most kColumns columns that cover the width.
template <class Body>
void forStrips(const PpCall* call, std::int64_t rows, std::int64_t width, const Body& body) {
  const std::int64_t grain = kColumns * rowGrain(kColumns * std::max<std::int64_t>(1, rows));
  forBlocks(call, width, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += kColumns)
      body(first, std::min(kColumns, end - first));
  });
}

// Mean and variance of each column of a strip. They are summed as distances to the first row, so
// that a large mean does not cancel the variance.
struct ColumnStatistics {
  double mean[kColumns] = {}, variance[kColumns] = {};
  ColumnStatistics(const float* x, std::int64_t rows, std::int64_t width, std::int64_t count) {
    for (std::int64_t b = 1; b < rows; ++b)
      for (std::int64_t c = 0; c < count; ++c) {
        const double distance = static_cast<double>(x[b * width + c]) - static_cast<double>(x[c]);
        mean[c] += distance;
        variance[c] += distance * distance;
      }
    const auto scale = 1.0 / static_cast<double>(rows);
    for (std::int64_t c = 0; c < count; ++c) {
      mean[c] *= scale;
      variance[c] = std::max(0.0, variance[c] * scale - mean[c] * mean[c]);
      mean[c] += static_cast<double>(x[c]);
    }
  }
  [[nodiscard]] double inverse(std::int64_t c, float epsilon) const {
    return 1.0 / std::sqrt(variance[c] + static_cast<double>(epsilon));
  }
};

void move(float& moving, double momentum, double now) {
  moving = static_cast<float>(momentum * static_cast<double>(moving) + (1.0 - momentum) * now);
}

void batchNormGradientOfStrip(const PpBatchNormGradient& args, std::int64_t first,
                              std::int64_t count) {
  const float* x = args.x + first;
  const float* dy = args.dy + first;
  const ColumnStatistics statistics(x, args.rows, args.width, count);
  double inverse[kColumns], dgamma[kColumns] = {}, dbeta[kColumns] = {};
  for (std::int64_t c = 0; c < count; ++c) inverse[c] = statistics.inverse(c, args.epsilon);
  const auto normalised = [&](std::int64_t b, std::int64_t c) {
    return (static_cast<double>(x[b * args.width + c]) - statistics.mean[c]) * inverse[c];
  };
  for (std::int64_t b = 0; b < args.rows; ++b)
    for (std::int64_t c = 0; c < count; ++c) {
      const auto slope = static_cast<double>(dy[b * args.width + c]);
      dbeta[c] += slope;
      dgamma[c] += slope * normalised(b, c);
    }
  for (std::int64_t c = 0; c < count; ++c) {
    if (args.dgamma) args.dgamma[first + c] = static_cast<float>(dgamma[c]);
    if (args.dbeta) args.dbeta[first + c] = static_cast<float>(dbeta[c]);
  }
  if (!args.dx) return;
  const double share = 1.0 / static_cast<double>(args.rows);
  for (std::int64_t b = 0; b < args.rows; ++b)
    for (std::int64_t c = 0; c < count; ++c) {
      const double centred = static_cast<double>(dy[b * args.width + c]) - share * dbeta[c] -
                             share * dgamma[c] * normalised(b, c);
      args.dx[b * args.width + first + c] =
          static_cast<float>(static_cast<double>(args.gamma[first + c]) * inverse[c] * centred);
    }
}

}  // namespace

std::int32_t layerNorm(const PpCall* call, const PpLayerNorm* args) {
  const std::int64_t width = args->width;
  const ConstRow gamma(args->gamma, width), beta(args->beta, width);
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const ConstRow x(args->x + b * width, width);
      const RowStatistics statistics(x, args->epsilon);
      Row(args->y + b * width, width) = gamma * ((x - statistics.mean) * statistics.inverse) + beta;
    }
  });
  return PP_OK;
}

std::int32_t layerNormGradient(const PpCall* call, const PpLayerNormGradient* args) {
  const std::int64_t width = args->width;
  // First: dx may overwrite dy.
  if (args->dgamma || args->dbeta) layerNormParameterGradients(*args);
  if (!args->dx) return PP_OK;
  const ConstRow gamma(args->gamma, width);
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const ConstRow x(args->x + b * width, width), dy(args->dy + b * width, width);
      const RowStatistics statistics(x, args->epsilon);
      const auto normalised = (x - statistics.mean) * statistics.inverse;
      const auto towards = gamma * dy;
      const auto mean = static_cast<float>(towards.template cast<double>().mean());
      const auto slope = static_cast<float>((towards * normalised).template cast<double>().mean());
      Row(args->dx + b * width, width) = (towards - mean - normalised * slope) * statistics.inverse;
    }
  });
  return PP_OK;
}

std::int32_t batchNorm(const PpCall* call, const PpBatchNorm* args) {
  const PpBatchNorm a = *args;
  const auto momentum = static_cast<double>(a.momentum);
  forStrips(call, a.rows, a.width, [&](std::int64_t first, std::int64_t count) {
    float mean[kColumns], factor[kColumns];
    if (a.useBatch) {
      const ColumnStatistics statistics(a.x + first, a.rows, a.width, count);
      for (std::int64_t c = 0; c < count; ++c) {
        mean[c] = static_cast<float>(statistics.mean[c]);
        factor[c] = static_cast<float>(statistics.inverse(c, a.epsilon));
        move(a.movingMean[first + c], momentum, statistics.mean[c]);
        move(a.movingVariance[first + c], momentum, statistics.variance[c]);
      }
    } else {
      for (std::int64_t c = 0; c < count; ++c) {
        mean[c] = a.movingMean[first + c];
        factor[c] = 1.0f / std::sqrt(a.movingVariance[first + c] + a.epsilon);
      }
    }
    for (std::int64_t c = 0; c < count; ++c) factor[c] *= a.gamma[first + c];
    for (std::int64_t b = 0; b < a.rows; ++b)
      for (std::int64_t c = 0; c < count; ++c) {
        const std::int64_t at = b * a.width + first + c;
        a.y[at] = (a.x[at] - mean[c]) * factor[c] + a.beta[first + c];
      }
  });
  return PP_OK;
}

std::int32_t batchNormGradient(const PpCall* call, const PpBatchNormGradient* args) {
  forStrips(call, args->rows, args->width, [&](std::int64_t first, std::int64_t count) {
    batchNormGradientOfStrip(*args, first, count);
  });
  return PP_OK;
}

namespace {

// Mean and spread of a column whose rows lie in several memories.
struct SharedColumn {
  double mean, variance;
  SharedColumn(double s1, double s2, std::int64_t batchRows)
      : mean(s1 / static_cast<double>(batchRows)), variance(s2 / static_cast<double>(batchRows)) {}
  [[nodiscard]] double inverse(float epsilon) const {
    return 1.0 / std::sqrt(variance + static_cast<double>(epsilon));
  }
};

void gradientSumsOfStrip(const PpBatchNormGradientSums& a, std::int64_t first, std::int64_t count) {
  for (std::int64_t c = first; c < first + count; ++c) {
    const SharedColumn column(a.s1[c], a.s2[c], a.batchRows);
    const double inverse = column.inverse(a.epsilon);
    double dbeta = 0.0, dgamma = 0.0;
    for (std::int64_t b = 0; b < a.rows; ++b) {
      const auto slope = static_cast<double>(a.dy[b * a.width + c]);
      dbeta += slope;
      dgamma += slope * (static_cast<double>(a.x[b * a.width + c]) - column.mean) * inverse;
    }
    a.sums[c] = dbeta;
    a.sums[a.width + c] = dgamma;
    if (a.dbeta) a.dbeta[c] = static_cast<float>(dbeta);
    if (a.dgamma) a.dgamma[c] = static_cast<float>(dgamma);
  }
}

void gradientOfStrip(const PpBatchNormGradientOfSums& a, std::int64_t first, std::int64_t count) {
  const double share = 1.0 / static_cast<double>(a.batchRows);
  for (std::int64_t c = first; c < first + count; ++c) {
    const SharedColumn column(a.s1[c], a.s2[c], a.batchRows);
    const double inverse = column.inverse(a.epsilon);
    for (std::int64_t b = 0; b < a.rows; ++b) {
      const std::int64_t at = b * a.width + c;
      const double normalised = (static_cast<double>(a.x[at]) - column.mean) * inverse;
      const double centred = static_cast<double>(a.dy[at]) - share * a.sums[c] -
                             share * a.sums[a.width + c] * normalised;
      a.dx[at] = static_cast<float>(static_cast<double>(a.gamma[c]) * inverse * centred);
    }
  }
}

}  // namespace

std::int32_t batchMoments(const PpCall* call, const PpBatchMoments* args) {
  const PpBatchMoments a = *args;
  forStrips(call, a.rows, a.width, [&](std::int64_t first, std::int64_t count) {
    double sums[kColumns] = {}, center[kColumns] = {};
    for (std::int64_t c = 0; a.center && c < count; ++c)
      center[c] = a.center[first + c] / static_cast<double>(a.batchRows);
    for (std::int64_t b = 0; b < a.rows; ++b)
      for (std::int64_t c = 0; c < count; ++c) {
        const double distance = static_cast<double>(a.x[b * a.width + first + c]) - center[c];
        sums[c] += a.center ? distance * distance : distance;
      }
    std::copy_n(sums, count, a.sums + first);
  });
  return PP_OK;
}

std::int32_t batchNormOfMoments(const PpCall* call, const PpBatchNormOfMoments* args) {
  const PpBatchNormOfMoments a = *args;
  const auto momentum = static_cast<double>(a.momentum);
  forStrips(call, a.rows, a.width, [&](std::int64_t first, std::int64_t count) {
    float mean[kColumns], factor[kColumns];
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t at = first + c;
      const SharedColumn column(a.s1[at], a.s2[at], a.batchRows);
      mean[c] = static_cast<float>(column.mean);
      factor[c] = static_cast<float>(column.inverse(a.epsilon)) * a.gamma[at];
      move(a.movingMean[at], momentum, column.mean);
      move(a.movingVariance[at], momentum, column.variance);
    }
    for (std::int64_t b = 0; b < a.rows; ++b)
      for (std::int64_t c = 0; c < count; ++c) {
        const std::int64_t at = b * a.width + first + c;
        a.y[at] = (a.x[at] - mean[c]) * factor[c] + a.beta[first + c];
      }
  });
  return PP_OK;
}

std::int32_t batchNormGradientSums(const PpCall* call, const PpBatchNormGradientSums* args) {
  forStrips(call, args->rows, args->width, [&](std::int64_t first, std::int64_t count) {
    gradientSumsOfStrip(*args, first, count);
  });
  return PP_OK;
}

std::int32_t batchNormGradientOfSums(const PpCall* call, const PpBatchNormGradientOfSums* args) {
  forStrips(call, args->rows, args->width,
            [&](std::int64_t first, std::int64_t count) { gradientOfStrip(*args, first, count); });
  return PP_OK;
}

namespace {

// Σ x² of a row.
double squaresOf(const ConstRow& x) {
  return x.cast<double>().square().sum();
}

}  // namespace

std::int32_t l2Normalize(const PpCall* call, const PpL2Normalize* args) {
  const std::int64_t width = args->width;
  const auto least = static_cast<double>(args->epsilon);
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const ConstRow x(args->x + b * width, width);
      Row(args->y + b * width, width) =
          x * static_cast<float>(1.0 / std::sqrt(std::max(squaresOf(x), least)));
    }
  });
  return PP_OK;
}

std::int32_t l2NormalizeGradient(const PpCall* call, const PpL2NormalizeGradient* args) {
  const std::int64_t width = args->width;
  const auto least = static_cast<double>(args->epsilon);
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const ConstRow x(args->x + b * width, width), dy(args->dy + b * width, width);
      const double squares = squaresOf(x);
      const auto inverse = static_cast<float>(1.0 / std::sqrt(std::max(squares, least)));
      // Along x the length does not change, unless it is that of epsilon.
      const double along =
          squares < least ? 0.0 : (x.cast<double>() * dy.cast<double>()).sum() / squares;
      Row(args->dx + b * width, width) = (dy - x * static_cast<float>(along)) * inverse;
    }
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
