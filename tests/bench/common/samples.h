// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/workers.h"
#include "tests/bench/common/arguments.h"

namespace parapet::bench {

/// Fills with uniform numbers in [-0.5, 0.5): a pure function of seed and position.
void fillUniform(std::span<float> values, std::uint64_t seed, Workers& workers);

/// Fills with one value, each worker a part: of a big table, which so gets its pages.
void fillConstant(std::span<float> values, float value, Workers& workers);

/// Rows to look up, [count] in [0, tableRows), in an order without locality: the frequent rows of
/// kZipf are scattered over the table.
std::vector<std::int32_t> drawRows(RowDraw draw, std::int64_t tableRows, std::int64_t count,
                                   std::uint64_t seed);

}  // namespace parapet::bench
