// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/cli/answer.h"
#include "engine/retrieval/recommender.h"

namespace parapet::cli {

/// {user, context, items: [{id, title, score, rank}]}; `context` is null for models without any.
Json recommendationJson(const retrieval::Recommendation& list);
/// The list with ranks, scores and titles, for people.
std::string recommendationText(const retrieval::Recommendation& list);

}  // namespace parapet::cli
