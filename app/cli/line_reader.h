// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace parapet::cli {

/// Lines of a file descriptor as they arrive, without their ends. Unlike std::getline it returns
/// when the user presses Ctrl-C while it waits.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  /// The next line; nullopt at the end of input, on a read error, or after an interrupt.
  std::optional<std::string> next();

 private:
  bool fill();

  int descriptor_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace parapet::cli
