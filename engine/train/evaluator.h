// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/retrieval/baselines.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Metrics of a model on one part of the split: the true loss with rmse and mae, and ranking
/// metrics over all users with held-out items. The two are timed apart.
class Evaluator {
 public:
  Evaluator(Session& session, const experiment::Experiment& experiment, const data::Split& split,
            const retrieval::Interactions& interactions, retrieval::Part part);

  struct Measured {
    std::vector<experiment::Metric> metrics;
    double lossSeconds = 0.0, retrievalSeconds = 0.0;
  };
  /// Keys are prefixed ("val_"). An empty part measures nothing. `epoch` (from 1) matters where the
  /// split draws the part's rows anew for every epoch.
  Measured measure(const std::string& prefix, std::int64_t epoch, std::stop_token stop = {});
  /// Baselines on the same part, under the same keys.
  [[nodiscard]] retrieval::Baselines baselines(const std::string& prefix) const;
  [[nodiscard]] retrieval::RankingProtocol& protocol() { return protocol_; }

 private:
  Session& session_;
  const data::Split& split_;
  const retrieval::Interactions& interactions_;
  retrieval::Part part_;
  experiment::Reduction reduction_;
  retrieval::RankingProtocol protocol_;
  std::unique_ptr<data::BatchLoader> loader_;  ///< null if the part is empty
};

/// The protocol an experiment asks for, with every k cut to the size of the catalogue.
retrieval::RankingProtocol rankingProtocol(const experiment::Evaluation& evaluation,
                                           const data::Vocabulary& items);

}  // namespace parapet::train
