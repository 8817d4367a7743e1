// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Writes the columns that catalogues know of the users or items (`role`) by the rows of their
/// vocabulary, so that those without a row of the data have features, and notes them in the columns
/// of the manifest. An id that a vocabulary has not falls on its row for unknown ones; a number
/// that is missing becomes the mean of the others. Derived columns are computed as those of rows
/// are. Vocabularies lie in `folder` already.
///
/// Memory   a block of rows, and 4 bytes per row of the vocabulary for a number.
/// Returns  the names of the files.
Result<std::vector<std::string>> writeEntityColumns(const ImportPlan& plan, const Source& source,
                                                    std::string_view role,
                                                    const std::filesystem::path& folder,
                                                    Manifest& manifest);

}  // namespace parapet::data
