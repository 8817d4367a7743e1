// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// Ratings of a MovieLens data set as columns user, item, rating and time, with those of
/// MovieAttributes where it has files of users and movies, and what it tells about these. The path
/// is a folder or a zip in any of the published layouts: 100K (u.data), 1M and 10M (ratings.dat),
/// 20M, 25M, 32M and latest (ratings.csv).
///
/// Errors   Data, with the path, for anything else than such a data set. Throws InvalidArgument
///          without a path.
Result<std::unique_ptr<Source>> openMovielensSource(const experiment::Dataset& spec);

}  // namespace parapet::data
