// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::workspace {

/// Texts for a document that reads rows, or rows for one that reads texts; ok where `path` is no data,
/// which the import tells.
Status requireKindOfData(const experiment::Dataset& wanted, const std::filesystem::path& path);

/// Whether the settings of a recipe can be about the data at `path`: texts for texts, MovieLens for
/// MovieLens, and of tables the source and the columns that it names.
///
/// Errors   those of detectSource; kData that says what is there and what is wanted.
Status requireDataOf(const experiment::Dataset& wanted, const std::filesystem::path& path);

}  // namespace parapet::workspace
