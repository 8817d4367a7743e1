// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace parapet::workspace {

/// The bytes of a file of scalars, texts and histograms that TensorBoard reads: records of a length and a payload, each with
/// its masked CRC-32C; a payload is an Event in the encoding of protocol buffers. The first one names
/// the version.
class EventFile {
 public:
  /// `wallSeconds`: since 1970.
  explicit EventFile(double wallSeconds);
  void add(double wallSeconds, std::int64_t step, std::string_view tag, float value);
  /// A text, which TensorBoard reads as Markdown.
  void addText(double wallSeconds, std::int64_t step, std::string_view tag, std::string_view text);
  /// Counts of the finite values in kBuckets equal parts of their range; nothing if there are none.
  void addHistogram(double wallSeconds, std::int64_t step, std::string_view tag,
                    std::span<const float> values);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Those since the last call.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

  static constexpr std::size_t kBuckets = 64;

 private:
  void append(std::string_view event);
  /// An event with one value of a summary.
  void appendValue(double wallSeconds, std::int64_t step, std::string_view value);
  std::string bytes_;
};

/// CRC-32C (Castagnoli), as RFC 3720 has it: 0xE3069283 of "123456789".
std::uint32_t crc32c(std::string_view bytes);

}  // namespace parapet::workspace
