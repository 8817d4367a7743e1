// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {

// A .vocab file is this header followed by sections, each padded to 8 bytes, little-endian; its
// entries are the rows, then the ids that share a row with another one:
//
//   shared    uint64 [1]          how many ids share a row; of version 3 alone, else none
//   counts    int64 [entries]     occurrences in the imported rows; of a row those of all its ids
//   present   uint8 [entries]     1 if the entry has a raw id
//   sorted    int32 [present]     the entries with a raw id, by raw id as bytes
//   rows      int32 [shared]      the row of each id that shares one; of version 3 alone
//   columns   per text column: offsets uint64 [entries + 1] into its bytes, then the bytes
//
// The first text column holds the attribute names (its entries are the attributes), then follow raw
// ids, titles and one column per attribute.

inline constexpr std::uint64_t kVocabularyMagic = 0x3142434F56504150u;  // "PAPVOCB1"
inline constexpr std::uint32_t kVocabularyVersion = 2;
/// The version of vocabularies with ids that share a row. One that hashes and has version 2 may
/// have lost such ids.
inline constexpr std::uint32_t kSharedVocabularyVersion = 3;

struct VocabularyHeader {
  std::uint64_t magic = kVocabularyMagic;
  std::uint32_t version = kVocabularyVersion;
  std::uint32_t attributes = 0;
  std::uint64_t rows = 0;
  std::uint64_t present = 0;
  std::uint32_t hashesUnknown = 0;  ///< 1: ids without a row of their own have that of their hash
  std::uint32_t oovBuckets = 0;     ///< last rows: ids without a row of their own have one of them
};

/// The row of an id without one of its own, in a vocabulary that hashes them; rows ≥ 2.
inline std::int32_t hashedRow(std::uint64_t hash, std::int64_t rows) {
  return static_cast<std::int32_t>(1 + hash % static_cast<std::uint64_t>(rows - 1));
}

/// The row of an id without one of its own, in a vocabulary whose last rows are buckets for them.
inline std::int32_t bucketRow(std::uint64_t hash, std::int64_t rows, std::int64_t buckets) {
  return static_cast<std::int32_t>(rows - buckets) +
         static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(buckets));
}

constexpr std::uint64_t paddedTo8(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

/// Texts end to end, so that millions of them cost little more than their bytes.
struct CompactTexts {
  std::vector<std::uint64_t> ends{0};  ///< text i is bytes [ends[i], ends[i + 1])
  std::string bytes;

  void add(std::string_view text) {
    bytes.append(text);
    ends.push_back(bytes.size());
  }
  [[nodiscard]] std::size_t size() const { return ends.size() - 1; }
  [[nodiscard]] std::string_view at(std::size_t index) const {
    return std::string_view(bytes).substr(ends[index], ends[index + 1] - ends[index]);
  }
};

/// Builds a vocabulary file row by row. Texts are kept end to end, so that millions of rows cost
/// little more than their bytes.
class VocabularyWriter {
 public:
  explicit VocabularyWriter(std::vector<std::string> attributeNames);

  /// Row 0 may be that of an id; before the first row (see experiment::usesRowZero).
  void useRowZero() { usesRowZero_ = true; }
  /// Appends a row; the first is row 0, which must not be present but where it may be that of an
  /// id.
  ///
  /// Errors   InvalidArgument for a present row 0, or a number of attributes that is neither 0 nor
  ///          that of the names.
  void add(const Vocabulary::Entry& entry);
  /// Appends an id that shares the row of another one, or is out of vocabulary; after the last row.
  ///
  /// Errors   InvalidArgument for a row that is not there, and as add().
  void addShared(const Vocabulary::Entry& entry, std::int32_t row);
  /// Unknown ids have the row of their hash: 1 + hash64(id) mod (size − 1).
  void hashUnknown() { hashes_ = true; }
  /// The last rows are shared by unknown ids; fewer than there are rows.
  void bucketUnknown(std::int64_t buckets) { oovBuckets_ = buckets; }
  /// Rows.
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(counts_.size() - sharedRows_.size());
  }
  /// Ids, with a row of their own or without.
  [[nodiscard]] std::int64_t ids() const;
  /// Ids that share a row with another one.
  [[nodiscard]] std::int64_t sharedIds() const {
    return static_cast<std::int64_t>(sharedRows_.size());
  }

  /// Writes `<folder>/<name>.vocab`.
  ///
  /// Errors   InvalidArgument without row 0 or if a raw id has two rows; Io.
  [[nodiscard]] Status write(const std::filesystem::path& folder, const std::string& name) const;

 private:
  void append(const Vocabulary::Entry& entry);
  [[nodiscard]] std::vector<std::int32_t> entriesByRawId() const;

  std::vector<std::string> attributeNames_;
  bool hashes_ = false, usesRowZero_ = false;
  std::int64_t oovBuckets_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<std::uint8_t> present_;
  std::vector<std::int32_t> sharedRows_;
  CompactTexts rawIds_, titles_;
  std::vector<CompactTexts> attributes_;
};

}  // namespace parapet::data
