// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parapet::data {

/// One bit per row: that of row r is bit r mod 64 of word r / 64.
using RowBits = std::vector<std::uint64_t>;

/// No bit of `rows` rows is set.
inline RowBits noRowBits(std::int64_t rows) {
  return RowBits(static_cast<std::size_t>((rows + 63) / 64));
}
inline bool hasRow(std::span<const std::uint64_t> words, std::int64_t row) {
  return (words[static_cast<std::size_t>(row >> 6)] >> (row & 63) & 1) != 0;
}
inline void setRow(RowBits& words, std::int64_t row) {
  words[static_cast<std::size_t>(row >> 6)] |= std::uint64_t{1} << (row & 63);
}
inline void clearRow(RowBits& words, std::int64_t row) {
  words[static_cast<std::size_t>(row >> 6)] &= ~(std::uint64_t{1} << (row & 63));
}

}  // namespace parapet::data
