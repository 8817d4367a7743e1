// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/clock.h"
#include "engine/experiment/source_columns.h"
#include "engine/workspace/run_differences.h"
#include "engine/workspace/run_origin.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

using experiment::Experiment;

store::RunRecord recordOf(const Experiment& experiment, const RunOptions& options) {
  store::RunRecord record;
  record.name = experiment.name;
  record.recipe = options.recipe;
  record.experimentId = options.experimentId;
  describeRun(experiment, record);
  record.experimentJson = experiment::toJson(experiment).dump();
  record.fingerprint = experiment::fingerprint(experiment);
  record.createdMs = wallClockMs();
  record.totalEpochs = experiment.training.epochs;
  record.bestMetric = bestMetricOf(experiment);
  record.group = options.group;
  record.sweepJson = options.sweepJson;
  return record;
}

Status Workspace::checkStart(const Experiment& experiment, RunOptions& options) const {
  PARAPET_TRY(state_->shared->requireWritable("no run can be started"));
  if (!options.preflight) options.preflight = preflight(experiment);
  if (const auto& found = options.preflight->findings; !found.problems.empty())
    return firstProblem(found);
  // Known before there is a run, which would fail under an id that nothing keeps.
  if (experiment.dataset.namesData()) return {};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("source \"{}\" needs the path of its data; choose them in the window, "
                           "or pass `--data PATH` in the terminal",
                           experiment::sourceName(experiment.dataset.source)),
               "/dataset/path"};
}

Result<std::string> Workspace::queueRun(const Experiment& experiment, RunOptions options) {
  PARAPET_TRY(checkStart(experiment, options));
  Experiment resolved = experiment;
  PARAPET_TRY(openOrigin(*state_->shared, resolved));
  store::RunRecord record = recordOf(resolved, options);
  record.id = store::RunStore::newRunId();
  PARAPET_TRY(store().enqueue(record));
  return record.id;
}

}  // namespace parapet::workspace
