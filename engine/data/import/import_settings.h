// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/sources/row_source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// What can be said about the settings of an import without its source.
///
/// Errors   InvalidDocument with the pointer of the first wrong member.
Status checkImportSettings(const experiment::Dataset& spec);

/// Name of a data set: hash of the source's bytes and of the settings that shape the result. Split,
/// batches and the accepted share of bad lines shape nothing.
Result<std::string> importHash(const experiment::Dataset& spec, const RowSource& source,
                               const WorkContext& context);

}  // namespace parapet::data
