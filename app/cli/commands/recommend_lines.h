// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/cli/answer.h"
#include "app/cli/commands/recommendation_text.h"
#include "engine/retrieval/recommender.h"

namespace parapet::cli {

/// Answers users as they arrive on stdin, one line of JSON per line read, until the input ends. A
/// line that cannot be answered gets `items: null` and an `error`; the others go on, and the exit
/// code is that of the most urgent failure. `usual`: context and history of lines that do not give
/// their own.
Answer answerLines(const retrieval::Recommender& recommender, const retrieval::Query& usual,
                   std::int64_t k, retrieval::SeenItems seen, const ListOrigin& origin);

}  // namespace parapet::cli
