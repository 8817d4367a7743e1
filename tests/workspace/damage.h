// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace parapet::testing {

/// Inverts one bit of a file.
inline void flipBit(const std::filesystem::path& file, std::uint64_t byte, int bit = 0) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekg(static_cast<std::streamoff>(byte));
  const int found = stream.get();
  stream.seekp(static_cast<std::streamoff>(byte));
  stream.put(static_cast<char>(found ^ (1 << bit)));
}

}  // namespace parapet::testing
