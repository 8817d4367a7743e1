// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/line_reader.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<LineReader> LineReader::open(const std::filesystem::path& path) {
  LineReader reader;
  PARAPET_ASSIGN(reader.file_, MappedFile::open(path));
  reader.hasByteOrderMark_ = reader.bytes().starts_with(kByteOrderMark);
  if (reader.hasByteOrderMark_) reader.position_ = kByteOrderMark.size();
  return reader;
}

std::optional<LineReader::Line> LineReader::next() {
  const std::string_view text = bytes();
  while (position_ < text.size()) {
    const std::size_t end = std::min(text.find('\n', position_), text.size());
    std::string_view line = text.substr(position_, end - position_);
    position_ = std::min(end + 1, text.size());
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(' ') != std::string_view::npos) return Line{line, number_};
  }
  return std::nullopt;
}

std::string reasonAgainstText(std::string_view line, bool utf8) {
  if (line.size() > LineReader::kMaxLineBytes)
    return fmt::format("line of {} bytes; at most {} are accepted", line.size(),
                       LineReader::kMaxLineBytes);
  if (line.find('\0') != std::string_view::npos) return "NUL byte; text is accepted";
  if (utf8 && !isValidUtf8(line)) return "bytes that are not UTF-8; UTF-8 text is accepted";
  return {};
}

}  // namespace parapet::data
