// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/experiment/experiment.h"

namespace parapet::fidelity {

/// Epoch curves of one training of recipe `movielens-retrieval`, from epoch 1.
struct Curves {
  std::vector<double> loss, lossAsDisplayed;
  std::vector<double> valLoss;  ///< every fifth epoch
};

/// A recipe with a seed for split and initial weights.
experiment::Experiment recipe(std::uint64_t seed, const std::string& name = "movielens-retrieval");
/// MovieLens-100K from a folder, imported into `workFolder`.
Result<std::shared_ptr<const data::Dataset>> importRatings(const std::filesystem::path& folder,
                                                           const std::filesystem::path& workFolder);
/// Trains with the engine.
Curves train(const std::shared_ptr<const data::Dataset>& dataset, std::uint64_t seed);
/// The reference: curves from the same split and initial weights in plain double-precision loops.
Curves trainReference(const std::shared_ptr<const data::Dataset>& dataset, std::uint64_t seed);

/// One training of a ranking recipe.
struct RankingRun {
  /// Values of the metrics of epochs by key, from epoch 1: "loss_as_displayed", "rmse_as_displayed".
  /// Of the validation rows, true and as the bar of an evaluation would display them, the values
  /// after the last epoch alone: "val_loss", "val_loss_as_displayed", "val_rmse", …
  std::map<std::string, std::vector<double>> metrics;
  /// Root of the mean squared error on the test rows, in the epoch that the validation rows choose;
  /// without test rows on the validation rows after the last epoch.
  double rmse = 0.0;
  std::int64_t epoch = 0;  ///< that was chosen
};
/// Trains until the recipe's early stopping, or its last epoch.
RankingRun trainRanking(const std::shared_ptr<const data::Dataset>& dataset,
                        const std::string& recipe, std::uint64_t seed);

/// Mean and standard deviation (n − 1) over seeds, per point.
struct Band {
  std::vector<double> mean, deviation, smallest, largest;
};
Band band(const std::vector<std::vector<double>>& curves);
/// The band of a metric over runs.
Band band(const std::vector<RankingRun>& runs, const std::string& key);
/// Largest |published − mean| / deviation over the points of a curve.
double largestDeviation(std::span<const experiment::ReferenceCurve::Point> published,
                        const Band& band, std::int64_t epochsPerPoint);

}  // namespace parapet::fidelity
