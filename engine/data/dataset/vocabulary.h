// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// The rows of an embedding table and the raw ids behind them: row ↔ raw id, with a title and
/// attributes where the source has a catalogue. Row 0 is padding and out-of-vocabulary and has no
/// raw id, but for contexts whose id 0 it is; it is never a candidate. A row without a raw id (a gap
/// in direct ids) is none either.
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
  /// The same; kData unless it has `size` rows.
  static Result<Vocabulary> open(const std::filesystem::path& folder, const std::string& name,
                                 std::int64_t size);

  [[nodiscard]] const std::string& name() const;
  /// Rows, row 0 included.
  [[nodiscard]] std::int64_t size() const;
  /// Rows at the end that unknown ids share; part of the size.
  [[nodiscard]] std::int64_t oovBuckets() const;
  /// The row of a raw id; nullopt if the id is unknown (the caller decides about row 0). A
  /// vocabulary that hashes, or has buckets, knows all: ids without a row of their own share those
  /// of others.
  [[nodiscard]] std::optional<std::int32_t> row(std::string_view rawId) const;
  /// "" for rows that have none.
  [[nodiscard]] std::string_view rawId(std::int64_t row) const;
  [[nodiscard]] std::string_view title(std::int64_t row) const;
  [[nodiscard]] bool isCandidate(std::int64_t row) const;
  /// Occurrences of the row in the imported data.
  [[nodiscard]] std::int64_t count(std::int64_t row) const;
  [[nodiscard]] const std::vector<std::string>& attributeNames() const;
  [[nodiscard]] std::string_view attribute(std::size_t attributeIndex, std::int64_t row) const;
  /// Rows whose raw id or title contains `text` (case-insensitive for ASCII), at most `limit`, by
  /// row.
  [[nodiscard]] std::vector<std::int32_t> search(std::string_view text, std::size_t limit) const;

 private:
  struct State;
  explicit Vocabulary(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace parapet::data
