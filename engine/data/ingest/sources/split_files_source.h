// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Opens the rows that the path of a document names.
using OpenRows =
    std::function<Result<std::unique_ptr<Source>>(const experiment::Dataset& singleFile)>;

/// The files of a split of the kind "files" as one source: training, validation, then test rows.
/// Pieces say of which part they are. The files have the same columns, in any order; a column is
/// text if it is in one of them, and has fractions if it has some in one of them.
///
/// Errors   kData at the setting of a file that is not there, cannot be read or has other columns;
///          kInvalidDocument for a source that is no file for each part.
Result<std::unique_ptr<Source>> openSplitFiles(const experiment::Dataset& spec,
                                               const OpenRows& open);

}  // namespace parapet::data
