// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/parquet_projection.h"
#include "engine/data/source_abi.h"

namespace parapet::data {

// Yambda's files hold listening events. In the flat form each row is an event: uid, timestamp,
// item_id, is_organic, then as the file needs them played_ratio_pct, track_length_seconds and
// event_type. In the sequential form each row is a user, and all columns but uid are lists.

/// Null if there is none of that name.
const PsColumn* columnNamed(std::span<const PsColumn> columns, std::string_view name);

/// A file that has Yambda's columns must have them with Yambda's types. Any other file is fine.
///
/// Errors   kData with the column, its type and what is expected.
Status checkYambda(const std::string& path, std::span<const PsColumn> columns);

/// Whether a file is of the sequential form, and which column tells the lengths of its lists.
std::optional<UnrolledRows> unrolledRows(std::span<const PsColumn> columns);

}  // namespace parapet::data
