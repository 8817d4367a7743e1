// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/catalogue.h"
#include "engine/data/ingest/sources/catalogue_file.h"
#include "engine/data/ingest/sources/movielens_layout.h"

namespace parapet::data {

// What the files of MovieLens know, as columns of the ratings and (but for year) as attributes:
//
//   of the user   user_age (integer), user_gender, user_occupation, user_zip (text); ages of the
//                 layout 1M are those at which their groups begin
//   of the item   title, genres ("Action|Comedy"), year (integer, from the end of the title), and
//                 of the layout 100K the attribute "released"
//
// Text of 100K and 1M is ISO-8859-1 where it is not UTF-8.

/// "user" or "item" if the column is one of theirs, else "".
std::string_view movielensRoleOf(std::string_view column);

/// The catalogues of users and of items that are there. `folder` is the folder or archive, as
/// rejected lines name files from it.
///
/// Errors   Data for a file that cannot be read.
Result<std::vector<std::unique_ptr<CatalogueFile>>> openMovielensCatalogues(
    const FileCollection& files, const MovielensLayout& layout, const std::string& folder);

/// The catalogue of the entries of a generator of ratings, "user" or "item".
std::unique_ptr<CatalogueFile> generatedCatalogue(Catalogue entries, std::string_view role);

}  // namespace parapet::data
