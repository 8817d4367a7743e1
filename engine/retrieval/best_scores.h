// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/retrieval/interactions.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// The best k candidates of scores by item row, without those that are excluded (ascending).
std::vector<Scored> bestScores(std::span<const float> scores,
                               std::span<const std::uint8_t> eligible, std::int64_t k,
                               std::span<const std::int32_t> excluded);

/// Ascending items of the training rows of a user; an unknown user (row 0) has none.
std::span<const std::int32_t> trainingItems(const Interactions& interactions, std::int32_t user);

}  // namespace parapet::retrieval
