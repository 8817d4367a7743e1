// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Rows of Parquet files: `spec.path` is a file, or a folder whose *.parquet files, by name, follow
/// each other and have the same columns.
///
/// Integers, bools, times (as seconds since 1970) and dates are kInteger, floating point kNumber,
/// strings and enums kText; lists of these are lists. Columns of other types are there by name and
/// refused when they are asked for.
///
/// A file with a flat `uid` beside lists `item_id` and `timestamp` is Yambda's sequential form: its
/// lists are unrolled, so that it reads as the flat form does, a row for each event.
///
/// Pieces are row groups; a large one is read in slices, so that its size does not matter. Row
/// groups whose statistics exclude the bounds of pushDown() are left out.
///
/// Errors   kInvalidDocument without a path; kNotFound, kIo or kData with the file that cannot be
///          read as Parquet or differs from the first in its columns; kDevice, with what to do,
///          where the plugin is not there.
Result<std::unique_ptr<Source>> openParquetSource(const experiment::Dataset& spec);

}  // namespace parapet::data
