// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "tests/fidelity/context_runs.h"

using namespace parapet;

/// Does a context model learn what the context is worth, and nothing where it is worth nothing? The
/// recipe at its own size is measured by the program fidelity_context.
class ContextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aContextModelReachesTheOracle();
  void aModelWithoutContextsDoesNot();
  void theGainIsSignificant();
  void contextsThatDecideNothingChangeListsNoMoreThanSeeds();

 private:
  /// A fifth of the recipe's events for a tenth of its users and fewer items, four weeks held out.
  static experiment::Experiment small(std::uint64_t seed) {
    experiment::Experiment experiment = fidelity::contextRecipe(seed);
    experiment.dataset.generator->users = 500;
    experiment.dataset.generator->items = 320;
    experiment.dataset.generator->events = 200'000;
    experiment.dataset.split.validationSeconds = 2'419'200;
    experiment.dataset.batch.size = 256;
    return experiment;
  }

  QTemporaryDir folder_;
  std::unique_ptr<workspace::Workspace> place_;
  fidelity::ContextFigures with_, without_;
};

void ContextTest::initTestCase() {
  place_ = workspace::Workspace::open(folder_.path().toStdString()).value();
  const auto with = fidelity::measureContexts(*place_, small(1));
  QVERIFY2(with.ok(), with ? "" : with.error().text().c_str());
  with_ = *with;
  const auto without = fidelity::measureContexts(*place_, fidelity::withoutContexts(small(1)));
  QVERIFY2(without.ok(), without ? "" : without.error().text().c_str());
  without_ = *without;
  qInfo("hit@10 %.4f, without contexts %.4f; oracle %.4f, without contexts %.4f", with_.hit,
        without_.hit, with_.inContext, with_.withoutContext);
}

void ContextTest::aContextModelReachesTheOracle() {
  QVERIFY(with_.hit >= 0.9 * with_.inContext);
  QVERIFY(with_.hit > with_.withoutContext);
  QVERIFY(with_.hit > with_.popularInContext);
}

// Hits beyond the best that can be known without a context are chance.
void ContextTest::aModelWithoutContextsDoesNot() {
  QCOMPARE(without_.examples, with_.examples);
  QVERIFY(without_.hit <= without_.withoutContext + 3.0 * without_.standardError);
}

void ContextTest::theGainIsSignificant() {
  const auto compared = place_->compare({with_.runId, without_.runId}, {});
  QVERIFY2(compared.ok(), compared ? "" : compared.error().text().c_str());
  const auto hit =
      std::ranges::find(compared->paired, "hit@10", &workspace::Comparison::PairedMetric::name);
  QVERIFY(hit != compared->paired.end());
  QVERIFY(hit->significant && hit->difference.mean > 0.0);
}

void ContextTest::contextsThatDecideNothingChangeListsNoMoreThanSeeds() {
  std::vector<std::string> runs;
  for (const std::uint64_t seed : {1, 2}) {
    experiment::Experiment experiment = small(seed);
    experiment.dataset.generator->contextStrength = 0.0;
    const auto measured = fidelity::measureContexts(*place_, experiment);
    QVERIFY2(measured.ok(), measured ? "" : measured.error().text().c_str());
    QVERIFY(std::abs(measured->inContext - measured->withoutContext) < 1e-12);
    runs.push_back(measured->runId);
  }
  const auto lists = fidelity::compareLists(*place_, runs[0], runs[1], 200);
  QVERIFY2(lists.ok(), lists ? "" : lists.error().text().c_str());
  qInfo("lists differ by %.3f between contexts, %.3f between seeds", lists->ofContexts,
        lists->ofSeeds);
  QVERIFY(lists->ofContexts <= lists->ofSeeds + 3.0 * lists->standardError);
}

QTEST_GUILESS_MAIN(ContextTest)
#include "context_test.moc"
