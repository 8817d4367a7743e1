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

/// The largest relative difference of two courses of the loss.
double lossDifference(const ShortRun& a, const ShortRun& b, Verification& out) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    double gap = std::abs(a.losses[i] - b.losses[i]);
    if (std::isnan(gap)) gap = HUGE_VAL;
    out.lossMaxAbsDiff = std::max(out.lossMaxAbsDiff, gap);
    largest = std::max(largest, gap / std::max(std::abs(a.losses[i]), 1e-30));
  }
  return largest;
}

/// "cpu" of "cpu:0".
bool areOfOneKind(const Verification& of) {
  const auto kindOf = [](const std::string& device) { return device.substr(0, device.find(':')); };
  return kindOf(of.first.devices.front()) == kindOf(of.second.devices.front());
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
  const double ofLosses = lossDifference(a, b, out);
  out.tolerance = sameMesh ? 0.0 : TensorDifferences::kRelativeTolerance;
  TensorDifferences differences(*a.session, *b.session);
  if (!sameMesh && !differences.accepted()) {
    PARAPET_ASSIGN(const ShortRun c,
                   trainSteps(shared, first, inputs,
                              {"last bits", Lookahead::kNone, StartingWeights::kLastBit}, context));
    differences.allowForLastBits(*c.session, c.start);
  }
  if (!sameMesh && (!differences.accepted() || !areOfOneKind(out))) {
    context.report("gradients", 0, 0);
    PARAPET_ASSIGN(const auto ofA, gradientsAt(a, *a.session, first, inputs));
    PARAPET_ASSIGN(const auto ofB, gradientsAt(b, *a.session, second, inputs));
    differences.allowForGradients(ofA, ofB);
  }
  out.identical = a.losses == b.losses;
  out.maxRelativeDiff = ofLosses;
  out.tensors = differences.all();
  for (const TensorDifference& difference : out.tensors) {
    out.identical = out.identical && difference.identical;
    out.maxAbsDiff = std::max(out.maxAbsDiff, difference.maxAbs);
    if (!difference.withoutEffect)
      out.maxRelativeDiff = std::max(out.maxRelativeDiff, difference.relative);
  }
  out.passed = sameMesh ? out.identical : ofLosses <= out.tolerance && differences.accepted();
  out.magnifiesRounding = !out.passed && differences.areMagnifiedRounding();
  return out;
}

}  // namespace parapet::workspace
