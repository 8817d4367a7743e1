// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter_ranges.h"

#include <cmath>
#include <limits>

namespace parapet::data {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
constexpr double kBeyond = 9223372036854775808.0;  // 2^63, the first double that is no int64
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isNumber(const FilterConstant& constant) {
  return constant.kind == FilterConstant::Kind::kNumber;
}

/// −1, 0 or 1 as the double is below, at or above the integer.
int compare(double number, std::int64_t integer) {
  if (number >= kBeyond) return 1;
  const auto whole = static_cast<std::int64_t>(number);  // of an integer that was rounded: exact
  return whole < integer ? -1 : whole > integer ? 1 : 0;
}

}  // namespace

std::optional<std::int64_t> leastInteger(const FilterConstant& constant, RangeEnd end) {
  std::int64_t least = constant.integer;
  bool isConstant = true;
  if (isNumber(constant)) {
    if (constant.number >= kBeyond) return std::nullopt;
    if (constant.number < -kBeyond) return kFirst;
    least = static_cast<std::int64_t>(std::ceil(constant.number));
    isConstant = std::ceil(constant.number) == constant.number;
  }
  if (end == RangeEnd::kIncluded || !isConstant) return least;
  if (least == kLast) return std::nullopt;
  return least + 1;
}

std::optional<std::int64_t> mostInteger(const FilterConstant& constant, RangeEnd end) {
  std::int64_t most = constant.integer;
  bool isConstant = true;
  if (isNumber(constant)) {
    if (constant.number < -kBeyond) return std::nullopt;
    if (constant.number >= kBeyond) return kLast;
    most = static_cast<std::int64_t>(std::floor(constant.number));
    isConstant = std::floor(constant.number) == constant.number;
  }
  if (end == RangeEnd::kIncluded || !isConstant) return most;
  if (most == kFirst) return std::nullopt;
  return most - 1;
}

double leastNumber(const FilterConstant& constant, RangeEnd end) {
  const double near = isNumber(constant) ? constant.number : static_cast<double>(constant.integer);
  const int side = isNumber(constant) ? 0 : compare(near, constant.integer);
  const bool passes = side > 0 || (side == 0 && end == RangeEnd::kIncluded);
  return passes ? near : std::nextafter(near, kInfinity);
}

double mostNumber(const FilterConstant& constant, RangeEnd end) {
  const double near = isNumber(constant) ? constant.number : static_cast<double>(constant.integer);
  const int side = isNumber(constant) ? 0 : compare(near, constant.integer);
  const bool passes = side < 0 || (side == 0 && end == RangeEnd::kIncluded);
  return passes ? near : std::nextafter(near, -kInfinity);
}

}  // namespace parapet::data
