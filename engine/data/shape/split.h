// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Rows of a data set by part, in the order they are used.
struct Split {
  std::vector<std::int64_t> train, validation, test;
};

/// Shuffles all rows once from (seed, kSplit) and cuts: the first rows are train, the next
/// validation, the next test; what is left over is unused. Counts are rows; ratios are rounded
/// down, and if the ratios sum to 1 the remainder goes to the last part that is not empty.
///
/// Errors   InvalidDocument at /dataset/split if more rows are asked for than there are, or train
/// is empty. Thread   pure.
Result<Split> makeSplit(std::int64_t rows, const experiment::Split& spec, std::uint64_t seed);

}  // namespace parapet::data
