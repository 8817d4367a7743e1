// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/data/ingest/sources/catalogue_file.h"
#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// How one of the published MovieLens data sets is laid out in files.
struct MovielensLayout {
  enum class Kind {
    k100K,  ///< u.data, u.item, u.user, u.genre; tabs and |
    k1M,    ///< ratings.dat, movies.dat, users.dat; "::"; 10M too, without users
    kCsv,   ///< ratings.csv, movies.csv, with a line of names; 20M, 25M, 32M and latest
  };
  Kind kind = Kind::k100K;
  std::string ratings, items;
  std::string users;   ///< "": it has no such file
  std::string genres;  ///< "": it has no such file
  CellFormat ratingCells;

  /// The layout whose file of ratings is there.
  ///
  /// Errors   Data if there is none.
  static Result<MovielensLayout> of(const FileCollection& files, const std::string& path);
};

/// Ratings of a MovieLens data set as columns user, item, rating and time, with those of
/// MovieAttributes where it has files of users and movies, and what it tells about these. The path
/// is a folder or a zip in any of the published layouts: 100K (u.data), 1M and 10M (ratings.dat),
/// 20M, 25M, 32M and latest (ratings.csv).
///
/// Errors   Data, with the path, for anything else than such a data set. Throws InvalidArgument
///          without a path.
Result<std::unique_ptr<Source>> openMovielensSource(const experiment::Dataset& spec);

// The files of MovieLens give these columns of the ratings, and (but for year) attributes:
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
