// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// The rows of an embedding table and the raw ids behind them: row ↔ raw id, with a title and
/// attributes where the source has a catalogue. Row 0 is padding and out-of-vocabulary and has no
/// raw id, but for contexts whose id 0 it is; it is never a candidate. A row without a raw id (a
/// gap in direct ids) is none either.
///
/// Ids may share a row: those that hash to it, and rare ones that are out of vocabulary. The first
/// of them is the row's own; each other one is an *entry* behind the rows, so that entry < size()
/// is a row and every id has one entry. What is asked by entry is asked of rows, too.
///
/// Immutable, memory-mapped, cheap to copy. Thread: safe to read from many.
class Vocabulary {
 public:
  /// One row, for VocabularyWriter. `present` false leaves a gap.
  struct Entry {
    std::string rawId;
    std::string title;
    std::vector<std::string> attributes;  ///< as many as attributeNames
    std::int64_t count = 0;               ///< occurrences in the imported rows
    bool present = false;
  };

  static Result<Vocabulary> open(const std::filesystem::path& folder, const std::string& name);
  /// Opens a vocabulary; kData unless it has `size` rows.
  static Result<Vocabulary> open(const std::filesystem::path& folder, const std::string& name,
                                 std::int64_t size);

  [[nodiscard]] const std::string& name() const;
  static constexpr std::int32_t kNoEntry = -1;
  /// A vocabulary of the same ids with other rows: `kept[i]` is the entry whose row is i + 1
  /// (kNoEntry: no id has that row), and all others are out of vocabulary: they have row 0, or that
  /// of their hash among `buckets` last rows. Texts are shared.
  [[nodiscard]] Vocabulary withRows(std::span<const std::int32_t> kept, std::int64_t buckets) const;
  /// Rows, row 0 included.
  [[nodiscard]] std::int64_t size() const;
  /// Rows, and ids that share one.
  [[nodiscard]] std::int64_t entries() const;
  /// The row of an entry.
  [[nodiscard]] std::int32_t rowOf(std::int64_t entry) const;
  /// The entry of an id that the vocabulary holds; nullopt for another one, whatever its hash.
  [[nodiscard]] std::optional<std::int32_t> entry(std::string_view rawId) const;
  /// Says that `shared` of the `ids` of a vocabulary that hashes have the row of another one, as an
  /// import and a check of a document do.
  static std::string collisionText(const std::string& name, std::int64_t shared, std::int64_t ids);
  /// Says it of this vocabulary; "" if none do, or if they are out of vocabulary.
  [[nodiscard]] std::string collisionText() const;
  /// Whether ids that hash to the row of another one were lost: an older program kept one of them.
  [[nodiscard]] bool lostSharedIds() const;
  /// Rows at the end that unknown ids share; part of the size.
  [[nodiscard]] std::int64_t oovBuckets() const;
  /// See MappedFile::intact.
  [[nodiscard]] Status intact() const;
  /// The row of a raw id; nullopt if the id is unknown (the caller decides about row 0). A
  /// vocabulary that hashes, or has buckets, knows all: ids without a row of their own share those
  /// of others.
  [[nodiscard]] std::optional<std::int32_t> row(std::string_view rawId) const;
  /// "" for entries that have none.
  [[nodiscard]] std::string_view rawId(std::int64_t entry) const;
  [[nodiscard]] std::string_view title(std::int64_t entry) const;
  [[nodiscard]] bool isCandidate(std::int64_t entry) const;
  /// Occurrences in the imported data; of a row those of all its ids.
  [[nodiscard]] std::int64_t count(std::int64_t entry) const;
  [[nodiscard]] const std::vector<std::string>& attributeNames() const;
  [[nodiscard]] std::string_view attribute(std::size_t attributeIndex, std::int64_t entry) const;
  /// Entries whose raw id or title contains `text` (case-insensitive for ASCII), at most `limit`,
  /// in their order.
  [[nodiscard]] std::vector<std::int32_t> search(std::string_view text, std::size_t limit) const;

 private:
  struct State;
  explicit Vocabulary(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

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
