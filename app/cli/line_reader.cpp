// SPDX-License-Identifier: Apache-2.0
#include "app/cli/line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "app/cli/interrupts.h"

namespace parapet::cli {

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (fill()) continue;
    if (buffer_.empty() || stopRequested()) return std::nullopt;
    return std::exchange(buffer_, std::string());  // the last line needs no end
  }
}

bool LineReader::fill() {
  if (ended_) return false;
  std::array<char, 65536> chunk;
  for (;;) {
    if (stopRequested()) return false;
    const ssize_t count = ::read(descriptor_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    ended_ = count <= 0;
    if (!ended_) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    return !ended_;
  }
}

}  // namespace parapet::cli
