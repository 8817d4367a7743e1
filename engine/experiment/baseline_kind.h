// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/experiment/document_model.h"
#include "engine/experiment/verdict.h"

namespace parapet::experiment {

/// What a baseline is under a loss: "constant" is a mean label, and equal scores where the loss
/// compares with negatives. All that names a baseline to a person asks this.
constexpr BaselineKind baselineKind(std::string_view baseline, LossKind loss) {
  return baseline == "constant" && usesNegatives(loss) ? BaselineKind::kEqualScores
                                                       : BaselineKind::kTrained;
}

}  // namespace parapet::experiment
