// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/delimited_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/plain_numbers.h"
#include "engine/data/ingest/sources/separator_index.h"

namespace parapet::data {
namespace {

// A column of so many lines and the text of them are in the fast memory of a core.
constexpr std::size_t kMaxAtOnce = 1 << 10;

}  // namespace

DelimitedParser::Reader::Reader(const DelimitedParser& parser, const Source::Piece& piece,
                                RowBlock& block)
    : parser_(parser), piece_(piece), block_(block), rows_(block, parser.columns_) {
  std::size_t column = 0;
  for (const CellUse& use : parser.uses_) {
    rows_.startColumn(column++, use.type,
                      use.separator.empty() ? CellForm::kValue : CellForm::kList);
    if (!use.weightSeparator.empty())
      rows_.startColumn(column++, ValueType::kNumber, CellForm::kList);
  }
  targets_.resize(parser.columns_ + 1);  // the last one is of cells that are not wanted
}

void DelimitedParser::Reader::read() {
  rows_.reserve(1);
  if (piece_.longLineBytes > 0)
    refuse({reasonAgainstLength(static_cast<std::size_t>(piece_.longLineBytes))}, piece_.text);
  else
    readLines();
  rows_.finish();
  block_.bytes = piece_.bytes;
  if (!made_.empty())
    block_.bytes = std::make_shared<std::pair<std::shared_ptr<const void>, MadeText>>(
        piece_.bytes, std::move(made_));
}

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
    reserve(std::max<std::size_t>(lines, 1));
    const std::size_t read = lines == 0 ? 0 : readPlain(positions.data() + used, lines);
    rows_.accept(read);
    used += read * cells;
    if (read > 0) start_ = positions[used] + 1;
    if (lines > 0) batch_ = read == lines ? std::min(2 * batch_, kMaxAtOnce) : 1;
    if (lines > 0 && read == lines) continue;
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

// Not as many rows as there are positions: a table of 20,000 columns has one row to 20,000 of them.
void DelimitedParser::Reader::reserve(std::size_t rows) {
  rows_.reserve(rows);
  for (std::size_t c = 0; c < parser_.columns_; ++c) {
    ColumnValues& column = rows_.column(c);
    targets_[c] = {column.integers.data(), column.numbers.data(), column.texts.data()};
  }
}

void DelimitedParser::Reader::startWindow(std::span<const std::uint32_t> positions) {
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
    const Target target = targets_[step.column];
    const auto readText = [&](const char* at, const char* end, std::size_t line) {
      target.texts[row + line] = {at, static_cast<std::size_t>(end - at)};
      return end > at && *at != quote;
    };
    switch (step.kind) {
      case Step::Kind::kSkip:
        // Delimiters that overlap (":::") leave less than nothing between them.
        lines = forCells(step, ends, lines, [&](const char* at, const char* end, std::size_t) {
          return at <= end && *at != quote;
        });
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
  const bool isLast = step.last;
  const std::uint32_t* around = ends + step.cell;
  for (std::size_t line = 0; line < lines; ++line, around += cells) {
    const char* const at = text + static_cast<std::uint32_t>(around[0] + gap);
    const char* end = text + around[1];
    if ((*end == '\n') != isLast) return line;
    if (isLast && end[-1] == '\r') --end;
    if (!read(at, end, line)) return line;
  }
  return lines;
}

}  // namespace parapet::data
