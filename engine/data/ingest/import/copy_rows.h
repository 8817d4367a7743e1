// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"

namespace parapet::data {

/// The rows of a data set that a copy has.
struct CopiedRows {
  RowSet kept;
  /// The kept rows that a model was trained on; the others are in part kTest.
  RowSet training;
};

/// Writes rows, in the order of the data, as a data set of its own, `<parent>/<hash>`, and returns the
/// hash. Vocabularies, catalogues and pretrained embeddings are whole; weights of examples, parts of
/// the source and rejected lines stay behind. No rows of texts give one text without a piece, since a
/// data set has a row.
///
/// Errors   InvalidArgument for no rows of anything else; kIo; kData for a damaged source;
///          kCancelled. Memory: 1 bit per row and set, 8 bytes per row of a bag column.
Result<std::string> copyRows(const Dataset& from, const CopiedRows& rows,
                             const std::filesystem::path& parent, const WorkContext& context = {});

/// Writes the rows of a data set and behind them those of another, whose columns have the same names,
/// and returns the hash: in part kTrain the training rows, in kTest the others of the first, in
/// kValidation all of the second. Ids of the second become rows of the vocabularies of the first, as
/// unknown ones where those lack them. A column that it lacks and that a catalogue of the first knows
/// comes from there.
///
/// Errors   kInvalidDocument for a column that it lacks; kIo; kData; kCancelled. Memory: a column.
Result<std::string> appendRows(const Dataset& to, const RowSet& training, const Dataset& more,
                               const std::filesystem::path& parent,
                               const WorkContext& context = {});

}  // namespace parapet::data
