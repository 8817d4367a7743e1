// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/delimited_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/sources/block_writer.h"
#include "engine/data/sources/plain_numbers.h"
#include "engine/data/sources/separator_index.h"

namespace parapet::data {
namespace {

// More names of columns than this make a message no clearer.
constexpr std::size_t kNamesInMessage = 12;

// How a message about a cell that is none ends.
std::string acceptedOf(ValueType type) {
  switch (type) {
    case ValueType::kInteger:
      return "a whole number is accepted";
    case ValueType::kNumber:
      return "a number with a decimal point is accepted";
    case ValueType::kText:
      break;
  }
  return "text is accepted";
}

bool appendValue(std::string_view cell, ColumnValues& column) {
  switch (column.type) {
    case ValueType::kInteger: {
      const auto value = parseInt(cell);
      if (value) column.integers.push_back(*value);
      return value.has_value();
    }
    case ValueType::kNumber: {
      const auto value = parseDouble(cell);
      if (value) column.numbers.push_back(*value);
      return value.has_value();
    }
    case ValueType::kText:
      column.texts.push_back(cell);
  }
  return true;
}

}  // namespace

// One piece on its way into a block.
class DelimitedParser::Reader {
 public:
  Reader(const DelimitedParser& parser, const Source::Piece& piece, RowBlock& block)
      : parser_(parser), piece_(piece), block_(block), rows_(block, parser.columns_) {
    std::size_t column = 0;
    for (const CellUse& use : parser.uses_) {
      rows_.startColumn(column++, use.type, !use.separator.empty());
      if (!use.weightSeparator.empty()) rows_.startColumn(column++, ValueType::kNumber, true);
    }
    targets_.resize(parser.columns_ + 1);  // the last one is of cells that nobody wants
  }

  void read() {
    rows_.reserve(1);
    if (piece_.longLineBytes > 0)
      refuse(reasonAgainstLength(static_cast<std::size_t>(piece_.longLineBytes)), piece_.text);
    else
      readLines();
    rows_.finish();
    block_.bytes = piece_.bytes;
    if (!made_.empty())
      block_.bytes = std::make_shared<std::pair<std::shared_ptr<const void>, MadeText>>(
          piece_.bytes, std::move(made_));
  }

 private:
  // Where values go that are one a row.
  struct Target {
    std::int64_t* integers = nullptr;
    double* numbers = nullptr;
    std::string_view* texts = nullptr;
  };

  void readLines();
  std::size_t readWindow(std::span<const std::uint32_t> positions);
  void startWindow(std::span<const std::uint32_t> positions);
  [[nodiscard]] std::size_t plainLines(std::span<const std::uint32_t> positions) const;
  std::size_t readPlain(const std::uint32_t* ends, std::size_t lines);
  template <class Read>
  std::size_t forCells(const Step& step, const std::uint32_t* ends, std::size_t lines,
                       const Read& read) const;
  void readCarefully(std::string_view line);
  std::string readCells(std::string_view line);
  bool readCell(const Step& step, std::string_view cell);
  bool appendList(const Step& step, std::string_view cell);
  std::string_view decode(std::string_view cell);
  void refuse(std::string reason, std::string_view line) {
    if (!piece_.file.empty()) reason += fmt::format(" ({})", piece_.file);
    rows_.refuse(std::move(reason), line);
  }

  const DelimitedParser& parser_;
  const Source::Piece& piece_;
  RowBlock& block_;
  BlockWriter rows_;
  std::vector<Target> targets_;          // of the columns
  std::vector<std::string_view> cells_;  // of the line
  MadeText made_;
  std::size_t start_ = 0;    // of the next line
  std::size_t batch_ = 1;    // lines that are tried at once
  bool suspicious_ = false;  // something in the window may be no text
};

void DelimitedParser::Reader::readLines() {
  SeparatorIndex index(piece_.text, parser_.format_.cells.delimiter);
  std::size_t used = 0;
  while (index.next(used)) used = readWindow(index.positions());
  // The last line may have no end.
  std::string_view last = piece_.text.substr(start_);
  if (last.empty()) return;
  rows_.reserve(1);
  suspicious_ = true;
  readCarefully(takeLine(last));
}

// Reads the lines that end at one of the positions, which begin with the end of the line before.
// Returns how many positions are done with.
std::size_t DelimitedParser::Reader::readWindow(std::span<const std::uint32_t> positions) {
  startWindow(positions);
  const std::size_t cells = parser_.format_.names.size();
  std::size_t used = 0;
  for (;;) {
    const std::size_t lines = plainLines(positions.subspan(used));
    const std::size_t read = lines == 0 ? 0 : readPlain(positions.data() + used, lines);
    rows_.accept(read);
    used += read * cells;
    if (read > 0) start_ = positions[used] + 1;
    if (lines > 0 && read == lines) {
      batch_ *= 2;
      continue;
    }
    batch_ = 1;
    rows_.rollBack();  // lists that were read in lines behind the one that takes more care
    std::size_t end = used + 1;
    while (end < positions.size() && piece_.text[positions[end]] != '\n') ++end;
    if (end >= positions.size()) return used;
    std::string_view rest = piece_.text.substr(start_, positions[end] + 1 - start_);
    readCarefully(takeLine(rest));
    used = end;
    start_ = positions[end] + 1;
  }
}

void DelimitedParser::Reader::startWindow(std::span<const std::uint32_t> positions) {
  rows_.reserve(positions.size());
  for (std::size_t c = 0; c < parser_.columns_; ++c) {
    ColumnValues& column = rows_.column(c);
    targets_[c] = {column.integers.data(), column.numbers.data(), column.texts.data()};
  }
  // Bytes that are no text are rare; where they are, every line is looked at.
  const std::string_view text = piece_.text;
  std::size_t end = text.size();
  for (std::size_t i = positions.size(); i > 1 && end == text.size(); --i)
    if (text[positions[i - 1]] == '\n') end = positions[i - 1];
  const std::string_view lines = text.substr(start_, end - start_);
  const OddBytes odd = findOddBytes(lines);
  suspicious_ = odd.nul || odd.loneCarriageReturn || (odd.high && !isValidUtf8(lines));
}

// How many lines are tried at once. One that takes more care makes the work on those after it vain,
// so there are few at first, and twice as many as long as all goes well.
std::size_t DelimitedParser::Reader::plainLines(std::span<const std::uint32_t> positions) const {
  const std::size_t cells = parser_.format_.names.size();
  if (suspicious_ || cells < 2 || rows_.line() < piece_.headerLines) return 0;
  std::size_t lines = std::min(batch_, (positions.size() - 1) / cells);
  while (lines > 0 && positions[lines * cells] + kPlainNumberBytes > piece_.text.size()) --lines;
  return lines;
}

// Reads lines column by column behind the rows; `ends` are the end of the line before and those of
// the cells. Returns how many lines could be read before one that takes more care.
std::size_t DelimitedParser::Reader::readPlain(const std::uint32_t* ends, std::size_t lines) {
  const char quote = parser_.format_.cells.quote.value_or('\n');
  const std::size_t row = rows_.row();
  for (const Step& step : parser_.steps_) {
    const Target& target = targets_[step.column];
    const auto readText = [&](const char* at, const char* end, std::size_t line) {
      target.texts[row + line] = {at, static_cast<std::size_t>(end - at)};
      return end > at && *at != quote;
    };
    switch (step.kind) {
      case Step::Kind::kSkip:
        lines = forCells(step, ends, lines,
                         [&](const char* at, const char*, std::size_t) { return *at != quote; });
        break;
      case Step::Kind::kInteger:
        lines = forCells(step, ends, lines, [&](const char* at, const char* end, std::size_t line) {
          return readPlainInteger(at, end, target.integers[row + line]);
        });
        break;
      case Step::Kind::kNumber:
        lines = forCells(step, ends, lines, [&](const char* at, const char* end, std::size_t line) {
          return readPlainNumber(at, end, target.numbers[row + line]);
        });
        break;
      case Step::Kind::kText:
        lines = forCells(step, ends, lines, readText);
        break;
      case Step::Kind::kList:
        lines = forCells(step, ends, lines, [&](const char* at, const char* end, std::size_t) {
          return end > at && *at != quote &&
                 appendList(step, {at, static_cast<std::size_t>(end - at)});
        });
    }
  }
  return lines;
}

// Calls `read` for the cells of one column; returns the first line where it fails, or where the
// line has another number of cells.
template <class Read>
std::size_t DelimitedParser::Reader::forCells(const Step& step, const std::uint32_t* ends,
                                              std::size_t lines, const Read& read) const {
  const char* const text = piece_.text.data();
  const std::size_t cells = parser_.format_.names.size();
  const auto gap =
      static_cast<std::uint32_t>(step.cell == 0 ? 1 : parser_.format_.cells.delimiter.size());
  for (std::size_t line = 0; line < lines; ++line) {
    const std::uint32_t* const around = ends + line * cells + step.cell;
    const char* const at = text + static_cast<std::uint32_t>(around[0] + gap);
    const char* end = text + around[1];
    if ((*end == '\n') != step.last) return line;
    if (step.last && end[-1] == '\r') --end;
    if (!read(at, end, line)) return line;
  }
  return lines;
}

void DelimitedParser::Reader::readCarefully(std::string_view line) {
  if (rows_.line() < piece_.headerLines || isBlankLine(line)) return rows_.skip();
  std::string reason = suspicious_ ? reasonAgainstLine(line, parser_.format_.encoding)
                                   : reasonAgainstLength(line.size());
  if (reason.empty()) reason = readCells(line);
  if (reason.empty()) return rows_.accept(1);
  rows_.rollBack();
  refuse(std::move(reason), line);
}

std::string DelimitedParser::Reader::readCells(std::string_view line) {
  const LineFormat& format = parser_.format_;
  std::string reason = cutCells(line, format.cells, cells_, made_);
  if (!reason.empty()) return reason;
  if (cells_.size() != format.names.size())
    return fmt::format("{} columns; {} separated by {} are accepted{}", cells_.size(),
                       format.names.size(), delimiterName(format.cells.delimiter),
                       format.names.size() > kNamesInMessage
                           ? std::string()
                           : fmt::format(" ({})", join(format.names)));
  for (const Step& step : parser_.steps_) {
    if (step.kind == Step::Kind::kSkip) continue;
    const CellUse& use = parser_.uses_[step.use];
    if (!readCell(step, cells_[use.cell]))
      return fmt::format("{} \"{}\"; {}", use.subject, printable(cells_[use.cell], 30),
                         use.accepted.empty() ? acceptedOf(use.type) : use.accepted);
  }
  return {};
}

// Writes the value of the cell behind the rows; false if the cell is none.
bool DelimitedParser::Reader::readCell(const Step& step, std::string_view cell) {
  ColumnValues& column = rows_.column(step.column);
  const std::size_t row = rows_.row();
  if (cell.empty() && parser_.uses_[step.use].required) return false;
  if (cell.empty()) rows_.markMissing(column);
  if (step.kind == Step::Kind::kList) return appendList(step, cell);
  switch (column.type) {
    case ValueType::kInteger: {
      const auto value = cell.empty() ? 0 : parseInt(cell);
      column.integers[row] = value.value_or(0);
      return value.has_value();
    }
    case ValueType::kNumber: {
      const auto value = cell.empty() ? 0.0 : parseDouble(cell);
      column.numbers[row] = value.value_or(0.0);
      return value.has_value();
    }
    case ValueType::kText:
      column.texts[row] = decode(cell);
  }
  return true;
}

// Appends the values between the separators, and their weights; false if one is none.
bool DelimitedParser::Reader::appendList(const Step& step, std::string_view cell) {
  const CellUse& use = parser_.uses_[step.use];
  ColumnValues& values = rows_.column(step.column);
  ColumnValues* const weights =
      use.weightSeparator.empty() ? nullptr : &rows_.column(step.column + 1);
  while (!cell.empty()) {
    const std::size_t end = cell.find(use.separator);
    std::string_view value = cell.substr(0, end);
    cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + use.separator.size());
    if (value.empty()) continue;  // a separator too many
    if (weights) {
      const std::size_t colon = value.rfind(use.weightSeparator);
      if (colon == std::string_view::npos)
        weights->numbers.push_back(1.0);
      else if (!appendValue(value.substr(colon + use.weightSeparator.size()), *weights))
        return false;
      value = value.substr(0, colon);
    }
    if (!appendValue(values.type == ValueType::kText ? decode(value) : value, values)) return false;
  }
  values.offsets.push_back(static_cast<std::int32_t>(valueCount(values)));
  if (weights) weights->offsets.push_back(values.offsets.back());
  return true;
}

std::string_view DelimitedParser::Reader::decode(std::string_view cell) {
  if (!suspicious_ || parser_.format_.encoding == TextEncoding::kUtf8 || isValidUtf8(cell))
    return cell;
  return made_.emplace_back(latin1ToUtf8(cell));
}

DelimitedParser::Step::Kind DelimitedParser::kindOf(const CellUse& use) {
  if (!use.separator.empty()) return Step::Kind::kList;
  switch (use.type) {
    case ValueType::kInteger:
      return Step::Kind::kInteger;
    case ValueType::kNumber:
      return Step::Kind::kNumber;
    case ValueType::kText:
      break;
  }
  return Step::Kind::kText;
}

DelimitedParser::DelimitedParser(LineFormat format, std::vector<CellUse> uses)
    : format_(std::move(format)), uses_(std::move(uses)) {
  if (format_.cells.delimiter.empty()) throw InvalidArgument("a delimiter of no bytes");
  std::vector<std::size_t> columnOf;
  for (const CellUse& use : uses_) {
    if (use.cell >= format_.names.size())
      throw InvalidArgument(
          fmt::format("cell {} of lines with {} cells", use.cell, format_.names.size()));
    columnOf.push_back(columns_);
    columns_ += use.weightSeparator.empty() ? 1 : 2;
  }
  for (std::size_t cell = 0; cell < format_.names.size(); ++cell) {
    const std::size_t before = steps_.size();
    for (std::size_t u = 0; u < uses_.size(); ++u)
      if (uses_[u].cell == cell)
        steps_.push_back({.kind = kindOf(uses_[u]), .use = u, .column = columnOf[u]});
    if (steps_.size() == before) steps_.push_back({.column = columns_});
    for (std::size_t s = before; s < steps_.size(); ++s) {
      steps_[s].cell = cell;
      steps_[s].last = cell + 1 == format_.names.size();
    }
  }
}

void DelimitedParser::parse(const Source::Piece& piece, RowBlock& block) const {
  Reader(*this, piece, block).read();
}

}  // namespace parapet::data
