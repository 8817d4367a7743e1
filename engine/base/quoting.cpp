// SPDX-License-Identifier: Apache-2.0
#include "engine/base/quoting.h"

#include <algorithm>

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
