// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/cells.h"
#include "engine/data/ingest/sources/file_collection.h"

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

}  // namespace parapet::data
