// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/retrieval/row_baselines.h"
#include "engine/train/baseline_comparison.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Metrics of a model on one part of the split: the true losses, the metrics of predictions that
/// go with each loss (see RowMetrics; a group is the rows of a user), and for retrieval models
/// ranking metrics of the catalogue over users, or over held-out rows in their own context. The two
/// are timed apart.
///
/// Keys   those of the score have no prefix ("loss", "rmse"), those of a head begin with its name
///        ("rating_rmse"). With heads "loss" is the sum over all of them by their weights, and
///        "score_loss" that of the score alone.
class Evaluator {
 public:
  Evaluator(Session& session, const experiment::Experiment& experiment, const data::Split& split,
            const retrieval::Interactions& interactions, experiment::SplitPart part);

  enum class Lists {
    kMeasure,  ///< of the catalogue, of retrieval models
    kSkip,
  };
  struct Measured {
    std::vector<experiment::Metric> metrics;
    /// Against the baselines that need no training, on the same rows and users: the loss of the
    /// score (see BaselineComparison), and of retrieval models recall@10, or at the first k,
    /// against the most popular items, and with contexts against those of the context.
    std::vector<experiment::BaselineVerdict> verdicts;
    /// Lists of the catalogue: keys without a prefix; empty if they were not measured.
    retrieval::CatalogueRanking::Measured catalogue;
    double lossSeconds = 0.0, retrievalSeconds = 0.0;
  };
  /// Keys are prefixed ("val_"). An empty part measures nothing, nor does a stopped pass. `epoch`
  /// (from 1) matters where the split reshuffles the part for every epoch.
  ///
  /// Errors   those of Session::evaluate and of the towers.
  Result<Measured> measure(const std::string& prefix, std::int64_t epoch, std::stop_token stop = {},
                           Lists lists = Lists::kMeasure);
  /// Only the lists of the catalogue, of a retrieval model.
  Result<retrieval::CatalogueRanking::Measured> rankCatalogue(std::stop_token stop = {});

  /// Vectors of all items and all queries of a retrieval model at one step: its lists can be measured
  /// from them later, by rank(), while the model trains on.
  struct CatalogueSnapshot {
    std::vector<float> items, queries;
    std::int64_t dim = 0;
  };
  /// Bytes of a snapshot, and products of two floats that rank() takes; 0 without queries.
  struct CatalogueCost {
    std::int64_t bytes = 0, products = 0;
  };
  [[nodiscard]] CatalogueCost catalogueCost() const;
  Result<CatalogueSnapshot> snapshotCatalogue();
  /// Metrics as rankCatalogue() of the snapshot's step has, bit for bit; without any if it was
  /// stopped. `beforeBlock` is called between blocks of queries, from the thread of the call.
  ///
  /// Thread   any, beside all else.
  [[nodiscard]] retrieval::CatalogueRanking::Measured rank(
      const CatalogueSnapshot& snapshot, Workers& workers, std::stop_token stop,
      const std::function<void()>& beforeBlock = {}) const;
  /// Adds lists to what was measured with Lists::kSkip.
  static void addCatalogue(Measured& measured, const std::string& prefix,
                           retrieval::CatalogueRanking::Measured catalogue);
  /// Baselines on the same part, under the same keys; see CatalogueRanking::baselines.
  [[nodiscard]] experiment::Baselines baselines(
      const std::string& prefix, std::int64_t maxItems = retrieval::kMaxBaselineItems,
      const WorkContext& context = {});
  /// See CatalogueRanking::fitted.
  ///
  /// Thread   any, beside all else.
  [[nodiscard]] experiment::Baselines fittedBaselines(const std::string& prefix,
                                                      std::int64_t maxItems, Workers* workers,
                                                      const WorkContext& context) const;
  [[nodiscard]] const retrieval::RankingProtocol& protocol() const { return catalogue_.protocol(); }

 private:
  [[nodiscard]] bool isRetrieval() const;
  /// "" of the score, "rating_" of a head.
  [[nodiscard]] std::string headPrefix(std::size_t head) const;
  /// The key of a head's loss in a model with several heads.
  [[nodiscard]] std::string lossKey(std::size_t head) const;
  [[nodiscard]] retrieval::ListMetrics::Options lists(std::size_t head) const;
  /// nullopt if the loss of the head has none.
  [[nodiscard]] std::optional<retrieval::RowMetrics> rowMetrics(std::size_t head) const;
  [[nodiscard]] retrieval::PredictionBlock block(const data::Batch& batch, std::size_t head) const;
  [[nodiscard]] retrieval::RowBaselineMetrics baseline(retrieval::RowBaseline of,
                                                       std::size_t head) const;
  [[nodiscard]] std::vector<experiment::Metric> baseline(retrieval::RowBaseline of) const;
  /// nullopt with the reduction kSum, whose value depends on how rows are batched, and where it
  /// depends on scores which negatives count.
  [[nodiscard]] std::optional<double> lossOfEqualScores(std::size_t head) const;
  /// One pass over the rows of the part. False if it was stopped.
  Result<bool> measureRows(Measured& measured, const std::string& prefix, std::int64_t epoch,
                           std::stop_token stop);

  Session& session_;
  const experiment::Experiment& experiment_;
  const data::Split& split_;
  experiment::SplitPart part_;
  retrieval::CatalogueRanking catalogue_;
  std::unique_ptr<data::BatchLoader>
      loader_;  ///< null if the part is empty; users, items come last
  std::optional<BaselineComparison> comparison_;  ///< fitted when it is first needed
};

/// The protocol an experiment asks for, with every k clipped to the size of the catalogue.
retrieval::RankingProtocol rankingProtocol(const experiment::Experiment& experiment,
                                           const data::Dataset& dataset,
                                           const std::string& itemColumn);

}  // namespace parapet::train
