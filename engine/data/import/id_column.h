// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/result.h"

namespace parapet::data {

/// The ids of one column while it is imported. Rows of the vocabulary are known only after the last
/// line, so ids are numbered as they are first seen and the numbers spilled to a file; at the end
/// the numbers are replaced by rows. Memory grows with distinct ids, not with lines.
class IdColumn {
 public:
  static Result<IdColumn> create(const std::filesystem::path& folder, std::string name);

  Status add(std::span<const std::int64_t> rawIds);
  /// Completes the spill file; afterwards spilled() may be read.
  Status finishSpill();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Distinct raw ids in the order of their first occurrence, [D].
  [[nodiscard]] const std::vector<std::int64_t>& rawIds() const { return rawIds_; }
  /// Occurrences of each, [D].
  [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }
  /// Number in [0, D) of each imported row's id, [rows].
  [[nodiscard]] std::span<const std::int32_t> spilled() const { return spill_.as<std::int32_t>(); }

  /// Writes `<name>.i32` with rowOf[n] for number n, [D], and removes the spill file.
  Status writeRows(std::span<const std::int32_t> rowOf);

 private:
  IdColumn(std::filesystem::path folder, std::string name, FileWriter writer);
  [[nodiscard]] std::filesystem::path spillPath() const { return folder_ / (name_ + ".spill"); }

  std::filesystem::path folder_;
  std::string name_;
  FileWriter writer_;
  MappedFile spill_;
  std::unordered_map<std::int64_t, std::int32_t> numbers_;
  std::vector<std::int64_t> rawIds_, counts_;
  std::vector<std::int32_t> buffer_;
};

/// How many rows have a (user, item) pair that an earlier row has. Memory is bounded: pairs are
/// taken in as many passes as needed, each over those whose hash falls to it.
std::int64_t countRepeatedPairs(std::span<const std::int32_t> users,
                                std::span<const std::int32_t> items);

}  // namespace parapet::data
