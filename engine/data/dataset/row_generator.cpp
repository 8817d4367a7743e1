// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/row_generator.h"

namespace parapet::data {

const std::vector<std::string>& movielensGenres() {
  static const std::vector<std::string> genres{
      "unknown",     "Action", "Adventure", "Animation", "Children's", "Comedy",  "Crime",
      "Documentary", "Drama",  "Fantasy",   "Film-Noir", "Horror",     "Musical", "Mystery",
      "Romance",     "Sci-Fi", "Thriller",  "War",       "Western"};
  return genres;
}

}  // namespace parapet::data
