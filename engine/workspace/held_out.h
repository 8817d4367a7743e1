// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/retrieval/query_sums.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

/// Measures the checkpoints of several runs on the same held-out rows, so that the runs can be
/// compared pair by pair: metrics of lists of the catalogue over the same queries, and errors of
/// predictions of the same rows. Both are summed by user, since the queries of a user are alike.
class HeldOut {
 public:
  /// Measures runs one after the other, by the protocol of the first; each is opened and closed.
  /// Runs that cannot be measured with the first (no checkpoint, other data, another split) have
  /// nothing, and a reason.
  ///
  /// Errors   kCancelled; what a step or a tower fails with.
  static Result<HeldOut> measure(Shared& shared, const std::vector<std::string>& runs,
                                 const CompareOptions& options, const WorkContext& context);

  /// Metrics of a run on the test split, if that is compared: "test_loss", by its own protocol. Those of
  /// a validation are recorded with the run.
  [[nodiscard]] const std::vector<experiment::Metric>& metrics(std::size_t run) const {
    return runs_[run].metrics;
  }
  /// The prefix of the keys that it has differences of: "val_", "test_".
  [[nodiscard]] const std::string& prefix() const { return prefix_; }

  /// Metrics of lists of run `a` minus those of run `b` with their paired standard errors; empty if
  /// they share no queries.
  [[nodiscard]] std::vector<Comparison::PairedMetric> lists(std::size_t a, std::size_t b) const;
  /// The paired difference of a metric of the part ("val_ndcg@10", "val_loss"): of a list, or of
  /// the error of rows that orders runs as the metric does. nullopt if there is none.
  [[nodiscard]] std::optional<experiment::PairedDifference> difference(const std::string& metric,
                                                                       std::size_t a,
                                                                       std::size_t b) const;
  /// Why a run has nothing; "" if it has.
  [[nodiscard]] const std::string& missing(std::size_t run) const { return runs_[run].missing; }

 private:
  struct Run {
    std::string missing;
    std::vector<std::string> listMetrics;  ///< without prefix, in the order of `lists`
    std::shared_ptr<const retrieval::QuerySums> lists;
    std::optional<experiment::LossKind> rowLoss;  ///< of `rows`, whose metrics follow from it
    std::shared_ptr<const retrieval::QuerySums> rows;
    std::vector<experiment::Metric> metrics;
  };
  std::string prefix_;
  std::vector<Run> runs_;
};

/// Whether a paired difference exceeds three standard errors, of at least kMinPairs pairs.
bool isSignificant(const experiment::PairedDifference& difference);

/// Writes into each comparable metric why none is the best run, where none is: see bestRun.
void judgeRuns(Comparison& comparison, const HeldOut& heldOut);

}  // namespace parapet::workspace
