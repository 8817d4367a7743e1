// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/movielens_layout.h"

#include <fmt/format.h>

namespace parapet::data {

Result<MovielensLayout> MovielensLayout::of(const FileCollection& files, const std::string& path) {
  static const std::vector<MovielensLayout> layouts{
      {Kind::k100K, "u.data", "u.item", "u.user", "u.genre", {"\t", std::nullopt}},
      {Kind::k1M, "ratings.dat", "movies.dat", "users.dat", "", {"::", std::nullopt}},
      {Kind::kCsv, "ratings.csv", "movies.csv", "", "", {",", '"'}}};
  for (const MovielensLayout& layout : layouts)
    if (files.has(layout.ratings)) return layout;
  constexpr std::string_view kExpected =
      "a MovieLens data set with u.data, ratings.dat or ratings.csv is expected";
  return Error{ErrorCode::kData,
               files.isEmpty() ? fmt::format("{} is empty; {}", path, kExpected)
                               : fmt::format("{} has no u.data, ratings.dat or ratings.csv; {}",
                                             path, kExpected),
               "", path};
}

}  // namespace parapet::data
