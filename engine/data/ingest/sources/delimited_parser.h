// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

/// How a line is cut into cells. A quote counts only at the start of a cell; inside, a doubled one
/// is a quote, and a line break is part of the cell. Spaces around a cell are no part of it, those inside
/// quotes are. Where a space is the delimiter, several after each other are one, and those at the ends
/// of a line none.
struct CellFormat {
  std::string delimiter = ",";  ///< a byte, or several
  std::optional<char> quote = '"';
  char decimal = '.';  ///< the mark in numbers
  /// Words that stand for an empty cell where they are not quoted, and those of single cells, which
  /// take their place.
  std::vector<std::string> nullValues{};
  std::map<std::size_t, std::vector<std::string>> nullValuesOf{};

  /// Whether the text of an unquoted cell stands for an empty one.
  [[nodiscard]] bool isNull(std::string_view text, std::size_t cell) const;
};

/// The words that databases, R and pandas write for a missing value.
inline constexpr std::string_view kNullValues[]{"NULL", "null", "\\N", "None", "NaN", "nan", "NAN",
                                                "NaT",  "N/A",  "n/a", "#N/A", "NA",  "<NA>"};

/// The text that had to be made, because it is not in the file as it is needed.
using MadeText = std::deque<std::string>;

/// Replaces `cells` by the cells of a line: views into it, or into `made` where quotes were
/// doubled; words for a missing value become "". Returns why that cannot be, or "".
std::string cutCells(std::string_view line, const CellFormat& format,
                     std::vector<std::string_view>& cells, MadeText& made);

/// The number that a cell says: decimal digits, or true, yes (1), false, no (0) in any case.
std::optional<double> numberOfCell(std::string_view cell, char decimal = '.');
/// The whole number that a cell says; zeros may stand behind a decimal mark, as in "12.0".
std::optional<std::int64_t> integerOfCell(std::string_view cell, char decimal = '.');

/// The message about a list of which `weights` of `ids` ids have a weight; `subject` begins it.
std::string unevenWeights(std::string_view subject, std::string_view cell, std::size_t weights,
                          std::size_t ids);

/// For messages: "tabs", "commas", "\"::\"".
std::string delimiterName(std::string_view delimiter);

/// The use of the cells of one column of the text.
struct CellUse {
  std::size_t cell = 0;  ///< which of the line, from 0
  ValueType type = ValueType::kText;
  std::string separator{};        ///< not "": the cell is a list; see ColumnRequest
  std::string weightSeparator{};  ///< not "": the column after this one is that of the weights
  bool required = false;          ///< an empty cell rejects the line, else the value is missing
  std::string subject{};          ///< how a message about a cell begins: `user id`
  std::string pointer{};          ///< the setting that asks for it
  std::string accepted{};         ///< how it ends: "a number is accepted"; "": what the type is
};

/// The format of the lines of a text.
struct LineFormat {
  CellFormat cells;
  TextEncoding encoding = TextEncoding::kUtf8;
  std::vector<std::string> names;  ///< of the cells of a line; one with more or fewer is rejected
  std::string header{};  ///< the line of names, which is rejected where it comes again; "": none
};

/// Turns lines of delimited text into typed columns. Lines of plain numbers and unquoted text are
/// read in one pass; the first cell that is anything else sends its line to the careful reader,
/// which knows quotes, every form of a number and why a line is rejected. Both make the same
/// of a line that both can read.
class DelimitedParser {
 public:
  /// Throws InvalidArgument for a use of a cell that the lines do not have.
  DelimitedParser(LineFormat format, std::vector<CellUse> uses);

  /// See Source::parse. Columns of the block are the uses in their order.
  void parse(const Source::Piece& piece, RowBlock& block) const;

 private:
  class Reader;
  // The treatment of one cell, in the order of the line.
  struct Step {
    enum class Kind { kSkip, kInteger, kNumber, kText, kList };
    Kind kind = Kind::kSkip;
    std::size_t cell = 0;
    std::size_t use = 0;
    std::size_t column = 0;  // of the block; kSkip: one more than there are
    bool last = false;       // the last cell of the line
  };
  static Step::Kind kindOf(const CellUse& use);

  LineFormat format_;
  std::vector<CellUse> uses_;
  std::vector<Step> steps_;
  std::size_t columns_ = 0;
  std::array<bool, 256> startsNull_{};  // of a byte: a word for a missing value begins with it
  bool hasNullNumbers_ = false;         // such a word may be read as a number
};

}  // namespace parapet::data
