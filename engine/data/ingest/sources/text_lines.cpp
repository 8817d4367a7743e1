// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_lines.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace parapet::data {

OddBytes findOddBytes(std::string_view text) {
  if (text.empty()) return {};
  unsigned char high = 0, nul = 0, lone = 0;  // bytes, so that the loop becomes vector code
  const char* const bytes = text.data();
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    high = static_cast<unsigned char>(high | static_cast<unsigned char>(bytes[i]));
    nul = static_cast<unsigned char>(nul | (bytes[i] == '\0'));
    lone = static_cast<unsigned char>(lone | ((bytes[i] == '\r') & (bytes[i + 1] != '\n')));
  }
  high = static_cast<unsigned char>(high | static_cast<unsigned char>(text.back()));
  return {.nul = nul != 0 || text.back() == '\0',
          .high = high >= 0x80,
          .loneCarriageReturn = lone != 0};
}

Status checkLineEnds(std::string_view start, const std::string& path) {
  const std::size_t lone = start.find('\r');
  if (lone == std::string_view::npos || lone + 1 == start.size() ||
      start.find('\n') != std::string_view::npos)
    return {};
  return Error{ErrorCode::kData,
               fmt::format("{}: the lines end with a carriage return alone, as those of old Macs; "
                           "lines that end with LF or CR LF are accepted (`tr '\\r' '\\n'` makes "
                           "such a file)",
                           path),
               "", path};
}

std::string_view takeLine(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view lineAt(std::string_view text, std::int64_t lineIndex) {
  for (; lineIndex > 0 && !text.empty(); --lineIndex) takeLine(text);
  return text.empty() ? text : takeLine(text);
}

bool isBlankLine(std::string_view line) {
  return line.find_first_not_of(' ') == std::string_view::npos;
}

std::string reasonAgainstLength(std::size_t lineBytes) {
  if (lineBytes <= kMaxLineBytes) return {};
  return fmt::format("line of {} bytes; at most {} are accepted", lineBytes, kMaxLineBytes);
}

std::string reasonAgainstLine(std::string_view line, TextEncoding encoding) {
  if (std::string reason = reasonAgainstLength(line.size()); !reason.empty()) return reason;
  if (line.find('\0') != std::string_view::npos) return "NUL byte; text is accepted";
  if (line.find('\r') != std::string_view::npos)
    return "carriage return inside the line; lines that end with LF or CR LF are accepted";
  if (encoding == TextEncoding::kUtf8 && !isValidUtf8(line))
    return "bytes that are not UTF-8; UTF-8 text is accepted";
  return {};
}

}  // namespace parapet::data
