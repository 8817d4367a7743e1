// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/id_merger.h"

#include <algorithm>
#include <bit>

namespace parapet::mesh {

IdMerger::IdMerger(const tensor::Device& host, std::int64_t capacity)
    : slots_(host, static_cast<std::int64_t>(std::bit_ceil(
                       std::max<std::uint64_t>(2 * static_cast<std::uint64_t>(capacity), 2)))),
      used_(host, capacity),
      ids_(host, capacity),
      shift_(32u -
             static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(slots_.size())))) {
  std::ranges::fill(slots_.host(), Slot{});
}

void IdMerger::begin(std::int64_t tableRows) {
  for (std::size_t i = 0; i < distinct_; ++i) slots_.data()[used_.data()[i]].uniqueIndex = -1;
  distinct_ = 0;
  direct_ = tableRows <= slots_.size();
}

}  // namespace parapet::mesh
