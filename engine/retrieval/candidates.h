// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/dataset/vocabulary.h"

namespace parapet::retrieval {

/// By row of the items' vocabulary: 1 if the item may be recommended, else 0.
std::vector<std::uint8_t> candidateMask(const data::Vocabulary& items);
/// How many rows of the vocabulary may be recommended.
std::int64_t candidateCount(const data::Vocabulary& items);

}  // namespace parapet::retrieval
