// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/ingest/import/id_table.h"
#include "engine/data/ingest/import/shaped_rows.h"

namespace parapet::data {

/// One id column while it is imported. Rows of the vocabulary are known only after the last line,
/// so `<name>.i32` first holds indices of the IdTable; at the end they are replaced by rows.
class IdColumn {
 public:
  static Result<IdColumn> create(const std::filesystem::path& folder, const PlannedColumn& plan);

  /// Appends rows; the table gives their ids indices.
  Status add(const ShapedRows::Ids& ids, IdTable& table);
  /// Completes the files; afterwards they may be mapped.
  Status finishRows();
  /// Leaves only the rows whose bit is set, and adds the occurrences of their ids to `counts`.
  Status keepRows(std::span<const std::uint64_t> bits, std::vector<std::int64_t>& counts);
  /// Replaces index n by rowOf[n] in the file, and −1 by row 0.
  Status writeRows(std::span<const std::int32_t> rowOf);
  /// Writes entryOf[n] of each index n to `<name>.entries.i32`, and 0 of −1; before writeRows().
  Status writeEntries(std::span<const std::int32_t> entryOf);

  [[nodiscard]] const PlannedColumn& plan() const { return plan_; }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / (plan_.spec.name + ".i32"); }
  /// Ids that are missing: no index, row 0.
  [[nodiscard]] std::int64_t missing() const { return missing_; }
  /// Ids of the longest bag.
  [[nodiscard]] std::int64_t longestBag() const { return longestBag_; }
  /// Names of its files.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  IdColumn(std::filesystem::path folder, PlannedColumn plan, FileWriter ids);
  Status addBags(const ShapedRows::Ids& ids);
  Status mapIndices(const std::filesystem::path& path, std::span<const std::int32_t> of) const;

  std::filesystem::path folder_;
  PlannedColumn plan_;
  FileWriter ids_;
  std::optional<FileWriter> offsets_, weights_;  // of bags
  std::int64_t missing_ = 0, longestBag_ = 1, values_ = 0;
  bool hasEntries_ = false;
  std::vector<std::int32_t> uniqueIndices_;
  std::vector<std::int64_t> offsetsOfRows_;
};

}  // namespace parapet::data
