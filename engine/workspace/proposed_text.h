// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/workspace/proposal.h"

namespace parapet::workspace {

/// The part of proposeExperiment for a corpus of texts: the masked language model of the recipe
/// bert-tiny-mlm on its lines. Where no vocabulary lies beside the texts the document names one to be
/// trained, and the reason of /dataset/text/vocabulary says how.
Result<Proposal> proposeLanguageModel(const experiment::Dataset& corpus);

}  // namespace parapet::workspace
