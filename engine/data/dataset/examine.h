// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace parapet::data {

/// How a file of a data set was found.
struct FileOutcome {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::string problem{};  ///< what was found and what is accepted; "": the file is sound
};

/// How a data set was found. Its files are the manifest, then those that the manifest names; of a
/// data set whose manifest is damaged the manifest alone.
struct DatasetOutcome {
  std::filesystem::path folder;
  std::vector<FileOutcome> files;

  /// The first problem as a kData error with its path.
  [[nodiscard]] Status status() const;
};

/// Reads every file of a data set and compares it with the manifest, whatever was checked before. A
/// cancelled one lacks the files that were not reached.
DatasetOutcome examineDataset(const std::filesystem::path& folder, const WorkContext& context = {});

}  // namespace parapet::data
