// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"

namespace parapet::data {

/// Moves the elements of the rows whose bit (RowBits) is set to the front of a column file of
/// `rows` elements and cuts the rest off. Memory does not depend on the size.
Status keepRowsOfFile(const std::filesystem::path& path, std::span<const std::uint64_t> bits,
                      std::int64_t rows, std::size_t elementBytes);

}  // namespace parapet::data
