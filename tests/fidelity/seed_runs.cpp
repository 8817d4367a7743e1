// SPDX-License-Identifier: Apache-2.0
#include "tests/fidelity/seed_runs.h"
#include "tests/train/make_session.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/recommender.h"
#include "engine/train/epoch_metrics.h"
#include "engine/train/loss_tracker.h"
#include "engine/train/session.h"

namespace parapet::fidelity {
namespace {

constexpr std::int64_t kValidateEvery = 5;

void requireOk(const Status& status) {
  if (!status) throw InternalError(status.error().text());
}

data::Split splitOf(const data::Dataset& dataset, const experiment::Experiment& experiment) {
  const std::int64_t batchRows = train::globalBatchRows(experiment.dataset.batch, 1);
  auto split = data::makeSplit(dataset, experiment, batchRows);
  if (!split) throw InternalError(split.error().text());
  return std::move(split).value();
}

std::unique_ptr<train::Session> sessionOf(const experiment::Experiment& experiment,
                                          const std::shared_ptr<const data::Dataset>& dataset) {
  auto session = testing::makeSession(experiment, dataset);
  if (!session) throw InternalError(session.error().text());
  return std::move(session).value();
}

/// A table and its Adagrad accumulator in double precision.
struct ReferenceTable {
  std::int64_t dim;
  std::vector<double> weight, accumulator, gradient;

  explicit ReferenceTable(const nn::Parameter& parameter)
      : dim(parameter.spec.cols),
        weight(parameter.whole().weight.host().begin(), parameter.whole().weight.host().end()),
        accumulator(weight.size(), parameter.spec.optimizer.initialAccumulator),
        gradient(weight.size(), 0.0) {}
  [[nodiscard]] std::size_t at(std::int32_t row, std::int64_t d) const {
    return static_cast<std::size_t>(row * dim + d);
  }
  void update(const experiment::Optimizer& adagrad) {
    for (std::size_t i = 0; i < weight.size(); ++i) {
      accumulator[i] += gradient[i] * gradient[i];
      weight[i] -= adagrad.learningRate * gradient[i] / std::sqrt(accumulator[i] + adagrad.epsilon);
      gradient[i] = 0.0;
    }
  }
};

double score(const ReferenceTable& users, const ReferenceTable& items, std::int32_t user,
             std::int32_t item) {
  double sum = 0.0;
  for (std::int64_t d = 0; d < users.dim; ++d)
    sum += users.weight[users.at(user, d)] * items.weight[items.at(item, d)];
  return sum;
}

// Mean squared error of a batch; adds its gradient to the tables.
double referenceStep(ReferenceTable& users, ReferenceTable& items, const data::Batch& batch) {
  double squared = 0.0;
  for (std::int64_t b = 0; b < batch.rows; ++b) {
    const auto row = static_cast<std::size_t>(b);
    const std::int32_t user = batch.features[0].ids[row], item = batch.features[1].ids[row];
    const double error = score(users, items, user, item) - static_cast<double>(batch.labels[row]);
    squared += error * error;
    const double slope = 2.0 * error / static_cast<double>(batch.rows);
    for (std::int64_t d = 0; d < users.dim; ++d) {
      users.gradient[users.at(user, d)] += slope * items.weight[items.at(item, d)];
      items.gradient[items.at(item, d)] += slope * users.weight[users.at(user, d)];
    }
  }
  return squared;
}

/// The losses and metrics of a pass.
struct Pass {
  train::LossTracker losses;
  train::EpochMetrics metrics;
  explicit Pass(const train::Session& session)
      : losses(session.model()), metrics(session.model()) {}
  void add(const train::Session& session, const data::Batch& batch) {
    losses.add(session.losses(), batch.rows);
    metrics.add(session, batch);
  }
  /// By key with a prefix.
  [[nodiscard]] std::map<std::string, double> values(const std::string& prefix) const {
    std::map<std::string, double> values{{prefix + "loss", losses.loss()},
                                         {prefix + "loss_as_displayed", losses.lossAsDisplayed()}};
    for (const auto& [key, value] : metrics.values()) values.emplace(prefix + key, value);
    return values;
  }
};

Pass trainEpoch(train::Session& session, data::BatchLoader& loader, std::int64_t epoch,
                std::int64_t& step) {
  Pass pass(session);
  loader.begin(epoch);
  while (const data::Batch* batch = loader.next()) {
    requireOk(session.train(*batch, ++step));
    pass.add(session, *batch);
  }
  return pass;
}

Pass evaluate(train::Session& session, data::BatchLoader& loader) {
  Pass pass(session);
  loader.begin(1);
  while (const data::Batch* batch = loader.next()) {
    requireOk(session.evaluate(*batch));
    pass.add(session, *batch);
  }
  return pass;
}

}  // namespace

experiment::Experiment recipe(std::uint64_t seed, const std::string& name) {
  const auto found = experiment::findRecipe(name);
  experiment::Experiment experiment =
      experiment::parse(experiment::parseJson(found->text).value()).experiment;
  experiment.training.seed = seed;
  return experiment;
}

Result<std::shared_ptr<const data::Dataset>> importRatings(
    const std::filesystem::path& folder, const std::filesystem::path& workFolder) {
  experiment::Dataset spec = recipe(0).dataset;
  spec.path = folder.string();
  PARAPET_ASSIGN(const data::ImportReport report,
                 data::importDataset(spec, workFolder, {}, data::makeGenerator));
  return report.dataset;
}

Curves train(const std::shared_ptr<const data::Dataset>& dataset, std::uint64_t seed) {
  const experiment::Experiment experiment = recipe(seed);
  const auto session = sessionOf(experiment, dataset);
  const data::Split split = splitOf(*dataset, experiment);
  const auto training = session->loader(split, experiment::SplitPart::kTrain);
  const auto validation = session->loader(split, experiment::SplitPart::kValidation);
  Curves curves;
  std::int64_t step = 0;
  for (std::int64_t epoch = 1; epoch <= experiment.training.epochs; ++epoch) {
    const Pass pass = trainEpoch(*session, *training, epoch, step);
    curves.loss.push_back(pass.losses.loss());
    curves.lossAsDisplayed.push_back(pass.losses.lossAsDisplayed());
    if (epoch % kValidateEvery != 0) continue;
    curves.valLoss.push_back(evaluate(*session, *validation).losses.loss());
  }
  return curves;
}

Curves trainReference(const std::shared_ptr<const data::Dataset>& dataset, std::uint64_t seed) {
  const experiment::Experiment experiment = recipe(seed);
  const auto session = sessionOf(experiment, dataset);
  ReferenceTable users(session->parameters()[0]), items(session->parameters()[1]);
  const auto training =
      session->loader(splitOf(*dataset, experiment), experiment::SplitPart::kTrain);
  Curves curves;
  for (std::int64_t epoch = 1; epoch <= experiment.training.epochs; ++epoch) {
    double squared = 0.0;
    std::int64_t rows = 0;
    training->begin(epoch);
    while (const data::Batch* batch = training->next()) {
      squared += referenceStep(users, items, *batch);
      rows += batch->rows;
      users.update(experiment.optimizer);
      items.update(experiment.optimizer);
    }
    curves.loss.push_back(squared / static_cast<double>(rows));
  }
  return curves;
}

RankingRun trainRanking(const std::shared_ptr<const data::Dataset>& dataset,
                        const std::string& name, std::uint64_t seed) {
  const experiment::Experiment experiment = recipe(seed, name);
  const auto session = sessionOf(experiment, dataset);
  const data::Split split = splitOf(*dataset, experiment);
  const auto training = session->loader(split, experiment::SplitPart::kTrain);
  const auto validation = session->loader(split, experiment::SplitPart::kValidation);
  const auto test =
      split.test.empty() ? nullptr : session->loader(split, experiment::SplitPart::kTest);
  RankingRun run;
  double best = std::numeric_limits<double>::infinity();
  const std::int64_t patience =
      test ? experiment.training.earlyStopping.value().patience : experiment.training.epochs;
  std::int64_t step = 0;
  for (std::int64_t epoch = 1; epoch <= experiment.training.epochs; ++epoch) {
    for (const auto& [key, value] : trainEpoch(*session, *training, epoch, step).values(""))
      run.metrics[key].push_back(value);
    const Pass held = evaluate(*session, *validation);
    for (const auto& [key, value] : held.values("val_")) run.metrics[key] = {value};
    if (held.losses.loss() < best || !test) {
      best = held.losses.loss();
      run.epoch = epoch;
      run.rmse = std::sqrt(test ? evaluate(*session, *test).losses.loss() : best);
    }
    if (epoch - run.epoch >= patience) break;
  }
  return run;
}

Band band(const std::vector<std::vector<double>>& curves) {
  Band out;
  const auto count = static_cast<double>(curves.size());
  for (std::size_t point = 0; point < curves.front().size(); ++point) {
    double sum = 0.0, squares = 0.0;
    double smallest = curves[0][point], largest = curves[0][point];
    for (const auto& curve : curves) {
      sum += curve[point];
      smallest = std::min(smallest, curve[point]);
      largest = std::max(largest, curve[point]);
    }
    const double mean = sum / count;
    for (const auto& curve : curves) squares += (curve[point] - mean) * (curve[point] - mean);
    out.mean.push_back(mean);
    out.deviation.push_back(std::sqrt(squares / (count - 1.0)));
    out.smallest.push_back(smallest);
    out.largest.push_back(largest);
  }
  return out;
}

Band band(const std::vector<RankingRun>& runs, const std::string& key) {
  std::vector<std::vector<double>> curves;
  for (const RankingRun& run : runs) curves.push_back(run.metrics.at(key));
  return band(curves);
}

double largestDeviation(std::span<const experiment::ReferenceCurve::Point> published,
                        const Band& band, std::int64_t epochsPerPoint) {
  double largest = 0.0;
  for (const auto& [epoch, value] : published) {
    const auto point = static_cast<std::size_t>(epoch / epochsPerPoint - 1);
    largest = std::max(largest, std::abs(value - band.mean[point]) / band.deviation[point]);
  }
  return largest;
}

}  // namespace parapet::fidelity
