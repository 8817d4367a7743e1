// SPDX-License-Identifier: Apache-2.0
#include "engine/train/later_lists.h"

#include <QtTest>
#include <cmath>

#include "engine/retrieval/interactions.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::EpochSummary;
using experiment::Metric;

namespace {

bool areOfValidation(const Metric& metric) {
  return metric.first.starts_with("val_");
}

}  // namespace

/// Lists of the catalogue that are measured while training goes on.
class LaterListsTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  experiment::Experiment document_ = testing::ratingsDocument();

 private Q_SLOTS:
  void borrowHalfOfTheThreads_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("borrowed");
    QTest::newRow("none to lend") << 1 << 0;
    QTest::newRow("one of two") << 2 << 1;
    QTest::newRow("rounded down") << 3 << 1;
    QTest::newRow("four of eight") << 8 << 4;
  }
  void borrowHalfOfTheThreads() {
    QFETCH(int, threads);
    QFETCH(int, borrowed);
    QCOMPARE(train::LaterLists::threadsOf(threads), borrowed);
  }

  // Whatever becomes of the weights meanwhile.
  void areThoseOfTheStepAtWhichTheyBegan() {
    const auto session = training_.session(document_);
    const data::Split split = testing::SmallTraining::split(document_, *session);
    session->useHistory(split.train);
    const retrieval::Interactions interactions(session->dataset(), "user", "item", split);
    train::CatalogueLists of(*session, document_, split, interactions,
                             experiment::SplitPart::kValidation);
    auto expected = of.rank();
    QVERIFY2(expected.ok(), expected ? "" : expected.error().text().c_str());
    EpochSummary summary;
    train::addLists(summary, std::move(expected).value(), 0.0);
    QVERIFY(std::ranges::any_of(summary.metrics, areOfValidation));
    for (const int threads : {1, 3}) {
      auto lists = train::LaterLists::begin(of, threads);
      QVERIFY2(lists.ok(), lists ? "" : lists.error().text().c_str());
      (*lists)->summary.epoch = 4;
      (*lists)->summary.metrics = {{"loss_slots", 3.0}};
      (*lists)->setThreads(threads);
      for (nn::Parameter& parameter : session->parameters())
        nn::scatterRows(parameter, -1,
                        std::vector<float>(static_cast<std::size_t>(parameter.size()), 0.5f));
      QVERIFY((*lists)->waitFor(std::chrono::minutes(1)));
      QVERIFY((*lists)->isReady());
      const EpochSummary found = (*lists)->finish();
      QCOMPARE(found.epoch, std::int64_t{4});
      // Metrics that the epoch had come first.
      QCOMPARE(found.metrics.size(), summary.metrics.size() + 1);
      QCOMPARE(found.metrics[0], Metric("loss_slots", 3.0));
      QVERIFY(std::ranges::equal(std::span(found.metrics).subspan(1), summary.metrics));
      QCOMPARE(found.verdicts.size(), summary.verdicts.size());
      QVERIFY(found.retrievalSeconds > 0.0);
      // The lists of the next round are those of the weights that were written.
      auto now = of.rank();
      QVERIFY(now.ok());
      summary = {};
      train::addLists(summary, std::move(now).value(), 0.0);
    }
  }

  // By the metric of the best checkpoint; baselines that a stop has left out have no reference.
  void areJudgedAgainstWhatIsMissing() {
    const auto session = training_.session(document_);
    const data::Split split = testing::SmallTraining::split(document_, *session);
    session->useHistory(split.train);
    const retrieval::Interactions interactions(session->dataset(), "user", "item", split);
    train::CatalogueLists of(*session, document_, split, interactions,
                             experiment::SplitPart::kValidation);
    const auto lists = of.rank();
    QVERIFY2(lists.ok(), lists ? "" : lists.error().text().c_str());
    const train::LaterBaselines::Taken taken{{}, {"item_knn", "ease"}};
    std::string best;
    for (const auto& [key, value] : lists->metrics)
      if (key.starts_with("ndcg@")) best = "val_" + key;
    const auto verdicts = taken.verdictsOf(*lists, "val_", best);
    QCOMPARE(verdicts.size(), std::size_t{4});
    for (const auto& verdict : verdicts) QCOMPARE(verdict.metric, best);
    QVERIFY(std::isfinite(verdicts[0].reference) && std::isfinite(verdicts[1].reference));
    QVERIFY(std::isnan(verdicts[2].reference) && std::isnan(verdicts[3].reference));
    QCOMPARE(verdicts[3].baseline, std::string("ease"));
    QCOMPARE(verdicts[3].model, verdicts[0].model);
    QCOMPARE(
        taken.missingSentence(),
        std::string("a baseline is left out: the run ended before item-kNN and EASE were fitted"));
    QVERIFY(taken.verdictsOf(*lists, "val_", "val_loss")[0].metric.starts_with("val_recall@"));
  }

  // A run that is resumed measures them again, on the weights of the checkpoint.
  void anUnmeasuredEpochKeepsAllButItsValidation() {
    EpochSummary summary;
    summary.epoch = 3;
    summary.step = 30;
    summary.loss = 0.5;
    summary.lossAsDisplayed = NAN;
    summary.learningRate = 0.1;
    summary.trainSeconds = 2.0;
    summary.msPerStep = 4.0;
    summary.examplesPerSecond = 1000.0;
    summary.metrics = {{"loss_slots", 0.25}, {"val_loss", 0.75}, {"masked", NAN}};
    const std::string text = train::unmeasuredToJson(summary).dump();
    const EpochSummary read = train::unmeasuredFromJson(nlohmann::json::parse(text));
    QCOMPARE(read.epoch, summary.epoch);
    QCOMPARE(read.step, summary.step);
    QCOMPARE(read.loss, summary.loss);
    QVERIFY(std::isnan(read.lossAsDisplayed));
    QCOMPARE(read.learningRate, summary.learningRate);
    QCOMPARE(read.trainSeconds, summary.trainSeconds);
    QCOMPARE(read.msPerStep, summary.msPerStep);
    QCOMPARE(read.examplesPerSecond, summary.examplesPerSecond);
    QCOMPARE(read.metrics.size(), std::size_t{2});
    QCOMPARE(read.metrics[0], Metric("loss_slots", 0.25));
    QCOMPARE(read.metrics[1].first, std::string("masked"));
    QVERIFY(std::isnan(read.metrics[1].second));
    QVERIFY(read.verdicts.empty() && read.segments.empty());
  }
};

QTEST_GUILESS_MAIN(LaterListsTest)
#include "later_lists_test.moc"
