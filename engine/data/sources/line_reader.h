// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/files.h"
#include "engine/base/result.h"

namespace parapet::data {

/// The lines of a memory-mapped text file as views, so that a line of any length costs no memory.
/// Ends of line are LF or CRLF, a UTF-8 byte-order mark is skipped, blank lines are left out.
class LineReader {
 public:
  /// Longer lines are no text of ours; parsing them would only cost time.
  static constexpr std::size_t kMaxLineBytes = 1 << 20;

  struct Line {
    std::string_view text;
    std::int64_t number = 0;  ///< in the file, from 1; blank lines count
  };

  static Result<LineReader> open(const std::filesystem::path& path);

  /// The next line that is not blank, or nothing at the end. Views live as long as the reader.
  std::optional<Line> next();
  [[nodiscard]] bool hasByteOrderMark() const { return hasByteOrderMark_; }
  [[nodiscard]] std::string_view bytes() const { return file_.text(); }
  [[nodiscard]] std::int64_t position() const { return static_cast<std::int64_t>(position_); }

 private:
  MappedFile file_;
  std::size_t position_ = 0;
  std::int64_t number_ = 0;
  bool hasByteOrderMark_ = false;
};

/// Why a line cannot be text of ours (too long, NUL byte, and with `utf8` bad UTF-8); "" if it can.
std::string reasonAgainstText(std::string_view line, bool utf8);

}  // namespace parapet::data
