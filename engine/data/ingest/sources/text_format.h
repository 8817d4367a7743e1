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

/// The table that the lines of a text file make.
struct TextTable {
  CellFormat cells;
  std::vector<SourceColumn> columns;
  std::vector<bool> hasNumbers;  ///< of each column: some cell is a number
  std::int64_t headerLines = 0;  ///< at the start of the file, blank ones before the names too
  std::string header;            ///< the line of names; "": none
  TextEncoding encoding = TextEncoding::kUtf8;
  bool mayHaveCommas = false;     ///< nothing says that the decimal mark is a point
  bool mayHaveCountries = false;  ///< nothing says that NA is a missing value, or that it is none
  std::vector<std::string> warnings;
};

/// Counts of the cells of a column, which tell its type.
struct CellKinds {
  std::size_t filled = 0;
  std::size_t integers = 0, numbers = 0;  ///< zeros before a number make it none of the first
  std::size_t wholes = 0;                 ///< whole numbers, zeros before them or not
  std::size_t truths = 0;                 ///< numbers, and words such as "true"
  bool longIds = false;                   ///< whole numbers beyond int64 are names

  void add(std::string_view cell, char decimal = '.');
  /// As findTextFormat() says.
  [[nodiscard]] ValueType type() const;
};

/// Cells of one place of a file that are none of the type of their column.
struct OtherCells {
  std::size_t filled = 0, fractions = 0, texts = 0;

  void add(std::string_view cell, char decimal = '.');
  [[nodiscard]] bool areMany(std::size_t count) const;
  /// The type that holds the cells, too; few of them are damage.
  [[nodiscard]] ValueType widened(ValueType type) const;
};

/// Finds out what `format` leaves open from the first lines of a file.
///
/// Delimiter  a line `sep=;` before all others says it. Else, of comma, tab, semicolon, | and ::,
///            the one that cuts most lines into the same number of cells; of several, the one with
///            most cells. Spaces, if none of them cuts and they cut all lines alike: each cell with
///            a digit, names aside, or all lines with runs of spaces and one column of digits.
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
///            numbers that are all whole ("12.0") are integers. See lookAtLines().
///
/// Errors     Data, with the path, if there is no line; InvalidDocument if the declared format does
///            not fit the lines.
/// `columns` are those of the document, for their words of missing values.
Result<TextTable> findTextFormat(std::string_view start,
                                 const std::optional<experiment::TextFormat>& format,
                                 const std::string& path,
                                 std::span<const experiment::Column> columns = {});

/// Corrects what the first lines show by lines from a place further down: a column in which a fifth of
/// the cells of the place, and five at least, are no whole numbers or no numbers is none of those
/// (fewer are damage, and their lines are rejected), and NA is a word in a column of texts with a
/// country there.
void lookAtLines(TextTable& table, std::string_view lines);

}  // namespace parapet::data
