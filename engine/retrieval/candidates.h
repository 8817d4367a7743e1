// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/retrieval/interactions.h"

namespace parapet::retrieval {

/// The treatment of items without a training row.
enum class ColdItems {
  kLeftOut,     ///< the model knows nothing of them
  kCandidates,  ///< the model reads what a catalogue or pretrained embeddings know of them
};

/// Whether a model can tell items without interactions apart: it has a feature that a catalogue
/// knows of every item, or the table of the items begins with pretrained embeddings.
ColdItems coldItems(const experiment::Experiment& experiment, const data::Dataset& dataset,
                    const std::string& itemColumn);

/// Whether the table of an id column begins with pretrained embeddings.
bool beginsWithVectors(const experiment::Experiment& experiment, const std::string& column);

/// 1 for each item that may be recommended, else 0. Items that are out of vocabulary never may;
/// items without a training row only where the model knows them by more than their id: otherwise a
/// list would reveal what is held out.
std::vector<std::uint8_t> candidateMask(const Interactions& interactions, ColdItems cold);
/// How many items may be recommended.
std::int64_t candidateCount(const Interactions& interactions, ColdItems cold);
/// Items that have a row of their own, but no training row.
std::int64_t coldItemCount(const Interactions& interactions);

}  // namespace parapet::retrieval
