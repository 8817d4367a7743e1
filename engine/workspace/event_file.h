// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parapet::workspace {

/// The bytes of a file of scalars that TensorBoard reads: records of a length and a payload, each with
/// its masked CRC-32C; a payload is an Event in the encoding of protocol buffers. The first one names
/// the version.
class EventFile {
 public:
  /// `wallSeconds`: since 1970.
  explicit EventFile(double wallSeconds);
  void add(double wallSeconds, std::int64_t step, std::string_view tag, float value);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void append(std::string_view event);
  std::string bytes_;
};

/// CRC-32C (Castagnoli), as RFC 3720 has it: 0xE3069283 of "123456789".
std::uint32_t crc32c(std::string_view bytes);

}  // namespace parapet::workspace
