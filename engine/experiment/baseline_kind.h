// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/experiment/document_model.h"
#include "engine/experiment/verdict.h"

namespace parapet::experiment {

/// The kind of a baseline under the loss of a run: "constant" is a mean label, and equal scores where
/// the loss compares with negatives. Beside a `metric` of another head it is the mean of that
/// head's label. All that names a baseline to a person asks this.
constexpr BaselineKind baselineKind(std::string_view baseline, LossKind loss,
                                    std::string_view metric = "val_loss") {
  const bool isOwn = metric == "val_loss" || metric == "val_score_loss";
  return baseline == "constant" && isOwn && usesNegatives(loss) ? BaselineKind::kEqualScores
                                                                : BaselineKind::kTrained;
}

}  // namespace parapet::experiment
