// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/workspace/workspace.h"

/// Trainings of recipe `yambda-context`, whose data say what the best model would reach.
namespace parapet::fidelity {

/// hit@10 per held-out example of the test part, nothing excluded, and what is best over the same
/// examples.
struct ContextFigures {
  std::string runId;
  std::int64_t examples = 0;
  double hit = 0.0, standardError = 0.0;
  double inContext = 0.0;       ///< EventOracle::hitRateIn each example's context
  double withoutContext = 0.0;  ///< EventOracle::hitRateWithoutContext
  double popularInContext = 0.0;
};

experiment::Experiment contextRecipe(std::uint64_t seed);
/// The experiment without its features of contexts.
experiment::Experiment withoutContexts(experiment::Experiment experiment);
/// Trains to the end and measures the last checkpoint.
Result<ContextFigures> measureContexts(workspace::Workspace& place,
                                       const experiment::Experiment& experiment);

/// How much lists of 10 differ, 1 − overlap@10, over users: between two contexts of one model and
/// between two seeds in one context.
struct ListDifferences {
  std::int64_t users = 0;
  double ofContexts = 0.0, ofSeeds = 0.0;  ///< means
  /// The standard error of the paired difference ofContexts − ofSeeds.
  double standardError = 0.0;
};
Result<ListDifferences> compareLists(workspace::Workspace& place, const std::string& run,
                                     const std::string& runOfAnotherSeed, std::size_t users);

}  // namespace parapet::fidelity
