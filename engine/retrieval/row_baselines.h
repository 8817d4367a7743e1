// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/baselines.h"
#include "engine/retrieval/row_metrics.h"

namespace parapet::retrieval {

/// What is predicted, and how it is measured.
struct RowTarget {
  std::span<const float> labels;  ///< of all rows of the data set
  experiment::Loss loss;          ///< under bce predictions are logits
  ListMetrics::Options lists;
};

/// What a trivial prediction reaches.
struct RowBaseline {
  std::vector<experiment::Metric> metrics;
  std::optional<double> loss;  ///< as RowMetrics has it
};

/// What a trivial prediction of labels reaches on a part of the split, measured as a model's is:
///
///   constant   the weighted mean training label for every row
///   item_mean  the weighted mean training label of the row's item, with one row of the overall
///   mean
///              among them: an item without training rows has that, and no probability is 0 or 1
///   user_mean  the same of the row's user
///   random     a number drawn by row: the order of chance
///
/// Errors   InvalidArgument for another name.   Thread   pure.
RowBaseline rowBaseline(const std::string& name, const data::Dataset& dataset,
                        const data::Split& split, Part part, const RowTarget& target);

}  // namespace parapet::retrieval
