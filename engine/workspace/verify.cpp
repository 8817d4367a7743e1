// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/workspace/tensor_differences.h"
#include "engine/workspace/verify_training.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

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
  PARAPET_ASSIGN(ShortRun a, beginTraining(shared, first, inputs, Lookahead::kNone));
  PARAPET_ASSIGN(ShortRun b, beginTraining(shared, second, inputs, Lookahead::kNone));
  PARAPET_ASSIGN(ShortRun c, beginTraining(shared, first, inputs, Lookahead::kNone));
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

Result<Verification> Workspace::verify(const Experiment& experiment, const VerifyOptions& options,
                                       const WorkContext& context) {
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
  PARAPET_ASSIGN(const data::Split split, splitFor(experiment, *import.dataset));
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
}

}  // namespace parapet::workspace
