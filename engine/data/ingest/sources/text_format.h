// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// What the lines of a text file are.
struct TextTable {
  CellFormat cells;
  std::vector<SourceColumn> columns;
  std::vector<bool> hasNumbers;  ///< of each column: some cell is a number
  std::int64_t headerLines = 0;  ///< at the start of the file, blank ones before the names too
  std::string header;            ///< the line of names; "": none
  TextEncoding encoding = TextEncoding::kUtf8;
  bool mayHaveCommas = false;  ///< nothing says that the decimal mark is a point
  std::vector<std::string> warnings;
};

/// Finds out what `format` leaves open from the first lines of a file.
///
/// Delimiter  a line `sep=;` before all others says it. Else, of comma, tab, semicolon, | and ::,
///            the one that cuts most lines into the same number of cells; of several, the one with
///            most cells. A space, if none of them cuts and it cuts all lines alike, each cell with
///            a digit.
/// Header     the first line is one if none of its cells is a number while others of their columns
///            are, if it has names as data sets use them ("user_id", "timestamp") with words that
///            the cells below do not have, or a cell without a digit over cells that all have one.
///            A cell of it may be empty; one at its end that the lines below lack is left out.
/// Encoding   see encodingOf().
/// Decimal    a comma, where it is not the delimiter, if the cells of some column are numbers with it (but one in 20)
///            and no cell is one with a point. Three digits behind every comma may be thousands, and
///            say nothing.
/// Missing    kNullValues; NA is none of them in a column with other words of two capital letters,
///            which are countries.
/// Types      integer or number if all cells are that; integers with zeros before them are text, and
///            numbers that are all whole ("12.0") are integers. See widenTypes().
///
/// Errors     Data, with the path, if there is no line; InvalidDocument if the declared format does
///            not fit the lines.
/// `columns` are those of the document, for their words of missing values.
Result<TextTable> findTextFormat(std::string_view start,
                                 const std::optional<experiment::TextFormat>& format,
                                 const std::string& path,
                                 std::span<const experiment::Column> columns = {});

/// Corrects the types of columns by lines from the middle of the file: a column in which a fifth of
/// the cells of a place, and five at least, are no whole numbers or no numbers is none of those. Fewer
/// are damage, and their lines are rejected.
void widenTypes(TextTable& table, std::string_view lines);

}  // namespace parapet::data
