// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

// Data sets of texts (source "text"): the settings that they always have, and their rules.

/// Sets what a data set of texts has where the document does not say: one column of pieces with its
/// vocabulary, no label, and the split by files.
void useTextDefaults(Dataset& dataset);

/// Whether the model reads what the data set has: rows of users and items, or texts.
[[nodiscard]] bool modelFitsData(const Experiment& experiment);

/// Refuses columns and vocabularies of other data, a text without a vocabulary file, splits that
/// need users or times, and a model that reads rows over texts or masks over rows.
void validateText(const Experiment& experiment, const Location& root);

}  // namespace parapet::experiment
