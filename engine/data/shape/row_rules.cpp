// SPDX-License-Identifier: Apache-2.0
#include "engine/data/shape/row_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace parapet::data {

std::string RowRules::reasonAgainstId(std::string_view column, std::int64_t id,
                                      const IdRange& range) {
  if (id < 0) return fmt::format("{} id {} is negative; ids from 0 are accepted", column, id);
  if (id == 0 && range.zeroIsReserved)
    return fmt::format("{} id 0: row 0 is reserved; a direct vocabulary accepts ids from 1",
                       column);
  if (id > range.last)
    return fmt::format("{} id {} is too large; ids up to {} are accepted ({})", column, id,
                       range.last, range.lastBecause);
  return {};
}

std::string RowRules::reasonAgainstRating(double rating) const {
  if (!std::isfinite(rating)) return fmt::format("rating {}; a finite number is accepted", rating);
  if (scale && (rating < (*scale)[0] || rating > (*scale)[1]))
    return fmt::format("rating {} is outside the label scale; {} to {} is accepted", rating,
                       (*scale)[0], (*scale)[1]);
  if (weighted && rating < 0.0)
    return fmt::format("rating {} is a negative weight; weights from 0 are accepted", rating);
  return {};
}

}  // namespace parapet::data
