// SPDX-License-Identifier: Apache-2.0
#include "engine/base/quoting.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"

namespace parapet {

void appendCsvField(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

std::string csvField(std::string_view text) {
  std::string field;
  appendCsvField(field, text);
  return field;
}

void FormulaCount::look(std::string_view cell) {
  const std::string_view text = trim(cell);
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos ||
      parseDouble(text.front() == '+' ? text.substr(1) : text))
    return;
  if (count_++ == 0) first_ = printable(cell);
}

std::string FormulaCount::note() const {
  if (count_ == 0) return {};
  return fmt::format(
      "a spreadsheet would take {} of the CSV for {}, the first is \"{}\"; import its columns as "
      "text",
      count_ == 1 ? "1 cell" : fmt::format("{} cells", formatCount(count_)),
      count_ == 1 ? "a formula" : "formulas", first_);
}

std::string formulaNote(std::string_view csv) {
  FormulaCount formulas;
  std::string cell;
  bool quoted = false;
  for (const char c : csv) {
    // A doubled quote closes the cell and opens it again, which loses that quote alone.
    if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == ',' || c == '\n'))
      formulas.look(std::exchange(cell, {}));
    else
      cell += c;
  }
  formulas.look(cell);
  return formulas.note();
}

bool isPlainShellWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  });
}

std::string shellWord(std::string_view text) {
  if (isPlainShellWord(text)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text)
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  return quoted + "'";
}

}  // namespace parapet
