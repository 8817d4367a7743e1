// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/progress.h"
#include "engine/experiment/run_event.h"
#include "engine/train/catalogue_lists.h"
#include "engine/train/part_losses.h"

namespace parapet::train {

/// Metrics of a model on one part of the split: the true losses and the metrics of predictions that
/// go with them, and of retrieval models ranking metrics of the catalogue. The two are timed apart.
class Evaluator {
 public:
  /// `interactions`: null if the task has none. All references must outlive it.
  Evaluator(Session& session, const experiment::Experiment& experiment, const data::Split& split,
            const retrieval::Interactions* interactions, experiment::SplitPart part);

  enum class Lists {
    kMeasure,  ///< lists of the catalogue, for retrieval models
    kSkip,
  };
  struct Measured {
    std::vector<experiment::Metric> metrics;
    /// Against the baselines that need no training: see PartLosses; and those of verdictsOf.
    std::vector<experiment::BaselineVerdict> verdicts;
    /// Lists of the catalogue: keys without a prefix; empty if they were not measured.
    retrieval::CatalogueRanking::Measured catalogue;
    double lossSeconds = 0.0, retrievalSeconds = 0.0;
  };
  /// Keys are prefixed ("val_"). An empty part measures nothing, nor does a stopped pass. `epoch`
  /// (from 1) matters where the split reshuffles the part for every epoch.
  ///
  /// Errors   those of Session::evaluate and of the towers.
  Result<Measured> measure(const std::string& prefix, std::int64_t epoch,
                           const WorkContext& context = {}, Lists lists = Lists::kMeasure);
  /// Adds lists to what was measured with Lists::kSkip.
  static void addCatalogue(Measured& measured, const std::string& prefix,
                           retrieval::CatalogueRanking::Measured catalogue, std::string_view best);
  /// The metric of lists that experiment::judgingKey names, `best` being that of the best checkpoint,
  /// against every baseline that is measured by now: see CatalogueRanking::differences.
  static std::vector<experiment::BaselineVerdict> verdictsOf(
      const retrieval::CatalogueRanking::Measured& catalogue, const std::string& prefix,
      std::string_view best);
  /// Baselines on the same part, under the same keys; see CatalogueRanking::baselines.
  [[nodiscard]] experiment::Baselines baselines(const std::string& prefix,
                                                const std::optional<retrieval::FitLimits>& limits,
                                                const WorkContext& context = {});
  /// See CatalogueRanking::fitted.
  ///
  /// Thread   any, beside all else.
  [[nodiscard]] experiment::Baselines fittedBaselines(const std::string& prefix,
                                                      const retrieval::FitLimits& limits,
                                                      Workers* workers,
                                                      const WorkContext& context) const;
  /// Null of a model without a catalogue, and of an empty part.
  [[nodiscard]] CatalogueLists* lists() const { return lists_.get(); }

 private:
  Session& session_;
  const std::string best_;              ///< the metric of the best checkpoint
  std::unique_ptr<PartLosses> losses_;  ///< null if the part is empty
  std::unique_ptr<CatalogueLists> lists_;
};

/// Puts verdicts after the others, without those on the same baselines and metrics.
void replaceVerdicts(std::vector<experiment::BaselineVerdict>& all,
                     std::vector<experiment::BaselineVerdict> again);

/// Whether the lists of the validation of an epoch (from 1) are measured: the document says at each
/// validation, at the end, that is at the last epoch that is validated, or never.
Evaluator::Lists listsAt(const experiment::Experiment& experiment, std::int64_t epoch);

}  // namespace parapet::train
