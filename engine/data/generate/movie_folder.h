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

/// The event as u.data has it, without the end of line.
std::string movieLine(const GeneratedEvent& event);
/// "01-Jan-1987" for a title that ends with "(1987)".
std::string releaseDate(std::string_view title);

}  // namespace parapet::data
