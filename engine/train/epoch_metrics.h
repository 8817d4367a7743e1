// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/nn/model.h"
#include "engine/nn/step_batch.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Metrics of the predictions of masked pieces, from sums over batches.
///
///   token_loss   Σ ℓ / M over the M masked pieces
///   loss_slots    Σ ℓ / (B·slots), as Keras divides: unused slots count, with weight 0
///   accuracy     share of the M whose piece has the highest logit
///   perplexity   e^token_loss
struct MaskedSums {
  double loss = 0.0, hits = 0.0, pieces = 0.0, slots = 0.0;

  void add(const nn::LossSums& batch, double slotsOfBatch) {
    loss += batch.numerator;
    hits += batch.hits;
    pieces += batch.rows;
    slots += slotsOfBatch;
  }
  /// Empty without a masked piece.
  [[nodiscard]] std::vector<experiment::Metric> metrics() const;
  [[nodiscard]] nlohmann::json toJson() const;
  static MaskedSums fromJson(const nlohmann::json& state);
};

/// Masks that an example of a masked language model may have.
double slotsOf(const nn::Model& model);

/// Metrics of the predictions of an epoch besides their losses, by head of the model:
///
///   rmse       of a squared error: √(Σ w·(p − y)² / Σ w)
///   accuracy   of bce: Σ w·[(p ≥ ½) = (y ≥ ½)] / Σ w; of masked pieces: see MaskedSums, with its
///              other metrics
///
/// and rmse and accuracy as displayed, (Σ_{t=1..T} r_t + r_T)/(T + 1) with r_t the metric of the
/// batches up to t: Keras's progress bar averaged the running metric a second time
/// (keras-team/keras#21301). In training, every batch is predicted with the weights before its own
/// step.
///
/// Keys   "rmse", "rmse_as_displayed", "accuracy", …; those of a head begin with its name
///        ("rating_rmse"). A head with another loss has none.
class EpochMetrics {
 public:
  explicit EpochMetrics(const nn::Model& model);

  /// Predictions of a head of the last batch, one per row.
  using PredictionsOf = std::function<const float*(std::size_t head)>;
  /// Adds a batch with its losses by head. Predictions are asked for under bce alone.
  void add(std::span<const nn::LossSums> losses, const data::Batch& batch,
           const PredictionsOf& predictions);
  /// Adds the batch of the last train() or evaluate() of a session.
  void add(const Session& session, const data::Batch& batch);
  /// Empty before the first batch with weight, and in an epoch whose beginning is not known.
  [[nodiscard]] std::vector<experiment::Metric> values() const;
  /// Clears the sums for the next epoch.
  void reset();

  [[nodiscard]] nlohmann::json toJson() const;
  /// Restores the state of a checkpoint after `batches` batches of an epoch. Checkpoints of earlier
  /// versions have none: if the epoch has begun, it will have no metrics.
  void fromJson(const nlohmann::json& state, std::int64_t batches);

 private:
  enum class Kind { kNone, kRmse, kAccuracy, kMasked };
  struct OfHead {
    std::string name;  ///< "" of the score
    Kind kind = Kind::kNone;
    std::int32_t label = -1;  ///< see nn::Model::Head
    double sum = 0.0;         ///< Σ w·(p − y)², or Σ w of the examples that are right
    MaskedSums masked{};      ///< kMasked only
    double slots = 0.0;       ///< kMasked only: masks that an example may have
    double running = 0.0;     ///< Σ r_t
    [[nodiscard]] double value(double weight) const;
  };

  std::vector<OfHead> heads_;
  double weight_ = 0.0;  ///< Σ w
  std::int64_t batches_ = 0;
  bool isWhole_ = true;
};

}  // namespace parapet::train
