// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The file format of a generated data set.
enum class GeneratedFormat {
  kMovieFolder,  ///< the MovieLens-100K folder layout; movies only
  kCsv,          ///< lines with a header; quotes as in RFC 4180, lists as "3:1|17:0.5"
  kParquet,      ///< one file; needs the Parquet plugin
  kColumns,      ///< a folder of little-endian arrays, a file a column, and manifest.json
};

/// Where to write. Files and folders appear complete or not at all.
struct GenerateTarget {
  std::filesystem::path path;
  GeneratedFormat format = GeneratedFormat::kMovieFolder;
  bool replace = false;  ///< a file that is there is replaced; a folder never is
};

struct GenerateReport {
  std::int64_t rows = 0;
  std::uint64_t bytes = 0;
  double seconds = 0.0;
};

/// Writes a generated data set; the same settings write the same values, on every machine.
///
/// Errors   InvalidDocument for counts that the kind cannot have (below /dataset/generator), a
///          format that it has not, or a target that is there already; Io, for a full disk too;
///          kDevice without the Parquet plugin; kCancelled. All but a finished one leave nothing.
Result<GenerateReport> generate(const experiment::Generator& settings, const GenerateTarget& target,
                                const WorkContext& context);

}  // namespace parapet::data
