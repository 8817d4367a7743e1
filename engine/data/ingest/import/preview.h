// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The start of a source, to look at before anything is imported.
struct SourcePreview {
  /// Text of a cell; unset: no value.
  using Cell = std::optional<std::string>;

  std::string file;
  std::vector<SourceColumn> columns;   ///< columns of the source, then derived ones
  std::size_t sourceColumns = 0;       ///< how many of the columns the source has itself
  std::vector<std::string> describes;  ///< of each column "user" or "item" if a catalogue has it
  std::vector<std::vector<Cell>> rows;
  Quarantine rejectedLines{""};        ///< among the lines that were read
  std::vector<Error> derivedProblems;  ///< derived columns that cannot be computed
  std::vector<std::string> warnings;
  std::int64_t rowsRead = 0;      ///< shown or not
  std::int64_t rowsExpected = 0;  ///< of the whole source; an estimate unless `complete`
  bool complete = false;          ///< the whole source was read
};

/// Reads the first `rows` rows as the source has them, and what it must read to get them.
///
/// Errors   those of openSource; InvalidArgument for rows < 1.
Result<SourcePreview> previewSource(const experiment::Dataset& spec, std::int64_t rows,
                                    const WorkContext& context,
                                    const GeneratorFactory& makeGenerator);
/// Previews an open source, of which nothing was selected or read; no further piece is read once it
/// is at `upTo` (Source::done).
Result<SourcePreview> previewSource(Source& source, const experiment::Dataset& spec,
                                    std::int64_t rows, const WorkContext& context,
                                    std::int64_t upTo = std::numeric_limits<std::int64_t>::max());

/// How many rows of a source pass the filter of a document.
struct FilterCount {
  std::int64_t rows = 0;      ///< rows read
  std::int64_t kept = 0;      ///< rows read that pass
  std::int64_t rejected = 0;  ///< lines that an import rejects, as far as cells tell
  /// Least and greatest time of the rows that pass, in seconds since 1970; unset: they have none.
  std::optional<std::array<std::int64_t, 2>> times{};
  std::int64_t lateTimes = 0;  ///< of the rows that pass, after the year 2100
  bool complete = false;       ///< the whole source was read, not only its start

  /// In [0, 1]; 0 of no rows.
  [[nodiscard]] double share() const {
    return rows == 0 ? 0.0 : static_cast<double>(kept) / static_cast<double>(rows);
  }
  /// Share of the lines that were read, in [0, 1].
  [[nodiscard]] double rejectedShare() const {
    const auto lines = static_cast<double>(rows + rejected);
    return rejected == 0 ? 0.0 : static_cast<double>(rejected) / lines;
  }
};

/// Counts the rows that the filter keeps; a document without a filter keeps all. Only columns that
/// the filter and the import need are read. Uses all cores.
///
/// atMost   stops once so many rows were read, be there more; 0: reads all.
/// Errors   those of openSource, Filter and DerivedColumns; kCancelled.
Result<FilterCount> countRows(const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context, const GeneratorFactory& makeGenerator);
Result<FilterCount> countRows(Source& source, const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context);

/// "integer", "number", "text"; "list of text".
std::string typeName(const SourceColumn& column);

}  // namespace parapet::data
