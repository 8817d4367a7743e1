// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/mesh/sharding_plan.h"

namespace parapet::mesh {

DistinctRows DistinctRows::uniform(std::int64_t rows) {
  DistinctRows curve;
  curve.rows_ = static_cast<double>(std::max<std::int64_t>(1, rows));
  return curve;
}

DistinctRows DistinctRows::measured(std::int64_t rows, Sample small, Sample large) {
  DistinctRows curve = uniform(rows);
  curve.measured_ = true;
  curve.at_ = large;
  if (large.ids > small.ids)
    curve.exponent_ = std::clamp(
        std::log(large.distinct / small.distinct) / std::log(large.ids / small.ids), 0.0, 1.0);
  return curve;
}

double DistinctRows::of(double ids) const {
  if (ids <= 0.0) return 0.0;
  const double found = measured_ ? at_.distinct * std::pow(ids / at_.ids, exponent_)
                                 : -rows_ * std::expm1(ids * std::log1p(-1.0 / rows_));
  return std::min({rows_ == 1.0 ? 1.0 : found, rows_, ids});
}

}  // namespace parapet::mesh
