// SPDX-License-Identifier: Apache-2.0
#include "engine/train/ranking_scorer.h"

#include <algorithm>

#include "engine/nn/model.h"
#include "engine/train/session.h"

namespace parapet::train {
namespace {

// Pairs per forward pass: their activations stay in the cache.
constexpr std::int64_t kPairs = 1024;

}  // namespace

// One logical device and the calling thread: an answer takes a few milliseconds, and several may be
// computed at once.
struct RankingScorer::State {
  nn::Model model;
  mesh::DeviceMesh mesh;
  std::vector<nn::Parameter> parameters{};
  Workers workers{1};
  std::unique_ptr<mesh::Communicator> communicator{};
  std::unique_ptr<nn::StepPlan> plan{};
  std::optional<EntityInputs> inputs{};
  std::vector<std::int32_t> users{};
  std::mutex mutex{};
};

RankingScorer::RankingScorer(std::unique_ptr<State> state) : state_(std::move(state)) {}
RankingScorer::~RankingScorer() = default;

Result<std::shared_ptr<const RankingScorer>> RankingScorer::create(
    const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
    const data::RowSet& trainingRows, std::span<const nn::Parameter> parameters) {
  PARAPET_ASSIGN(nn::Model model,
                 nn::buildModel(experiment, vocabularySizes(experiment, *dataset)));
  PARAPET_ASSIGN(mesh::DeviceMesh mesh,
                 mesh::DeviceMesh::create({.devices = {"cpu:0"}, .shape = {}}));
  auto state = std::make_unique<State>(std::move(model), std::move(mesh));
  State& s = *state;
  std::vector<float> weights;
  for (const nn::Parameter& from : parameters) {
    nn::ParameterSpec spec = from.spec;
    spec.trainable = false;
    spec.initializer = {.kind = experiment::InitializerKind::kConstant};
    PARAPET_ASSIGN(nn::Parameter copy,
                   nn::makeParameter(spec, mesh::Sharding::replicated(spec.rows, spec.cols, 1),
                                     {s.mesh.device(0)}, 0));
    weights.resize(static_cast<std::size_t>(from.size()));
    nn::gatherRows(from, -1, weights);
    nn::scatterRows(copy, -1, weights);
    s.parameters.push_back(std::move(copy));
  }
  s.communicator = mesh::makeLocalCommunicator(1, {&s.mesh.device(0), &s.workers});
  s.plan = std::make_unique<nn::StepPlan>(s.model.graph, s.parameters, s.mesh, *s.communicator,
                                          s.workers, std::vector<nn::Value>{s.model.score}, kPairs,
                                          nn::PlanPurpose::kForward,
                                          longestBags(*dataset, s.model.columns));
  s.inputs.emplace(std::move(dataset), s.model, experiment, trainingRows);
  return std::shared_ptr<const RankingScorer>(new RankingScorer(std::move(state)));
}

void RankingScorer::score(std::int32_t user, std::span<const std::int32_t> items,
                          std::span<float> scores) const {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  for (std::size_t begin = 0; begin < items.size(); begin += kPairs) {
    const std::size_t count = std::min<std::size_t>(kPairs, items.size() - begin);
    s.users.assign(count, user);
    nn::StepInput input;
    input.rows = static_cast<std::int64_t>(count);
    input.features = s.inputs->of(s.users, items.subspan(begin, count));
    if (const Status scored = s.plan->forward(input); !scored)
      throw InternalError("[train.RankingScorer] " + scored.error().message);
    std::copy_n(s.plan->output(s.model.score), count, scores.data() + begin);
  }
}

}  // namespace parapet::train
