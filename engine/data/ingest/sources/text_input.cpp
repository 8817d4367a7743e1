// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/text_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/files.h"
#include "engine/data/ingest/sources/gzip_stream.h"
#include "engine/data/ingest/sources/text_lines.h"

namespace parapet::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16Marks[]{"\xFF\xFE", "\xFE\xFF"};
constexpr std::string_view kGzipMark = "\x1F\x8B";
// What is kept of a line that is too long, for the message about it.
constexpr std::size_t kKeptOfLongLine = 1 << 10;

// Views into a mapping. What has been cut or released leaves the memory of the process.
class MappedTextInput final : public TextInput {
 public:
  MappedTextInput(MappedFile file, std::string name)
      : TextInput(std::move(name)), file_(std::make_shared<const MappedFile>(std::move(file))) {}

  void release(const Source::Piece& piece) override {
    if (piece.bytes != file_) return;
    const auto end =
        static_cast<std::size_t>(piece.text.data() + piece.text.size() - file_->text().data());
    file_->release(released_, end);
    released_ = end;
  }
  [[nodiscard]] std::int64_t done() const override { return static_cast<std::int64_t>(position_); }
  [[nodiscard]] std::int64_t total() const override { return std::ssize(file_->text()); }

 private:
  Result<bool> fetch(Source::Piece& piece) override {
    const std::string_view rest = file_->text().substr(position_);
    if (rest.empty()) return false;
    piece.bytes = file_;
    std::size_t end = rest.size();
    if (end > kPieceBytes) end = rest.substr(0, kPieceBytes).rfind('\n') + 1;
    if (end == 0) end = endOfLine(position_ + kPieceBytes) - position_;
    piece.text = rest.substr(0, end);
    position_ += end;
    if (end > kPieceBytes) cutLongLine(piece);
    return true;
  }
  // Where the line that goes on at `from` ends, its LF included; what is searched is let go.
  [[nodiscard]] std::size_t endOfLine(std::size_t from) const {
    const std::string_view text = file_->text();
    for (; from < text.size(); from += kPieceBytes) {
      const std::size_t found = text.substr(from, kPieceBytes).find('\n');
      if (found != std::string_view::npos) return from + found + 1;
      file_->release(from, std::min(from + kPieceBytes, text.size()));
    }
    return text.size();
  }
  static void cutLongLine(Source::Piece& piece) {
    std::string_view rest = piece.text;
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.size() <= kMaxLineBytes) return;
    piece.longLineBytes = std::ssize(rest);
    piece.text = rest.substr(0, kKeptOfLongLine);
  }

  std::shared_ptr<const MappedFile> file_;
  std::size_t position_ = 0;
  std::size_t released_ = 0;
};

// Blocks of what a stream gives; each holds whole lines, the rest goes to the next.
class StreamedTextInput final : public TextInput {
 public:
  StreamedTextInput(std::unique_ptr<ByteStream> stream, std::string name)
      : TextInput(std::move(name)), stream_(std::move(stream)) {}

  [[nodiscard]] std::int64_t done() const override { return stream_->done(); }
  [[nodiscard]] std::int64_t total() const override { return stream_->total(); }

 private:
  Result<bool> fetch(Source::Piece& piece) override {
    auto block = std::make_shared<std::string>(std::move(rest_));
    rest_.clear();
    PARAPET_TRY(fill(*block));
    if (block->empty()) return false;
    if (!atEnd_) {
      const std::size_t end = block->rfind('\n') + 1;
      if (end == 0) return fetchLongLine(piece, std::move(block));
      rest_.assign(*block, end);
      block->resize(end);
    }
    piece.text = *block;
    piece.bytes = std::move(block);
    return true;
  }
  // Reads until the block is longer than a line may be.
  Status fill(std::string& block) {
    std::size_t kept = block.size();
    block.resize(kBlockBytes);
    while (!atEnd_ && kept < kBlockBytes) {
      PARAPET_ASSIGN(const std::size_t count, stream_->read(std::span(block).subspan(kept)));
      atEnd_ = count == 0;
      kept += count;
    }
    block.resize(kept);
    return {};
  }
  // The block is the start of a line; the rest of the line is read and thrown away.
  Result<bool> fetchLongLine(Source::Piece& piece, std::shared_ptr<std::string> block) {
    std::size_t length = block->size();
    std::string more(kPieceBytes, '\0');
    char last = block->back();
    block->resize(kKeptOfLongLine);
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
    piece.text = *block;
    piece.bytes = std::move(block);
    return true;
  }

  // Longer than the longest line with its end, so that a block without an end is too long a line.
  static constexpr std::size_t kBlockBytes = kMaxLineBytes + 3;
  std::unique_ptr<ByteStream> stream_;
  std::string rest_;
  bool atEnd_ = false;
};

}  // namespace

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

Result<std::unique_ptr<TextInput>> openTextFile(const std::filesystem::path& path) {
  PARAPET_ASSIGN(MappedFile file, MappedFile::open(path));
  if (file.text().starts_with(kGzipMark)) {
    PARAPET_ASSIGN(auto stream, openGzip(path));
    return readTextFrom(std::move(stream), path.string());
  }
  return std::unique_ptr<TextInput>(new MappedTextInput(std::move(file), path.string()));
}

std::unique_ptr<TextInput> readTextFrom(std::unique_ptr<ByteStream> stream, std::string name) {
  return std::make_unique<StreamedTextInput>(std::move(stream), std::move(name));
}

}  // namespace parapet::data
