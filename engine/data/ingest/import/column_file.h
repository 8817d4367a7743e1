// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Moves the elements of the rows whose bit (RowBits) is set to the front of a column file of
/// `rows` elements and cuts the rest off. Memory does not depend on the size.
Status keepRowsOfFile(const std::filesystem::path& path, std::span<const std::uint64_t> bits,
                      std::int64_t rows, std::size_t elementBytes);

/// What became of the missing numbers of a column.
struct FilledNumbers {
  std::int64_t count = 0;
  float value = 0.0f;  ///< replaces missing numbers
};

/// Replaces every NaN of a file of float32 by the mean of the others, summed up in their order, or
/// by 0. A column without any number is 0.
///
/// Errors   Io. Memory: one block.
Result<FilledNumbers> fillMissing(const std::filesystem::path& path,
                                  experiment::MissingNumbers policy);

}  // namespace parapet::data
