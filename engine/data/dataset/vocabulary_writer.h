// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/compact_texts.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {

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
