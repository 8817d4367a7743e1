// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/data/ingest/shape/filter_parser.h"

namespace parapet::data {

// Values that pass a comparison are those between two ends, which are included. Constants and
// values are compared as the numbers they are: 2^53 + 1 is no double, so no double equals it.

/// Whether the constant itself is among the values.
enum class RangeEnd { kIncluded, kExcluded };

/// The smallest int64 that is ≥ the constant (kExcluded: > it); unset if there is none.
std::optional<std::int64_t> leastInteger(const FilterConstant& constant, RangeEnd end);
/// The largest int64 that is ≤ the constant (kExcluded: < it); unset if there is none.
std::optional<std::int64_t> mostInteger(const FilterConstant& constant, RangeEnd end);
/// The smallest double, infinity among them, that is ≥ the constant (kExcluded: > it).
double leastNumber(const FilterConstant& constant, RangeEnd end);
/// The largest double that is ≤ the constant (kExcluded: < it).
double mostNumber(const FilterConstant& constant, RangeEnd end);

}  // namespace parapet::data
