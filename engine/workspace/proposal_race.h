// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/progress.h"
#include "engine/workspace/proposal.h"

namespace parapet::workspace {

/// How much a race may cost. A budget is of rows and steps, never of seconds, so that its outcome is
/// the same on a slow machine.
struct RaceBudget {
  std::int64_t rows = 300'000;    ///< the first ones of the source
  std::int64_t steps = 1'000;     ///< of each variant
  std::int64_t queries = 2'000;   ///< lists of each validation
  std::int64_t minQueries = 200;  ///< validation rows; of fewer, chance decides
};

/// Trains variants of a proposal for a while, with its seed, and returns the one whose lists are the
/// best on validation rows, with what was measured among its reasons. Test rows are not looked at.
///
///   histories     rows with a time: the last item and the last five, with tables of their own, beside
///                 the mean of the last twenty
///   sequences     where those are better: self-attention over the last fifty items as well, trained at
///                 every position
///   temperature   half of that of the rule, and from there on a quarter or twice as much
///
/// The settings of the rule stay where no variant is better. Only models of two towers that learn by a
/// softmax have variants; any other proposal is returned as it is.
///
/// Writes   an import and checkpoints below the folder for temporary files, removed at the end.
/// Returns  the proposal itself, with the reason why, where too few rows validate, a variant could not
///          be trained or the work was cancelled.
Proposal raceProposal(Proposal proposal, const WorkContext& context, const RaceBudget& budget = {});

}  // namespace parapet::workspace
