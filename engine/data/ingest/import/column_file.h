// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "engine/base/result.h"
#include "engine/data/dataset/row_set.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Moves the elements of the rows whose bit (RowBits) is set to the front of a column file of
/// `rows` elements and cuts the rest off. Memory does not depend on the size.
Status keepRowsOfFile(const std::filesystem::path& path, std::span<const std::uint64_t> bits,
                      std::int64_t rows, std::size_t elementBytes);

/// The ids of a bag column that are left, for keepRowsOfFile() on the files of its ids and weights.
struct KeptBags {
  RowBits idBits;
  std::int64_t ids = 0;         ///< before
  std::int64_t longestBag = 1;  ///< of those left
};
/// Leaves the offsets of the rows whose bit is set in an offsets file of int64, and begins them at 0.
Result<KeptBags> keepBagsOfFile(const std::filesystem::path& path,
                                std::span<const std::uint64_t> bits);

/// The outcome for the missing numbers of a column.
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
