// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// What the value of a loss depends on besides the quality of the model and the rows: two documents
/// whose losses can be compared have equal texts.
///
///   always            the losses of all heads, labels, weights of examples; of texts what is masked
///   with negatives    also the batch, whose candidates they are: equal scores lose ln B
///   listwise          also the length of a group
///   reduction "sum"   also the batch
std::string lossScale(const Experiment& experiment);

/// Those of some settings (JSON pointers) that change lossScale(); all of them if none is known to.
std::vector<std::string> scalingSettings(const std::vector<std::string>& pointers);

}  // namespace parapet::experiment
