// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/row_rules.h"

#include <fmt/format.h>

#include <cmath>

namespace parapet::data {

std::string IdRange::reasonAgainst(std::string_view column, std::int64_t id) const {
  if (id < 0) return fmt::format("{} id {} is negative; ids from 0 are accepted", column, id);
  if (id < first)
    return fmt::format("{} id {}: row 0 is reserved; a direct vocabulary accepts ids from {}",
                       column, id, first);
  return fmt::format("{} id {} is too large; ids up to {} are accepted ({})", column, id, last,
                     lastBecause);
}

namespace {

// Columns hold f32.
constexpr double kLargest = std::numeric_limits<float>::max();

}  // namespace

bool NumberRules::accept(double value) const {
  // Written so that NaN fails.
  return scale ? value >= (*scale)[0] && value <= (*scale)[1]
               : value >= (isWeight ? 0.0 : -kLargest) && value <= kLargest;
}

std::string NumberRules::reasonAgainst(std::string_view column, double value) const {
  if (!std::isfinite(value))
    return fmt::format("{} {}; a finite number is accepted", column, value);
  if (scale)
    return fmt::format("{} {} is outside the label scale; {} to {} is accepted", column, value,
                       (*scale)[0], (*scale)[1]);
  if (value > kLargest || value < -kLargest)
    return fmt::format("{} {} is too large; numbers up to {:.4g} are accepted", column, value,
                       kLargest);
  return fmt::format("{} {} is a negative weight; weights from 0 are accepted", column, value);
}

}  // namespace parapet::data
