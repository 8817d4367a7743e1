// SPDX-License-Identifier: Apache-2.0
#include "engine/train/epoch_metrics.h"

#include <QtTest>
#include <array>
#include <map>

using namespace parapet;
using experiment::LossKind;

namespace {

nn::Model modelOf(const std::vector<std::pair<std::string, LossKind>>& heads) {
  nn::Model model;
  for (const auto& [name, kind] : heads) {
    nn::Model::Head head;
    head.name = name;
    head.loss.kind = kind;
    model.heads.push_back(head);
  }
  return model;
}

using Losses = std::vector<nn::LossSums>;
using Metrics = std::map<std::string, double>;

Metrics valuesOf(const train::EpochMetrics& metrics) {
  const auto values = metrics.values();
  return {values.begin(), values.end()};
}

data::Batch rows(std::int64_t count) {
  data::Batch batch;
  batch.rows = count;
  return batch;
}

const float* notAsked(std::size_t) {
  qFatal("no prediction is needed");
  return nullptr;
}

}  // namespace

class EpochMetricsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The root of each running mean is averaged: 2 after the first batch, 3 after the second.
  void rootsAreDisplayedAsLossesAre() {
    train::EpochMetrics metrics(modelOf({{"", LossKind::kMse}}));
    metrics.add(Losses{{40.0, 10.0}}, rows(10), notAsked);
    metrics.add(Losses{{140.0, 10.0}}, rows(10), notAsked);
    QCOMPARE(valuesOf(metrics), (Metrics{{"rmse", 3.0}, {"rmse_as_displayed", 8.0 / 3.0}}));
  }

  // The divisor of the loss does not count.
  void theRootIsOfTheMeanOverTheWeightsOfExamples() {
    const std::array<float, 2> weights{1.0f, 3.0f};
    data::Batch batch = rows(2);
    batch.weights = weights;
    train::EpochMetrics metrics(modelOf({{"", LossKind::kMse}}));
    metrics.add(Losses{{16.0, 1.0}}, batch, notAsked);
    QCOMPARE(valuesOf(metrics).at("rmse"), 2.0);
  }

  // A logit of 0 is a probability of one half, which counts as positive.
  void anAccuracyIsTheShareOfWeightOnTheRightSide() {
    const std::array<float, 4> logits{0.0f, -1.0f, 2.0f, -3.0f}, labels{1.0f, 0.6f, 0.2f, 0.0f},
        weights{1.0f, 1.0f, 1.0f, 5.0f};
    data::Batch batch = rows(4);
    batch.labels = labels;
    train::EpochMetrics metrics(modelOf({{"", LossKind::kBce}}));
    const auto predictions = [&](std::size_t) { return logits.data(); };
    metrics.add(Losses{{1.0, 4.0}}, batch, predictions);
    QCOMPARE(valuesOf(metrics), (Metrics{{"accuracy", 0.5}, {"accuracy_as_displayed", 0.5}}));
    batch.weights = weights;
    metrics.add(Losses{{1.0, 8.0}}, batch, predictions);
    QCOMPARE(valuesOf(metrics).at("accuracy"), 8.0 / 12.0);
    QCOMPARE(valuesOf(metrics).at("accuracy_as_displayed"), (0.5 + 2.0 * (8.0 / 12.0)) / 3.0);
  }

  void headsHaveMetricsOfTheirOwn() {
    train::EpochMetrics metrics(modelOf(
        {{"", LossKind::kInBatchSoftmax}, {"rating", LossKind::kMse}, {"x", LossKind::kMse}}));
    metrics.add(Losses{{7.0, 2.0}, {2.0, 2.0}, {8.0, 2.0}}, rows(2), notAsked);
    QCOMPARE(valuesOf(metrics), (Metrics{{"rating_rmse", 1.0},
                                         {"rating_rmse_as_displayed", 1.0},
                                         {"x_rmse", 2.0},
                                         {"x_rmse_as_displayed", 2.0}}));
  }

  void stateSurvivesJson() {
    const nn::Model model = modelOf({{"", LossKind::kMse}});
    train::EpochMetrics metrics(model), restored(model);
    metrics.add(Losses{{1.0 / 3.0, 7.0}}, rows(7), notAsked);
    restored.fromJson(nlohmann::json::parse(metrics.toJson().dump()), 1);
    for (auto* of : {&metrics, &restored}) of->add(Losses{{0.1, 3.0}}, rows(3), notAsked);
    QCOMPARE(valuesOf(restored), valuesOf(metrics));
    metrics.reset();
    QVERIFY(metrics.values().empty());
  }

  // A part of an epoch does not stand for all of it.
  void anEpochWhoseBeginningIsUnknownHasNone() {
    train::EpochMetrics metrics(modelOf({{"", LossKind::kMse}}));
    metrics.fromJson(nullptr, 3);
    metrics.add(Losses{{1.0, 1.0}}, rows(1), notAsked);
    QVERIFY(metrics.values().empty());
    metrics.reset();
    metrics.add(Losses{{1.0, 1.0}}, rows(1), notAsked);
    QVERIFY(!metrics.values().empty());
    metrics.fromJson(nullptr, 0);
    metrics.add(Losses{{4.0, 1.0}}, rows(1), notAsked);
    QCOMPARE(valuesOf(metrics).at("rmse"), 2.0);
  }
};

QTEST_GUILESS_MAIN(EpochMetricsTest)
#include "epoch_metrics_test.moc"
