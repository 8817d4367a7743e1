// SPDX-License-Identifier: Apache-2.0
#include "engine/train/row_losses.h"

#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::LossKind;
using experiment::ModelKind;
using experiment::SplitPart;
using train::ListsOf;

namespace {

using Values = std::map<std::string, double>;

experiment::Experiment retrievalWith(LossKind loss) {
  experiment::Experiment document = testing::ratingsDocument();
  document.loss.kind = loss;
  return document;
}

experiment::Experiment rankingWith(LossKind loss) {
  experiment::Experiment document = retrievalWith(loss);
  document.model.kind = ModelKind::kRanking;
  document.model.layers.resize(1);
  document.model.layers[0].units = 1;
  if (experiment::isListwise(loss)) document.dataset.batch.groupSize = 8;
  return document;
}

/// A head "liked" beside the score that reads the item alone.
experiment::Experiment twoHeads(double weight) {
  experiment::Experiment document = rankingWith(LossKind::kMse);
  experiment::Head& head = document.model.heads.emplace_back();
  head.name = "liked";
  head.inputs = {"item"};
  head.layers.resize(1);
  head.layers[0].units = 1;
  head.loss = {.kind = LossKind::kMse, .weight = weight};
  return document;
}

std::set<std::string> keysOf(const std::vector<experiment::Metric>& metrics) {
  std::set<std::string> keys;
  for (const auto& [key, value] : metrics) keys.insert(key);
  return keys;
}

}  // namespace

class RowLossesTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  struct Outcome {
    std::optional<train::PartLosses::Measured> measured;
    std::map<std::string, std::vector<experiment::Metric>> baselines;

    [[nodiscard]] Values values() const {
      return {measured->metrics.begin(), measured->metrics.end()};
    }
    [[nodiscard]] std::optional<double> baseline(const std::string& name,
                                                 const std::string& key) const {
      for (const auto& [found, value] : baselines.at(name))
        if (found == key) return value;
      return std::nullopt;
    }
  };
  Outcome measure(const experiment::Experiment& document, ListsOf listsOf,
                  std::stop_token stop = {}) const {
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    train::RowLosses losses(*session, document, split, SplitPart::kValidation, listsOf);
    auto measured = losses.measure("val_", 1, {{}, std::move(stop)});
    if (!measured) throw InternalError(measured.error().text());
    Outcome outcome{std::move(measured).value(), {}};
    for (auto& [name, metrics] : losses.baselines({})) outcome.baselines[name] = metrics;
    return outcome;
  }

 private Q_SLOTS:
  void aSingleScoreHasNoLossOfItsOwnName() {
    const Outcome outcome = measure(rankingWith(LossKind::kMse), ListsOf::kRows);
    const std::set<std::string> keys = keysOf(outcome.measured->metrics);
    QVERIFY(keys.contains("val_loss") && keys.contains("val_rmse"));
    QVERIFY(!keys.contains("val_score_loss"));
    const Values values = outcome.values();
    QVERIFY(std::abs(std::sqrt(values.at("val_loss")) - values.at("val_rmse")) < 1e-9);
  }

  void eachHeadIsComparedWithItsMeans() {
    const Outcome outcome = measure(twoHeads(0.25), ListsOf::kRows);
    const Values values = outcome.values();
    QCOMPARE(outcome.measured->verdicts.size(), std::size_t{8});
    for (const experiment::BaselineVerdict& verdict : outcome.measured->verdicts) {
      const std::string key = verdict.head.empty() ? "score_loss" : verdict.head + "_loss";
      QVERIFY(verdict.head.empty() || verdict.head == "liked");
      QCOMPARE(verdict.metric, "val_" + key);
      QVERIFY(std::abs(verdict.model - values.at("val_" + key)) < 1e-6);
      QVERIFY(std::abs(verdict.reference - *outcome.baseline(verdict.baseline, key)) < 1e-6);
      QVERIFY(verdict.standardError > 0.0);
    }
  }

  void theLossOfSeveralHeadsIsTheirSumByWeight() {
    constexpr double kWeight = 0.25;
    const Outcome outcome = measure(twoHeads(kWeight), ListsOf::kRows);
    const Values values = outcome.values();
    QVERIFY(std::abs(values.at("val_loss") - values.at("val_score_loss") -
                     kWeight * values.at("val_liked_loss")) < 1e-9);
    QVERIFY(values.contains("val_liked_rmse"));
    for (const char* name : {"biases", "constant", "item_mean", "user_mean"}) {
      const auto loss = outcome.baseline(name, "loss"),
                 score = outcome.baseline(name, "score_loss"),
                 liked = outcome.baseline(name, "liked_loss");
      QVERIFY2(loss && score && liked, name);
      QVERIFY2(std::abs(*loss - *score - kWeight * *liked) < 1e-9, name);
    }
  }

  void rankingsOfTheCatalogueAreNotRepeatedByGroupsOfRows() {
    const auto document = rankingWith(LossKind::kListMle);
    const Outcome rows = measure(document, ListsOf::kRows);
    const Outcome catalogue = measure(document, ListsOf::kCatalogue);
    QVERIFY(keysOf(rows.measured->metrics).contains("val_ndcg@3"));
    QCOMPARE(keysOf(catalogue.measured->metrics), std::set<std::string>{"val_loss"});
    QCOMPARE(catalogue.values().at("val_loss"), rows.values().at("val_loss"));
  }

  void ordersOfRowsAreComparedWithARandomOneAndValuesWithBiases() {
    const auto namesOf = [this](LossKind loss, ListsOf listsOf) {
      QStringList names;
      for (const auto& [name, metrics] : measure(rankingWith(loss), listsOf).baselines)
        names << QString::fromStdString(name);
      return names;
    };
    QCOMPARE(namesOf(LossKind::kMse, ListsOf::kRows),
             (QStringList{"biases", "constant", "item_mean", "user_mean"}));
    QCOMPARE(namesOf(LossKind::kPairwiseHinge, ListsOf::kRows),
             (QStringList{"constant", "item_mean", "random", "user_mean"}));
    QCOMPARE(namesOf(LossKind::kPairwiseHinge, ListsOf::kCatalogue), QStringList{"constant"});
  }

  // Without corrections and masks a batch of B loses ln B; the last batch has fewer rows.
  void equalScoresAreTheConstantOfALossWithNegatives() {
    auto document = retrievalWith(LossKind::kInBatchSoftmax);
    document.loss.logQ = experiment::LogQ::kOff;
    document.loss.accidentalHits = experiment::AccidentalHits::kKeep;
    const Outcome outcome = measure(document, ListsOf::kCatalogue);
    QCOMPARE(keysOf(outcome.measured->metrics), std::set<std::string>{"val_loss"});
    const auto session = training_.session(document);
    const std::int64_t rows = testing::SmallTraining::split(document, *session).validation.size(),
                       batch = session->batchRows();
    double sum = 0.0;
    for (std::int64_t first = 0; first < rows; first += batch) {
      const auto size = static_cast<double>(std::min(batch, rows - first));
      sum += size * std::log(size);
    }
    const auto constant = outcome.baseline("constant", "loss");
    QVERIFY(constant && std::abs(*constant - sum / static_cast<double>(rows)) < 1e-6);
  }

  // The value depends on how rows are batched.
  void sumsHaveNoEqualScores() {
    auto document = retrievalWith(LossKind::kInBatchSoftmax);
    document.loss.logQ = experiment::LogQ::kOff;
    document.loss.reduction = experiment::Reduction::kSum;
    const Outcome outcome = measure(document, ListsOf::kCatalogue);
    QVERIFY(!outcome.baseline("constant", "loss"));
  }

  void aPartThatWasStoppedHasNoMetrics() {
    std::stop_source stopped;
    stopped.request_stop();
    QVERIFY(!measure(rankingWith(LossKind::kMse), ListsOf::kRows, stopped.get_token()).measured);
  }
};

QTEST_GUILESS_MAIN(RowLossesTest)
#include "row_losses_test.moc"
