// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/launch.h"

namespace parapet::cuda {

/// The values of a batch by the row that they name, then by their own number.
struct SortedRows {
  const std::int32_t* rows;    ///< ascending
  const std::int32_t* values;  ///< of equal rows ascending
};

/// rows [count] in [0, tableRows). Stable, byte by byte, so the result depends on rows alone. In
/// the scratch memory; what it held of it is null where that does not suffice.
SortedRows sortRows(const PpCall* call, Scratch& scratch, const std::int32_t* rows,
                    std::int64_t count, std::int64_t tableRows);

/// data[i] = Σ_{j < i} data[j]; total, if not null, the sum of all.
void sumBefore(const PpCall* call, Scratch& scratch, std::int32_t* data, std::int64_t count,
               std::int32_t* total);

}  // namespace parapet::cuda
