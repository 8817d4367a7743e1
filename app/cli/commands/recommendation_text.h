// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

/// {user, context: {name: value}, history: [ids], given: [names], items: [{id, title, score, rank}],
/// step, warnings}; `context` and `history` are null for models that read none, and what is not
/// among the given has its default.
Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin);
/// {name: value}, and the names of those that were given, "history" among them.
Json contextJson(const std::vector<retrieval::ContextValue>& context);
Json givenJson(const std::vector<retrieval::ContextValue>& context,
               const std::optional<retrieval::QueryHistory>& history);
/// The list with ranks, scores and titles, for people.
std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin);

}  // namespace parapet::cli
