// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/experiment/document.h"

namespace parapet::retrieval {

/// What becomes of items that no row of the data has.
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

/// By row of the items' vocabulary: 1 if the item may be recommended, else 0.
std::vector<std::uint8_t> candidateMask(const data::Vocabulary& items, ColdItems cold);
/// How many rows of the vocabulary may be recommended.
std::int64_t candidateCount(const data::Vocabulary& items, ColdItems cold);
/// Items that a catalogue names and no row of the data has.
std::int64_t coldItemCount(const data::Vocabulary& items);

}  // namespace parapet::retrieval
