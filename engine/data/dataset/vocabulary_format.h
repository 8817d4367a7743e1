// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parapet::data {

// A .vocab file is this header followed by sections, each padded to 8 bytes, little-endian:
//
//   counts    int64 [rows]        occurrences in the imported rows
//   present   uint8 [rows]        1 if the row has a raw id
//   sorted    int32 [present]     the rows with a raw id, by raw id as bytes
//   columns   per text column: offsets uint64 [rows + 1] into its bytes, then the bytes
//
// The first text column holds the attribute names (its rows are the attributes), then follow raw
// ids, titles and one column per attribute.

inline constexpr std::uint64_t kVocabularyMagic = 0x3142434F56504150u;  // "PAPVOCB1"
inline constexpr std::uint32_t kVocabularyVersion = 2;

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
