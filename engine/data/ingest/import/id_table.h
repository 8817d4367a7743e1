// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"

namespace parapet::data {

/// The distinct raw ids of a vocabulary while rows are imported: each gets an index of its own, in
/// the order of first occurrence, and its occurrences are counted. Memory grows with distinct ids
/// alone.
///
/// Small whole ids are looked up in an array, everything else by open addressing with linear
/// probing, at most half full.
class IdTable {
 public:
  /// `type` kInteger or kText; `name` is that of the vocabulary, for messages.
  IdTable(ValueType type, std::string name);

  /// Appends the index of each id to `uniqueIndices`; −1 where `missing` (may be empty) says so.
  ///
  /// Errors   Data if there are more than 2^31 − 2 distinct ids.
  Status add(std::span<const std::int64_t> ids, std::span<const std::uint8_t> missing,
             std::vector<std::int32_t>& uniqueIndices);
  /// Likewise for texts; hashes[i] = hash64(ids[i]).
  Status add(std::span<const std::string_view> ids, std::span<const std::uint64_t> hashes,
             std::span<const std::uint8_t> missing, std::vector<std::int32_t>& uniqueIndices);

  /// Index of an id, −1 if it is not there; of tables of kInteger and of kText.
  [[nodiscard]] std::int32_t find(std::int64_t id) const;
  [[nodiscard]] std::int32_t find(std::string_view id) const;

  [[nodiscard]] ValueType type() const { return type_; }
  /// Distinct ids, D.
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  /// The raw id as an integer; kInteger tables only.
  [[nodiscard]] std::int64_t integer(std::size_t uniqueIndex) const {
    return integers_[uniqueIndex];
  }
  /// The raw id as text.
  [[nodiscard]] std::string text(std::size_t uniqueIndex) const;
  /// Whether id a comes before id b: by value, texts as bytes.
  [[nodiscard]] bool isBefore(std::size_t a, std::size_t b) const;
  /// Occurrences of each, [D].
  [[nodiscard]] std::vector<std::int64_t>& counts() { return counts_; }
  [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  std::int32_t addInteger(std::int64_t id);
  std::int32_t findOrAppend(std::uint64_t hash, std::int64_t integer, std::string_view text);
  /// The slot of an id, or the empty one where it belongs.
  [[nodiscard]] std::size_t slotOf(std::uint64_t hash, std::int64_t integer,
                                   std::string_view text) const;
  std::int32_t append(std::uint64_t hash, std::int64_t integer, std::string_view text);
  void growSlots();
  [[nodiscard]] std::string_view textOf(std::size_t uniqueIndex) const {
    return std::string_view(bytes_).substr(ends_[uniqueIndex],
                                           ends_[uniqueIndex + 1] - ends_[uniqueIndex]);
  }

  ValueType type_;
  std::string name_;
  std::vector<std::int32_t> small_;    // 1 + index of a small whole number; 0: none
  std::vector<std::int32_t> slots_;    // 1 + index; a power of two of them
  std::vector<std::uint64_t> hashes_;  // of each index that is in a slot
  std::vector<std::int64_t> integers_;
  std::string bytes_;                 // of the texts
  std::vector<std::size_t> ends_{0};  // of the texts in bytes_
  std::vector<std::int64_t> counts_;
  std::size_t inSlots_ = 0;
};

}  // namespace parapet::data
