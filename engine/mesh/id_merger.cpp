// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/id_merger.h"

#include <algorithm>
#include <bit>

namespace parapet::mesh {

std::size_t IdMerger::slotsFor(std::int64_t capacity) {
  return std::bit_ceil(std::max<std::size_t>(static_cast<std::size_t>(capacity) * 2, 2));
}

IdMerger::IdMerger(std::int64_t capacity)
    : slots_(slotsFor(capacity)),
      used_(static_cast<std::size_t>(capacity)),
      ids_(static_cast<std::size_t>(capacity)),
      shift_(32u - static_cast<unsigned>(std::countr_zero(slots_.size()))) {}

void IdMerger::begin(std::int64_t tableRows) {
  for (std::size_t i = 0; i < distinct_; ++i) slots_[used_[i]].uniqueIndex = -1;
  distinct_ = 0;
  direct_ = tableRows <= static_cast<std::int64_t>(slots_.size());
}

std::int64_t IdMerger::bytesFor(std::int64_t capacity) {
  return static_cast<std::int64_t>(slotsFor(capacity) * sizeof(Slot)) +
         capacity * static_cast<std::int64_t>(sizeof(std::uint32_t) + sizeof(std::int32_t));
}

std::uint64_t IdMerger::bytes() const {
  return slots_.size() * sizeof(Slot) + used_.size() * sizeof(std::uint32_t) +
         ids_.size() * sizeof(std::int32_t);
}

}  // namespace parapet::mesh
