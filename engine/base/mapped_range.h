// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parapet {

/// Pages of a mapped file that may be lost while they are read: the file is truncated, its disk
/// fails, or the server that holds it is gone. The system then sends SIGBUS, which would end the
/// process.
///
/// The handler of this class maps zeros over the lost page and all behind it in the range, marks
/// the range and returns, so that the reader goes on with zeros. Whoever reads a range asks
/// isLost() before what was made of it is used, and throws it away. A SIGBUS anywhere else goes to
/// the handler that was there before the first range.
///
/// Thread   safe; a range is closed after its last reader.
class MappedRange {
 public:
  MappedRange() = default;
  /// Takes over a mapping, which is unmapped when the range is destroyed. `protection` is that of
  /// mmap, `name` that of the file. nullopt, and unmapped, if there are kMaxRanges of them already.
  static std::optional<MappedRange> adopt(void* data, std::size_t bytes, int protection,
                                          std::string name);
  MappedRange(MappedRange&& other) noexcept;
  MappedRange& operator=(MappedRange&& other) noexcept;
  ~MappedRange();

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  /// Whether a page of it could not be read.
  [[nodiscard]] bool isLost() const;
  /// Whether any range of this process has lost a page so far: one load, for loops that would have
  /// to ask many ranges.
  [[nodiscard]] static bool anyLost();
  /// Names of all ranges that have lost a page, closed ones included.
  [[nodiscard]] static std::vector<std::string> lostNames();

  /// About the number of mappings that Linux grants a process by default.
  static constexpr std::uint32_t kMaxRanges = 1 << 16;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t slot_ = 0;
};

}  // namespace parapet
