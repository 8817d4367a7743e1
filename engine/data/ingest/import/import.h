// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A line that could not be read as what it should be.
struct RejectedLine {
  std::string path;
  std::int64_t line = 0;  ///< from 1
  std::string reason;     ///< what was found, what is accepted
  std::string excerpt;    ///< printable start of the line
};

struct VocabularyReport {
  std::string name;
  std::int64_t size = 0;        ///< rows, row 0 included
  double oovShare = 0.0;        ///< share of imported ids on row 0 or a bucket; NaN without ids
  std::int64_t unusedRows = 0;  ///< rows that no imported row touches, row 0 aside
};

struct ImportReport {
  std::shared_ptr<const Dataset> dataset;
  std::int64_t rows = 0;
  std::int64_t quarantined = 0;
  std::int64_t filteredOut = 0;             ///< rows that the filter left out
  std::int64_t belowCore = 0;               ///< rows that the k-core left out
  std::vector<RejectedLine> rejectedLines;  ///< the first 100
  std::vector<VocabularyReport> vocabularies;
  std::vector<std::string> warnings;  ///< duplicates, byte-order mark, …
  double seconds = 0.0;
  double rowsPerSecond = 0.0;  ///< 0 where nothing was read anew
  bool reused = false;         ///< source, settings and bytes were imported before
};

/// Reads the source of `spec` into `<datasetsFolder>/<hash>/`, or finds that it is there already.
/// The folder appears by one rename when it is complete; a failed or cancelled import leaves
/// nothing.
///
/// A rejected line is kept with its number; if more than spec.maxRejectedShare of the lines are
/// rejected, or none is accepted, the import fails and names the first ones. `/dataset/path` must
/// be set for sources that need it (InvalidDocument with that pointer otherwise).
Result<ImportReport> importDataset(const experiment::Dataset& spec,
                                   const std::filesystem::path& datasetsFolder,
                                   const WorkContext& context,
                                   const GeneratorFactory& makeGenerator);

/// Whether the source is still what the data set `hash` was imported from, by a program of the
/// format before this one: what it is read as has changed, not what it is.
Result<bool> wasReadDifferently(const experiment::Dataset& spec, const std::string& hash,
                                const WorkContext& context, const GeneratorFactory& makeGenerator);

/// Reports a data set that is there, as importDataset() tells it, whatever its source is now.
Result<ImportReport> openImported(const experiment::Dataset& spec,
                                  const std::filesystem::path& folder);

/// The data set that an import of `spec` gave before, or null if there was none. Reads the source
/// once, to compare its bytes, and nothing else.
///
/// Errors   those of importDataset that settings and source show; kCancelled.
Result<std::shared_ptr<const Dataset>> findImported(const experiment::Dataset& spec,
                                                    const std::filesystem::path& datasetsFolder,
                                                    const WorkContext& context,
                                                    const GeneratorFactory& makeGenerator);

/// findImported() with the report that importDataset() gives of a set that is there already.
///
/// Errors   those of findImported(); more rejected lines than `spec` accepts.
Result<std::optional<ImportReport>> reuseImport(const experiment::Dataset& spec,
                                                const std::filesystem::path& datasetsFolder,
                                                const WorkContext& context,
                                                const GeneratorFactory& makeGenerator);

}  // namespace parapet::data
