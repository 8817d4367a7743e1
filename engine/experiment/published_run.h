// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// What an experiment has otherwise than the run whose published curve it names, of that which
/// decides the values of the curve: "the loss", "the data", "the model". Its data are the source with
/// its columns, label, vocabularies and split; where they lie does not count, nor where the
/// vocabulary of texts and initial weights do.
///
/// nullopt  if nothing differs, no curve is named, or no recipe is that of the published run.
/// Source   the recipes that name the curve.
std::optional<std::string> differenceFromPublished(const Experiment& experiment);

/// Takes the published curve out of `changed` if a change from `before` made it one of another
/// experiment. A curve that was named for a different experiment on purpose stays.
///
/// Returns  what differs, if it was taken out.
std::optional<std::string> leavePublishedRun(const Experiment& before, Experiment& changed);

}  // namespace parapet::experiment
