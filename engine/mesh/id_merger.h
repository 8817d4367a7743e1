// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/tensor/buffer.h"

namespace parapet::mesh {

/// Gives equal ids of a list the same unique index: 0, 1, … in the order of first appearance.
///
/// A hash table with open addressing: 24 to 40 bytes for each distinct id that a list may have. An
/// array over the rows of a large table would have to be there once per rank, and a sort would read
/// the ids several times.
class IdMerger {
 public:
  /// For lists of at most `capacity` distinct ids, in the memory of a host.
  IdMerger(const tensor::Device& host, std::int64_t capacity);

  /// Starts a new list, of ids in [0, tableRows).
  void begin(std::int64_t tableRows);
  std::int32_t uniqueIndexOf(std::int32_t id) {
    Slot* const slots = slots_.data();
    const auto last = static_cast<std::size_t>(slots_.size()) - 1;
    std::size_t slot = direct_ ? static_cast<std::size_t>(id)
                               : (static_cast<std::uint32_t>(id) * 2654435769u) >> shift_;
    while (slots[slot].uniqueIndex >= 0) {
      if (slots[slot].id == id) return slots[slot].uniqueIndex;
      slot = (slot + 1) & last;
    }
    const auto uniqueIndex = static_cast<std::int32_t>(distinct_);
    slots[slot] = {id, uniqueIndex};
    used_.data()[distinct_] = static_cast<std::uint32_t>(slot);
    ids_.data()[distinct_++] = id;
    return uniqueIndex;
  }
  /// The distinct ids so far, by unique index.
  [[nodiscard]] std::span<const std::int32_t> ids() const { return {ids_.data(), distinct_}; }

 private:
  struct Slot {
    std::int32_t id = 0;
    std::int32_t uniqueIndex = -1;  ///< −1: free
  };
  tensor::Buffer<Slot> slots_;  ///< a power of two, at most half of them in use
  tensor::Buffer<std::uint32_t> used_;
  tensor::Buffer<std::int32_t> ids_;
  std::size_t distinct_ = 0;
  unsigned shift_ = 0;
  bool direct_ = false;  ///< a table with no more rows than slots needs no hashing
};

}  // namespace parapet::mesh
