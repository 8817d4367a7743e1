// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

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
