// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/data/ingest/sources/source.h"

namespace parapet::fuzz {

/// Reads all rows of a source and breaks an invariant where a block is not what row_block.h says.
/// Tells what became of it.
void readSource(data::Source& source, std::span<const data::ColumnRequest> requests);

/// Each column as the source has it.
std::vector<data::ColumnRequest> requestsFor(const data::Source& source);
/// Each as the source has it (choice 0), as numbers (1), as whole numbers (2), or as texts that are lists
/// with weights (3).
std::vector<data::ColumnRequest> requestsFor(const data::Source& source, unsigned choice);

}  // namespace parapet::fuzz
