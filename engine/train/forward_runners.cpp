// SPDX-License-Identifier: Apache-2.0
#include "engine/train/forward_runners.h"

#include <algorithm>
#include <set>

#include "engine/train/session.h"

namespace parapet::train {
namespace {

/// Parameters of the nodes that a value depends on.
std::set<nn::ParameterIndex> parametersOf(const nn::Graph& graph, nn::Value output) {
  std::set<nn::Value> needed{output};
  std::set<nn::ParameterIndex> parameters;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!needed.contains((*node)->output())) continue;
    needed.insert((*node)->inputs().begin(), (*node)->inputs().end());
    for (const nn::ParameterIndex parameter : (*node)->parameters()) parameters.insert(parameter);
  }
  for (const nn::Lookup& lookup : graph.lookups())
    if (needed.contains(lookup.output)) parameters.insert(lookup.table);
  return parameters;
}

// Pairs per forward pass: their activations stay in the cache.
constexpr std::int64_t kPairs = 1024;
// Pairs of a block, see RankingScorer::score().
constexpr std::size_t kBlock = 32;

// Queries per forward pass: their activations stay in the cache.
constexpr std::int64_t kQueries = 1024;

}  // namespace

struct ForwardRunners::Runner {
  Workers workers{1};
  std::unique_ptr<mesh::Communicator> communicator{};
  std::unique_ptr<nn::StepRunner> runner{};
  EntityInputs inputs;
};

ForwardRunners::ForwardRunners(nn::Model model, mesh::DeviceMesh mesh, EntityInputs inputs,
                               std::vector<std::int64_t> idsPerRow, ForwardOutput output,
                               std::int64_t capacityRows)
    : model_(std::move(model)),
      mesh_(std::move(mesh)),
      inputs_(std::move(inputs)),
      idsPerRow_(std::move(idsPerRow)),
      output_(output == ForwardOutput::kQuery ? model_.query : model_.score),
      capacityRows_(std::max<std::int64_t>(1, capacityRows / model_.graph.longestSequence())) {}

ForwardRunners::~ForwardRunners() = default;

Status ForwardRunners::copyWeights(Session& session) {
  const std::span<const nn::Parameter> parameters = session.parameters();
  const std::set<nn::ParameterIndex> read = parametersOf(model_.graph, output_);
  std::vector<float> weights;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const nn::Parameter& from = parameters[i];
    const bool isRead = read.contains(static_cast<nn::ParameterIndex>(i));
    nn::ParameterSpec spec = from.spec;
    spec.trainable = false;
    spec.initializer = {.kind = experiment::InitializerKind::kConstant};
    if (!isRead) spec.rows = 1;
    // One more row, of zeros: that of a feature that is taken out.
    if (isRead && spec.sparse) ++spec.rows;
    PARAPET_ASSIGN(nn::Parameter copy,
                   nn::makeParameter(spec, mesh::Sharding::replicated(spec.rows, spec.cols, 1),
                                     {mesh_.device(0)}, 0));
    if (isRead) {
      weights.assign(static_cast<std::size_t>(copy.size()), 0.0f);
      session.gatherRows(from, -1, std::span(weights).first(static_cast<std::size_t>(from.size())));
      nn::scatterRows(copy, -1, weights);
    }
    parameters_.push_back(std::move(copy));
  }
  return {};
}

Result<std::unique_ptr<ForwardRunners>> ForwardRunners::create(Session& session,
                                                               ForwardOutput output,
                                                               std::int64_t capacityRows) {
  const experiment::Experiment& experiment = session.experiment();
  PARAPET_ASSIGN(nn::Model model,
                 nn::buildModel(experiment, vocabularySizes(experiment, session.dataset())));
  PARAPET_ASSIGN(mesh::DeviceMesh mesh,
                 mesh::DeviceMesh::create({.devices = {"cpu:0"}, .shape = {}}));
  auto idsPerRow = longestBags(session.dataset(), experiment, model.columns);
  std::unique_ptr<ForwardRunners> runners(
      new ForwardRunners(std::move(model), std::move(mesh), session.entityInputs(),
                         std::move(idsPerRow), output, capacityRows));
  PARAPET_TRY(runners->copyWeights(session));
  return runners;
}

ForwardRunners::Lease ForwardRunners::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto runner = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(runner)};
    }
    ++made_;
  }
  std::unique_ptr<Runner> runner(new Runner{.inputs = inputs_});
  runner->communicator =
      mesh::makeLocalCommunicator(mesh_.ranks(), {&mesh_.device(0), &runner->workers});
  runner->runner = std::make_unique<nn::StepRunner>(
      model_.graph, parameters_, mesh_, *runner->communicator, runner->workers,
      nn::StepTask{.targets = {output_}, .capacityRows = capacityRows_, .idsPerRow = idsPerRow_});
  return {*this, std::move(runner)};
}

std::size_t ForwardRunners::runners() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

ForwardRunners::Lease::Lease(ForwardRunners& runners, std::unique_ptr<Runner> runner)
    : runners_(runners), runner_(std::move(runner)) {}

ForwardRunners::Lease::~Lease() {
  const std::lock_guard lock(runners_.mutex_);
  runners_.idle_.push_back(std::move(runner_));
}

EntityInputs& ForwardRunners::Lease::inputs() {
  return runner_->inputs;
}

std::span<const float> ForwardRunners::Lease::forward(std::span<const data::FeatureIds> features,
                                                      std::int64_t rows) {
  nn::StepBatch input;
  input.rows = rows;
  input.features = features;
  if (const Status done = runner_->runner->forward(input); !done)
    throw InternalError("[train.ForwardRunners] " + done.error().message);
  return {runner_->runner->output(runners_.output_),
          static_cast<std::size_t>(rows * runners_.width())};
}

Result<std::shared_ptr<const RankingScorer>> RankingScorer::create(Session& session) {
  PARAPET_ASSIGN(auto runners, ForwardRunners::create(session, ForwardOutput::kScore, kPairs));
  return std::shared_ptr<const RankingScorer>(new RankingScorer(std::move(runners)));
}

// Passes are filled up to whole blocks of pairs: a matrix product rounds the pairs of a whole block
// alike, and those of the rest, or of a few pairs, in other ways. So the score of a pair has the same
// bits among whichever others it is computed.
void RankingScorer::score(const retrieval::EncoderQuery& query, std::span<const std::int32_t> items,
                          std::span<float> scores) const {
  ForwardRunners::Lease runner = lease();
  const auto capacity = static_cast<std::size_t>(runners().capacityRows());
  const std::size_t block = capacity >= kBlock ? kBlock : capacity >= 4 ? capacity / 4 * 4 : 1;
  const std::size_t atOnce = capacity / block * block;
  std::vector<std::int32_t> filled;
  for (std::size_t begin = 0; begin < items.size(); begin += atOnce) {
    const auto some = items.subspan(begin, std::min(atOnce, items.size() - begin));
    filled.assign(some.begin(), some.end());
    filled.resize((some.size() + block - 1) / block * block, some.back());
    const auto out = runner.forward(runner.inputs().ofPairs(query, filled),
                                    static_cast<std::int64_t>(filled.size()));
    std::ranges::copy(out.first(some.size()), scores.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

Result<std::shared_ptr<const TowerEncoder>> TowerEncoder::create(Session& session) {
  PARAPET_ASSIGN(auto runners, ForwardRunners::create(session, ForwardOutput::kQuery, kQueries));
  return std::shared_ptr<const TowerEncoder>(new TowerEncoder(std::move(runners)));
}

void TowerEncoder::encode(std::span<const retrieval::EncoderQuery> queries,
                          std::span<float> vectors) const {
  ForwardRunners::Lease runner = lease();
  const auto atOnce = static_cast<std::size_t>(runners().capacityRows());
  for (std::size_t begin = 0; begin < queries.size(); begin += atOnce) {
    const auto some = queries.subspan(begin, std::min(atOnce, queries.size() - begin));
    const auto out =
        runner.forward(runner.inputs().ofQueries(some), static_cast<std::int64_t>(some.size()));
    std::ranges::copy(out,
                      vectors.begin() + static_cast<std::ptrdiff_t>(begin) * runners().width());
  }
}

}  // namespace parapet::train
