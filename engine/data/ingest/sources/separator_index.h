// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace parapet::data {

/// Where the separators of a text are, its delimiters and line ends, found window after window with
/// vector code. Once they are known, cells can be read without waiting for each other.
class SeparatorIndex {
 public:
  static constexpr std::size_t kWindowBytes = 1 << 14;

  /// `delimiter` has one or two bytes.
  SeparatorIndex(std::string_view text, std::string_view delimiter);

  /// Forgets the first `used` positions and finds those of the next window; false at the end.
  bool next(std::size_t used);
  /// Where delimiters begin and where line ends are, ascending. Before the first of them stands the
  /// line end before the text, kBeforeText.
  [[nodiscard]] std::span<const std::uint32_t> positions() const {
    return {positions_.data(), count_};
  }
  /// One less than the first position, as unsigned numbers wrap around.
  static constexpr std::uint32_t kBeforeText = ~std::uint32_t{0};

 private:
  void addBlock(const char* block, std::uint32_t offset);

  std::string_view text_;
  std::string_view delimiter_;
  std::size_t end_ = 0;  // of the last window
  std::vector<std::uint32_t> positions_{kBeforeText};
  std::size_t count_ = 1;
};

}  // namespace parapet::data
