// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/missing_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::nn {
namespace {

using tensor::OpRequest;

constexpr const char* kPrecisionPointer = "/training/precision";

OpRequest updateOp(experiment::OptimizerKind kind, std::int64_t cols) {
  switch (kind) {
    case experiment::OptimizerKind::kSgd:
      return {PARAPET_OP(sgd), cols};
    case experiment::OptimizerKind::kAdagrad:
      return {PARAPET_OP(adagrad), cols};
    case experiment::OptimizerKind::kRowwiseAdagrad:
      return {PARAPET_OP(rowwiseAdagrad), cols};
    case experiment::OptimizerKind::kAdam:
    case experiment::OptimizerKind::kAdamW:
      return {PARAPET_OP(adam), cols};
    case experiment::OptimizerKind::kFtrl:
      return {PARAPET_OP(ftrl), cols};
  }
  return {PARAPET_OP(sgd), cols};
}

void addOptimizer(const std::string& pointer, const ParameterSpec& spec,
                  std::vector<NeededOp>& needed) {
  const experiment::Optimizer& optimizer = spec.optimizer;
  needed.push_back({updateOp(optimizer.kind, spec.cols), pointer});
  if (optimizer.weightDecay != 0.0) needed.push_back({{PARAPET_OP(decayRows), spec.cols}, pointer});
  if (optimizer.kind == experiment::OptimizerKind::kRowwiseAdagrad)
    needed.push_back({{PARAPET_OP(meanSquares), spec.cols}, pointer});
  if (!experiment::clipsGradients(optimizer)) return;
  for (const OpRequest& op :
       {OpRequest{PARAPET_OP(mergeRows), spec.cols}, OpRequest{PARAPET_OP(scaleClamp), spec.cols},
        OpRequest{PARAPET_OP(sumSquares), spec.cols}})
    needed.push_back({op, pointer});
}

/// Devices of this process that have an op, one of each kind.
std::vector<std::string> havingOp(const OpRequest& op) {
  std::vector<std::string> names, kinds;
  const tensor::DeviceRegistry& registry = tensor::DeviceRegistry::instance();
  for (const tensor::BackendOutcome& outcome : registry.outcomes()) {
    const auto device = registry.find(outcome.name);
    if (!device || std::ranges::find(kinds, outcome.kind) != kinds.end() || !device->supports(op))
      continue;
    kinds.push_back(outcome.kind);
    names.push_back(outcome.name);
  }
  return names;
}

/// The first device of a mesh that lacks an op; null if none does.
const tensor::Device* deviceWithout(const OpRequest& op, const mesh::DeviceMesh& mesh) {
  const auto devices = mesh.devices();
  const auto found = std::ranges::find_if(
      devices, [&op](const tensor::Device& device) { return !device.supports(op); });
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace

std::vector<NeededOp> neededOps(const experiment::Experiment& experiment, const Model& model) {
  std::vector<NeededOp> needed;
  // What moves rows and adds up gradients, whatever the model.
  for (const OpRequest& op : {OpRequest{PARAPET_OP(fill)}, OpRequest{PARAPET_OP(copyColumns)},
                              OpRequest{PARAPET_OP(sumParts)}, OpRequest{PARAPET_OP(gatherRows)},
                              OpRequest{PARAPET_OP(sgd)}})
    needed.push_back({op, "/mesh/devices"});
  for (std::size_t i = 0; i < experiment.tables.size(); ++i)
    if (experiment.tables[i].cacheRows)
      needed.push_back({{PARAPET_OP(replaceRows)}, fmt::format("/tables/{}/cache_rows", i)});
  // Not every device has TF32; a document that names it requires it, with few products or many.
  const bool isTf32 = model.graph.precision() == tensor::Precision::kTf32;
  if (isTf32)
    needed.push_back({{PARAPET_OP(matmul), 1, tensor::Precision::kTf32}, kPrecisionPointer});
  const auto& nodes = model.graph.nodes();
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (OpRequest op : nodes[node]->ops()) {
      const bool multiplies = op.slot == offsetof(PpOps, matmul);
      if (multiplies) op.precision = model.graph.precision();
      needed.push_back(
          {op, multiplies && isTf32 ? std::string(kPrecisionPointer) : model.originOf(node)});
    }
  const auto& parameters = model.graph.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].trainable || parameters[i].isState) continue;
    const bool own = i < experiment.tables.size() && experiment.tables[i].optimizer;
    addOptimizer(own ? fmt::format("/tables/{}/optimizer", i) : "/optimizer", parameters[i],
                 needed);
  }
  return needed;
}

std::vector<record::Problem> missingOps(const experiment::Experiment& experiment,
                                        const Model& model, const mesh::DeviceMesh& mesh) {
  std::vector<record::Problem> problems;
  for (const auto& [op, pointer] : neededOps(experiment, model)) {
    const tensor::Device* const lacking = deviceWithout(op, mesh);
    if (!lacking) continue;
    const std::vector<std::string> others = havingOp(op);
    if (pointer == kPrecisionPointer) {
      const bool isKnown =
          std::ranges::find(problems, pointer, &record::Problem::pointer) != problems.end();
      if (!isKnown)
        problems.push_back({pointer, fmt::format("{} has no products in tf32", lacking->name()),
                            others.empty() ? std::string("fp32 or bf16; no device here has tf32")
                                           : fmt::format("fp32 or bf16; devices that have tf32: {}",
                                                         join(others))});
      continue;
    }
    record::Problem problem{pointer,
                            fmt::format("{} lacks the operation {}{}", lacking->name(), op.name,
                                        op.precision == tensor::Precision::kBf16 ? " in bf16" : ""),
                            others.empty() ? std::string("no device here has it")
                                           : fmt::format("devices that have it: {}", join(others))};
    if (std::ranges::find(problems, problem) == problems.end())
      problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace parapet::nn
