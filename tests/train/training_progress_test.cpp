// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_progress.h"

#include <QtTest>
#include <cmath>

#include "tests/train/small_training.h"

using namespace parapet;
using train::TrainingProgress;

class TrainingProgressTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  std::unique_ptr<train::Session> session_;

  static experiment::Training spec() {
    experiment::Training training = testing::ratingsDocument().training;
    training.epochs = 3;
    training.checkpoints.best = "val_loss";
    training.earlyStopping = experiment::EarlyStopping{"val_loss", 2, 0.0};
    return training;
  }
  static void step(TrainingProgress& progress, double loss) {
    const nn::LossSums sums{loss * 10.0, 10.0};
    ++progress.step;
    ++progress.batch;
    progress.losses.add({&sums, 1}, 10);
    progress.addStep({.computeOfRank = {0.5}, .collective = 0.0, .update = 0.25}, 0.25, 0.75);
  }

 private Q_SLOTS:
  void initTestCase() { session_ = training_.session(testing::ratingsDocument()); }

  void anEpochIsSummedUpAndTheNextBegins() {
    TrainingProgress progress(spec(), session_->model());
    step(progress, 4.0);
    step(progress, 2.0);
    const experiment::EpochSummary summary = progress.endEpoch(session_->model());
    QCOMPARE(summary.epoch, 1);
    QCOMPARE(summary.step, 2);
    QCOMPARE(summary.loss, 3.0);
    QCOMPARE(summary.trainSeconds, 2.0);
    QCOMPARE(summary.msPerStep, 1000.0);
    QCOMPARE(summary.examplesPerSecond, 10.0);
    QCOMPARE(summary.timeUse.seconds, 2.0);
    QCOMPARE(progress.batch, 0);
    QCOMPARE(progress.trainSeconds(), 2.0);
    step(progress, 1.0);
    QCOMPARE(progress.endEpoch(session_->model()).loss, 1.0);
    QCOMPARE(progress.trainSeconds(), 3.0);
  }

  void isCompleteAfterItsEpochsOrItsPatience() {
    TrainingProgress epochs(spec(), session_->model()), patience(spec(), session_->model());
    for (int epoch = 0; epoch < 3; ++epoch) {
      QVERIFY(!epochs.isComplete());
      epochs.endEpoch(session_->model());
    }
    QVERIFY(epochs.isComplete());
    patience.stopping->offer(1.0);
    patience.stopping->offer(1.0);
    QVERIFY(!patience.isComplete());
    patience.stopping->offer(1.0);
    QVERIFY(patience.isComplete());
  }

  void aManifestCarriesAllOfIt() {
    TrainingProgress progress(spec(), session_->model());
    step(progress, 4.0);
    experiment::EpochSummary summary = progress.endEpoch(session_->model());
    summary.metrics = {{"val_loss", 0.5}};
    progress.rememberMetrics(summary);
    progress.best.offer(0.5);
    progress.stopping->offer(0.5);
    progress.stopping->offer(0.7);
    step(progress, 2.0);
    checkpoint::Manifest manifest;
    progress.writeTo(manifest, 1);
    QCOMPARE(manifest.metrics.at("val_loss"), 0.5);

    TrainingProgress restored(spec(), session_->model());
    QCOMPARE(restored.restore(manifest), 1);
    QCOMPARE(restored.step, 2);
    QCOMPARE(restored.epoch, 1);
    QCOMPARE(restored.batch, 1);
    QCOMPARE(restored.losses.loss(), 2.0);
    QCOMPARE(restored.best.best(), 0.5);
    QCOMPARE(restored.stopping->sinceBest(), 1);
    QCOMPARE(restored.trainSeconds(), 2.0);
    QVERIFY(restored.seconds() >= manifest.trainerState.at("seconds").get<double>());
    checkpoint::Manifest again;
    restored.writeTo(again, 1);
    for (const char* key : {"tracker", "time_use", "best", "stopping_best", "stopping_since",
                            "train_seconds", "epoch_train_seconds"})
      QVERIFY2(again.trainerState.at(key) == manifest.trainerState.at(key), key);
  }

  void whatWasBestByOtherRulesIsNoMeasure() {
    TrainingProgress progress(spec(), session_->model()), restored(spec(), session_->model());
    progress.best.offer(0.5);
    progress.stopping->offer(0.5);
    progress.stopping->offer(0.7);
    checkpoint::Manifest manifest;
    progress.writeTo(manifest, 1);
    manifest.trainerState.erase("metric_rules");  // as builds before them wrote it
    QCOMPARE(restored.restore(manifest), 1);
    QVERIFY(std::isnan(restored.best.best()));
    QCOMPARE(restored.stopping->sinceBest(), 0);
  }

  void whatWasNeverMeasuredStaysSo() {
    TrainingProgress progress(spec(), session_->model()), restored(spec(), session_->model());
    checkpoint::Manifest manifest;
    progress.writeTo(manifest, -1);
    QVERIFY(manifest.trainerState.at("best").is_null());
    restored.restore(manifest);
    QVERIFY(std::isnan(restored.best.best()));
  }
};

QTEST_GUILESS_MAIN(TrainingProgressTest)
#include "training_progress_test.moc"
