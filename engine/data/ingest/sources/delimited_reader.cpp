// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/delimited_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/plain_numbers.h"

namespace parapet::data {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kWrittenAtOnce = 8;
using Flags = std::array<unsigned char, kBlockBytes>;

// 1 for every byte that separates; a block has one more byte behind it. Simple enough for the
// compiler to make vector code of it.
void flagSeparators(const char* block, char delimiter, Flags& flags) {
  for (std::size_t i = 0; i < kBlockBytes; ++i)
    flags[i] = static_cast<unsigned char>((block[i] == delimiter) | (block[i] == '\n'));
}

void flagSeparators(const char* block, char first, char second, Flags& flags) {
  for (std::size_t i = 0; i < kBlockBytes; ++i)
    flags[i] = static_cast<unsigned char>(((block[i] == first) & (block[i + 1] == second)) |
                                          (block[i] == '\n'));
}

/// Where the separators of a text are, its delimiters and line ends, found window after window with
/// vector code. Once they are known, cells can be read without waiting for each other.
class SeparatorIndex {
 public:
  static constexpr std::size_t kWindowBytes = 1 << 14;

  /// `delimiter` has one or two bytes.
  SeparatorIndex(std::string_view text, std::string_view delimiter)
      : text_(text), delimiter_(delimiter) {
    if (delimiter.empty() || delimiter.size() > 2)
      throw InvalidArgument("a delimiter has one or two bytes");
  }

  /// Forgets the first `used` positions and finds those of the next window; false at the end.
  bool next(std::size_t used) {
    std::copy(positions_.begin() + std::ptrdiff_t(used),
              positions_.begin() + std::ptrdiff_t(count_), positions_.begin());
    count_ -= used;
    if (end_ == text_.size()) return false;
    const std::size_t begin = end_;
    end_ = std::min(begin + kWindowBytes, text_.size());
    if (positions_.size() < count_ + kWindowBytes + kBlockBytes)
      positions_.resize(count_ + kWindowBytes + kBlockBytes);
    std::size_t at = begin;
    for (; at + kBlockBytes < end_; at += kBlockBytes)
      addBlock(text_.data() + at, static_cast<std::uint32_t>(at));
    std::array<char, kBlockBytes + 1> tail;
    tail.fill('\0');  // no part of a delimiter
    std::memcpy(tail.data(), text_.data() + at, end_ - at);
    if (end_ < text_.size()) tail[end_ - at] = text_[end_];
    const std::size_t before = count_;
    addBlock(tail.data(), static_cast<std::uint32_t>(at));
    // The byte behind the window belongs to the next one.
    if (count_ > before && positions_[count_ - 1] == end_) --count_;
    return true;
  }

  /// Where delimiters begin and where line ends are, ascending. Before the first of them stands the
  /// line end before the text, kBeforeText.
  [[nodiscard]] std::span<const std::uint32_t> positions() const {
    return {positions_.data(), count_};
  }
  /// One less than the first position, as unsigned numbers wrap around.
  static constexpr std::uint32_t kBeforeText = ~std::uint32_t{0};

 private:
  void addBlock(const char* block, std::uint32_t offset) {
    Flags flags;
    if (delimiter_.size() == 1)
      flagSeparators(block, delimiter_[0], flags);
    else
      flagSeparators(block, delimiter_[0], delimiter_[1], flags);
    // One bit for every flag: the product moves the flag of byte j to bit 56 + j.
    std::uint64_t bits = 0;
    std::uint64_t sums = 0;
    for (std::size_t i = 0; i < kBlockBytes; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, flags.data() + i, sizeof(word));
      bits |= ((word * 0x0102040810204080u) >> 56) << i;
      sums += word;
    }
    const auto found = static_cast<std::size_t>((sums * 0x0101010101010101u) >> 56);
    // A few too many are written, so that the loop ends where the processor expects it.
    std::uint32_t* out = positions_.data() + count_;
    for (std::size_t k = 0; k < found; k += kWrittenAtOnce)
      for (std::size_t j = 0; j < kWrittenAtOnce; ++j) {
        out[k + j] = offset + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
    count_ += found;
  }

  std::string_view text_;
  std::string_view delimiter_;
  std::size_t end_ = 0;  // of the last window
  std::vector<std::uint32_t> positions_{kBeforeText};
  std::size_t count_ = 1;
};

// A column of so many lines and the text of them are in the fast memory of a core.
constexpr std::size_t kMaxAtOnce = 1 << 10;

}  // namespace

std::size_t valueCount(const ColumnValues& column) {
  return column.integers.size() + column.numbers.size() + column.texts.size();
}

void resizeValues(ColumnValues& column, std::size_t count) {
  switch (column.type) {
    case ValueType::kInteger:
      column.integers.resize(count);
      break;
    case ValueType::kNumber:
      column.numbers.resize(count);
      break;
    case ValueType::kText:
      column.texts.resize(count);
      break;
  }
}

BlockWriter::BlockWriter(RowBlock& block, std::size_t columns) : block_(block) {
  block_.columns.resize(columns);
  block_.lineOfRow.clear();
  block_.rejected.clear();
  block_.bytes.reset();
}

void BlockWriter::startColumn(std::size_t column, ValueType type, CellForm form) {
  const bool isList = form == CellForm::kList;
  ColumnValues& values = block_.columns[column];
  // A column that is filled again keeps its length: it need not be cleared to be overwritten.
  if (isList || values.type != type || values.isList()) values.clear();
  values.type = type;
  values.missing.clear();
  if (isList) values.offsets.assign(1, 0);
}

void BlockWriter::reserve(std::size_t rows) {
  const std::size_t wanted = row_ + rows;
  if (wanted <= capacity_) return;
  capacity_ = wanted;
  for (ColumnValues& column : block_.columns) {
    if (!column.isList()) resizeValues(column, std::max(capacity_, valueCount(column)));
    if (!column.missing.empty()) column.missing.resize(capacity_);
  }
  if (!block_.lineOfRow.empty()) block_.lineOfRow.resize(capacity_);
}

void BlockWriter::markMissing(ColumnValues& column) {
  if (column.missing.empty()) column.missing.resize(capacity_);
  column.missing[row_] = 1;
}

void BlockWriter::accept(std::size_t lines) {
  if (!block_.lineOfRow.empty()) {
    const auto first = block_.lineOfRow.begin() + std::ptrdiff_t(row_);
    std::iota(first, first + std::ptrdiff_t(lines), static_cast<std::int32_t>(line_));
  }
  row_ += lines;
  line_ += static_cast<std::int64_t>(lines);
}

void BlockWriter::skip() {
  // From here on rows and lines are no longer the same.
  if (block_.lineOfRow.empty()) {
    block_.lineOfRow.resize(std::max<std::size_t>(capacity_, 1));
    std::iota(block_.lineOfRow.begin(), block_.lineOfRow.begin() + std::ptrdiff_t(row_), 0);
  }
  ++line_;
}

void BlockWriter::refuse(std::string reason, std::string_view line, std::string pointer) {
  block_.rejected.push_back({line_, std::move(reason), printable(line), std::move(pointer)});
  skip();
}

void BlockWriter::rollBack() {
  for (ColumnValues& column : block_.columns) {
    if (!column.missing.empty()) column.missing[row_] = 0;
    if (!column.isList()) continue;
    column.offsets.resize(row_ + 1);
    resizeValues(column, static_cast<std::size_t>(column.offsets.back()));
  }
}

void BlockWriter::finish() {
  for (ColumnValues& column : block_.columns) {
    if (!column.isList()) resizeValues(column, row_);
    if (!column.missing.empty()) column.missing.resize(row_);
  }
  block_.lineOfRow.resize(block_.lineOfRow.empty() ? 0 : row_);
  block_.rows = static_cast<std::int64_t>(row_);
  block_.lines = line_;
}

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
  // Lines that were joined may reach beyond the window before.
  const auto before = static_cast<std::uint32_t>(start_ - 1);
  std::size_t used = 0;
  while (used < positions.size() && positions[used] != before) ++used;
  if (used == positions.size()) return used - 1;
  startWindow(positions);
  const std::size_t cells = parser_.format_.names.size();
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
    std::string_view rest = piece_.text.substr(start_);
    if (!readJoined(takeRow(rest, parser_.format_.cells.quote))) {
      std::string_view line = piece_.text.substr(start_, positions[end] + 1 - start_);
      readCarefully(takeLine(line));
      used = end;
      start_ = positions[end] + 1;
      continue;
    }
    start_ = piece_.text.size() - rest.size();
    while (end < positions.size() && positions[end] + 1 < start_) ++end;
    if (end == positions.size() || positions[end] + 1 != start_) return end - 1;
    used = end;
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
  checked_ = std::max(end, start_);
  const std::string_view lines = text.substr(start_, checked_ - start_);
  const OddBytes odd = findOddBytes(lines);
  suspicious_ = odd.nul || odd.loneCarriageReturn || (odd.high && !isValidUtf8(lines));
}

// How many lines are tried at once. One that takes more care makes the work on those after it vain,
// so there are few at first, and twice as many as long as all goes well.
std::size_t DelimitedParser::Reader::plainLines(std::span<const std::uint32_t> positions) const {
  const std::size_t cells = parser_.format_.names.size();
  if (suspicious_ || cells < 2 || decimal() != '.' || parser_.hasNullNumbers_ ||
      rows_.line() < piece_.headerLines)
    return 0;
  std::size_t lines = std::min(batch_, (positions.size() - 1) / cells);
  while (lines > 0 && positions[lines * cells] + kPlainNumberBytes > piece_.text.size()) --lines;
  const std::string_view header = parser_.format_.header;
  for (std::size_t line = 0; line < lines && !header.empty(); ++line) {
    const std::uint32_t begin = positions[line * cells] + 1;
    if (positions[(line + 1) * cells] - begin - header.size() > 1) continue;  // or with a CR
    if (piece_.text.substr(begin, header.size()) == header) return line;
  }
  return lines;
}

// Reads lines column by column behind the rows; `ends` are the end of the line before and those of
// the cells. Returns how many lines could be read before one that takes more care.
std::size_t DelimitedParser::Reader::readPlain(const std::uint32_t* ends, std::size_t lines) {
  const char quote = parser_.format_.cells.quote.value_or('\n');
  const std::size_t row = rows_.row();
  for (const Step& step : parser_.steps_) {
    const Target target = targets_[step.column];
    // A cell with a space at its start may be a quoted one.
    const auto isPlain = [&](const char* at, const char* end) {
      return end > at && *at != quote && *at != ' ' && end[-1] != ' ' &&
             !(parser_.startsNull_[static_cast<unsigned char>(*at)] &&
               parser_.format_.cells.isNull({at, end}, step.cell));
    };
    const auto readText = [&](const char* at, const char* end, std::size_t line) {
      target.texts[row + line] = {at, static_cast<std::size_t>(end - at)};
      return isPlain(at, end);
    };
    switch (step.kind) {
      case Step::Kind::kSkip:
        // Delimiters that overlap (":::") leave less than nothing between them.
        lines = forCells(step, ends, lines, [&](const char* at, const char* end, std::size_t) {
          return at <= end && *at != quote && *at != ' ';
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
          return isPlain(at, end) && appendList(step, {at, static_cast<std::size_t>(end - at)});
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
