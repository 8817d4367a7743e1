// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"

namespace parapet::cli {
namespace {

std::size_t widthOf(char32_t point) {
  const auto within = [point](char32_t low, char32_t high) {
    return point >= low && point <= high;
  };
  if (within(0x0300, 0x036F) || within(0x200B, 0x200F) || within(0xFE00, 0xFE0F)) return 0;
  const bool wide = within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) ||
                    within(0xF900, 0xFAFF) || within(0xFF00, 0xFF60) || within(0x1F300, 0x1FAFF) ||
                    within(0x20000, 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [point, bytes] = decodeUtf8(text, at);
    width += widthOf(point);
    at += std::max<std::size_t>(bytes, 1);
  }
  return width;
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = terminalText(column.title, LineEnds::kEscape);
}

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size())
    throw InvalidArgument(
        fmt::format("[cli.TextTable] {} cells for {} columns", cells.size(), columns_.size()));
  for (std::string& cell : cells) cell = terminalText(cell, LineEnds::kEscape);
  rows_.push_back(std::move(cells));
}

void TextTable::append(std::string& out, const std::vector<std::string>& cells,
                       const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(widths[c] - displayWidth(cells[c]), ' ');
    if (c > 0) line += "  ";
    line += columns_[c].align == Align::kRight ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

std::string TextTable::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    widths.push_back(displayWidth(columns_[c].title));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], displayWidth(row[c]));
  }
  std::string out;
  append(out, titles, widths);
  for (const auto& row : rows_) append(out, row, widths);
  return out;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", formatCount(count), noun, count == 1 ? "" : "s");
}

std::string shortNumber(double value) {
  return std::isfinite(value) ? formatValue(value, 4) : "–";
}

std::string metricText(std::string_view metric, double value) {
  return std::isfinite(value) && experiment::isCountKey(metric) ? formatCount(std::llround(value))
                                                                : shortNumber(value);
}

}  // namespace parapet::cli
