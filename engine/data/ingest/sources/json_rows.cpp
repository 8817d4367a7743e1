// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/delimited_reader.h"

namespace parapet::data {
namespace {

/// Texts of a block, which are not in the piece as they are needed.
struct MadeTexts {
  std::shared_ptr<const void> piece;
  std::pmr::monotonic_buffer_resource memory;

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* const kept = static_cast<char*>(memory.allocate(text.size(), 1));
    std::memcpy(kept, text.data(), text.size());
    return {kept, text.size()};
  }
};

std::optional<std::int64_t> integerOf(const JsonCell& cell) {
  return cell.kind == JsonCell::Kind::kInteger ? cell.integer : integerOfCell(cell.text);
}

std::optional<double> numberOf(const JsonCell& cell) {
  switch (cell.kind) {
    case JsonCell::Kind::kInteger:
      return static_cast<double>(cell.integer);
    case JsonCell::Kind::kNumber:
      return cell.number;
    default:
      return numberOfCell(cell.text);
  }
}

}  // namespace

/// One piece on its way into a block.
class JsonParser::Reader final : public JsonLineReader {
 public:
  Reader(const JsonParser& parser, const Source::Piece& piece, RowBlock& block)
      : parser_(parser),
        piece_(piece),
        block_(block),
        rows_(block, parser.columns_),
        texts_(std::make_shared<MadeTexts>()),
        seen_(parser.usesOf_.size(), -1),
        filled_(parser.uses_.size(), -1) {
    for (std::size_t u = 0; u < parser.uses_.size(); ++u) {
      const auto& [use, isList, nullValues] = parser.uses_[u];
      const bool hasList = isList || !use.separator.empty();
      rows_.startColumn(parser.columnOf_[u], use.type,
                        hasList ? CellForm::kList : CellForm::kValue);
      if (!use.weightSeparator.empty())
        rows_.startColumn(parser.columnOf_[u] + 1, ValueType::kNumber, CellForm::kList);
    }
  }

  void readAll() {
    rows_.reserve(static_cast<std::size_t>(std::ranges::count(piece_.text, '\n')) + 1);
    if (piece_.longLineBytes > 0)
      refuse(reasonAgainstLength(static_cast<std::size_t>(piece_.longLineBytes)), piece_.text);
    else
      for (std::string_view rest = piece_.text; !rest.empty();) readLine(takeLine(rest));
    rows_.finish();
    texts_->piece = piece_.bytes;
    block_.bytes = std::move(texts_);
  }

 private:
  Key keyOf(Key object, const std::string& name, std::size_t& next) override {
    return parser_.keys_.find(object, name, next);
  }
  std::string take(Key key, const JsonCell& cell, bool isListed) override {
    const std::size_t column = parser_.keys_.columnOf(key);
    if (column >= parser_.usesOf_.size() || parser_.usesOf_[column].empty()) return {};
    if (!isListed)
      if (std::string reason = see(column); !reason.empty()) return reason;
    if (cell.kind == JsonCell::Kind::kNull) return {};
    for (const std::size_t u : parser_.usesOf_[column]) {
      const auto& [use, isList, nullValues] = parser_.uses_[u];
      if (isListed && !isList) continue;  // refused by takeList()
      const bool isText = cell.kind == JsonCell::Kind::kText;
      if (isText &&
          (cell.text.empty() || std::ranges::find(nullValues, cell.text) != nullValues.end()))
        continue;
      if (isText && cell.text.find('\0') != std::string_view::npos)
        return fault(use, fmt::format("{} a NUL character; text is accepted", use.subject));
      if (!isListed) filled_[u] = line_;
      if (write(u, cell)) continue;
      std::string room;
      CellFault found = faultOf(use, cell.asText(room));
      return fault({.pointer = std::move(found.pointer)}, std::move(found.reason));
    }
    return {};
  }
  std::string takeList(Key key) override {
    const std::size_t column = parser_.keys_.columnOf(key);
    if (column >= parser_.usesOf_.size() || parser_.usesOf_[column].empty()) return {};
    if (std::string reason = see(column); !reason.empty()) return reason;
    for (const std::size_t u : parser_.usesOf_[column]) {
      filled_[u] = line_;
      const auto& [use, isList, nullValues] = parser_.uses_[u];
      if (!isList) return fault(use, fmt::format("{} a list; one value is accepted", use.subject));
    }
    return {};
  }
  std::string takeNested(Key key) override {
    const std::size_t column = parser_.keys_.columnOf(key);
    if (column >= parser_.usesOf_.size() || parser_.usesOf_[column].empty()) return {};
    const CellUse& use = parser_.uses_[parser_.usesOf_[column].front()].use;
    return fault(use, fmt::format("{} a list of objects or of lists; a list of values is accepted",
                                  use.subject));
  }
  void startAgain() override {
    rows_.rollBack();
    ++line_;
  }

  void readLine(std::string_view line) {
    ++line_;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return rows_.skip();
    pointer_.clear();
    std::string reason = reasonAgainstLength(line.size());
    if (reason.empty() && line.find('\0') != std::string_view::npos)
      reason = "NUL byte; text is accepted";
    if (reason.empty()) reason = read(line);
    if (reason.empty()) return accept();
    rows_.rollBack();
    refuse(std::move(reason), line);
  }

  void accept() {
    for (std::size_t u = 0; u < parser_.uses_.size(); ++u) {
      const CellUse& use = parser_.uses_[u].use;
      ColumnValues& column = rows_.column(parser_.columnOf_[u]);
      const bool isFilled = filled_[u] == line_;
      if (!isFilled) rows_.markMissing(column);
      if (column.isList()) {
        column.offsets.push_back(static_cast<std::int32_t>(valueCount(column)));
        if (!use.weightSeparator.empty())
          rows_.column(parser_.columnOf_[u] + 1).offsets.push_back(column.offsets.back());
      } else if (!isFilled) {
        clear(column);
      }
    }
    rows_.accept(1);
  }
  void clear(ColumnValues& column) const {
    if (column.type == ValueType::kInteger) column.integers[rows_.row()] = 0;
    if (column.type == ValueType::kNumber) column.numbers[rows_.row()] = 0.0;
    if (column.type == ValueType::kText) column.texts[rows_.row()] = {};
  }

  /// Notes that the line has the column; returns why it may not have it again.
  std::string see(std::size_t column) {
    if (std::exchange(seen_[column], line_) != line_) return {};
    const CellUse& use = parser_.uses_[parser_.usesOf_[column].front()].use;
    return fault(use,
                 fmt::format("{} a value twice; a key that occurs once is accepted", use.subject));
  }

  /// Writes a value behind the rows, or behind those of its list; false if it is none.
  bool write(std::size_t u, const JsonCell& cell) {
    const auto& [use, isList, nullValues] = parser_.uses_[u];
    ColumnValues& column = rows_.column(parser_.columnOf_[u]);
    std::string room;
    if (!use.separator.empty())
      return appendParts(
          use, texts_->keep(cell.asText(room)), '.', column,
          use.weightSeparator.empty() ? nullptr : &rows_.column(parser_.columnOf_[u] + 1));
    const auto put = [&](auto& values, auto value) {
      if (isList)
        values.push_back(value);
      else
        values[rows_.row()] = value;
    };
    if (column.type == ValueType::kText) {
      put(column.texts, texts_->keep(cell.asText(room)));
      return true;
    }
    if (column.type == ValueType::kInteger) {
      const auto value = integerOf(cell);
      if (value) put(column.integers, *value);
      return value.has_value();
    }
    const auto value = numberOf(cell);
    if (value) put(column.numbers, *value);
    return value.has_value();
  }

  std::string fault(const CellUse& use, std::string reason) {
    pointer_ = use.pointer;
    return reason;
  }
  void refuse(std::string reason, std::string_view line) {
    if (!piece_.file.empty()) reason += fmt::format(" ({})", piece_.file);
    rows_.refuse(std::move(reason), line, std::exchange(pointer_, {}));
  }

  const JsonParser& parser_;
  const Source::Piece& piece_;
  RowBlock& block_;
  BlockWriter rows_;
  std::shared_ptr<MadeTexts> texts_;
  std::int64_t line_ = 0;             // one more for every line, and for one that is read again
  std::vector<std::int64_t> seen_;    // by column: the last line that has it
  std::vector<std::int64_t> filled_;  // by use: the last line with a value
  std::string pointer_;               // the setting at which the line failed
};

JsonParser::JsonParser(const JsonKeys& keys, std::vector<JsonUse> uses)
    : keys_(keys), uses_(std::move(uses)) {
  for (std::size_t u = 0; u < uses_.size(); ++u) {
    const CellUse& use = uses_[u].use;
    usesOf_.resize(std::max(usesOf_.size(), use.cell + 1));
    usesOf_[use.cell].push_back(u);
    columnOf_.push_back(columns_);
    columns_ += use.weightSeparator.empty() ? 1 : 2;
  }
}

void JsonParser::parse(const Source::Piece& piece, RowBlock& block) const {
  Reader(*this, piece, block).readAll();
}

}  // namespace parapet::data
