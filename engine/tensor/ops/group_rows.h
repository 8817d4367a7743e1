// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Where groupRows writes: arrays of at least N elements each but `count`, in the device's memory.
struct RowGroups {
  std::int32_t* rows = nullptr;   ///< distinct rows, [U] used
  std::int32_t* first = nullptr;  ///< first value of each, [U] used
  std::int32_t* next = nullptr;   ///< by value: the next one of the same row, −1 at the end
  std::int32_t* scratch = nullptr;
  std::int64_t* count = nullptr;  ///< [1]: U, the number of distinct rows; 0 for N = 0
};

/// Groups the values of a batch by the table row they name, so that each row is updated once.
///
///   { n : rows[n] = groups.rows[u] } = { first[u], next[first[u]], … }, ascending
///
/// Shapes   rows [N] int32 in [0, V); indexOfRow [V] int32, −1 everywhere before and after.
/// Order    of the groups: the same for the same rows. Within a group by n, so sums over it
///          repeat bit for bit however the batch was cut over ranks.
/// Errors   InvalidArgument if a row is outside [0, V), naming n and the value.
void groupRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t tableRows,
               std::int32_t* indexOfRow, const RowGroups& groups);

}  // namespace parapet::tensor
