// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/document.h"
#include "engine/retrieval/row_metrics.h"

namespace parapet::retrieval {

/// Trivial predictions of labels.
enum class RowBaseline {
  kConstant,  ///< the weighted mean training label for every row
  kItemMean,  ///< the mean label of the row's item, smoothed by one row of the overall mean: an
              ///< item without training rows has that, and no probability is 0 or 1
  kUserMean,  ///< the mean label of the row's user, smoothed likewise
  kRandom,    ///< a uniform random value per pair of user and item: a random order
};
/// "constant", "item_mean", "user_mean", "random".
const char* rowBaselineName(RowBaseline baseline);

/// A trivial model of labels, fitted to the training rows.
///
/// Thread   pure after construction.
class RowPredictor {
 public:
  /// `labels` are those of all rows of the data set. Under bce predictions are logits. Throws
  /// data::PassStopped once `stop` fires.
  RowPredictor(RowBaseline baseline, const data::Dataset& dataset, const data::RowSet& training,
               std::span<const float> labels, experiment::LossKind loss, std::stop_token stop = {});
  /// The prediction for a row of this user and item, in whatever order rows are read.
  [[nodiscard]] float predict(std::int32_t userRow, std::int32_t itemRow) const;

 private:
  RowBaseline baseline_;
  std::vector<float> predictions_;  ///< by item or user; one of a constant; none of kRandom
};

/// The rows of a part.
const data::RowSet& rowsOf(const data::Split& split, experiment::SplitPart part);

/// What is predicted, and how it is measured.
struct RowTarget {
  std::span<const float> labels;  ///< of all rows of the data set
  experiment::Loss loss;          ///< under bce predictions are logits
  ListMetrics::Options lists;
};

struct RowBaselineMetrics {
  std::vector<experiment::Metric> metrics;
  std::optional<double> loss;  ///< as RowMetrics has it
};

/// The metrics of a trivial prediction on a part of the split, measured as a model's are; none if it
/// was stopped.
///
/// Thread   pure.
RowBaselineMetrics measureRowBaseline(RowBaseline baseline, const data::Dataset& dataset,
                                      const data::Split& split, experiment::SplitPart part,
                                      const RowTarget& target, std::stop_token stop = {});

}  // namespace parapet::retrieval
