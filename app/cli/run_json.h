// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/answer.h"
#include "engine/experiment/run_event.h"
#include "engine/store/run_store.h"
#include "engine/workspace/workspace.h"

namespace parapet::cli {

using Metrics = std::vector<experiment::Metric>;
using Baselines = std::vector<std::pair<std::string, Metrics>>;

/// {name: value}, null for what was not measured.
Json metricsJson(const Metrics& metrics);
/// {name: {metric: value}}
Json baselinesJson(const Baselines& baselines);
/// One epoch: loss, timings and every metric beside each other. `val_loss` is always there.
Json epochJson(const experiment::EpochSummary& epoch);
Json epochsJson(const std::vector<experiment::EpochSummary>& epochs);
/// The answer of `train`, also for a run that failed.
Json outcomeJson(const workspace::RunOutcome& outcome);
/// A line of the run table. `experiment`: name of the workspace's experiment it was made from, "" if
/// none.
Json runJson(const store::RunRecord& run, const std::string& experiment);
/// The name of the experiment that a run was made from; "" if there is none, or it was erased.
std::string experimentNameOf(const store::RunStore& store, const store::RunRecord& run);

/// The key of the metric that a run is judged by besides its loss, `best` being that of its best
/// checkpoint; "" if it measured none.
std::string headlineOf(const std::vector<experiment::EpochSummary>& epochs,
                       const std::string& best);

/// Cache hits and replayed steps of the devices in the last epoch, a line each; "" without
/// either.
std::string deviceLines(const std::vector<experiment::EpochSummary>& epochs);

/// The value of a metric, or nullopt.
std::optional<double> valueOf(const Metrics& metrics, std::string_view name);

/// The epoch with the best value of a metric; nullopt if none measured it.
std::optional<store::BestEpoch> bestOf(const std::string& metric,
                                       const std::vector<experiment::EpochSummary>& epochs);

/// Metrics that a document names besides the loss: of its best checkpoint first, then of
/// early stopping. `document` is as the store keeps it, null if unknown.
std::vector<std::string> chosenMetrics(const Json& document);

/// Reads JSON that the store keeps as text; null where there is none.
Json storedJson(const std::string& text);

}  // namespace parapet::cli
