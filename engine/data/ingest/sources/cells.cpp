// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/cells.h"

#include <fmt/format.h>

#include "engine/base/text.h"

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

}  // namespace

std::string cutCells(std::string_view line, const CellFormat& format,
                     std::vector<std::string_view>& cells, MadeText& made) {
  cells.clear();
  for (;;) {
    if (format.quote && line.starts_with(*format.quote)) {
      std::string_view cell;
      if (!takeQuoted(line, *format.quote, cell, made))
        return fmt::format("cell {} has no closing quote; a quoted cell ends on its line",
                           cells.size() + 1);
      cells.push_back(cell);
      if (line.empty()) return {};
      if (!line.starts_with(format.delimiter))
        return fmt::format("\"{}\" after the closing quote of cell {}; a quote inside is doubled",
                           printable(line, 10), cells.size());
    } else {
      const std::size_t end = line.find(format.delimiter);
      cells.push_back(line.substr(0, end));
      if (end == std::string_view::npos) return {};
      line.remove_prefix(end);
    }
    line.remove_prefix(format.delimiter.size());
  }
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

}  // namespace parapet::data
