// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// Whether row 0 of a vocabulary is that of the id 0, as in Keras's Embedding(2) of {0, 1}. So it is
/// where contexts alone use a direct vocabulary whose unknown ids are errors: no example needs a row
/// of unknown ids then, and no list leaves row 0 out. Else row 0 is that of padding and unknown ids.
bool usesRowZero(const Dataset& dataset, const Vocabulary& vocabulary);

}  // namespace parapet::experiment
