// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "engine/experiment/published_run.h"
#include "tests/fidelity/seed_runs.h"

using namespace parapet;

/// Does the engine reproduce the published runs of seeds 000 and 002, for the right reasons?
class FidelityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void lossesEqualADoublePrecisionReference();
  void publishedPointsLieWithinTheBandOfTheDisplayedSeries();
  void theTrueLossDoesNotExplainThePublishedCurve();
  void lossesAtTheEndAreThoseOfTheReference();
  void thePublishedRankingRanOutOfItsGeneratorWithFrozenTables();
  void theRankingLearns();

 private:
  static constexpr int kSeeds = 50;
  static constexpr double kDeviations = 3.5;
  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  experiment::ReferenceCurve published_;
  fidelity::Band loss_, displayed_, val_;
};

void FidelityTest::initTestCase() {
  const QString data = qEnvironmentVariable("PARAPET_DATA_DIR");
  if (data.isEmpty())
    QSKIP(
        "PARAPET_DATA_DIR is not set; it names a folder with ml-100k/ (MovieLens may not be "
        "shipped)");
  auto imported =
      fidelity::importRatings((data + "/ml-100k").toStdString(), folder_.path().toStdString());
  QVERIFY2(imported.ok(), imported ? "" : imported.error().text().c_str());
  dataset_ = *imported;
  published_ = experiment::findReferenceCurve("keras-data-parallel-retrieval").value();
  std::vector<std::vector<double>> loss, displayed, val;
  for (int seed = 0; seed < kSeeds; ++seed) {
    fidelity::Curves curves = fidelity::train(dataset_, static_cast<std::uint64_t>(seed));
    loss.push_back(std::move(curves.loss));
    displayed.push_back(std::move(curves.lossAsDisplayed));
    val.push_back(std::move(curves.valLoss));
  }
  loss_ = fidelity::band(loss);
  displayed_ = fidelity::band(displayed);
  val_ = fidelity::band(val);
}

void FidelityTest::lossesEqualADoublePrecisionReference() {
  const auto ours = fidelity::train(dataset_, 42);
  const auto reference = fidelity::trainReference(dataset_, 42);
  QCOMPARE(ours.loss.size(), std::size_t{50});
  for (std::size_t epoch = 0; epoch < ours.loss.size(); ++epoch) {
    const double tolerance = epoch < 10 ? 1e-6 : 1e-5;
    QVERIFY2(std::abs(ours.loss[epoch] - reference.loss[epoch]) <= tolerance,
             qPrintable(QStringLiteral("epoch %1: %2 against %3")
                            .arg(epoch + 1)
                            .arg(ours.loss[epoch], 0, 'g', 12)
                            .arg(reference.loss[epoch], 0, 'g', 12)));
  }
}

void FidelityTest::publishedPointsLieWithinTheBandOfTheDisplayedSeries() {
  QCOMPARE(published_.lossAsDisplayed.size(), std::size_t{50});
  QCOMPARE(published_.valLoss.size(), std::size_t{10});
  const double training = fidelity::largestDeviation(published_.lossAsDisplayed, displayed_, 1);
  const double validation = fidelity::largestDeviation(published_.valLoss, val_, 5);
  qInfo("largest deviation: training %.2f, validation %.2f standard deviations", training,
        validation);
  QVERIFY(training <= kDeviations);
  QVERIFY(validation <= kDeviations);
}

void FidelityTest::theTrueLossDoesNotExplainThePublishedCurve() {
  const double training = fidelity::largestDeviation(published_.lossAsDisplayed, loss_, 1);
  qInfo("against the true loss: %.2f standard deviations", training);
  QVERIFY(training > kDeviations);
}

void FidelityTest::lossesAtTheEndAreThoseOfTheReference() {
  qInfo("epoch 50: loss %.5f, val_loss %.5f", loss_.mean.back(), val_.mean.back());
  QVERIFY(std::abs(loss_.mean.back() - 0.167) <= 0.005);
  QVERIFY(std::abs(val_.mean.back() - 0.1685) <= 0.005);
}

// 312 steps, then the two batches that Keras had looked at once more in each of four epochs.
void FidelityTest::thePublishedRankingRanOutOfItsGeneratorWithFrozenTables() {
  const auto published = experiment::findReferenceCurve("keras-distributed-embedding").value();
  std::vector<fidelity::RankingRun> runs;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    runs.push_back(fidelity::trainRanking(dataset_, "movielens-ranking-as-published", seed));
  QCOMPARE(runs[0].metrics.at("loss_as_displayed").size(), std::size_t{5});
  for (const char* key : {"loss_as_displayed", "rmse_as_displayed", "val_loss", "val_rmse",
                          "val_loss_as_displayed", "val_rmse_as_displayed"}) {
    const auto points = experiment::publishedPoints(published, key);
    QVERIFY2(!points.empty(), key);
    const std::int64_t epochsPerPoint = std::string_view(key).starts_with("val_") ? 5 : 1;
    const double deviation =
        fidelity::largestDeviation(points, fidelity::band(runs, key), epochsPerPoint);
    qInfo("%s: largest deviation %.2f standard deviations", key, deviation);
    QVERIFY2(deviation <= 3.0, key);
  }
}

void FidelityTest::theRankingLearns() {
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    sum += fidelity::trainRanking(dataset_, "movielens-ranking", seed).rmse;
  qInfo("rmse on the test rows: %.4f", sum / 10.0);
  QVERIFY(sum / 10.0 < 0.245);
}

QTEST_GUILESS_MAIN(FidelityTest)
#include "fidelity_test.moc"
