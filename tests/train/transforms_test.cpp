// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <fstream>
#include <numeric>

#include "tests/train/small_training.h"

using namespace parapet;

namespace {

/// Clicks of the generator with two transforms of one column of numbers.
experiment::Experiment numbersDocument() {
  constexpr const char* kDocument = R"({"parapet": 1, "name": "numbers",
    "dataset": {"source": "generated",
      "generator": {"kind": "clicks", "users": 20, "items": 15, "events": 600, "seed": 3},
      "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                  {"name": "price", "role": "number"}],
      "label": {"column": "click"},
      "vocabularies": [{"name": "user", "kind": "direct", "size": "max+1"},
                       {"name": "item", "kind": "direct", "size": "max+1"}],
      "split": {"kind": "random", "train": 0.5, "validation": 0.5, "test": 0},
      "batch": {"size": 50}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
               {"name": "item", "vocabulary": "item", "embedding_dim": 4}],
    "features": [{"name": "ids/user", "column": "user", "table": "user"},
                 {"name": "ids/item", "column": "item", "table": "item", "tower": "candidate"},
                 {"name": "n/price", "column": "price", "table": null, "tower": "candidate",
                  "transform": "standardize"},
                 {"name": "n/share", "column": "price", "table": null, "tower": "candidate",
                  "transform": "quantile"}],
    "model": {"kind": "ranking", "layers": [{"kind": "dense", "units": 1}]},
    "loss": {"kind": "bce"},
    "optimizer": {"kind": "adam", "learning_rate": 0.01},
    "training": {"epochs": 1, "validate_every": 1, "seed": 5,
                 "checkpoints": {"every": null, "keep": 3, "best": null}}})";
  return experiment::test::parsedDocument(experiment::parseJson(kDocument).value());
}

std::vector<float> parameter(train::Session& session, const std::string& name) {
  for (const nn::Parameter& each : session.parameters()) {
    if (each.spec.name != name) continue;
    std::vector<float> values(static_cast<std::size_t>(each.size()));
    nn::gatherRows(each, -1, values);
    return values;
  }
  return {};
}

std::vector<float> trainingPrices(const train::Session& session, const data::RowSet& rows) {
  std::vector<float> prices;
  const auto all = session.dataset().denseValues("price");
  rows.forEach([&](std::int64_t row) { prices.push_back(all[static_cast<std::size_t>(row)]); });
  std::ranges::sort(prices);
  return prices;
}

}  // namespace

class TransformsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areFittedToTrainingRowsAlone() {
    const testing::SmallTraining training;
    const auto session = training.session(numbersDocument());
    const data::Split split = training.split(numbersDocument(), *session);
    session->useHistory(split.train);
    const std::vector<float> prices = trainingPrices(*session, split.train);
    const double mean =
        std::accumulate(prices.begin(), prices.end(), 0.0) / static_cast<double>(prices.size());
    const std::vector<float> moments = parameter(*session, "dense/fitted/n/price");
    QCOMPARE(moments.size(), std::size_t{4});
    QCOMPARE(moments[2], static_cast<float>(mean));
    QVERIFY(moments[3] > 0.0f);
    const std::vector<float> knots = parameter(*session, "dense/fitted/n/share");
    QCOMPARE(knots.size(), static_cast<std::size_t>(nn::kQuantileKnots));
    QCOMPARE(knots.front(), prices.front());
    QCOMPARE(knots.back(), prices.back());
    QVERIFY(std::ranges::is_sorted(knots));
    // Histories of other rows would be others.
    session->useHistory(split.validation);
    QVERIFY(parameter(*session, "dense/fitted/n/price")[2] != moments[2]);
  }

  void trainingLeavesThemAndCheckpointsKeepThem() {
    const testing::SmallTraining training;
    testing::EventList events;
    const auto outcome = training.train(numbersDocument(), "numbers", events);
    QCOMPARE(outcome.result.state, experiment::RunState::kFinished);
    const auto fresh = training.session(numbersDocument());
    const data::Split split = training.split(numbersDocument(), *fresh);
    fresh->useHistory(split.train);
    const auto fitted = parameter(*fresh, "dense/fitted/n/share");
    QCOMPARE(parameter(*outcome.session, "dense/fitted/n/share"), fitted);
    const auto latest = checkpoint::openOfRun(training.checkpoints("numbers"), "numbers");
    QVERIFY2(latest.ok(), latest ? "" : latest.error().text().c_str());
    // The statistics of the checkpoint count, whatever rows come later.
    const auto opened = training.session(numbersDocument());
    QVERIFY(opened->load(latest->checkpoint).ok());
    opened->useHistory(split.validation);
    QCOMPARE(parameter(*opened, "dense/fitted/n/share"), fitted);
  }
};

QTEST_GUILESS_MAIN(TransformsTest)
#include "transforms_test.moc"
