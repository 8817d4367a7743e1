// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"

namespace parapet::workspace {

/// What an empty cell of a dense column is in the rows of another file: what the import made of those
/// of the run's data.
///
///   kMean   (1/N) Σ_n value[n]   over the rows of the data set; cells that the import filled with
///           the mean of the others do not change it
///   kZero   0
///
/// Order    sums in the order of the rows, in double precision.
/// Errors   InvalidArgument for a column that the data set does not have.
/// Thread   pure. O(rows) for kMean.
float filledNumber(const data::Dataset& dataset, const std::string& column,
                   experiment::MissingNumbers policy);

}  // namespace parapet::workspace
