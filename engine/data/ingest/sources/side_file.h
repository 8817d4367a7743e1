// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_lines.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Where a file is that the document names besides its data, a catalogue or embeddings: an absolute
/// path is that file; a relative one is looked for in the folder of the data (the data's own folder
/// if they are one), then where the program runs.
///
/// Errors   kData with the path, and where it was looked for, if there is no file.
Result<std::string> findSideFile(const experiment::Dataset& spec, const std::string& path);

/// A source is read several times, and opening a pipe waits for whoever writes to it.
///
/// Errors   kData at `pointer` for a pipe, socket or device.
Status requireFileOrFolder(const std::string& path, const std::string& pointer);

/// "parquet" (a file, or a folder of *.parquet files) or "csv", by the content.
experiment::SourceKind tableSource(const std::string& path);

/// Opens a table of the source that it is.
///
/// Errors   those of openSource.
Result<std::unique_ptr<Source>> openTable(
    const std::string& path, const std::optional<experiment::TextFormat>& format = std::nullopt,
    TextEncoding encoding = TextEncoding::kUtf8);

}  // namespace parapet::data
