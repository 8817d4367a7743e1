// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {

/// The items of a vocabulary in the order in which equal scores are listed: by a hash of the raw
/// id, then by its bytes. That order knows nothing of how often an item occurs or in which split,
/// and is the same in every data set and on every platform, so a rule "ties by ascending index"
/// that every device keeps gives lists that no held-out row has a part in.
///
///   item 0                            none: padding, out of vocabulary, a row without a raw id
///   items [1, size())                 every raw id, ascending by (hash, bytes)
///
/// Where several items share a row, their vectors are the same, and vectors are laid out by row;
/// otherwise by item.
///
/// Memory   8 bytes per item. Immutable. Thread: safe to read from many.
class ItemIndex {
 public:
  /// `vocabulary` is kept.
  explicit ItemIndex(const Vocabulary& vocabulary);

  /// Items, item 0 included.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }
  /// The item of an entry of the vocabulary; 0 for an entry without a raw id.
  [[nodiscard]] std::int32_t ofEntry(std::int32_t entry) const {
    return items_[static_cast<std::size_t>(entry)];
  }
  /// The entry of an item, which titles and attributes go by.
  [[nodiscard]] std::int32_t entry(std::int32_t item) const {
    return entries_[static_cast<std::size_t>(item)];
  }
  /// Whether the item has a row that is not that of unknown ids.
  [[nodiscard]] bool hasRow(std::int32_t item) const {
    return row(item) > 0 && row(item) < vocabulary_.size() - vocabulary_.oovBuckets();
  }
  /// The embedding row of an item.
  [[nodiscard]] std::int32_t row(std::int32_t item) const { return vocabulary_.rowOf(entry(item)); }
  [[nodiscard]] std::string_view id(std::int32_t item) const {
    return item == 0 ? std::string_view{} : vocabulary_.rawId(entry(item));
  }
  [[nodiscard]] std::string_view title(std::int32_t item) const {
    return item == 0 ? std::string_view{} : vocabulary_.title(entry(item));
  }
  /// The item of a raw id that the vocabulary holds; nullopt for another one.
  [[nodiscard]] std::optional<std::int32_t> find(std::string_view rawId) const;

  /// Items as Vocabulary::search() finds them.
  [[nodiscard]] std::vector<std::int32_t> search(std::string_view text, std::size_t limit) const;

  /// Whether several items may have one row.
  [[nodiscard]] bool sharesRows() const { return sharesRows_; }
  /// The embedding row of each laid out vector: of every item, or where items share rows of every
  /// row.
  [[nodiscard]] std::vector<std::int32_t> layout() const;
  /// Index of the vector of an item in that layout.
  [[nodiscard]] std::int32_t vectorOf(std::int32_t item) const {
    return sharesRows_ ? row(item) : item;
  }

 private:
  Vocabulary vocabulary_;
  bool sharesRows_;
  std::vector<std::int32_t> entries_;  ///< by item
  std::vector<std::int32_t> items_;    ///< by entry
};

}  // namespace parapet::data
