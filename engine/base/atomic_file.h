// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "engine/base/files.h"
#include "engine/base/result.h"

namespace parapet {

/// Streams a file into a temporary neighbour, fsyncs it, renames it over `path` and fsyncs the
/// folder: afterwards the file holds the old content or the new, never half. For content that is
/// too large to be held as one string.
Status writeAtomically(const std::filesystem::path& path,
                       const std::function<Status(FileWriter&)>& fill);

}  // namespace parapet
