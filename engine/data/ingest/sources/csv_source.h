// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_lines.h"

namespace parapet::data {

/// Lines of delimited text: a file, a .gz, a .zip with one table inside, a table inside an archive
/// ("archive.zip/table.csv"), or a folder of .csv files with the same columns, read in the order of
/// their names. A text that begins with a byte-order mark is UTF-8. What `spec.format` leaves open
/// is guessed from the first lines.
///
/// Errors   InvalidDocument for a format that does not fit the file; Data or Io, with the path, for
///          files that cannot be read as lines of text. Throws InvalidArgument without a path.
Result<std::unique_ptr<Source>> openCsvSource(const experiment::Dataset& spec,
                                              TextEncoding encoding = TextEncoding::kUtf8);

}  // namespace parapet::data
