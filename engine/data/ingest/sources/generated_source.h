// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Rows of the generator that the document names, as if its files were read: a piece is a range of
/// rows, and blocks are the same on every machine and in any order of parsing.
///
/// Columns (and their order)
///   movies   user, item, rating (integer 1…5), time; catalogues of users and items, and what
///            movielens_catalogue.h makes of them
///   clicks   user, item, hour, device (text), position, categories (list; its weights are 1, 0.5
///            and 0.25), interests (list), time, click (0 or 1), user_visits, item_views, price,
///            session_clicks, like
///   events   uid, item_id, timestamp, is_organic, event_type (text), played_ratio_pct (missing but
///            for listens), track_length_seconds
/// All are integers where nothing else is said.
///
/// Errors   InvalidDocument below /dataset/generator for counts that no generator can have.
Result<std::unique_ptr<Source>> openGeneratedSource(const experiment::Dataset& spec,
                                                    const GeneratorFactory& makeGenerator);

}  // namespace parapet::data
