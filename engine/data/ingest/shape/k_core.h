// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The rows that a k-core keeps.
struct KCoreResult {
  std::vector<std::uint64_t> keep;  ///< bit r mod 64 of word r / 64: row r stays
  std::int64_t rows = 0;            ///< remaining rows
  std::int64_t rounds = 0;          ///< passes over the rows, the last of which dropped none
};

/// The largest set of rows in which every user that occurs has at least `least.user` rows and every
/// item at least `least.item`. It may be empty.
///
/// Shapes   users, items [N], one number per row in [0, userCount) and [0, itemCount).
/// Order    the set does not depend on the order of the rows; `rounds` does.
/// Memory   4 bytes per user and item, one bit per row; the columns are read front to back, so they
///          may be mapped files.
/// Errors   InvalidArgument if the columns differ in length or hold a number out of range, naming
///          the row; kCancelled.
/// Thread   pure.
/// Source   Seidman, "Network structure and minimum degree" (1983), on a bipartite graph.
Result<KCoreResult> kCore(std::span<const std::int32_t> users, std::span<const std::int32_t> items,
                          std::int64_t userCount, std::int64_t itemCount,
                          const experiment::KCore& least, const WorkContext& context);

}  // namespace parapet::data
