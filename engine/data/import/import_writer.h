// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/data/import/id_column.h"
#include "engine/data/import/manifest.h"
#include "engine/data/import/pending_folder.h"
#include "engine/data/sources/row_source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Removes a folder and all in it; nothing there is fine.
Status removeFolder(const std::filesystem::path& folder);

/// The column files of a data set while they are written, in a folder that appears at commit().
class ImportWriter {
 public:
  static Result<ImportWriter> create(const std::filesystem::path& target,
                                     const experiment::Dataset& spec);

  /// Appends rows; labels are scaled: (raw − lo)/(hi − lo).
  Status add(const RowChunk& chunk);
  /// Completes labels, weights, times and the spilled ids.
  Status finishRows();
  /// Hashes the files into the manifest, writes it and makes the folder appear. If another process
  /// was faster with the same data set, that one stays.
  Status commit(Manifest& manifest);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] IdColumn& users() { return users_; }
  [[nodiscard]] IdColumn& items() { return items_; }

 private:
  ImportWriter(PendingFolder folder, IdColumn users, IdColumn items, FileWriter labels,
               FileWriter times);

  PendingFolder folder_;
  IdColumn users_, items_;
  FileWriter labels_, times_;
  std::optional<FileWriter> weights_;
  std::optional<std::array<double, 2>> scale_;
  std::int64_t rows_ = 0;
  std::vector<float> buffer_;
};

}  // namespace parapet::data
