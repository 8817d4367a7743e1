// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// Feeds the bytes of the files that vectors come from.
Status hashVectors(const experiment::Dataset& spec, Hasher& hasher, const WorkContext& context);

/// Reads the files of vectors into `<folder>/<name>.vec.f32`, [vocabulary size, width], zeros for
/// rows without a line, and adds them to the manifest. The vocabularies lie in `folder` already.
///
/// Errors   InvalidDocument for a vocabulary or column that is not there; Data for a file without
///          vectors, or with vectors of different widths.
Status importVectors(const experiment::Dataset& spec, const std::filesystem::path& folder,
                     Manifest& manifest, const WorkContext& context);

}  // namespace parapet::data
