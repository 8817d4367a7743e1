// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/pending_folder.h"
#include "engine/data/ingest/import/id_column.h"
#include "engine/data/ingest/import/id_table.h"
#include "engine/data/ingest/import/import_plan.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/data/ingest/import/vocabulary_builder.h"

namespace parapet::data {

/// Removes a folder and all in it; nothing there is fine.
Status removeFolder(const std::filesystem::path& folder);

/// The files of a data set while they are written, in a folder that appears at commit().
class ImportWriter {
 public:
  static Result<ImportWriter> create(const std::filesystem::path& target, const ImportPlan& plan);

  /// Appends rows.
  Status add(const ShapedRows& rows);
  /// Completes the column files; ids are indices of the tables until finishColumns().
  Status finishRows();
  /// Leaves only the rows whose bit is set, in all files, and counts ids again.
  Status keepRows(std::span<const std::uint64_t> bits);
  /// Builds and writes the vocabularies. Does not touch the column files.
  Status writeVocabularies(const Source& source, Manifest& manifest);
  /// Replaces indices by the rows of the vocabularies.
  Status finishColumns(Manifest& manifest);
  /// Writes what catalogues know of users and items by their rows (Dataset::entityColumn).
  Status writeEntityColumns(const Source& source, Manifest& manifest);
  /// Hashes the files into the manifest, writes it and makes the folder appear. If another process
  /// was faster with the same data set, that one stays.
  Status commit(Manifest& manifest);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// User, item, then the others.
  [[nodiscard]] const std::vector<IdColumn>& columns() const { return columns_; }
  /// Distinct ids of the vocabulary of a column.
  [[nodiscard]] std::int64_t distinctIds(const IdColumn& column) const {
    return static_cast<std::int64_t>(tables_[column.plan().vocabulary].size());
  }

 private:
  struct NumberColumn {
    std::string name;
    FileWriter writer;
    std::size_t elementBytes;
  };
  ImportWriter(PendingFolder folder, const ImportPlan& plan)
      : folder_(std::move(folder)), plan_(&plan) {}
  Status addNumberColumn(std::string name, std::size_t elementBytes);
  Status addMicroseconds(const ShapedRows& rows);
  void warnOfRows(const PlannedVocabulary& plan, const BuiltVocabulary& built,
                  Manifest& manifest) const;
  [[nodiscard]] std::vector<std::string> fileNames(const Manifest& manifest) const;

  PendingFolder folder_;
  const ImportPlan* plan_;
  std::vector<IdTable> tables_;                     // one per vocabulary
  std::vector<std::vector<std::int32_t>> rowOf_;    // row of each index, one per vocabulary
  std::vector<std::vector<std::int32_t>> entryOf_;  // entry of each, empty where none share a row
  std::vector<IdColumn> columns_;
  // Labels if there are any, then weights, times and parts if there are any, then the dense
  // features, then parts of seconds if a row before had one.
  std::vector<NumberColumn> numbers_;
  std::vector<std::string> entityFiles_;
  std::int64_t rows_ = 0;
  std::int64_t lateTimes_ = 0;    // after the year 2100
  std::int64_t times_ = 0;        // before k-core
  bool hasWeight_ = false;        // a weight of a row is above 0
  bool hasMicroseconds_ = false;  // a time of a row is no whole second
};

}  // namespace parapet::data
