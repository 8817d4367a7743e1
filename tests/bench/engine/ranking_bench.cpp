// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>

#include "engine/experiment/experiment.h"
#include "engine/nn/model.h"
#include "engine/nn/step_plan.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

namespace parapet::bench {
namespace {

constexpr std::int64_t kUsers = 944, kItems = 1683, kRows = 80'000;

struct Arguments {
  Settings settings;
  std::vector<std::int64_t> batches{256, 1024};
};

/// The model of movielens-ranking with what it takes to train it.
class Training {
 public:
  Training(const experiment::Experiment& experiment, std::int64_t batch, int threads)
      : model_(nn::buildModel(experiment, {{"user", kUsers}, {"item", kItems}}).value()),
        mesh_(mesh::DeviceMesh::create(experiment.mesh).value()),
        workers_(threads),
        communicator_(mesh::makeLocalCommunicator(1, {&mesh_.device(0), &workers_})),
        users_(drawRows(RowDraw::kZipf, kUsers, kRows, 1)),
        items_(drawRows(RowDraw::kZipf, kItems, kRows, 2)),
        labels_(kRows),
        batch_(batch) {
    fillUniform(labels_, 3, workers_);
    for (const nn::ParameterSpec& spec : model_.graph.parameters())
      parameters_.push_back(nn::makeParameter(spec,
                                              mesh::Sharding::replicated(spec.rows, spec.cols, 1),
                                              {mesh_.device(0)}, 42)
                                .value());
    plan_.emplace(model_.graph, parameters_, mesh_, *communicator_, workers_,
                  std::vector{model_.heads[0].lossValue}, batch, nn::PlanPurpose::kTrain);
  }

  [[nodiscard]] double flopsPerRow() const { return 3.0 * model_.graph.flopsPerRow(); }
  [[nodiscard]] std::int64_t steps() const { return kRows / batch_; }

  void epoch() {
    for (std::int64_t first = 0; first + batch_ <= kRows; first += batch_) {
      const auto at = static_cast<std::size_t>(first), count = static_cast<std::size_t>(batch_);
      const data::FeatureIds features[] = {{.ids = std::span(users_).subspan(at, count)},
                                           {.ids = std::span(items_).subspan(at, count)}};
      const nn::StepInput input{batch_, features, std::span(labels_).subspan(at, count)};
      if (const Status done = plan_->train(input, ++step_); !done)
        throw InternalError(done.error().text());
    }
  }

 private:
  nn::Model model_;
  mesh::DeviceMesh mesh_;
  Workers workers_;
  std::unique_ptr<mesh::Communicator> communicator_;
  std::vector<nn::Parameter> parameters_;
  std::optional<nn::StepPlan> plan_;
  std::vector<std::int32_t> users_, items_;
  std::vector<float> labels_;
  std::int64_t batch_, step_ = 0;
};

experiment::Experiment ranking() {
  for (const experiment::Recipe& recipe : experiment::recipes())
    if (recipe.name == "movielens-ranking")
      return experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
  throw InternalError("there is no recipe movielens-ranking");
}

void runBatch(std::int64_t batch, const Settings& settings) {
  Training training(ranking(), batch, settings.threads);
  const Timing timing = measure(settings.budget, [&] { training.epoch(); });
  const auto rows = static_cast<double>(training.steps() * batch);
  nlohmann::json line = toJson(timing);
  line["batch"] = batch;
  line["threads"] = settings.threads;
  line["microseconds_per_step"] = timing.median / static_cast<double>(training.steps()) * 1e6;
  line["best_microseconds_per_step"] = timing.best / static_cast<double>(training.steps()) * 1e6;
  line["gflops"] = training.flopsPerRow() * rows / timing.median / 1e9;
  printLine(line);
}

}  // namespace

void addRanking(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ranking", "Epochs of movielens-ranking");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("BATCH", arguments->batches, "rows of a batch [256 1024]");
  command->callback([arguments] {
    for (const std::int64_t batch : arguments->batches) runBatch(batch, arguments->settings);
  });
}

}  // namespace parapet::bench
