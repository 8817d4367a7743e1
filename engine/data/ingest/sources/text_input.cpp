// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/base/file_ranges.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/packed_files.h"

namespace parapet::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16Marks[]{"\xFF\xFE", "\xFE\xFF"};
// Bytes of a line that is too long which are kept for the message about it.
constexpr std::size_t kKeptOfLongLine = 1 << 10;

// Where the last line ends that ends in `text`, 0 if none does. A line break inside quotes is no end:
// that with an even number of quotes before it is taken, unless a quote stands alone.
std::size_t endOfLines(std::string_view text, std::optional<char> quote) {
  const std::size_t last = text.rfind('\n') + 1;
  if (!quote) return last;
  std::size_t end = last;
  auto quotes = std::ranges::count(text.substr(0, end), *quote);
  while (quotes % 2 != 0 && last - end < kMaxQuotedBytes && end > 1) {
    const std::size_t before = text.rfind('\n', end - 2) + 1;
    quotes -= std::ranges::count(text.substr(before, end - before), *quote);
    end = before;
  }
  return end > 0 && quotes % 2 == 0 ? end : last;
}

// Blocks of what a stream gives; each holds whole lines, the rest goes to the next.
class StreamedTextInput final : public TextInput {
 public:
  StreamedTextInput(std::unique_ptr<ByteStream> stream, std::string name)
      : TextInput(std::move(name)), stream_(std::move(stream)) {}

  [[nodiscard]] std::int64_t done() const override { return stream_->done(); }
  [[nodiscard]] std::int64_t total() const override { return stream_->total(); }

 private:
  Result<bool> fetch(Source::Piece& piece) override {
    auto block = std::make_shared_for_overwrite<char[]>(kBlockBytes);
    std::ranges::copy(rest_, block.get());
    PARAPET_ASSIGN(const std::size_t size, fill(std::span(block.get(), kBlockBytes)));
    if (size == 0) return false;
    // Readers may keep pieces: those of many short texts take no more than the texts have.
    if (2 * size < kBlockBytes) {
      const auto whole = std::exchange(block, std::make_shared_for_overwrite<char[]>(size));
      std::copy_n(whole.get(), size, block.get());
    }
    std::string_view text(block.get(), size);
    rest_.clear();
    piece.bytes = block;
    if (!atEnd_) {
      const std::size_t end = endOfLines(text, quote());
      if (end == 0) return fetchLongLine(piece, text);
      rest_.assign(text.substr(end));
      text = text.substr(0, end);
    }
    piece.text = text;
    return true;
  }
  // Reads behind the rest of the last block until the block is longer than a line may be; how much
  // it holds.
  Result<std::size_t> fill(std::span<char> block) {
    std::size_t kept = rest_.size();
    while (!atEnd_ && kept < block.size()) {
      PARAPET_ASSIGN(const std::size_t count, stream_->read(block.subspan(kept)));
      atEnd_ = count == 0;
      kept += count;
    }
    return kept;
  }
  // The block is the start of a line; the rest of the line is read and thrown away.
  Result<bool> fetchLongLine(Source::Piece& piece, std::string_view block) {
    std::size_t length = block.size();
    std::string more(kPieceBytes, '\0');
    char last = block.back();
    std::size_t end = std::string::npos;
    while (end == std::string::npos) {
      PARAPET_ASSIGN(const std::size_t count, stream_->read(more));
      atEnd_ = count == 0;
      if (atEnd_) break;
      end = std::string_view(more).substr(0, count).find('\n');
      const std::size_t ofLine = std::min(end, count);
      if (ofLine > 0) last = more[ofLine - 1];
      length += ofLine;
      if (end != std::string::npos) rest_.assign(more, end + 1, count - end - 1);
    }
    piece.longLineBytes = static_cast<std::int64_t>(length - (last == '\r'));
    piece.text = block.substr(0, kKeptOfLongLine);
    return true;
  }

  // Longer than the longest line with its end, so that a block without an end is too long a line.
  static constexpr std::size_t kBlockBytes = kMaxLineBytes + 3;
  std::unique_ptr<ByteStream> stream_;
  std::string rest_;  // the start of the line that the last block has cut
  bool atEnd_ = false;
};

}  // namespace

std::string windows1252ToUtf8(std::string_view bytes) {
  // The characters of 0x80 to 0x9F, in the order of their bytes.
  static constexpr std::array<std::string_view, 32> kCharacters{
      "€", "\xC2\x81", "‚",        "ƒ", "„",        "…",        "†", "‡",        "ˆ", "‰", "Š",
      "‹", "Œ",        "\xC2\x8D", "Ž", "\xC2\x8F", "\xC2\x90", "‘", "’",        "“", "”", "•",
      "–", "—",        "˜",        "™", "š",        "›",        "œ", "\xC2\x9D", "ž", "Ÿ"};
  std::string text;
  text.reserve(bytes.size() + 8);
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x80 && code < 0xA0)
      text += kCharacters[code - 0x80u];
    else
      text += latin1ToUtf8({&byte, 1});
  }
  return text;
}

TextEncoding encodingOf(std::string_view start) {
  const auto isHigh = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
  const auto isLetter = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  };
  std::size_t runs = 0, besideLetters = 0;
  while (!start.empty()) {
    const std::string_view line = takeLine(start);
    if (std::ranges::none_of(line, isHigh)) continue;
    if (isValidUtf8(line) || line.find('\0') != std::string_view::npos) return TextEncoding::kUtf8;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (!isHigh(line[i])) continue;
      const std::size_t begin = i;
      while (i + 1 < line.size() && isHigh(line[i + 1])) ++i;
      ++runs;
      besideLetters += (begin > 0 && isLetter(line[begin - 1])) ||
                       (i + 1 < line.size() && isLetter(line[i + 1]));
    }
  }
  return runs > 0 && 10 * besideLetters >= 9 * runs ? TextEncoding::kWindows1252
                                                    : TextEncoding::kUtf8;
}

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

std::string_view takeRow(std::string_view& rest, std::optional<char> quote) {
  const std::string_view text = rest;
  const std::string_view line = takeLine(rest);
  if (!quote || std::ranges::count(line, *quote) % 2 == 0) return line;
  for (std::string_view after = rest; !after.empty();) {
    const auto quotes = std::ranges::count(takeLine(after), *quote);
    if (text.size() - after.size() > kMaxQuotedBytes) return line;
    if (quotes % 2 == 0) continue;
    std::string_view row = text.substr(0, text.size() - after.size());
    if (row.ends_with('\n')) row.remove_suffix(1);
    if (row.ends_with('\r')) row.remove_suffix(1);
    rest = after;
    return row;
  }
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
    return "bytes that are not UTF-8; UTF-8 text is accepted (\"encoding\" of the format names "
           "another)";
  return {};
}

Result<bool> TextInput::next(Source::Piece& piece) {
  piece = {};
  PARAPET_ASSIGN(const bool found, fetch(piece));
  if (!found) return false;
  piece.index = index_++;
  if (piece.index > 0) return true;
  for (const std::string_view mark : kUtf16Marks)
    if (piece.text.starts_with(mark))
      return Error{ErrorCode::kData, fmt::format("{} is UTF-16; UTF-8 is accepted", name_), "",
                   name_};
  hasByteOrderMark_ = piece.text.starts_with(kByteOrderMark);
  if (hasByteOrderMark_) piece.text.remove_prefix(kByteOrderMark.size());
  return true;
}

Result<std::vector<std::string>> linesAtPlaces(const std::filesystem::path& path) {
  constexpr std::uint64_t kPlaces = 64, kMinBytes = 1 << 12, kMaxBytes = 1 << 14;
  PARAPET_ASSIGN(const FileReader file, FileReader::open(path));
  PARAPET_ASSIGN(const Compression packing, compressionOf(file));
  std::vector<std::string> places;
  if (packing != Compression::kNone || file.size() == 0) return places;
  const std::uint64_t count = std::clamp<std::uint64_t>(file.size() / kMinBytes, 1, kPlaces);
  const std::uint64_t bytes = std::min(file.size() / count, kMaxBytes);
  for (std::uint64_t place = 1; place <= count; ++place) {
    const std::uint64_t end =
        file.size() / count * place + (place == count ? file.size() % count : 0);
    std::string lines(bytes, '\0');
    PARAPET_TRY(file.read(end - bytes, std::as_writable_bytes(std::span(lines))));
    if (end < file.size()) lines.resize(lines.rfind('\n') + 1);  // npos + 1 is 0
    if (end > bytes) lines.erase(0, std::min(lines.find('\n'), lines.size()));
    places.push_back(std::move(lines));
  }
  return places;
}

Result<std::unique_ptr<TextInput>> openTextFile(const std::filesystem::path& path) {
  PARAPET_ASSIGN(auto stream, openBytes(path));
  return readTextFrom(std::move(stream), path.string());
}

std::unique_ptr<TextInput> readTextFrom(std::unique_ptr<ByteStream> stream, std::string name) {
  return std::make_unique<StreamedTextInput>(std::move(stream), std::move(name));
}

}  // namespace parapet::data
