// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/import/quarantine.h"
#include "engine/data/sources/row_source.h"

namespace parapet::data {

/// The 19 genres of MovieLens-100K in the order of the flags of u.item.
const std::vector<std::string>& movielensGenres();

/// Reads `<folder>/u.item`: id | title | release date | video date | URL | one flag per genre.
/// Attributes are "genres" ("Animation|Comedy") and "released". Names of the flags come from
/// u.genre if it is there. Text is ISO-8859-1, or UTF-8 if the file starts with a byte-order mark.
Result<Catalogue> readItemCatalogue(const std::filesystem::path& folder, Quarantine& bad,
                                    std::vector<std::string>& warnings);

/// Reads `<folder>/u.user`: id | age | gender | occupation | zip code.
Result<Catalogue> readUserCatalogue(const std::filesystem::path& folder, Quarantine& bad,
                                    std::vector<std::string>& warnings);

}  // namespace parapet::data
