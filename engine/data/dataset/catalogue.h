// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parapet::data {

/// What a generator knows about the ids of one column besides the rows.
struct Catalogue {
  struct Entry {
    std::string id;
    std::string title;
    std::vector<std::string> attributes;  ///< as many as attributeNames
  };
  std::vector<std::string> attributeNames;
  std::vector<Entry> entries;
};

/// The 19 genres of MovieLens-100K in the order of the flags of u.item.
const std::vector<std::string>& movielensGenres();

}  // namespace parapet::data
