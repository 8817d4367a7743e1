// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Lines of delimited text: a file, a .gz or .zst, a .zip with one table inside, a table inside an archive
/// ("archive.zip/table.csv"), or a folder of .csv files with the same columns, read in the order of
/// their names. A text that begins with a byte-order mark is UTF-8. What `spec.format` leaves open
/// is guessed from the first lines; `otherwise` is what a text is that is not UTF-8.
///
/// Errors   InvalidDocument for a format that does not fit the file; Data or Io, with the path, for
///          files that cannot be read as lines of text. Throws InvalidArgument without a path.
Result<std::unique_ptr<Source>> openCsvSource(const experiment::Dataset& spec,
                                              TextEncoding otherwise = TextEncoding::kUtf8);

/// Lines with a JSON object each, as openCsvSource() has those of text: a file, packed or not, one in an
/// archive, or a folder of .jsonl, .ndjson and .json files. A file that is one list of objects is read
/// as lines with these. Columns are the keys in the order of first sight, those of objects inside
/// objects as "a.b": of the first MiB, 64 places of a file and the start of each other file. Types are
/// those of the values as cells of text would have them (findTextFormat); lists of values are lists.
/// Lists of objects or of lists are no column, which a warning tells.
///
/// Errors   Data or Io, with the path, for files that cannot be read as such lines. Throws
///          InvalidArgument without a path.
Result<std::unique_ptr<Source>> openJsonSource(const experiment::Dataset& spec);

/// Rows of Parquet files: `spec.path` is a file, or a folder whose files (findParquetFiles), by path,
/// follow each other and have the same columns. Keys of its folders are columns, too.
///
/// Integers, decimals without decimal places, bools, times (as seconds since 1970) and dates are
/// kInteger, floating point and other decimals kNumber, strings, enums and UUIDs kText, and so are
/// uint64 whose statistics tell of values beyond int64; lists of these are lists. Columns of other
/// types are named by a warning and refused when they are asked for. A row with an integer beyond
/// int64 is rejected.
///
/// A file with a flat `uid` beside lists `item_id` and `timestamp` is Yambda's sequential form: its
/// lists are unrolled, so that it reads as the flat form does, a row for each event.
///
/// Pieces are row groups; a large one is read in slices, so that its size does not matter. Row
/// groups whose statistics or keys exclude the bounds of pushDown() are left out.
///
/// Errors   kInvalidDocument without a path; kNotFound, kIo or kData with the file that cannot be
///          read as Parquet or differs from the first in its columns or keys; kDevice, with what to do,
///          where the plugin is not there.
Result<std::unique_ptr<Source>> openParquetSource(const experiment::Dataset& spec);

/// Rows of the generator that the document names, as if its files were read: a piece is a range of
/// rows, and blocks are the same on every machine and in any order of parsing.
///
/// Columns (and their order)
///   movies   user, item, rating (integer 1…5), time; catalogues of users and items, and what
///            movielens.h makes of them
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

/// The rows of a source with what catalogues know of their users and items: those that the data
/// come with (Source::openCatalogues) and those of `spec.catalogues`. Titles and attributes are
/// columns of the rows like any other, looked up by the raw id; a row whose id is in no catalogue,
/// or has no such value, has none. A column that has the name of another one is called after whom
/// it describes ("item.name").
///
/// Returns `rows` itself if there is no catalogue.
/// Errors   those of openCatalogueFiles.
Result<std::unique_ptr<Source>> joinCatalogues(std::unique_ptr<Source> rows,
                                               const experiment::Dataset& spec);

/// A source whose columns of `spec.times` are seconds since 1970 (kInteger). A cell that is no time
/// is missing; parts of a second are cut off towards the past.
///
/// Returns `rows` itself if the document names no such column.
/// Errors   InvalidDocument at the entry for a column that the source has not, a list, or numbers
///          where text is said.
Result<std::unique_ptr<Source>> readTimes(std::unique_ptr<Source> rows,
                                          const experiment::Dataset& spec);

}  // namespace parapet::data
