// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/delimited_parser.h"

namespace parapet::data {

/// The content of a cell: one value, or a list.
enum class CellForm { kValue, kList };

/// Fills a block line by line. The row of a line is written behind those that are there, and counts
/// when the line has been accepted.
class BlockWriter {
 public:
  /// Throws away what the block holds; it keeps its memory.
  BlockWriter(RowBlock& block, std::size_t columns);

  /// Declares a column; all are declared before anything else.
  void startColumn(std::size_t column, ValueType type, CellForm form);
  /// Room for `rows` more rows.
  void reserve(std::size_t rows);
  /// Index of the row that is being written.
  [[nodiscard]] std::size_t row() const { return row_; }
  /// Lines that are done.
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] ColumnValues& column(std::size_t column) { return block_.columns[column]; }
  void markMissing(ColumnValues& column);

  /// The next lines are rows.
  void accept(std::size_t lines);
  /// The line is blank or a header: neither a row nor rejected.
  void skip();
  /// The line is rejected; `pointer` as that of RejectedRow.
  void refuse(std::string reason, std::string_view line, std::string pointer = {});
  /// Takes back what has been written of the row.
  void rollBack();
  /// No more lines.
  void finish();

 private:
  RowBlock& block_;
  std::size_t capacity_ = 0;
  std::size_t row_ = 0;
  std::int64_t line_ = 0;
};

/// Length of the array of values that is in use.
std::size_t valueCount(const ColumnValues& column);
void resizeValues(ColumnValues& column, std::size_t count);

/// Appends the values between the separators of a cell, and their weights where the use asks for them;
/// false if one is none. Texts are views into the cell.
bool appendParts(const CellUse& use, std::string_view cell, char decimal, ColumnValues& values,
                 ColumnValues* weights);

/// The fault of a line, and the setting of the cell at which it showed.
struct CellFault {
  std::string reason, pointer{};
};
/// The fault of a cell that is not what its use accepts.
CellFault faultOf(const CellUse& use, std::string_view cell);

/// One piece on its way into a block: the working part of DelimitedParser.
class DelimitedParser::Reader {
 public:
  Reader(const DelimitedParser& parser, const Source::Piece& piece, RowBlock& block);
  void read();

 private:
  using Fault = CellFault;

  // Where values go that are one a row.
  struct Target {
    std::int64_t* integers = nullptr;
    double* numbers = nullptr;
    std::string_view* texts = nullptr;
  };

  void readLines();
  std::size_t readWindow(std::span<const std::uint32_t> positions);
  void reserve(std::size_t rows);
  void startWindow(std::span<const std::uint32_t> positions);
  [[nodiscard]] std::size_t plainLines(std::span<const std::uint32_t> positions) const;
  std::size_t readPlain(const std::uint32_t* ends, std::size_t lines);
  template <class Read>
  std::size_t forCells(const Step& step, const std::uint32_t* ends, std::size_t lines,
                       const Read& read) const;
  bool readJoined(std::string_view lines);
  void readCarefully(std::string_view line);
  Fault readCells(std::string_view line);
  bool readCell(const Step& step, std::string_view cell);
  bool appendList(const Step& step, std::string_view cell);
  std::string_view decode(std::string_view cell);
  [[nodiscard]] char decimal() const { return parser_.format_.cells.decimal; }
  void refuse(Fault fault, std::string_view line);

  const DelimitedParser& parser_;
  const Source::Piece& piece_;
  RowBlock& block_;
  BlockWriter rows_;
  std::vector<Target> targets_;          // of the columns
  std::vector<std::string_view> cells_;  // of the line
  MadeText made_;
  std::size_t start_ = 0;    // of the next line
  std::size_t batch_ = 1;    // lines that are tried at once
  std::size_t checked_ = 0;  // how far the window has been looked at for what is no text
  bool suspicious_ = false;  // something of that may be no text
};

}  // namespace parapet::data
