// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace parapet::data
