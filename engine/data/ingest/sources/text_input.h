// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document_dataset.h"

namespace parapet::data {

/// Longer lines are no text of ours; keeping or parsing them would only cost memory and time.
constexpr std::size_t kMaxLineBytes = 1 << 20;

/// A cell with line breaks may be so long; a quote that stays open for longer is no quote.
constexpr std::size_t kMaxQuotedBytes = 1 << 16;

/// kUtf8: a line with other bytes is rejected. kWindows1252: a cell that is not UTF-8 is Windows-1252,
/// which has the letters of ISO-8859-1 (catalogues of MovieLens).
using experiment::TextEncoding;
/// Bytes without a character there (0x81, …) become the control character of their number.
std::string windows1252ToUtf8(std::string_view bytes);
/// The encoding of a text by its first lines: Windows-1252 if none of those with other bytes than
/// ASCII is UTF-8 and nearly all such bytes stand beside letters, as those of words do.
TextEncoding encodingOf(std::string_view start);

/// Bytes that text seldom has.
struct OddBytes {
  bool nul = false;
  bool high = false;                ///< something else than ASCII
  bool loneCarriageReturn = false;  ///< a CR that no LF follows
};
OddBytes findOddBytes(std::string_view text);

/// Errors   Data for a text whose lines end with CR alone, as those of old Macs do.
Status checkLineEnds(std::string_view start, const std::string& path);

/// Cuts the next line off `rest`, which is not empty; without its end, LF or CR LF.
std::string_view takeLine(std::string_view& rest);
/// Likewise the next row: a line, or those that a quoted cell with line breaks joins.
std::string_view takeRow(std::string_view& rest, std::optional<char> quote);
/// Line `lineIndex`, counted from 0; "" behind the last one.
std::string_view lineAt(std::string_view text, std::int64_t lineIndex);
/// A line of nothing but spaces.
bool isBlankLine(std::string_view line);

/// Why a line cannot be text of ours: too long, a NUL byte, a carriage return inside, bad UTF-8;
/// "" if it can.
std::string reasonAgainstLine(std::string_view line, TextEncoding encoding);
std::string reasonAgainstLength(std::size_t lineBytes);

/// A text as pieces of about 1 MiB that end where lines end. A line that is too long is a piece of
/// its own, cut (Piece::longLineBytes), so that it costs no memory. A UTF-8 byte-order mark is
/// skipped.
class TextInput {
 public:
  static constexpr std::size_t kPieceBytes = 1 << 20;

  virtual ~TextInput() = default;
  /// The byte around cells that may have line breaks, which no piece cuts; before next().
  void setQuote(std::optional<char> quote) { quote_ = quote; }
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
  [[nodiscard]] std::optional<char> quote() const { return quote_; }

 private:
  std::string name_;
  std::int64_t index_ = 0;
  bool hasByteOrderMark_ = false;
  std::optional<char> quote_ = '"';
};

/// A file; of a packed one what it holds (openBytes). It is read, not mapped: files of others may shrink at any time.
Result<std::unique_ptr<TextInput>> openTextFile(const std::filesystem::path& path);
/// Whole lines of up to 64 places of a file, the last ones among them: about 1 MiB at most. None of a
/// packed file, which has no places that can be reached.
///
/// Errors   those of FileReader.
Result<std::vector<std::string>> linesAtPlaces(const std::filesystem::path& path);
/// `name` is for messages.
std::unique_ptr<TextInput> readTextFrom(std::unique_ptr<ByteStream> stream, std::string name);

}  // namespace parapet::data
