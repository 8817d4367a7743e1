// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// The settings that decide the scale of a loss, as a text: the losses of two documents can be compared
/// if their texts are equal.
///
///   always            the losses of all heads, labels, weights of examples; of texts what is masked
///   with negatives    also the batch, whose candidates they are: equal scores lose ln B
///   listwise          also the length of a group
///   reduction "sum"   also the batch
std::string lossScale(const Experiment& experiment);

/// Says that the errors of predicted labels are those of scaled labels, and by what they differ from those
/// in units of the label column; "" where labels are not scaled, or none is predicted.
std::string scaledErrorsNote(const Experiment& experiment);

/// The settings (JSON pointers) among these that change lossScale(); all of them if none is known to.
std::vector<std::string> scalingSettings(const std::vector<std::string>& pointers);

}  // namespace parapet::experiment
