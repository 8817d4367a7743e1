// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace parapet::data {

/// Bit r of word r / 64 says whether row r stays.
inline bool isKept(std::span<const std::uint64_t> bits, std::int64_t row) {
  return (bits[static_cast<std::size_t>(row / 64)] >> (row % 64) & 1) != 0;
}

/// Moves the elements of the rows that stay to the front of a column file of `rows` elements and
/// cuts the rest off. Memory does not depend on the size.
Status keepRowsOfFile(const std::filesystem::path& path, std::span<const std::uint64_t> bits,
                      std::int64_t rows, std::size_t elementBytes);

}  // namespace parapet::data
