// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/retrieval/row_baselines.h"
#include "engine/train/baseline_comparison.h"
#include "engine/train/part_losses.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Losses of rows of a user and an item: the true losses and the metrics of predictions that go
/// with each loss (see RowMetrics; a group is the rows of a user).
///
/// Keys   those of the score have no prefix ("loss", "rmse"), those of a head begin with its name
///        ("rating_rmse"). With heads "loss" is the sum over all of them by their weights, and
///        "score_loss" that of the score alone.
class RowLosses final : public PartLosses {
 public:
  /// The part has rows.
  RowLosses(Session& session, const experiment::Experiment& experiment, const data::Split& split,
            experiment::SplitPart part, ListsOf listsOf);

  Result<std::optional<Measured>> measure(const std::string& prefix, std::int64_t epoch,
                                          const WorkContext& context) override;
  experiment::Baselines baselines(const WorkContext& context) override;

 private:
  /// "" of the score, "rating_" of a head.
  [[nodiscard]] std::string headPrefix(std::size_t head) const;
  /// The key of a head's loss in a model with several heads.
  [[nodiscard]] std::string lossKey(std::size_t head) const;
  [[nodiscard]] retrieval::ListMetrics::Options lists(std::size_t head) const;
  /// nullopt if the loss of the head has none.
  [[nodiscard]] std::optional<retrieval::RowMetrics> rowMetrics(std::size_t head) const;
  /// Evaluates an evaluated batch again for each of so many runs of its rows, which are pairs of
  /// the score.
  Status compareRuns(const data::Batch& batch, std::int64_t runs, const std::stop_token& stop);
  [[nodiscard]] retrieval::PredictionBlock block(const data::Batch& batch, std::size_t head) const;
  [[nodiscard]] retrieval::RowBaselineMetrics baseline(retrieval::RowBaseline of, std::size_t head,
                                                       const WorkContext& context) const;
  [[nodiscard]] std::vector<experiment::Metric> baseline(retrieval::RowBaseline of,
                                                         const WorkContext& context) const;
  /// nullopt with the reduction kSum, whose value depends on how rows are batched, and where it
  /// depends on scores which negatives count.
  [[nodiscard]] std::optional<double> lossOfEqualScores(std::size_t head,
                                                        const WorkContext& context) const;

  Session& session_;
  const experiment::Experiment& experiment_;
  const data::Split& split_;
  experiment::SplitPart part_;
  ListsOf listsOf_;
  std::unique_ptr<data::BatchLoader> loader_;    ///< users, items come last
  std::vector<BaselineComparison> comparisons_;  ///< by head; fitted when they are first needed
};

}  // namespace parapet::train
