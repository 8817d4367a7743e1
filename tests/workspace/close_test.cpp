// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/base/clock.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;

/// A program may end at any moment of a run: while data are imported, between steps, within a checkpoint.
class CloseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // The moments are spread over a run and a little beyond its end.
  void closeAtAnyTime() {
    testing::TemporaryWorkspace workspace;
    experiment::Experiment experiment = testing::smallSample();
    experiment.training.epochs = 40;
    experiment.training.checkpoints.every = 1;
    const Stopwatch watch;
    QCOMPARE(workspace.train(experiment).state, RunState::kFinished);
    const double runSeconds = watch.seconds();
    // As many rounds as fit into a few seconds, on a slow build too.
    constexpr double kBudgetSeconds = 8.0, kBeyondTheEnd = 1.2;
    const int rounds = std::clamp(static_cast<int>(kBudgetSeconds / runSeconds), 10, 200);
    int recorded = 0;
    for (int round = 0; round < rounds; ++round) {
      auto run = workspace->start(experiment, {.recipe = "sample", .threads = 1 + round % 2});
      QVERIFY2(run.ok(), run ? "" : run.error().text().c_str());
      const std::string id = (*run)->id();
      std::this_thread::sleep_for(
          std::chrono::duration<double>(kBeyondTheEnd * runSeconds * round / (rounds - 1)));
      // The handle of the run, then the workspace: what a closing program lets go.
      run->reset();
      workspace.workspace.reset();
      workspace.workspace = workspace.open();
      QVERIFY(workspace.workspace);
      const auto record = workspace->store().find(id);
      // A run that was stopped before it was recorded leaves nothing.
      if (!record.ok()) {
        QCOMPARE(record.error().code, ErrorCode::kNotFound);
        continue;
      }
      ++recorded;
      QVERIFY2(record->state == RunState::kStopped || record->state == RunState::kFinished,
               qPrintable(
                   QString("round %1: state %2").arg(round).arg(static_cast<int>(record->state))));
    }
    QVERIFY(recorded > 0);
    for (const std::string& warning : workspace.warnings) qWarning("%s", warning.c_str());
    QVERIFY(workspace.warnings.empty());
  }
};

QTEST_GUILESS_MAIN(CloseTest)
#include "close_test.moc"
