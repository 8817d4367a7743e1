// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "engine/data/ingest/sources/byte_stream.h"

namespace parapet::data {

/// What a .gz file holds; several gzip files after each other are one, as for gunzip.
///
/// Errors   those of opening the file; a damaged or truncated one is told by read().
Result<std::unique_ptr<ByteStream>> openGzip(const std::filesystem::path& path);

}  // namespace parapet::data
