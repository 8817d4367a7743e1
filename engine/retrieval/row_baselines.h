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
  kBiases,    ///< the overall mean with a bias of the user and one of the item; under bce of logits
};
/// "constant", "item_mean", "user_mean", "random", "biases".
const char* rowBaselineName(RowBaseline baseline);

/// A trivial model of labels, fitted to the training rows. With weights w and the losses L of mse (half
/// the squared error) and bce, the biases of kBiases minimise
///
///   Σ w·L(y, μ + b_u + b_i) + h·(10·Σ b_i² + 15·Σ b_u²)/2
///
/// where μ predicts the mean and h is the curvature of L there: as if each item had 10 and each user 15
/// rows more at μ. Items and users take turns at steps of Newton, of at most 2 logits under bce.
///
/// Source   Koren, "Factor in the Neighbors" (2010), 2.1, with the weights and the ten turns of the
///          library Surprise.
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
  struct Rows;
  void fitBiases(const Rows& rows, double mean, bool ofLogits);

  RowBaseline baseline_;
  /// By item or user; one of a constant; none of kRandom. Of kBiases by item, the mean in them.
  std::vector<float> predictions_;
  std::vector<float> userBiases_;  ///< of kBiases
};

/// The rows of a part.
const data::RowSet& rowsOf(const data::Split& split, experiment::SplitPart part);

/// The target of a prediction, and how the prediction is measured.
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
