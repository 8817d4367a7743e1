// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/data/ingest/sources/byte_stream.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// A text as pieces of about 1 MiB that end where lines end. A line that is too long is a piece of
/// its own, cut (Piece::longLineBytes), so that it costs no memory. A UTF-8 byte-order mark is
/// skipped.
class TextInput {
 public:
  static constexpr std::size_t kPieceBytes = 1 << 20;

  virtual ~TextInput() = default;
  /// The next piece; false at the end.
  ///
  /// Errors   those of what is read; Data for UTF-16.
  Result<bool> next(Source::Piece& piece);
  /// How far next() is, in bytes of the file.
  [[nodiscard]] virtual std::int64_t done() const = 0;
  [[nodiscard]] virtual std::int64_t total() const = 0;
  /// Known after the first next().
  [[nodiscard]] bool hasByteOrderMark() const { return hasByteOrderMark_; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  explicit TextInput(std::string name) : name_(std::move(name)) {}
  /// Sets text, bytes and longLineBytes.
  virtual Result<bool> fetch(Source::Piece& piece) = 0;

 private:
  std::string name_;
  std::int64_t index_ = 0;
  bool hasByteOrderMark_ = false;
};

/// A file; of a .gz what it holds. It is read, not mapped: files of others may shrink at any time.
Result<std::unique_ptr<TextInput>> openTextFile(const std::filesystem::path& path);
/// `name` is for messages.
std::unique_ptr<TextInput> readTextFrom(std::unique_ptr<ByteStream> stream, std::string name);

}  // namespace parapet::data
