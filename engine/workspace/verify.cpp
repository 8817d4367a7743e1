// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/experiment/layout.h"
#include "engine/workspace/run_origin.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

// N devices sum gradients in another order than one, so they agree within rounding.
constexpr double kRelativeTolerance = 1e-5;

struct ShortRun {
  std::unique_ptr<train::Session> session;
  std::vector<double> losses;
};

/// The experiment with the global batch that its own devices give it: `batch.per_device` would make
/// another one of it on other devices, and two trainings on different batches do not compare.
Result<Experiment> withFixedBatch(Experiment experiment) {
  experiment::Batch& batch = experiment.dataset.batch;
  if (!batch.perDevice) return experiment;
  PARAPET_ASSIGN(const std::vector<std::string> devices,
                 experiment::expandDevices(experiment.mesh.devices));
  batch.size = train::globalBatchRows(batch, static_cast<std::int64_t>(devices.size()));
  batch.perDevice.reset();
  return experiment;
}

/// The experiment on other devices, or on its own if there are none. kInvalidDocument if it cannot
/// train there.
Result<Experiment> experimentOn(const std::vector<std::string>& devices, Experiment experiment) {
  if (devices.empty()) return experiment;
  experiment.tables = experiment::withLayout(experiment);
  experiment.layout.clear();
  experiment.mesh.devices = devices;
  experiment.mesh.shape.reset();
  experiment.mesh.axes = {"data"};
  PARAPET_ASSIGN(const std::vector<std::string> names, experiment::expandDevices(devices));
  for (experiment::Table& table : experiment.tables) {
    if (table.axes != experiment.mesh.axes) table.axes.clear();
    if (table.device && std::ranges::find(names, *table.device) == names.end())
      table.device.reset();
  }
  const experiment::Findings findings = experiment::parse(experiment::toJson(experiment)).findings;
  if (!findings.problems.empty()) return firstProblem(findings);
  return experiment;
}

/// Whether a step sees the batch that follows, as in a run: its ids are sorted by shard while the step
/// computes. No bit may depend on it, so one of two trainings does so.
enum class Lookahead { kNone, kNextBatch };

Result<ShortRun> trainSteps(Shared& shared, const Experiment& experiment, const RunOrigin& origin,
                            const std::shared_ptr<const data::Dataset>& dataset,
                            const data::Split& split, const VerifyOptions& options,
                            const WorkContext& context, Lookahead lookahead) {
  const bool ahead = lookahead == Lookahead::kNextBatch;
  ShortRun run;
  PARAPET_ASSIGN(const auto resolved, resolveOn(shared, experiment, dataset));
  PARAPET_ASSIGN(run.session, train::Session::create(experiment, dataset, resolved->model,
                                                     threadsFor(experiment, options.threads),
                                                     shared.communicators));
  run.session->useHistory(split.train);
  const auto loader = run.session->loader(split, experiment::SplitPart::kTrain);
  run.session->useRunSteps(train::stepsOfRun(*loader, experiment.training.epochs));
  PARAPET_TRY(beginSession(*run.session, experiment, origin));
  const auto before = origin.fork ? origin.fork->checkpoint.manifest() : checkpoint::Manifest{};
  std::int64_t step = before.step;
  const std::int64_t last = step + options.steps;
  for (std::int64_t epoch = before.epoch + 1; step < last; ++epoch) {
    loader->begin(epoch);
    while (step < last) {
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
      const data::Batch* batch = loader->next();
      if (!batch) break;
      PARAPET_TRY(run.session->train(*batch, ++step, ahead ? loader->peek() : nullptr));
      run.losses.push_back(run.session->loss());
      context.report(ahead ? "second run" : "first run", step - before.step, options.steps);
    }
  }
  return run;
}

VerifiedMesh meshOf(train::Session& session) {
  const mesh::DeviceMesh& mesh = session.mesh();
  VerifiedMesh out{mesh.deviceNames(), mesh.shape(), mesh.axes(), {}};
  for (const nn::Parameter& parameter : session.parameters())
    if (parameter.spec.sparse)
      out.tables.push_back({parameter.spec.name, parameter.sharding.placement(),
                            parameter.sharding.shards(),
                            static_cast<int>(parameter.sharding.owners(0).size())});
  return out;
}

std::span<const float> elementsOf(const checkpoint::TensorView& tensor) {
  return {reinterpret_cast<const float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

/// The scales of tensors: the largest absolute value of a table's weight or slot, or of all layers
/// together for the same slot. A single tensor of a layer may be nothing but rounding, as is a bias
/// that shifts all scores of a list alike, while what it is added to is far larger.
class Scales {
 public:
  explicit Scales(train::Session& session) {
    for (const nn::Parameter& parameter : session.parameters())
      if (!parameter.spec.sparse)
        groupOf_[parameter.spec.name] = parameter.spec.isState ? "statistics" : "layers";
    for (const checkpoint::TensorView& tensor : session.tensors()) {
      if (tensor.type != checkpoint::ElementType::kF32) continue;
      double& largest = largest_[keyOf(tensor.name)];
      for (const float element : elementsOf(tensor))
        largest = std::max(largest, std::abs(static_cast<double>(element)));
    }
  }
  [[nodiscard]] double of(const std::string& tensor) const {
    return std::max(largest_.at(keyOf(tensor)), 1e-30);
  }

 private:
  /// "user/weight" of a table, "layers/weight" of any layer.
  [[nodiscard]] std::string keyOf(const std::string& tensor) const {
    const std::size_t slash = tensor.rfind('/');
    const auto group = groupOf_.find(tensor.substr(0, slash));
    return group == groupOf_.end() ? tensor : group->second + tensor.substr(slash);
  }
  std::map<std::string, std::string> groupOf_;  // by name of a parameter that is no table
  std::map<std::string, double> largest_;
};

TensorDifference compareTensors(const checkpoint::TensorView& a, const checkpoint::TensorView& b,
                                double scale) {
  TensorDifference difference{a.name, 0.0, 0.0, true};
  const auto left = elementsOf(a), right = elementsOf(b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double gap = std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i]));
    difference.maxAbs = std::max(difference.maxAbs, std::isnan(gap) ? HUGE_VAL : gap);
  }
  difference.identical = std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
  difference.relative = difference.maxAbs / scale;
  return difference;
}

}  // namespace

Result<Verification> Workspace::verify(const Experiment& experiment, const VerifyOptions& options,
                                       const WorkContext& context) {
  if (options.steps < 1)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} steps; at least 1 is accepted", options.steps)};
  PARAPET_ASSIGN(Experiment fixed, withFixedBatch(experiment));
  PARAPET_ASSIGN(const RunOrigin origin, openOrigin(*state_->shared, fixed));
  PARAPET_ASSIGN(const Experiment first, experimentOn(options.devices, fixed));
  PARAPET_ASSIGN(const Experiment second,
                 experimentOn(options.against.empty() ? options.devices : options.against, fixed));
  PARAPET_ASSIGN(const data::ImportReport import, importFor(*state_->shared, experiment, context));
  PARAPET_ASSIGN(const data::Split split, splitFor(experiment, *import.dataset));
  PARAPET_ASSIGN(const ShortRun a,
                 trainSteps(*state_->shared, first, origin, import.dataset, split, options,
                            context, Lookahead::kNone));
  PARAPET_ASSIGN(const ShortRun b,
                 trainSteps(*state_->shared, second, origin, import.dataset, split, options,
                            context, Lookahead::kNextBatch));
  Verification out;
  out.first = meshOf(*a.session);
  out.second = meshOf(*b.session);
  out.identical = a.losses == b.losses;
  const Scales scales(*a.session);
  const auto left = a.session->tensors(), right = b.session->tensors();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].type != checkpoint::ElementType::kF32) continue;
    out.tensors.push_back(compareTensors(left[i], right[i], scales.of(left[i].name)));
    const TensorDifference& difference = out.tensors.back();
    out.identical = out.identical && difference.identical;
    out.maxAbsDiff = std::max(out.maxAbsDiff, difference.maxAbs);
    out.maxRelativeDiff = std::max(out.maxRelativeDiff, difference.relative);
  }
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    const double gap = std::abs(a.losses[i] - b.losses[i]);
    out.lossMaxAbsDiff = std::max(out.lossMaxAbsDiff, gap);
    out.maxRelativeDiff =
        std::max(out.maxRelativeDiff, gap / std::max(std::abs(a.losses[i]), 1e-30));
  }
  const bool same = out.first == out.second;
  out.tolerance = same ? 0.0 : kRelativeTolerance;
  out.passed = same ? out.identical : out.maxRelativeDiff <= kRelativeTolerance;
  return out;
}

}  // namespace parapet::workspace
