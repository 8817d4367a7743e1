// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/verify_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/random.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/run_rates.h"
#include "engine/nn/parameters.h"
#include "engine/train/batch_inspector.h"
#include "engine/workspace/tensor_differences.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

/// Moves every weight to the next number above or below, by a fixed draw of bits. What trains
/// nothing stays: it is an input of the step, not its result.
void moveLastBits(train::Session& session) {
  std::vector<float> weights;
  std::uint64_t stream = 0;
  for (nn::Parameter& parameter : session.parameters()) {
    const Random random(1, RandomPurpose::kSampling, ++stream);
    if (!parameter.spec.trainable || parameter.spec.isState) continue;
    weights.resize(static_cast<std::size_t>(parameter.size()));
    nn::gatherRows(parameter, -1, weights);
    constexpr float kEnd = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 0.0f)
        weights[i] = std::nextafter(weights[i], random.words(i)[0] & 1 ? kEnd : -kEnd);
    nn::scatterRows(parameter, -1, weights);
  }
}

std::vector<std::vector<float>> copyOf(const std::vector<checkpoint::TensorView>& tensors) {
  std::vector<std::vector<float>> copies;
  for (const checkpoint::TensorView& tensor : tensors) {
    const auto elements = elementsOf(tensor);
    copies.emplace_back(elements.begin(), elements.end());
  }
  return copies;
}

}  // namespace

Result<Experiment> withFixedBatchAndRates(Experiment experiment) {
  PARAPET_ASSIGN(const std::vector<std::string> names,
                 experiment::expandDevices(experiment.mesh.devices));
  const auto devices = static_cast<std::int64_t>(names.size());
  experiment::Batch& batch = experiment.dataset.batch;
  if (batch.perDevice) {
    batch.size = train::globalBatchRows(batch, devices);
    batch.perDevice.reset();
  }
  const experiment::RunExtent onItsDevices{.devices = devices};
  const auto fix = [&](experiment::Optimizer& optimizer) {
    if (!optimizer.scaleWithDevices) return;
    optimizer = experiment::optimizerOfRun(optimizer, experiment.schedule, onItsDevices);
    optimizer.scaleWithDevices = false;
  };
  for (experiment::Table& table : experiment.tables)
    if (table.optimizer) fix(*table.optimizer);
  // Its schedule is that of the document, which tables may follow whose rate is not scaled.
  const bool hadSchedule = experiment.optimizer.schedule.has_value();
  fix(experiment.optimizer);
  if (!hadSchedule && experiment.optimizer.schedule) {
    for (experiment::Table& table : experiment.tables)
      if (table.optimizer && !table.optimizer->schedule)
        table.optimizer->schedule = experiment.schedule;
    experiment.schedule = *experiment.optimizer.schedule;
    experiment.optimizer.schedule.reset();
  }
  return experiment;
}

Result<Experiment> experimentOn(const std::vector<std::string>& devices, Experiment experiment) {
  if (devices.empty()) return experiment;
  experiment.tables = experiment::withLayout(experiment);
  experiment.layout.clear();
  experiment.mesh.devices = devices;
  experiment.mesh.shape.reset();
  experiment.mesh.axes = {"data"};
  // A list is that of the devices that were named; what fits is no question of a comparison.
  if (experiment.mesh.capacityBytes && experiment.mesh.capacityBytes->perDevice)
    experiment.mesh.capacityBytes.reset();
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

Result<ShortRun> trainSteps(Shared& shared, const Experiment& experiment,
                            const VerifyInputs& inputs, const TrainingManner& manner,
                            const WorkContext& context) {
  const VerifyOptions& options = inputs.options;
  const bool ahead = manner.lookahead == Lookahead::kNextBatch;
  ShortRun run;
  PARAPET_ASSIGN(const auto resolved, resolveOn(shared, experiment, inputs.dataset));
  PARAPET_ASSIGN(run.session, train::Session::create(experiment, inputs.dataset, resolved->model,
                                                     threadsFor(experiment, options.threads),
                                                     shared.communicators));
  run.session->useHistory(inputs.split.train);
  const auto loader = run.session->loader(inputs.split, experiment::SplitPart::kTrain);
  run.session->useRunSteps(train::stepsOfRun(*loader, experiment));
  PARAPET_TRY(beginSession(*run.session, experiment, inputs.origin));
  if (manner.weights == StartingWeights::kLastBit) {
    run.start = copyOf(run.session->tensors());
    moveLastBits(*run.session);
  }
  const auto& fork = inputs.origin.fork;
  const auto before = fork ? fork->checkpoint.manifest() : checkpoint::Manifest{};
  std::int64_t step = before.step;
  const std::int64_t last = step + options.steps;
  for (std::int64_t epoch = before.epoch + 1; step < last; ++epoch) {
    loader->begin(epoch);
    const std::int64_t batches = loader->batchesPerEpoch(epoch);
    while (step < last) {
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
      const data::Batch* batch = loader->next();
      if (!batch) break;
      const nn::StepPlan::Part part = run.session->partOf(*batch, 0, batches);
      PARAPET_TRY(run.session->train(*batch, step + 1, ahead ? loader->peek() : nullptr, part));
      step += part.isLast;
      // Steps whose examples all have weight 0 have none.
      if (std::ranges::any_of(run.session->losses(), [](auto& of) { return of.denominator > 0.0; }))
        run.losses.push_back(run.session->loss());
      context.report(manner.name, step - before.step, options.steps);
    }
  }
  return run;
}

Result<std::vector<std::vector<float>>> gradientsAt(ShortRun& run, train::Session& at,
                                                    const Experiment& experiment,
                                                    const VerifyInputs& inputs) {
  const std::span<const nn::Parameter> from = at.parameters();
  std::vector<float> weights;
  for (std::size_t i = 0; i < from.size() && run.session.get() != &at; ++i) {
    weights.resize(static_cast<std::size_t>(from[i].size()));
    nn::gatherRows(from[i], -1, weights);
    nn::scatterRows(run.session->parameters()[i], -1, weights);
  }
  const auto loader = run.session->loader(inputs.split, experiment::SplitPart::kTrain);
  loader->begin(1);
  train::BatchInspector inspector(*run.session, experiment);
  if (const data::Batch* batch = loader->next()) PARAPET_TRY(inspector.look(*batch, 1));
  return inspector.gradients();
}

}  // namespace parapet::workspace
