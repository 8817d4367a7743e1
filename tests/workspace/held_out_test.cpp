// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/held_out.h"

#include <QtTest>

#include "engine/workspace/best_run.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

namespace {

const workspace::Comparison::MetricRow& rowOf(const workspace::Comparison& comparison,
                                              const std::string& name) {
  for (const auto& row : comparison.metrics)
    if (row.name == name) return row;
  qFatal("%s was not measured", name.c_str());
}

}  // namespace

/// Which of several runs the program calls the best one.
class HeldOutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.loss = {.kind = experiment::LossKind::kMse};
    experiment.training.epochs = 8;
    learned_ = place_.train(experiment).runId;
    again_ = place_.train(experiment).runId;
    experiment.optimizer.learningRate = 1e-9;
    idle_ = place_.train(experiment).runId;
  }

  void aRunIsTheBestOneBeyondThreePairedErrors() {
    const auto compared = place_->compare({idle_, learned_}, {});
    QVERIFY(compared.ok());
    for (const char* metric : {"val_loss", "val_rmse"}) {
      const auto& row = rowOf(*compared, metric);
      QVERIFY2(workspace::bestRun(row) == std::size_t{1}, row.notComparable.c_str());
    }
    for (const auto& row : compared->metrics)
      QCOMPARE(workspace::bestRun(row).has_value(), row.notComparable.empty());
  }

  void equalRunsDoNotDiffer() {
    const auto compared = place_->compare({learned_, again_}, {});
    QVERIFY(compared.ok());
    for (const auto& row : compared->metrics) QVERIFY2(!workspace::bestRun(row), row.name.c_str());
    for (const char* metric : {"val_loss", "val_rmse", "val_mae", "val_ndcg@10"})
      QVERIFY2(rowOf(*compared, metric).notComparable.find("do not differ") != std::string::npos,
               metric);
  }

  // One that is equal to it is as good.
  void theBestOfThreeIsBetterThanEachOther() {
    auto compared = place_->compare({learned_, idle_, again_}, {});
    QVERIFY(compared.ok());
    QVERIFY(!workspace::bestRun(rowOf(*compared, "val_loss")));
    QVERIFY(rowOf(*compared, "val_loss").notComparable.find("the best runs do not differ") == 0);
    compared = place_->compare({idle_, learned_, idle_}, {});
    QVERIFY(compared.ok());
    QVERIFY(workspace::bestRun(rowOf(*compared, "val_loss")) == std::size_t{1});
  }

  void whatIsMeasuredOnTrainingRowsMakesNoBestRun() {
    const auto compared = place_->compare({idle_, learned_}, {});
    QVERIFY(compared.ok());
    for (const char* metric : {"loss", "rmse", "loss_as_displayed"}) {
      QVERIFY2(!workspace::bestRun(rowOf(*compared, metric)), metric);
      QVERIFY(rowOf(*compared, metric).notComparable.find("training") != std::string::npos);
    }
  }

 private:
  testing::TemporaryWorkspace place_;
  std::string learned_, again_, idle_;
};

QTEST_GUILESS_MAIN(HeldOutTest)
#include "held_out_test.moc"
