// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/random.h"
#include "engine/experiment/document.h"
#include "engine/experiment/layout.h"
#include "engine/nn/parameters.h"
#include "engine/train/batch_inspector.h"
#include "engine/workspace/tensor_differences.h"
#include "engine/workspace/verify_training.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

std::vector<std::vector<float>> copyOf(const std::vector<checkpoint::TensorView>& tensors) {
  std::vector<std::vector<float>> copies;
  for (const checkpoint::TensorView& tensor : tensors) {
    const auto elements = elementsOf(tensor);
    copies.emplace_back(elements.begin(), elements.end());
  }
  return copies;
}

VerifiedMesh meshOf(train::Session& session) {
  const mesh::DeviceMesh& mesh = session.mesh();
  VerifiedMesh out{mesh.deviceNames(), mesh.shape(), mesh.axes(), {}};
  for (std::size_t i = 0; i < session.parameters().size(); ++i) {
    const nn::ParameterSpec& spec = session.parameters()[i].spec;
    const mesh::Sharding& placed = session.resolved().placed[i];
    if (spec.sparse)
      out.tables.push_back({spec.name, placed.placement(), placed.shards(),
                            static_cast<int>(placed.owners(0).size())});
  }
  return out;
}

/// The largest difference of two courses of the loss.
struct LossGap {
  double absolute = 0.0, relative = 0.0;
};

LossGap lossGap(const ShortRun& a, const ShortRun& b) {
  LossGap largest;
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    double gap = std::abs(a.losses[i] - b.losses[i]);
    if (std::isnan(gap)) gap = HUGE_VAL;
    largest.absolute = std::max(largest.absolute, gap);
    largest.relative = std::max(largest.relative, gap / std::max(std::abs(a.losses[i]), 1e-30));
  }
  return largest;
}

/// "cpu" of "cpu:0".
bool areOfOneKind(const Verification& of) {
  const auto kindOf = [](const std::string& device) { return device.substr(0, device.find(':')); };
  return kindOf(of.first.devices.front()) == kindOf(of.second.devices.front());
}

void addTensors(const std::vector<TensorDifference>& differences, Verification& out) {
  out.tensors = differences;
  for (const TensorDifference& difference : differences) {
    out.identical = out.identical && difference.identical;
    out.maxAbsDiff = std::max(out.maxAbsDiff, difference.maxAbs);
    if (!difference.withoutEffect)
      out.maxRelativeDiff = std::max(out.maxRelativeDiff, difference.relative);
  }
}

/// Whether no optimizer divides by what it has seen.
bool isPlainDescent(const Experiment& of) {
  const auto isSgd = [](const experiment::Optimizer& optimizer) {
    return optimizer.kind == experiment::OptimizerKind::kSgd;
  };
  return isSgd(of.optimizer) && std::ranges::all_of(of.tables, [&](const auto& table) {
           return !table.optimizer || isSgd(*table.optimizer);
         });
}

/// Tells tensors without effect, by the gradients on the devices of both.
Status compareGradients(TensorDifferences& differences, ShortRun& a, const Experiment& first,
                        ShortRun& b, const Experiment& second, const VerifyInputs& inputs) {
  PARAPET_ASSIGN(const auto ofA, gradientsAt(a, *a.session, first, inputs));
  PARAPET_ASSIGN(const auto ofB, gradientsAt(b, *a.session, second, inputs));
  differences.allowForGradients(ofA, ofB);
  return {};
}

/// Whether the steps of two trainings agree where each begins with the weights and slots of the first. No
/// step looks ahead, since what it would prepare is of weights that are replaced.
Result<bool> agreeByStep(Shared& shared, const Experiment& first, const Experiment& second,
                         const VerifyInputs& inputs, const WorkContext& context) {
  PARAPET_ASSIGN(ShortRun a, beginTraining(shared, first, inputs, Lookahead::kNone, context));
  PARAPET_ASSIGN(ShortRun b, beginTraining(shared, second, inputs, Lookahead::kNone, context));
  PARAPET_ASSIGN(ShortRun c, beginTraining(shared, first, inputs, Lookahead::kNone, context));
  for (std::int64_t step = 1; step <= inputs.options.steps; ++step) {
    for (ShortRun* other : {&b, &c}) takeState(*other->session, *a.session);
    const auto start = moveLastBits(*c.session);
    for (ShortRun* run : {&a, &b, &c}) {
      run->losses.clear();
      PARAPET_TRY(trainStep(*run, context));
    }
    TensorDifferences differences(*a.session, *b.session);
    if (!differences.accepted()) differences.allowForLastBits(*c.session, start);
    if (!differences.accepted())
      PARAPET_TRY(compareGradients(differences, a, first, b, second, inputs));
    if (lossGap(a, b).relative > TensorDifferences::kRelativeTolerance || !differences.accepted())
      return false;
    context.report("step by step", step, inputs.options.steps);
  }
  return true;
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
  // The optimizer's schedule is that of the document; tables whose rate is not scaled may follow it.
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

Result<ShortRun> beginTraining(Shared& shared, const Experiment& experiment,
                               const VerifyInputs& inputs, Lookahead lookahead,
                               const WorkContext& context) {
  ShortRun run;
  run.lookahead = lookahead;
  PARAPET_ASSIGN(const auto resolved, resolveOn(shared, experiment, inputs.dataset));
  PARAPET_ASSIGN(run.session, train::Session::create(experiment, inputs.dataset, resolved->model,
                                                     threadsFor(experiment, inputs.options.threads),
                                                     shared.communicators,
                                                     train::Session::Use::kTraining, context.stop));
  run.session->useHistory(inputs.split.train, context.stop);
  run.loader = run.session->loader(inputs.split, experiment::SplitPart::kTrain);
  run.session->useRunSteps(train::stepsOfRun(*run.loader, experiment));
  PARAPET_TRY(beginSession(*run.session, experiment, inputs.origin));
  if (const auto& fork = inputs.origin.fork) {
    run.step = fork->checkpoint.manifest().step;
    run.epoch = fork->checkpoint.manifest().epoch;
  }
  return run;
}

Status trainStep(ShortRun& run, const WorkContext& context) {
  const bool ahead = run.lookahead == Lookahead::kNextBatch;
  for (nn::StepRunner::Part part{0, false}; !part.isLast;) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
    const data::Batch* batch = run.batchesPerEpoch > 0 ? run.loader->next() : nullptr;
    if (!batch) {
      run.loader->begin(++run.epoch);
      run.batchesPerEpoch = run.loader->batchesPerEpoch(run.epoch);
      continue;
    }
    part = run.session->partOf(*batch, 0, run.batchesPerEpoch);
    PARAPET_TRY(
        run.session->train(*batch, run.step + 1, ahead ? run.loader->peek() : nullptr, part));
    // Steps whose examples all have weight 0 have none.
    if (std::ranges::any_of(run.session->losses(), [](auto& of) { return of.denominator > 0.0; }))
      run.losses.push_back(run.session->loss());
  }
  ++run.step;
  return {};
}

Result<ShortRun> trainSteps(Shared& shared, const Experiment& experiment,
                            const VerifyInputs& inputs, const TrainingManner& manner,
                            const WorkContext& context) {
  PARAPET_ASSIGN(ShortRun run,
                 beginTraining(shared, experiment, inputs, manner.lookahead, context));
  if (manner.weights == StartingWeights::kLastBit) run.start = moveLastBits(*run.session);
  for (std::int64_t done = 0; done < inputs.options.steps;) {
    PARAPET_TRY(trainStep(run, context));
    context.report(manner.name, ++done, inputs.options.steps);
  }
  run.loader.reset();
  return run;
}

void takeState(train::Session& into, train::Session& from) {
  std::vector<float> values;
  const std::span<const nn::Parameter> parameters = from.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const nn::Parameter& parameter = parameters[i];
    const auto slots = nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols);
    const int last = static_cast<int>(parameter.shards[0].slots.size());
    for (int slot = -1; slot < last; ++slot) {
      const std::int64_t cols =
          slot < 0 ? parameter.spec.cols : slots[static_cast<std::size_t>(slot)].cols;
      values.resize(static_cast<std::size_t>(parameter.spec.rows * cols));
      nn::gatherRows(parameter, slot, values);
      nn::scatterRows(into.parameters()[i], slot, values);
    }
  }
}

std::vector<std::vector<float>> moveLastBits(train::Session& session) {
  std::vector<std::vector<float>> before = copyOf(session.tensors());
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
  return before;
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

Result<Verification> Workspace::verify(const Experiment& experiment, const VerifyOptions& options,
                                       const WorkContext& context) try {
  if (options.steps < 1)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} steps; at least 1 is accepted", options.steps)};
  Shared& shared = *state_->shared;
  PARAPET_ASSIGN(Experiment fixed, withFixedBatchAndRates(experiment));
  PARAPET_ASSIGN(const RunOrigin origin, openOrigin(shared, fixed));
  PARAPET_ASSIGN(const Experiment first, experimentOn(options.devices, fixed));
  PARAPET_ASSIGN(const Experiment second,
                 experimentOn(options.against.empty() ? options.devices : options.against, fixed));
  PARAPET_ASSIGN(const data::ImportReport import, importFor(shared, experiment, context));
  PARAPET_ASSIGN(const data::Split split, splitFor(experiment, *import.dataset, context.stop));
  const VerifyInputs inputs{origin, import.dataset, split, options};
  PARAPET_ASSIGN(ShortRun a, trainSteps(shared, first, inputs, {"first run"}, context));
  PARAPET_ASSIGN(ShortRun b, trainSteps(shared, second, inputs,
                                        {"second run", Lookahead::kNextBatch}, context));
  Verification out;
  out.first = meshOf(*a.session);
  out.second = meshOf(*b.session);
  const bool sameMesh = out.first == out.second;
  const LossGap ofLosses = lossGap(a, b);
  LossGap ofLastBits;
  out.lossMaxAbsDiff = ofLosses.absolute;
  out.tolerance = sameMesh ? 0.0 : TensorDifferences::kRelativeTolerance;
  TensorDifferences differences(*a.session, *b.session);
  if (!sameMesh && !(differences.accepted() && ofLosses.relative <= out.tolerance)) {
    PARAPET_ASSIGN(const ShortRun c,
                   trainSteps(shared, first, inputs,
                              {"last bits", Lookahead::kNone, StartingWeights::kLastBit}, context));
    differences.allowForLastBits(*c.session, c.start);
    ofLastBits = lossGap(a, c);
  }
  if (!sameMesh && (!differences.accepted() || !areOfOneKind(out))) {
    context.report("gradients", 0, 0);
    PARAPET_TRY(compareGradients(differences, a, first, b, second, inputs));
  }
  out.identical = a.losses == b.losses;
  out.maxRelativeDiff = ofLosses.relative;
  addTensors(differences.all(), out);
  out.passed =
      sameMesh ? out.identical : ofLosses.relative <= out.tolerance && differences.accepted();
  const bool isOfRounding =
      differences.areOfRounding() &&
      ofLosses.relative <=
          std::max(out.tolerance, TensorDifferences::kMaxLastBits * ofLastBits.relative);
  if (!sameMesh && !out.passed && isOfRounding && !isPlainDescent(first)) {
    b.session.reset();
    PARAPET_ASSIGN(out.byStep, agreeByStep(shared, first, second, inputs, context));
    out.passed = out.byStep;
  }
  out.magnifiesRounding = !out.passed && differences.areMagnifiedRounding();
  return out;
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the check was cancelled"};
}

}  // namespace parapet::workspace
