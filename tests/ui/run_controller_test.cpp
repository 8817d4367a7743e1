// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_controller.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/test_bench.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;

namespace {

constexpr int kLongMs = 60'000;
/// More epochs than any test waits for.
constexpr int kEndless = 100'000;

bool reaches(TestBench& bench, RunState state) {
  return QTest::qWaitFor([&] { return bench.runs.state() == state; }, kLongMs);
}

}  // namespace

class RunControllerTest : public QObject {
  Q_OBJECT

 private slots:
  void tellsStartProgressAndEnd() {
    TestBench bench;
    QSignalSpy started(&bench.runs, &RunController::started);
    QSignalSpy ended(&bench.runs, &RunController::ended);
    QSignalSpy progressed(&bench.runs, &RunController::progressChanged);
    const QString run = bench.train(3);
    QVERIFY(!run.isEmpty());
    QCOMPARE(started.size(), 1);
    QCOMPARE(ended.size(), 1);
    QCOMPARE(ended.front().at(0).toString(), run);
    QCOMPARE(ended.front().at(1).value<RunState>(), RunState::kFinished);
    QVERIFY(ended.front().at(2).toString().isEmpty());
    QVERIFY(progressed.size() >= 3);
    QCOMPARE(bench.runs.progress().done, bench.runs.progress().total);
    QCOMPARE(bench.runs.progress().epochs, 3);
    QVERIFY(bench.runs.handle() == nullptr);
    QCOMPARE(bench.workspace->store().find(run.toStdString())->epochs, 3);
  }

  void stepsWhilePausedOneAtATime() {
    TestBench bench;
    bench.runs.start(sampleExperiment(kEndless), "sample");
    QVERIFY(reaches(bench, RunState::kRunning));
    bench.runs.pause();
    QVERIFY(reaches(bench, RunState::kPaused));
    // Steps are told before the pause that follows them.
    const std::int64_t before = bench.runs.progress().done;
    for (std::int64_t steps = 1; steps <= 2; ++steps) {
      bench.runs.step();
      QVERIFY(
          QTest::qWaitFor([&] { return bench.runs.progress().done >= before + steps; }, kLongMs));
      QCOMPARE(bench.runs.progress().done, before + steps);
    }
    bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    QCOMPARE(bench.runs.state(), RunState::kStopped);
    // Neither the pause nor a step trained more than was asked for.
    QCOMPARE(bench.workspace->store().find(bench.runs.runId().toStdString())->steps, before + 2);
  }

  void goesOnAfterAPause() {
    TestBench bench;
    bench.runs.start(sampleExperiment(kEndless), "sample");
    QVERIFY(reaches(bench, RunState::kRunning));
    bench.runs.pause();
    QVERIFY(reaches(bench, RunState::kPaused));
    const std::int64_t before = bench.runs.progress().done;
    bench.runs.resume();
    QVERIFY(reaches(bench, RunState::kRunning));
    QVERIFY(QTest::qWaitFor([&] { return bench.runs.progress().done > before + 1; }, kLongMs));
    bench.runs.stop();
    QVERIFY(reaches(bench, RunState::kStopped));
  }

  void resumesAStoppedRunUnderItsId() {
    TestBench bench;
    bench.runs.start(sampleExperiment(kEndless), "sample");
    QVERIFY(QTest::qWaitFor([&] { return bench.runs.progress().epoch >= 2; }, kLongMs));
    bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    const QString run = bench.runs.runId();
    const std::int64_t done = bench.runs.progress().done;
    QSignalSpy started(&bench.runs, &RunController::started);
    bench.runs.resumeRun(run);
    QVERIFY(bench.runs.active());
    QVERIFY(QTest::qWaitFor([&] { return bench.runs.progress().done > done; }, kLongMs));
    QCOMPARE(started.size(), 1);
    QCOMPARE(bench.runs.runId(), run);
    bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    QCOMPARE(bench.workspace->store().runs()->size(), std::size_t{1});
  }

  void refusesASecondRunAndKeepsTheFirst() {
    TestBench bench;
    bench.runs.start(sampleExperiment(kEndless), "sample");
    const QString first = bench.runs.runId();
    QSignalSpy failed(&bench.runs, &RunController::failed);
    bench.runs.start(sampleExperiment(1), "sample");
    QCOMPARE(failed.size(), 1);
    QVERIFY(bench.runs.active());
    QCOMPARE(bench.runs.runId(), first);
  }

  void saysWhatIsWrongBeforeAnythingStarts() {
    TestBench bench;
    nlohmann::json document =
        experiment::parseJson(experiment::findRecipe("movielens-retrieval")->text).value();
    document["dataset"]["path"] = "/nowhere/ml-100k";
    QSignalSpy failed(&bench.runs, &RunController::failed);
    QSignalSpy ended(&bench.runs, &RunController::ended);
    bench.runs.start(experiment::parse(document).experiment, "file");
    QVERIFY(QTest::qWaitFor([&] { return failed.size() + ended.size() > 0; }, kLongMs));
    QVERIFY(!bench.runs.active());
    const QString said = failed.isEmpty()
                             ? ended.front().at(2).toString()
                             : QString::fromStdString(failed.front().at(0).value<Error>().text());
    QVERIFY2(said.contains("/nowhere/ml-100k"), qPrintable(said));
  }

  void aRunWhoseImportFailsIsNone() {
    TestBench bench;
    const QString before = bench.train(1);
    QFile rows(bench.folder.path() + "/rows.csv");
    QVERIFY(rows.open(QIODevice::WriteOnly));
    rows.write("user,item\n1,2\n2,3\n");
    rows.close();
    nlohmann::json document = sampleDocument(1);
    document["dataset"] = {
        {"source", "csv"},
        {"path", rows.fileName().toStdString()},
        {"columns",
         {{{"name", "user"}, {"role", "user"}},
          {{"name", "item"}, {"role", "item"}, {"from", "no such column"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"batch", {{"size", 1}}}};
    document["loss"] = {{"kind", "in_batch_softmax"}};
    QSignalSpy failed(&bench.runs, &RunController::failed);
    QSignalSpy ended(&bench.runs, &RunController::ended);
    QSignalSpy started(&bench.runs, &RunController::started);
    bench.runs.start(experiment::parse(document).experiment, "file");
    QVERIFY(QTest::qWaitFor([&] { return !failed.empty(); }, kLongMs));
    QCOMPARE(failed.size(), 1);
    QVERIFY(!failed.front().at(0).value<Error>().pointer.empty());
    QCOMPARE(ended.size(), 0);
    QCOMPARE(started.size(), 1);
    QVERIFY(started.front().front().toString() != before);
    QVERIFY(!bench.runs.active());
    // No id is left that the store does not know.
    QCOMPARE(bench.runs.runId(), before);
    QCOMPARE(bench.runs.state(), RunState::kFinished);
    QCOMPARE(bench.workspace->store().runs()->size(), std::size_t{1});
  }

  void refusesToResumeARunThatIsNotThere() {
    TestBench bench;
    QSignalSpy failed(&bench.runs, &RunController::failed);
    bench.runs.resumeRun("0123456789ab");
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.front().at(0).value<Error>().code, ErrorCode::kNotFound);
    QVERIFY(!bench.runs.active());
  }

  void givesAModelToBrowseWhileItTrains() {
    TestBench bench;
    bench.runs.start(sampleExperiment(kEndless), "sample");
    QVERIFY(reaches(bench, RunState::kRunning));
    std::shared_ptr<const retrieval::Recommender> got;
    connect(&bench.runs, &RunController::recommenderReady, this,
            [&](const QString&, std::shared_ptr<const retrieval::Recommender> recommender) {
              got = std::move(recommender);
            });
    QVERIFY(bench.runs.requestRecommender());
    QVERIFY(!bench.runs.requestRecommender());
    QVERIFY(QTest::qWaitFor([&] { return got != nullptr; }, kLongMs));
    const std::vector<std::string> users = got->randomUsers(1, 1);
    const auto lists = got->recommend(users, 5, retrieval::SeenItems::kKeep);
    QVERIFY(lists.ok());
    QCOMPARE(lists->front().items.size(), std::size_t{5});
    QVERIFY(bench.runs.requestRecommender());
  }

  void joinsWhenItIsDestroyedDuringARun() {
    TestBench bench;
    std::string run;
    {
      RunController runs(*bench.workspace, bench.bridge);
      runs.start(sampleExperiment(kEndless), "sample");
      QVERIFY(QTest::qWaitFor([&] { return runs.state() == RunState::kRunning; }, kLongMs));
      run = runs.runId().toStdString();
    }
    QCOMPARE(bench.workspace->store().find(run)->state, RunState::kStopped);
  }
};

QTEST_MAIN(RunControllerTest)
#include "run_controller_test.moc"
