// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/generate/movie_generator.h"

namespace parapet::data {

/// Writes the files of the MovieLens-100K layout (u.data, u.item, u.user, u.genre, u.info) into a
/// folder.
Status writeMovieFolder(const MovieGenerator& movies, const std::filesystem::path& folder,
                        const WorkContext& context);

}  // namespace parapet::data
