// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <optional>

#include "engine/experiment/experiment.h"
#include "engine/mesh/placement.h"
#include "engine/mesh/planner.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"
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
  std::string recipe = "movielens-ranking";
  std::int64_t devices = 1;
  std::vector<experiment::Placement> placements{experiment::Placement::kReplicated};
};

/// The model of a recipe over users and items, with what it takes to train it.
class Training {
 public:
  Training(const experiment::Experiment& experiment, experiment::Placement placement,
           std::int64_t batch, int threads)
      : model_(nn::buildModel(experiment, {{"user", kUsers}, {"item", kItems}}).value()),
        mesh_(mesh::DeviceMesh::create(experiment.mesh).value()),
        workers_(threads),
        communicator_(mesh::makeLocalCommunicator(mesh_.ranks(), {&mesh_.device(0), &workers_})),
        users_(drawRows(RowDraw::kZipf, kUsers, kRows, 1)),
        items_(drawRows(RowDraw::kZipf, kItems, kRows, 2)),
        labels_(kRows),
        batch_(batch) {
    fillUniform(labels_, 3, workers_);
    for (const nn::ParameterSpec& spec : model_.graph.parameters()) addParameter(spec, placement);
    plan_.emplace(model_.graph, parameters_, mesh_, *communicator_, workers_,
                  nn::StepTask{.targets = {model_.heads[0].lossValue},
                               .capacityRows = batch,
                               .purpose = nn::StepPurpose::kTrain});
  }

  [[nodiscard]] double flopsPerExample() const {
    return model_.graph.trainingFlopsPerExample(batch_);
  }
  [[nodiscard]] std::int64_t steps() const { return kRows / batch_; }

  void epoch() {
    for (std::int64_t first = 0; first + batch_ <= kRows; first += batch_) {
      const auto at = static_cast<std::size_t>(first), count = static_cast<std::size_t>(batch_);
      const data::FeatureIds features[] = {{.ids = std::span(users_).subspan(at, count)},
                                           {.ids = std::span(items_).subspan(at, count)}};
      const nn::StepBatch input{batch_, features, std::span(labels_).subspan(at, count)};
      if (const Status done = plan_->train(input, ++step_); !done)
        throw InternalError(done.error().text());
    }
  }

 private:
  void addParameter(const nn::ParameterSpec& spec, experiment::Placement placement) {
    experiment::Table table;
    table.embeddingDim = spec.cols;
    table.placement = spec.sparse ? placement : experiment::Placement::kReplicated;
    const auto sharding =
        mesh::heldSharding(mesh::placeTable(table, mesh_, spec.rows, "/tables").value(), mesh_);
    parameters_.push_back(
        nn::makeParameter(spec, sharding, mesh::devicesOf(sharding, mesh_), 42).value());
  }

  nn::Model model_;
  mesh::DeviceMesh mesh_;
  Workers workers_;
  std::unique_ptr<mesh::Communicator> communicator_;
  std::vector<nn::Parameter> parameters_;
  std::optional<nn::StepRunner> plan_;
  std::vector<std::int32_t> users_, items_;
  std::vector<float> labels_;
  std::int64_t batch_, step_ = 0;
};

experiment::Experiment experimentOf(const Arguments& arguments) {
  const auto recipe = experiment::findRecipe(arguments.recipe);
  if (!recipe) throw InternalError(recipe.error().text());
  auto experiment = experiment::parse(experiment::parseJson(recipe->text).value()).experiment;
  for (const experiment::Feature& feature : experiment.features)
    if (feature.column != "user" && feature.column != "item")
      throw InternalError("the bench draws users and items, and " + arguments.recipe + " reads \"" +
                          feature.column + "\"");
  experiment.mesh.devices = {"cpu*" + std::to_string(arguments.devices)};
  return experiment;
}

void runBatch(const Arguments& arguments, experiment::Placement placement, std::int64_t batch) {
  const Settings& settings = arguments.settings;
  Training training(experimentOf(arguments), placement, batch, settings.threads);
  const Timing timing = measure(settings.budget, [&] { training.epoch(); });
  const auto rows = static_cast<double>(training.steps() * batch);
  nlohmann::json line = toJson(timing);
  line["recipe"] = arguments.recipe;
  line["devices"] = arguments.devices;
  line["placement"] = mesh::placementName(placement);
  line["batch"] = batch;
  line["threads"] = settings.threads;
  line["microseconds_per_step"] = timing.median / static_cast<double>(training.steps()) * 1e6;
  line["best_microseconds_per_step"] = timing.best / static_cast<double>(training.steps()) * 1e6;
  line["gflops"] = training.flopsPerExample() * rows / timing.median / 1e9;
  printLine(line);
}

}  // namespace

void addRanking(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ranking", "Epochs of a recipe over users and items");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("BATCH", arguments->batches, "rows of a batch [256 1024]");
  command->add_option("--recipe", arguments->recipe, "the model [movielens-ranking]");
  command->add_option("--devices", arguments->devices, "logical devices of the mesh [1]");
  using enum experiment::Placement;
  const std::map<std::string, experiment::Placement> names{{"replicated", kReplicated},
                                                           {"row", kRow},
                                                           {"row_block", kRowBlock},
                                                           {"column", kColumn},
                                                           {"table", kTable}};
  command->add_option("--placements", arguments->placements, "of the tables [replicated]")
      ->transform(CLI::CheckedTransformer(names));
  command->callback([arguments] {
    for (const std::int64_t batch : arguments->batches)
      for (const experiment::Placement placement : arguments->placements)
        runBatch(*arguments, placement, batch);
  });
}

}  // namespace parapet::bench
