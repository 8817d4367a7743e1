// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/ingest/import/quarantine.h"
#include "engine/data/ingest/sources/movielens_layout.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Reads the file of movies: titles, and as attributes "genres" ("Animation|Comedy") and, of the
/// layout 100K, "released". Text of 100K and 1M is ISO-8859-1 where it is not UTF-8.
Result<Catalogue> readItemCatalogue(const FileCollection& files, const MovielensLayout& layout,
                                    Quarantine& bad, std::vector<std::string>& warnings);

/// Reads the file of users: no titles, and as attributes "age", "gender", "occupation" and
/// "zip". Ages of the layout 1M are those at which their groups begin.
Result<Catalogue> readUserCatalogue(const FileCollection& files, const MovielensLayout& layout,
                                    Quarantine& bad, std::vector<std::string>& warnings);

}  // namespace parapet::data
