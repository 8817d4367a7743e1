// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.h"

#include <unistd.h>

#include <QTemporaryFile>
#include <QtTest>
#include <functional>

using namespace parapet;
using cli::ProgressStyle;
using cli::TrainProgress;

/// Lines that the progress of a run writes to stderr.
class ProgressTest : public QObject {
  Q_OBJECT

  static QByteArray stderrOf(const std::function<void()>& act) {
    QTemporaryFile file;
    if (!file.open()) return "no temporary file";
    const int kept = ::dup(STDERR_FILENO);
    ::dup2(file.handle(), STDERR_FILENO);
    act();
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    file.seek(0);
    return file.readAll();
  }

  /// A run of two epochs of three steps.
  static void play(TrainProgress& progress) {
    experiment::RunStarted started;
    started.stepsPerEpoch = 3;
    started.totalEpochs = 2;
    progress.onEvent("r1", started);
    for (std::int64_t step = 1; step <= 6; ++step) {
      const std::int64_t epoch = (step + 2) / 3;
      progress.onStep("r1", {.step = step, .epoch = epoch, .loss = 0.5});
      if (step % 3 != 0) continue;
      experiment::EpochSummary summary;
      summary.epoch = epoch;
      summary.step = step;
      summary.loss = 0.25;
      summary.metrics = {{"val_loss", 0.125}, {"val_recall@10", 0.0625}, {"val_mrr", 0.5}};
      progress.onEvent("r1", experiment::EpochEnded{summary});
    }
  }

 private Q_SLOTS:
  void anEpochsLineHasTheChosenMetrics() {
    const QByteArray shown = stderrOf([] {
      TrainProgress progress(ProgressStyle::kLines, {"val_recall@10", "val_loss"});
      play(progress);
    });
    QVERIFY2(shown.contains("epoch 1/2  loss 0.250000  val_loss 0.125000  val_recall@10 0.062500"),
             shown.constData());
    QVERIFY2(!shown.contains("mrr"), "what was not chosen stays out");
    QCOMPARE(shown.count("val_loss"), 2);
  }

  void linesComeWithinAnEpochOnceTheTimeHasPassed() {
    const QByteArray quick = stderrOf([] {
      TrainProgress progress(ProgressStyle::kLines, {}, 1e9);
      play(progress);
    });
    QCOMPARE(quick.count(" step "), 0);  // an epoch's line ends in "ms/step"
    const QByteArray slow = stderrOf([] {
      TrainProgress progress(ProgressStyle::kLines, {}, 0.0);
      play(progress);
    });
    QVERIFY2(slow.contains("epoch 1/2 step 2/6  loss 0.5000"), slow.constData());
    QCOMPARE(slow.count(" step "), 6);
    QVERIFY2(!slow.contains('\r') && !slow.contains('\x1b'), "a file is no terminal");
  }

  void quietSaysNothing() {
    const QByteArray shown = stderrOf([] {
      TrainProgress progress(ProgressStyle::kNone, {}, 0.0);
      play(progress);
    });
    QCOMPARE(shown, QByteArray());
  }

  void otherWorkHasNoBarInAFile() {
    QVERIFY(!cli::workProgress(ProgressStyle::kNone));
    const QByteArray shown = stderrOf([] {
      const ProgressFunction progress = cli::workProgress(ProgressStyle::kLines);
      for (int done = 0; done < 100; ++done) progress("reading", done, 100);
    });
    QVERIFY2(!shown.contains('\r'), shown.constData());
  }
};

QTEST_GUILESS_MAIN(ProgressTest)
#include "progress_test.moc"
