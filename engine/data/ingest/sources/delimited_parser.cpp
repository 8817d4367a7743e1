// SPDX-License-Identifier: Apache-2.0
// The part of the reader of delimited lines that knows every form of a line, and what is wrong.
#include "engine/data/ingest/sources/delimited_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/delimited_reader.h"

namespace parapet::data {
namespace {

// Takes the quoted cell at the start of `rest` up to and with its closing quote; false if that is
// missing.
bool takeQuoted(std::string_view& rest, char quote, std::string_view& cell, MadeText& made) {
  std::size_t end = rest.find(quote, 1);
  if (end == std::string_view::npos) return false;
  cell = rest.substr(1, end - 1);
  if (end + 1 < rest.size() && rest[end + 1] == quote) {
    std::string& text = made.emplace_back(cell);
    while (end + 1 < rest.size() && rest[end + 1] == quote) {
      const std::size_t from = end + 1;  // the second quote stays
      end = rest.find(quote, from + 1);
      if (end == std::string_view::npos) return false;
      text += rest.substr(from, end - from);
    }
    cell = text;
  }
  rest.remove_prefix(end + 1);
  return true;
}

std::string_view withoutSpaces(std::string_view cell) {
  const std::size_t begin = cell.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(' ') - begin + 1);
}

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

bool appendValue(std::string_view cell, char decimal, ColumnValues& column) {
  switch (column.type) {
    case ValueType::kInteger: {
      const auto value = integerOfCell(cell, decimal);
      if (value) column.integers.push_back(*value);
      return value.has_value();
    }
    case ValueType::kNumber: {
      const auto value = numberOfCell(cell, decimal);
      if (value) column.numbers.push_back(*value);
      return value.has_value();
    }
    case ValueType::kText:
      column.texts.push_back(cell);
  }
  return true;
}

// The values between the separators of a list; a separator too many is none.
template <class Take>
bool forParts(std::string_view cell, std::string_view separator, const Take& take) {
  while (!cell.empty()) {
    const std::size_t end = cell.find(separator);
    const std::string_view part = cell.substr(0, end);
    cell.remove_prefix(end == std::string_view::npos ? cell.size() : end + separator.size());
    if (!part.empty() && !take(part)) return false;
  }
  return true;
}

// Why the weights of a list are not those of its ids: some have one, not all; else "".
std::string reasonAgainstWeights(const CellUse& use, std::string_view cell) {
  if (use.separator.empty() || use.weightSeparator.empty()) return {};
  std::size_t ids = 0, weights = 0;
  forParts(cell, use.separator, [&](std::string_view part) {
    ++ids;
    weights += part.find(use.weightSeparator) != std::string_view::npos ? 1 : 0;
    return true;
  });
  return weights == 0 || weights == ids ? std::string()
                                        : unevenWeights(use.subject, cell, weights, ids);
}

}  // namespace

bool CellFormat::isNull(std::string_view text, std::size_t cell) const {
  const auto own = nullValuesOf.find(cell);
  const auto& words = own == nullValuesOf.end() ? nullValues : own->second;
  return std::ranges::find(words, text) != words.end();
}

std::optional<double> numberOfCell(std::string_view cell, char decimal) {
  if (decimal == '.') {
    if (const auto number = parseDouble(cell)) return number;
  } else if (cell.find('.') == std::string_view::npos) {
    std::string text(cell);
    if (const std::size_t mark = text.find(decimal); mark != std::string::npos) text[mark] = '.';
    if (const auto number = parseDouble(text)) return number;
  }
  if (cell.size() < 2 || cell.size() > 5) return std::nullopt;
  const std::string word = toLowerAscii(cell);
  if (word == "true" || word == "yes") return 1.0;
  if (word == "false" || word == "no") return 0.0;
  return std::nullopt;
}

std::optional<std::int64_t> integerOfCell(std::string_view cell, char decimal) {
  const std::size_t point = cell.find(decimal);
  if (point != std::string_view::npos && point + 1 < cell.size() &&
      cell.find_first_not_of('0', point + 1) == std::string_view::npos)
    cell = cell.substr(0, point);
  return parseInt(cell);
}

std::string cutCells(std::string_view line, const CellFormat& format,
                     std::vector<std::string_view>& cells, MadeText& made) {
  const bool spaced = format.delimiter.front() != ' ';
  const bool isRun = format.delimiter == " ";  // several spaces are one delimiter
  const auto skipSpaces = [spaced](std::string_view text) {
    const std::size_t begin = spaced ? text.find_first_not_of(' ') : 0;
    return text.substr(std::min(begin, text.size()));
  };
  cells.clear();
  if (isRun) line = withoutSpaces(line);
  for (;;) {
    std::string_view rest = skipSpaces(line), cell;
    bool quoted = format.quote && rest.starts_with(*format.quote);
    if (quoted) {
      const bool closed = takeQuoted(rest, *format.quote, cell, made);
      rest = skipSpaces(rest);
      const bool ends = closed && (rest.empty() || rest.starts_with(format.delimiter));
      quoted = ends || line.starts_with(*format.quote);
      if (quoted && !closed)
        return fmt::format("cell {} has no closing quote within {} bytes", cells.size() + 1,
                           formatCount(kMaxQuotedBytes));
      if (quoted && !ends)
        return fmt::format("\"{}\" after the closing quote of cell {}; a quote inside is doubled",
                           printable(rest, 10), cells.size() + 1);
    }
    if (!quoted) {
      const std::size_t end = line.find(format.delimiter);
      cell = withoutSpaces(line.substr(0, end));
      if (cell.find('\n') != std::string_view::npos)
        return fmt::format("a line break outside of quotes in cell {}", cells.size() + 1);
      rest = line.substr(std::min(end, line.size()));
      if (format.isNull(cell, cells.size())) cell = {};
    }
    cells.push_back(cell);
    if (rest.empty()) return {};
    line = rest.substr(isRun ? rest.find_first_not_of(' ') : format.delimiter.size());
  }
}

bool appendParts(const CellUse& use, std::string_view cell, char decimal, ColumnValues& values,
                 ColumnValues* weights) {
  std::size_t ids = 0, given = 0;
  const bool read = forParts(cell, use.separator, [&](std::string_view value) {
    ++ids;
    if (weights) {
      const std::size_t colon = value.rfind(use.weightSeparator);
      if (colon == std::string_view::npos)
        weights->numbers.push_back(1.0);
      else if (++given;
               !appendValue(value.substr(colon + use.weightSeparator.size()), decimal, *weights))
        return false;
      value = value.substr(0, colon);
    }
    return appendValue(value, decimal, values);
  });
  return read && (given == 0 || given == ids);
}

CellFault faultOf(const CellUse& use, std::string_view cell) {
  if (std::string uneven = reasonAgainstWeights(use, cell); !uneven.empty())
    return {std::move(uneven), use.pointer + "/weights"};
  return {fmt::format("{} \"{}\"; {}", use.subject, printable(cell, 30),
                      use.accepted.empty() ? acceptedOf(use.type) : use.accepted),
          use.pointer};
}

std::string unevenWeights(std::string_view subject, std::string_view cell, std::size_t weights,
                          std::size_t ids) {
  return fmt::format(
      "{} \"{}\": found {} weight{} for {} ids; a weight for each id, or for none, is accepted",
      subject, printable(cell, 30), weights, weights == 1 ? "" : "s", ids);
}

std::string delimiterName(std::string_view delimiter) {
  if (delimiter == "\t") return "tabs";
  if (delimiter == ",") return "commas";
  if (delimiter == ";") return "semicolons";
  if (delimiter == " ") return "spaces";
  return std::string(delimiter);
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
  const auto note = [this](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (!word.empty()) startsNull_[static_cast<unsigned char>(word.front())] = true;
      hasNullNumbers_ = hasNullNumbers_ || word.find_first_of("0123456789") != std::string::npos;
    }
  };
  note(format_.cells.nullValues);
  for (const auto& [cell, words] : format_.cells.nullValuesOf) note(words);
  // Uses in the order of their cells.
  std::vector<std::size_t> order(uses_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [this](std::size_t u) { return uses_[u].cell; });
  auto next = order.cbegin();
  for (std::size_t cell = 0; cell < format_.names.size(); ++cell) {
    const std::size_t before = steps_.size();
    for (; next != order.cend() && uses_[*next].cell == cell; ++next)
      steps_.push_back({.kind = kindOf(uses_[*next]), .use = *next, .column = columnOf[*next]});
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

// Reads a row of several lines; false if they are none, and nothing has been read.
bool DelimitedParser::Reader::readJoined(std::string_view lines) {
  const auto breaks = std::ranges::count(lines, '\n');
  if (breaks == 0 || rows_.line() < piece_.headerLines) return false;
  // Lines of a quoted cell may reach beyond those that the window has looked at.
  suspicious_ = suspicious_ || start_ + lines.size() > checked_;
  const bool isText = !suspicious_ || parser_.format_.encoding != TextEncoding::kUtf8 ||
                      (lines.find('\0') == std::string_view::npos && isValidUtf8(lines));
  if (!isText || !readCells(lines).reason.empty()) {
    rows_.rollBack();
    return false;
  }
  rows_.accept(1);
  for (std::ptrdiff_t line = 0; line < breaks; ++line) rows_.skip();
  return true;
}

void DelimitedParser::Reader::readCarefully(std::string_view line) {
  if (rows_.line() < piece_.headerLines || isBlankLine(line)) return rows_.skip();
  Fault fault{suspicious_ ? reasonAgainstLine(line, parser_.format_.encoding)
                          : reasonAgainstLength(line.size())};
  if (fault.reason.empty()) fault = readCells(line);
  if (fault.reason.empty()) return rows_.accept(1);
  rows_.rollBack();
  refuse(std::move(fault), line);
}

DelimitedParser::Reader::Fault DelimitedParser::Reader::readCells(std::string_view line) {
  const LineFormat& format = parser_.format_;
  if (!format.header.empty() && line == format.header)
    return {"the line of names comes again; lines of cells are accepted below it"};
  std::string reason = cutCells(line, format.cells, cells_, made_);
  if (!reason.empty()) return {std::move(reason)};
  if (cells_.size() != format.names.size())
    return {fmt::format("{} columns; {} separated by {} are accepted{}", cells_.size(),
                        format.names.size(), delimiterName(format.cells.delimiter),
                        format.names.size() > kNamesInMessage
                            ? std::string()
                            : fmt::format(" ({})", join(format.names)))};
  for (const Step& step : parser_.steps_) {
    if (step.kind == Step::Kind::kSkip) continue;
    const CellUse& use = parser_.uses_[step.use];
    const std::string_view cell = cells_[use.cell];
    if (readCell(step, cell)) continue;
    return faultOf(use, cell);
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
      const auto value = cell.empty() ? 0 : integerOfCell(cell, decimal());
      column.integers[row] = value.value_or(0);
      return value.has_value();
    }
    case ValueType::kNumber: {
      const auto value = cell.empty() ? 0.0 : numberOfCell(cell, decimal());
      column.numbers[row] = value.value_or(0.0);
      return value.has_value();
    }
    case ValueType::kText:
      column.texts[row] = decode(cell);
  }
  return true;
}

bool DelimitedParser::Reader::appendList(const Step& step, std::string_view cell) {
  const CellUse& use = parser_.uses_[step.use];
  ColumnValues& values = rows_.column(step.column);
  ColumnValues* const weights =
      use.weightSeparator.empty() ? nullptr : &rows_.column(step.column + 1);
  if (!appendParts(use, decode(cell), decimal(), values, weights)) return false;
  values.offsets.push_back(static_cast<std::int32_t>(valueCount(values)));
  if (weights) weights->offsets.push_back(values.offsets.back());
  return true;
}

std::string_view DelimitedParser::Reader::decode(std::string_view cell) {
  if (!suspicious_ || parser_.format_.encoding == TextEncoding::kUtf8 || isValidUtf8(cell))
    return cell;
  return made_.emplace_back(windows1252ToUtf8(cell));
}

void DelimitedParser::Reader::refuse(Fault fault, std::string_view line) {
  if (!piece_.file.empty()) fault.reason += fmt::format(" ({})", piece_.file);
  rows_.refuse(std::move(fault.reason), line, std::move(fault.pointer));
}

}  // namespace parapet::data
