// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/verdict.h"
#include "engine/nn/model.h"
#include "engine/nn/step_batch.h"
#include "engine/retrieval/query_sums.h"
#include "engine/retrieval/row_baselines.h"

namespace parapet::train {

/// The source of the lists that a model is judged by.
enum class ListsOf {
  kRows,       ///< the held-out rows of a group, as a ranking model orders them
  kCatalogue,  ///< the whole catalogue
};

/// Compares a head of a model with baselines on the same rows that it is evaluated on, so that
/// the difference has a paired standard error.
///
///   mse, bce          the loss; against the constant and, of ranking models, the means of the item
///                     and of the user and the biases of both. Pairs are rows
///   with negatives    the loss; against equal scores. Pairs are batches, whose rows share
///                     negatives; of a small part of the split, runs of their rows
///   listwise          ndcg@10, or at the first k, of ranking models; against a random order and
///                     the means of the item and of the user. Pairs are lists
///
/// A loss with the reduction kSum is not compared: its value depends on how rows are batched.
///
/// Thread   not shared.
class BaselineComparison {
 public:
  /// A head of a model, and the keys of its loss ("loss", "rating_loss") and of what is before its
  /// other metrics ("", "rating_").
  struct Of {
    std::size_t head = 0;
    std::string lossKey, prefix;
  };
  /// Fits the baselines to the training rows of the split. Throws data::PassStopped once `stop` fires.
  BaselineComparison(const nn::Model& model, Of of, const data::Dataset& dataset,
                     const data::Split& split, retrieval::ListMetrics::Options lists,
                     ListsOf listsOf, const std::stop_token& stop);

  /// Starts another pass.
  void reset();
  /// Adds an evaluated batch: its rows, their items, and the sums of its loss.
  void add(const retrieval::PredictionBlock& rows, std::span<const std::int32_t> items,
           const nn::LossSums& loss);
  /// Into how many runs the rows of a batch are to be cut where the part has so many batches: fewer
  /// than kMinPairs say nothing about the noise. 1: batches are enough, or no pairs.
  [[nodiscard]] std::int64_t runsOfBatch(std::int64_t batches) const;
  /// Adds a run of the rows of a batch, by the loss of the batch in which the others weigh 0.
  void addRun(const nn::LossSums& loss, std::int64_t rows);
  /// `prefix` of the keys ("val_").
  [[nodiscard]] std::vector<experiment::BaselineVerdict> verdicts(const std::string& prefix) const;

 private:
  enum class Unit { kRows, kBatches, kLists, kNothing };
  struct Reference {
    retrieval::RowBaseline baseline;
    retrieval::RowPredictor predictor;
    retrieval::PairedSums pairs{};
    std::vector<float> predictions{};  ///< of kLists
  };

  static Unit unitOf(const experiment::Loss& loss, ListsOf listsOf);
  void addRows(const retrieval::PredictionBlock& rows, std::span<const std::int32_t> items);
  void addBatch(const nn::LossSums& loss);
  [[nodiscard]] std::int64_t candidatesOfEqualScores(double reference) const;
  [[nodiscard]] std::vector<experiment::BaselineVerdict> verdictsOfLists(
      const std::string& prefix) const;

  const Of of_;
  const std::string name_;  ///< of the head; "" of the score
  const experiment::Loss loss_;
  const Unit unit_;
  const retrieval::ListMetrics::Options lists_;
  std::vector<Reference> references_;
  retrieval::PairedSums batches_, runs_;        ///< of kBatches; runs of their rows
  bool hasRuns_ = false;                        ///< which of the two are the pairs
  retrieval::Predictions rows_;                 ///< of kLists
  double numerator_ = 0.0, denominator_ = 0.0;  ///< of the model's loss
  double largestBatch_ = 0.0;                   ///< the largest denominator of a batch
};

}  // namespace parapet::train
