// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {
namespace {

constexpr std::size_t kSampleLines = 1000;
constexpr std::array<std::string_view, 5> kDelimiters{",", "\t", ";", "|", "::"};
// Parts of names that columns of interactions have.
constexpr std::array<std::string_view, 21> kWordsOfNames{
    "user",  "item",   "movie",   "product", "rating",  "score",    "time",
    "date",  "label",  "click",   "event",   "title",   "genre",    "song",
    "track", "artist", "article", "book",    "visitor", "customer", "session"};
// Fewer cells show neither that all have digits nor that a word is none of theirs.
constexpr std::size_t kMinCellsBelow = 20;

using LineCells = std::vector<std::string>;

// The first lines that can be text, without blank ones.
struct Sample {
  std::vector<std::string_view> lines;
  std::int64_t linesBefore = 0;  // blank ones, and the one that says the delimiter
};

Sample takeSample(std::string_view start, std::optional<char> quote, TextEncoding encoding) {
  Sample sample;
  while (!start.empty() && sample.lines.size() < kSampleLines) {
    const std::string_view line = takeRow(start, quote);
    const bool isJoined = line.find('\n') != std::string_view::npos &&
                          (encoding != TextEncoding::kUtf8 || isValidUtf8(line));
    if (isBlankLine(line))
      sample.linesBefore += sample.lines.empty();
    else if (sample.lines.empty() || isJoined || reasonAgainstLine(line, encoding).empty())
      sample.lines.push_back(line);
  }
  return sample;
}

// Takes the line `sep=;` from the front, which Excel writes before all others: the delimiter.
std::optional<std::string> takeDelimiterLine(Sample& sample, std::optional<char> quote) {
  if (sample.lines.empty()) return std::nullopt;
  std::string_view line = sample.lines.front();
  if (line.size() > 2 && line.starts_with('"') && line.ends_with('"'))
    line = line.substr(1, line.size() - 2);
  if (line.size() != 5 || toLowerAscii(line.substr(0, 4)) != "sep=" || line[4] == quote)
    return std::nullopt;
  sample.lines.erase(sample.lines.begin());
  ++sample.linesBefore;
  return std::string(line.substr(4));
}

// Cells of the lines that can be cut.
std::vector<LineCells> cutAll(const Sample& sample, const CellFormat& format) {
  std::vector<LineCells> rows;
  std::vector<std::string_view> cells;
  for (const std::string_view line : sample.lines) {
    MadeText made;
    if (cutCells(line, format, cells, made).empty()) rows.emplace_back(cells.begin(), cells.end());
  }
  return rows;
}

// How many cells most lines have, and how many lines that are.
std::pair<std::size_t, std::size_t> mostCommonWidth(const std::vector<LineCells>& rows) {
  std::map<std::size_t, std::size_t> linesOfWidth;
  for (const LineCells& row : rows) ++linesOfWidth[row.size()];
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (const auto& [width, lines] : linesOfWidth)
    if (lines >= best.second) best = {width, lines};
  return best;
}

bool hasDigit(std::string_view cell) {
  return cell.find_first_of("0123456789") != std::string_view::npos;
}

bool hasRunOfSpaces(std::string_view line) {
  return trim(line).find("  ") != std::string_view::npos;
}

// Whether spaces cut all lines alike, but one in 20, below a line of names that has no digit: cells that
// all have one, or columns that runs of spaces hold apart, one of them with a digit in each cell.
bool isCutBySpaces(const Sample& sample, const std::optional<char>& quote) {
  std::vector<LineCells> rows = cutAll(sample, {" ", quote});
  const auto [width, lines] = mostCommonWidth(rows);
  if (width < 2 || 20 * lines < 19 * sample.lines.size()) return false;
  std::erase_if(rows, [width = width](const LineCells& row) { return row.size() != width; });
  const auto isCode = [](const LineCells& row) { return std::ranges::all_of(row, hasDigit); };
  const bool named = rows.size() > 1 && std::ranges::none_of(rows.front(), hasDigit);
  const std::span below = std::span(rows).subspan(named ? 1 : 0);
  if (std::ranges::all_of(below, isCode)) return true;
  const auto runs = static_cast<std::size_t>(std::ranges::count_if(sample.lines, hasRunOfSpaces));
  if (below.size() < 2 || 20 * runs < 19 * sample.lines.size()) return false;
  for (std::size_t c = 0; c < width; ++c)
    if (std::ranges::all_of(below, [c](const LineCells& row) { return hasDigit(row[c]); }))
      return true;
  return false;
}

std::string findDelimiter(const Sample& sample, const std::optional<char>& quote) {
  std::string_view best = kDelimiters.front();
  std::pair<std::size_t, std::size_t> bestScore{0, 1};  // lines, cells
  for (const std::string_view delimiter : kDelimiters) {
    const auto [width, lines] = mostCommonWidth(cutAll(sample, {std::string(delimiter), quote}));
    // A line more or less says little; a cell more does.
    const std::pair score{lines * 20 / sample.lines.size(), width};
    if (width > 1 && score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  if (bestScore.second > 1 || !isCutBySpaces(sample, quote)) return std::string(best);
  return " ";
}

// Digits with the decimal mark, and no word.
bool isNumber(std::string_view cell, char decimal) {
  return hasDigit(cell) ? numberOfCell(cell, decimal).has_value() : parseDouble(cell).has_value();
}

// The comma, where it is no delimiter and numbers have it.
char findDecimal(const std::vector<LineCells>& rows, const std::string& delimiter) {
  struct Cells {
    std::size_t filled = 0, numbers = 0, commas = 0, thousands = 0, points = 0;
  };
  std::vector<Cells> columns(rows.front().size());
  if (delimiter.find(',') != std::string::npos) return '.';
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < std::min(columns.size(), rows[r].size()); ++c) {
      const std::string& cell = rows[r][c];
      const std::size_t comma = cell.find(',');
      const bool isDecimal = hasDigit(cell) && numberOfCell(cell, ',').has_value();
      columns[c].filled += !cell.empty();
      columns[c].numbers += isDecimal;
      columns[c].commas += isDecimal && comma != std::string::npos;
      columns[c].thousands += isDecimal && comma != std::string::npos && cell.size() == comma + 4;
      columns[c].points += cell.find('.') != std::string::npos && isNumber(cell, '.');
    }
  const auto isFull = [](const Cells& of, std::size_t count) {
    return of.filled > 0 && count == of.filled;
  };
  if (std::ranges::any_of(columns, [&](const Cells& of) {
        return of.commas == 0 && of.points > 0 && isFull(of, of.points);
      }))
    return '.';
  return std::ranges::any_of(columns,
                             [&](const Cells& of) {
                               return of.commas > of.thousands && 20 * of.numbers >= 19 * of.filled;
                             })
             ? ','
             : '.';
}

// Digits that are no int64: hashes, which are names and no quantities.
bool isLongId(std::string_view cell) {
  constexpr std::size_t kDigitsOfInt64 = 19;
  return cell.size() >= kDigitsOfInt64 && !parseInt(cell) &&
         cell.find_first_not_of("0123456789") == std::string_view::npos;
}

bool isInteger(std::string_view cell, char decimal) {
  const std::string_view digits = cell.substr(cell.starts_with('-'));
  return integerOfCell(cell, decimal).has_value() &&
         (digits.size() == 1 || !digits.starts_with('0') || digits[1] == decimal);
}

// "id" at the end of a name; "David" has none.
bool endsInId(std::string_view cell) {
  const std::string name = toLowerAscii(cell);
  if (!name.ends_with("id")) return false;
  const std::string_view before = cell.substr(0, cell.size() - 2);
  const auto isLetter = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  };
  return before.empty() || !isLetter(before.back()) ||
         (cell[before.size()] == 'I' && before.back() >= 'a' && before.back() <= 'z');
}

// Whether the first cell of a column has a word of names that is none of the cells below
// ("item" over "item-a0" is a name, "item-b1" is not).
bool hasWordOfNames(const std::vector<LineCells>& rows, std::size_t column) {
  const auto below = [&](const auto& has) {
    return std::any_of(rows.begin() + 1, rows.end(), [&](const LineCells& row) {
      return column < row.size() && has(row[column]);
    });
  };
  const std::string& cell = rows.front()[column];
  if (endsInId(cell) && !below(endsInId)) return true;
  const std::string name = toLowerAscii(cell);
  return std::ranges::any_of(kWordsOfNames, [&](std::string_view word) {
    const auto has = [word](const std::string& other) {
      return toLowerAscii(other).find(word) != std::string::npos;
    };
    return has(name) && (name == word || !below(has));
  });
}

// Ids and codes have digits ("u17", "B0012"); the name of their column has none.
bool standsOverCodes(const std::vector<LineCells>& rows, std::size_t column) {
  if (hasDigit(rows.front()[column])) return false;
  std::size_t codes = 0;
  for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
    if (column >= row->size() || (*row)[column].empty()) continue;
    if (!hasDigit((*row)[column])) return false;
    ++codes;
  }
  return codes >= kMinCellsBelow;
}

bool looksLikeHeader(const std::vector<LineCells>& rows, char decimal) {
  const LineCells& first = rows.front();
  const auto isNumeric = [decimal](const std::string& cell) { return isNumber(cell, decimal); };
  if (std::ranges::any_of(first, isNumeric)) return false;
  const auto isNamed = [&first](std::size_t c) { return !first[c].empty(); };
  for (std::size_t c = 0; c < first.size(); ++c)
    for (std::size_t r = 1; r < rows.size() && isNamed(c); ++r)
      if (c < rows[r].size() && isNumeric(rows[r][c])) return true;
  for (std::size_t c = 0; c < first.size(); ++c)
    if (isNamed(c) && (hasWordOfNames(rows, c) || standsOverCodes(rows, c))) return true;
  return false;
}

// Names of their own for all columns, which can be shown and written as JSON.
std::vector<std::string> uniqueNames(const LineCells& header, std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t c = 0; c < header.size(); ++c) {
    std::string name = printable(trim(header[c]), header[c].size());
    if (name.empty()) name = fmt::format("{}", c + 1);
    if (taken.contains(name)) {
      std::string other = fmt::format("{}_{}", name, c + 1);
      while (taken.contains(other)) other += '_';
      warnings.push_back(
          fmt::format("column {} is called \"{}\" like another one; it is called "
                      "\"{}\" here",
                      c + 1, printable(name, 30), printable(other, 30)));
      name = std::move(other);
    }
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

void findTypes(const std::vector<LineCells>& rows, std::size_t firstRow, TextTable& table) {
  std::vector<CellKinds> kinds(table.columns.size());
  for (std::size_t r = firstRow; r < rows.size(); ++r)
    for (std::size_t c = 0; c < kinds.size() && rows[r].size() == kinds.size(); ++c)
      kinds[c].add(rows[r][c], table.cells.decimal);
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    table.columns[c].type = kinds[c].type();
    table.hasNumbers.push_back(kinds[c].truths > 0);
  }
}

// A number that does not keep what the cell says: a long hash, zeros before it.
bool isCode(std::string_view cell) {
  return isLongId(cell) || (parseInt(cell) && !isInteger(cell, '.'));
}

// The line of names as it stands, words for missing values too.
LineCells namesIn(const Sample& sample, const CellFormat& format) {
  CellFormat plain = format;
  plain.nullValues.clear();
  std::vector<LineCells> rows = cutAll({.lines = {sample.lines.front()}}, plain);
  for (std::string& name : rows.front())
    if (!isValidUtf8(name)) name = windows1252ToUtf8(name);
  return std::move(rows.front());
}

bool isCountry(std::string_view cell) {
  const auto isCapital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  return cell.size() == 2 && isCapital(cell[0]) && isCapital(cell[1]);
}

// NA is a word in the column, unless the document says what is missing there.
void keepNa(std::size_t column, TextTable& table) {
  const auto [words, isNew] = table.cells.nullValuesOf.try_emplace(column, table.cells.nullValues);
  if (isNew) std::erase(words->second, "NA");
}

// Words of missing values that one column has not, as the document says or its cells show.
void findNullValues(const experiment::TextFormat& format,
                    std::span<const experiment::Column> columns, const std::vector<LineCells>& rows,
                    TextTable& table) {
  table.mayHaveCountries = !format.nullValues;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto declared = std::ranges::find_if(columns, [&](const experiment::Column& column) {
      return column.nullValues && column.originName() == table.columns[c].name;
    });
    if (declared != columns.end())
      table.cells.nullValuesOf[c] = *declared->nullValues;
    else if (table.mayHaveCountries && std::ranges::any_of(rows, [&](const LineCells& row) {
               return c < row.size() && isCountry(row[c]);
             }))
      keepNa(c, table);
  }
}

Error formatError(std::string_view member, std::string message, const std::string& path) {
  return Error{ErrorCode::kInvalidDocument, std::move(message),
               fmt::format("/dataset/format/{}", member), path};
}

// Line ends and NUL bytes cannot be part of a line.
bool isOfLines(std::string_view bytes, std::size_t most) {
  return !bytes.empty() && bytes.size() <= most &&
         bytes.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

Status checkDeclared(const experiment::TextFormat& format, const std::string& path) {
  if (format.quote && !isOfLines(*format.quote, 1))
    return formatError(
        "quote", fmt::format("\"{}\"; one byte or null is accepted", printable(*format.quote, 30)),
        path);
  if (!format.delimiter) return {};
  if (!isOfLines(*format.delimiter, 2))
    return formatError(
        "delimiter",
        fmt::format("\"{}\"; one or two bytes are accepted", printable(*format.delimiter, 30)),
        path);
  if (format.quote && format.delimiter->find(*format.quote) != std::string::npos)
    return formatError("delimiter",
                       fmt::format("\"{}\" has the quote in it; another delimiter, or null as the "
                                   "quote, is accepted",
                                   printable(*format.delimiter, 30)),
                       path);
  return {};
}

}  // namespace

void CellKinds::add(std::string_view cell, char decimal) {
  if (cell.empty()) return;
  ++filled;
  integers += isInteger(cell, decimal);
  wholes += integerOfCell(cell, decimal).has_value();
  numbers += isNumber(cell, decimal);
  truths += numberOfCell(cell, decimal).has_value();
  longIds = longIds || isLongId(cell);
}

ValueType CellKinds::type() const {
  if (filled == 0) return ValueType::kText;
  if (integers == filled) return ValueType::kInteger;
  const bool zerosBefore = integers < numbers && wholes == filled;
  return numbers == filled && !zerosBefore && !longIds ? ValueType::kNumber : ValueType::kText;
}

void OtherCells::add(std::string_view cell, char decimal) {
  if (cell.empty()) return;
  ++filled;
  if (isInteger(cell, decimal)) return;
  ++(isNumber(cell, decimal) && !isCode(cell) ? fractions : texts);
}

bool OtherCells::areMany(std::size_t count) const {
  constexpr std::size_t kFewest = 5, kShare = 5;
  return count >= kFewest && kShare * count >= filled;
}

ValueType OtherCells::widened(ValueType type) const {
  if (areMany(texts)) return ValueType::kText;
  return type == ValueType::kInteger && areMany(fractions) ? ValueType::kNumber : type;
}

void lookAtLines(TextTable& table, std::string_view lines) {
  struct Cells {
    OtherCells others;
    std::size_t commas = 0;
    bool isCountry = false;
  };
  std::vector<Cells> cells(table.columns.size());
  std::vector<std::string_view> row;
  while (!lines.empty()) {
    const std::string_view line = takeRow(lines, table.cells.quote);
    MadeText made;
    if (line == table.header || !cutCells(line, table.cells, row, made).empty() ||
        row.size() != cells.size())
      continue;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells[c].others.add(row[c], table.cells.decimal);
      cells[c].commas += row[c].find(',') != std::string_view::npos && isNumber(row[c], ',');
      cells[c].isCountry = cells[c].isCountry || isCountry(row[c]);
    }
  }
  const bool hasPoints = std::ranges::find(table.columns, ValueType::kNumber,
                                           &SourceColumn::type) != table.columns.end();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto& [others, commas, hasCountry] = cells[c];
    ValueType& type = table.columns[c].type;
    if (type == ValueType::kInteger && !hasPoints && table.mayHaveCommas && others.texts > 0 &&
        others.areMany(commas) && commas == others.texts) {
      table.cells.decimal = ',';
      type = ValueType::kNumber;
      continue;
    }
    type = others.widened(type);
    if (hasCountry && type == ValueType::kText && table.mayHaveCountries) keepNa(c, table);
  }
}

Result<TextTable> findTextFormat(std::string_view start,
                                 const std::optional<experiment::TextFormat>& declared,
                                 const std::string& path,
                                 std::span<const experiment::Column> columns) {
  const experiment::TextFormat format = declared.value_or(experiment::TextFormat{});
  TextTable table;
  PARAPET_TRY(checkDeclared(format, path));
  table.cells.quote = format.quote ? std::optional(format.quote->front()) : std::nullopt;
  table.encoding = format.encoding.value_or(encodingOf(start));
  table.cells.nullValues =
      format.nullValues.value_or(LineCells(std::begin(kNullValues), std::end(kNullValues)));
  Sample sample = takeSample(start, table.cells.quote, table.encoding);
  const std::optional<std::string> said = takeDelimiterLine(sample, table.cells.quote);
  if (sample.lines.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} is empty; lines of delimited text are expected", path), "", path};
  if (format.delimiter || said)
    table.cells.delimiter = format.delimiter ? *format.delimiter : *said;
  else
    table.cells.delimiter = findDelimiter(sample, table.cells.quote);
  if (!format.delimiter && table.cells.delimiter == " " &&
      std::ranges::any_of(sample.lines, hasRunOfSpaces))
    table.warnings.push_back(
        fmt::format("{} has cells with spaces between them; several spaces are read as one", path));

  const auto cutSample = [&] {
    std::vector<LineCells> rows = cutAll(sample, table.cells);
    // A line of names that comes again says nothing about the cells.
    if (!rows.empty())
      rows.erase(std::remove(rows.begin() + 1, rows.end(), rows.front()), rows.end());
    return rows;
  };
  std::vector<LineCells> rows = cutSample();
  if (rows.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{}: none of the first {} lines can be cut into cells", path,
                             sample.lines.size()),
                 "", path};
  table.cells.decimal =
      format.decimal ? format.decimal->front() : findDecimal(rows, table.cells.delimiter);
  table.mayHaveCommas = !format.decimal && table.cells.delimiter.find(',') == std::string::npos;
  const bool header = format.header.value_or(looksLikeHeader(rows, table.cells.decimal));
  table.headerLines = header || said ? sample.linesBefore + (header ? 1 : 0) : 0;
  if (header) {
    table.header = sample.lines.front();
    rows.front() = namesIn(sample, table.cells);
  }
  if (header && rows.size() > 1 && rows.front().back().empty() &&
      mostCommonWidth({rows.begin() + 1, rows.end()}).first + 1 == rows.front().size())
    rows.front().pop_back();
  const std::size_t width = header ? rows.front().size() : mostCommonWidth(rows).first;
  LineCells names = format.names;
  if (names.empty()) names = header ? rows.front() : LineCells(width);
  if (names.size() != width)
    return formatError("names",
                       fmt::format("{} names; {} has {} columns separated by {}", names.size(),
                                   path, width, delimiterName(table.cells.delimiter)),
                       path);
  if (!header && format.names.empty())
    table.warnings.push_back(fmt::format(
        "{} has no line of names; its columns are called 1 to {}. Set \"header\" or \"names\" of "
        "the format to call them otherwise",
        path, width));
  for (std::string& name : uniqueNames(names, table.warnings))
    table.columns.push_back({std::move(name), ValueType::kText, false});
  findNullValues(format, columns, rows, table);
  if (!table.cells.nullValuesOf.empty()) rows = cutSample();
  findTypes(rows, header ? 1 : 0, table);
  return table;
}

}  // namespace parapet::data
