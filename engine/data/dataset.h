// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/vocabulary.h"

namespace parapet::data {

/// An imported data set: a folder of memory-mapped column files, its vocabularies and a manifest.
/// Named by the content hash of what it was made from, and immutable.
///
/// Layout   manifest.json · <column>.i32 (rows of the vocabulary of that name) · label.f32 ·
///          weight.f32 (absent: all 1) · time.i64 (absent: unknown) · <vocabulary>.vocab.
///          Little-endian arrays without a header; the manifest holds lengths and hashes.
/// Thread   safe to read from many.
class Dataset {
 public:
  /// Opens a data set folder; checks manifest and sizes (not the hashes, see verify()).
  static Result<std::shared_ptr<const Dataset>> open(const std::filesystem::path& folder);

  [[nodiscard]] const std::string& hash() const;
  [[nodiscard]] const std::filesystem::path& folder() const;
  [[nodiscard]] std::int64_t rows() const;
  /// Embedding rows of an id column, [rows]; InvalidArgument for an unknown column.
  [[nodiscard]] std::span<const std::int32_t> ids(std::string_view column) const;
  /// Scaled labels, [rows].
  [[nodiscard]] std::span<const float> labels() const;
  /// Labels as the source had them: raw = lo + scaled·(hi − lo).
  [[nodiscard]] double rawLabel(float scaled) const;
  /// Example weights, [rows], or empty if all are 1.
  [[nodiscard]] std::span<const float> weights() const;
  /// Seconds since 1970, [rows], or empty if the source has none.
  [[nodiscard]] std::span<const std::int64_t> times() const;
  /// InvalidArgument for an unknown name. Each id column has the vocabulary of its own name.
  [[nodiscard]] const Vocabulary& vocabulary(std::string_view name) const;
  [[nodiscard]] const std::vector<Vocabulary>& vocabularies() const;
  [[nodiscard]] std::int64_t quarantined() const;
  /// Bytes on disk.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Gives back the memory of the columns' pages for these rows, which a pass over a large set has
  /// behind it; they are read again when they are needed again. Small sets stay in memory.
  void release(std::int64_t firstRow, std::int64_t lastRow) const;
  /// Re-hashes every file; the error names the first that changed.
  [[nodiscard]] Status verify() const;

 private:
  struct State;
  explicit Dataset(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;

 public:
  ~Dataset();
};

}  // namespace parapet::data
