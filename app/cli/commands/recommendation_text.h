// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/answer.h"
#include "engine/retrieval/recommender.h"

namespace parapet::cli {

/// The checkpoint that lists come from.
struct ListOrigin {
  std::int64_t step = 0;
  /// Newer checkpoints that are not used, and why; the context of the lists.
  std::vector<std::string> warnings{};
};

/// {user, context, given, items: [{id, title, score, rank}], step, warnings}; `context` is null and
/// `given` empty: no context can be asked for.
Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin);
/// The list with ranks, scores and titles, for people.
std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin);

}  // namespace parapet::cli
