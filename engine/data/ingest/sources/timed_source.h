// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A source whose columns of `spec.times` are seconds since 1970 (kInteger). A cell that is no time
/// is missing; parts of a second are cut off towards the past.
///
/// Returns `rows` itself if the document names no such column.
/// Errors   InvalidDocument at the entry for a column that the source has not, a list, or numbers
///          where text is said.
Result<std::unique_ptr<Source>> readTimes(std::unique_ptr<Source> rows,
                                          const experiment::Dataset& spec);

}  // namespace parapet::data
