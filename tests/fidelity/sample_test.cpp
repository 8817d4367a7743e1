// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/workspace/sample_runs.h"

using namespace parapet;

/// Is the sample worth looking at: are its lists better than those that need no model?
class SampleTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The seed draws split and weights, and each gets its own generated data too.
  void listsBeatBaselinesOnEverySeed_data();
  void listsBeatBaselinesOnEverySeed();

 private:
  testing::TemporaryWorkspace place_;
};

namespace {

double figure(const std::vector<experiment::Metric>& metrics, const std::string& key) {
  for (const auto& [name, value] : metrics)
    if (name == key) return value;
  throw InternalError("no metric " + key);
}

// Compares the metrics of the test rows, which chose nothing.
void compare(const workspace::Evaluation& found) {
  QStringList beaten;
  for (const auto& [name, metrics] : found.baselines) {
    if (name != "random" && name != "most_popular") continue;
    beaten << QString::fromStdString(name);
    for (const char* key : {"recall@10", "ndcg@10"}) {
      const double model = figure(found.metrics, key), other = figure(metrics, key);
      QVERIFY2(model > other, qPrintable(QStringLiteral("%1: %2, %3 of %4")
                                             .arg(key)
                                             .arg(model)
                                             .arg(other)
                                             .arg(beaten.last())));
    }
  }
  QCOMPARE(beaten.size(), 2);
}

}  // namespace

void SampleTest::listsBeatBaselinesOnEverySeed_data() {
  QTest::addColumn<int>("seed");
  for (int seed = 1; seed <= 10; ++seed) QTest::addRow("seed %d", seed) << seed;
}

void SampleTest::listsBeatBaselinesOnEverySeed() {
  QFETCH(int, seed);
  experiment::Experiment sample =
      experiment::parse(experiment::parseJson(experiment::findRecipe("sample")->text).value())
          .experiment;
  sample.training.seed = static_cast<std::uint64_t>(seed);
  sample.training.validateEvery = sample.training.epochs;
  for (const bool ownData : {false, true}) {
    if (ownData) sample.dataset.generator->seed = static_cast<std::uint64_t>(100 + seed);
    const workspace::RunOutcome run = place_.train(sample);
    QCOMPARE(run.state, experiment::RunState::kFinished);
    workspace::EvaluateOptions options;
    options.part = experiment::SplitPart::kTest;
    const auto found = place_->evaluate(run.runId, options, {});
    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
    compare(*found);
  }
}

QTEST_GUILESS_MAIN(SampleTest)
#include "sample_test.moc"
