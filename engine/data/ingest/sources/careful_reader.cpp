// SPDX-License-Identifier: Apache-2.0
// The part of the reader of delimited lines that knows every form of a line, and what is wrong.
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/delimited_reader.h"

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
    if (std::string uneven = reasonAgainstWeights(use, cell); !uneven.empty())
      return {std::move(uneven), use.pointer + "/weights"};
    return {fmt::format("{} \"{}\"; {}", use.subject, printable(cell, 30),
                        use.accepted.empty() ? acceptedOf(use.type) : use.accepted),
            use.pointer};
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
  std::size_t ids = 0, given = 0;
  const bool read = forParts(cell, use.separator, [&](std::string_view value) {
    ++ids;
    if (weights) {
      const std::size_t colon = value.rfind(use.weightSeparator);
      if (colon == std::string_view::npos)
        weights->numbers.push_back(1.0);
      else if (++given; !appendValue(value.substr(colon + use.weightSeparator.size()), *weights))
        return false;
      value = value.substr(0, colon);
    }
    return appendValue(values.type == ValueType::kText ? decode(value) : value, values);
  });
  if (!read || (given > 0 && given < ids)) return false;
  values.offsets.push_back(static_cast<std::int32_t>(valueCount(values)));
  if (weights) weights->offsets.push_back(values.offsets.back());
  return true;
}

std::string_view DelimitedParser::Reader::decode(std::string_view cell) {
  if (!suspicious_ || parser_.format_.encoding == TextEncoding::kUtf8 || isValidUtf8(cell))
    return cell;
  return made_.emplace_back(latin1ToUtf8(cell));
}

void DelimitedParser::Reader::refuse(Fault fault, std::string_view line) {
  if (!piece_.file.empty()) fault.reason += fmt::format(" ({})", piece_.file);
  rows_.refuse(std::move(fault.reason), line, std::move(fault.pointer));
}

}  // namespace parapet::data
