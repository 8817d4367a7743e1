// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Settings that no document may have. Errors: InvalidDocument with the pointer.
Status checkImportSettings(const experiment::Dataset& spec);

/// A vocabulary as an import makes it: with all ids. Which of them it leaves out, the training rows
/// of a split tell (fitVocabularies()), and a data set has no split.
experiment::Vocabulary asImported(experiment::Vocabulary spec);

/// Name of the data set: a hash of everything that its column files depend on, the bytes of the
/// source included.
Result<std::string> importHash(const experiment::Dataset& spec, const Source& source,
                               const WorkContext& context);
/// Whether an earlier program gave the data set this name: the same source, read as it was then.
Result<bool> isOldImportHash(const std::string& hash, const experiment::Dataset& spec,
                             const Source& source, const WorkContext& context);

/// One end of a slice: a row, or a share of all rows in percent.
struct SliceEnd {
  double value = 0.0;
  bool isPercent = false;
};
/// "[first:last]", both optional, each a row (from 0; `last` is not included) or a share ("5%").
struct Slice {
  std::optional<SliceEnd> first, last;
  /// Errors   InvalidDocument at /dataset/slice.
  static Result<Slice> parse(const std::string& text);
  [[nodiscard]] bool needsRowCount() const;
  /// Shares are rounded to the nearest row. `rows`: of the source, if needsRowCount().
  [[nodiscard]] RowSlice of(std::int64_t rows) const;
};

}  // namespace parapet::data
