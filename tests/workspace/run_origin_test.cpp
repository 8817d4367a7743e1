// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/run_origin.h"

#include <QtTest>

#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::Experiment;
using Position = train::TrainingProgress::EpochPosition;

/// The origin that a document gives a run, on a workspace with one run of checkpoints 10 and 20.
class RunOriginTest : public QObject {
  Q_OBJECT

  testing::TemporaryWorkspace workspace_;
  workspace::Shared shared_;
  Experiment trained_;
  std::string run_;

  [[nodiscard]] Experiment forkOf(const std::string& run,
                                  std::optional<std::int64_t> step = std::nullopt) const {
    Experiment experiment = trained_;
    experiment.training.fork = experiment::Fork{run, step};
    experiment.training.epochs = 4;
    return experiment;
  }

 private Q_SLOTS:
  void initTestCase() {
    trained_ = testing::smallSample();
    trained_.training.checkpoints.every = 10;
    const workspace::RunOutcome outcome = workspace_.train(trained_);
    QVERIFY2(outcome.state == experiment::RunState::kFinished,
             outcome.error ? outcome.error->text().c_str() : "");
    run_ = outcome.runId;
    shared_.onWarning = [](const std::string&) {};
    shared_.folder = workspace_.folder.path().toStdString();
    auto store = store::RunStore::open(shared_.folder / "parapet.db", {});
    QVERIFY2(store.ok(), store ? "" : store.error().text().c_str());
    shared_.store = std::move(store).value();
  }

  void aDocumentThatNamesNothingHasNone() {
    Experiment experiment = trained_;
    const auto origin = openOrigin(shared_, experiment);
    QVERIFY(origin.ok() && origin->empty());
    QVERIFY(checkOrigin(shared_, experiment, {}).empty());
  }

  // So that the document means the same checkpoint when it is read again, whatever was trained since.
  void namesBecomeWholeIdsAndSteps() {
    const auto steps = checkpoint::list(shared_.checkpointFolder(run_));
    QVERIFY(steps.size() > 1);
    for (const auto& step : {std::optional<std::int64_t>(), std::optional(steps.front().step)}) {
      Experiment experiment = forkOf(run_.substr(0, 8), step);
      experiment.tables[0].warmStart =
          experiment::WarmStart{.run = run_.substr(0, 8), .step = step};
      const auto origin = openOrigin(shared_, experiment);
      QVERIFY2(origin.ok(), origin ? "" : origin.error().text().c_str());
      const std::int64_t expected = step.value_or(steps.back().step);
      QCOMPARE(experiment.training.fork->run, run_);
      QCOMPARE(experiment.training.fork->step, std::optional(expected));
      QCOMPARE(experiment.tables[0].warmStart->run, run_);
      QCOMPARE(experiment.tables[0].warmStart->step, std::optional(expected));
      QCOMPARE(origin->fork->checkpoint.manifest().step, expected);
      QCOMPARE(origin->tables.at(0).checkpoint.manifest().step, expected);
    }
  }

  void whatIsNotThereIsRefusedAtItsPointer_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    QTest::newRow("run") << "run"
                         << "/training/fork/run"
                         << "unique prefix";
    QTest::newRow("step") << "step"
                          << "/training/fork/step"
                          << "a step that has one: ";
    QTest::newRow("epochs") << "epochs"
                            << "/training/epochs"
                            << "nothing is left to train";
    QTest::newRow("table") << "table"
                           << "/tables/1/warm_start/run"
                           << "unique prefix";
    QTest::newRow("weights") << "weights"
                             << "/model/weights"
                             << "nowhere";
  }
  // Origins are refused before a run is started, without opening a checkpoint.
  void whatIsNotThereIsRefusedAtItsPointer() {
    QFETCH(QString, part);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    Experiment experiment = part == "table" || part == "weights" ? trained_ : forkOf(run_);
    if (part == "run") experiment.training.fork->run = "ffffffffffff";
    if (part == "step") experiment.training.fork->step = 3;
    if (part == "epochs") experiment.training.epochs = 2;
    if (part == "table") experiment.tables[1].warmStart = experiment::WarmStart{"ffffffffffff"};
    if (part == "weights") experiment.model.weights = "nowhere";
    const auto problems = checkOrigin(shared_, experiment, {});
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(problems[0].pointer), pointer);
    const auto origin = openOrigin(shared_, experiment);
    QVERIFY(!origin.ok());
    QCOMPARE(origin.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(origin.error().pointer), pointer);
    QVERIFY2(QString::fromStdString(origin.error().message).contains(says),
             origin.error().message.c_str());
  }

  void onlyWhatOrdersTheBatchesBeginsTheEpochAgain_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("keeps");
    QTest::newRow("nothing") << "/training/epochs"
                             << "9" << true;
    QTest::newRow("rate") << "/optimizer/learning_rate"
                          << "0.5" << true;
    QTest::newRow("devices of a fixed batch") << "/mesh/devices"
                                              << "[\"cpu*2\"]" << true;
    QTest::newRow("batch") << "/dataset/batch/size"
                           << "25" << false;
    QTest::newRow("seed") << "/training/seed"
                          << "99" << false;
    QTest::newRow("loss") << "/loss/kind"
                          << "bpr" << false;
    QTest::newRow("split") << "/dataset/split/seed"
                           << "99" << false;
  }
  void onlyWhatOrdersTheBatchesBeginsTheEpochAgain() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(bool, keeps);
    Experiment fork = forkOf(run_);
    const auto origin = openOrigin(shared_, fork);
    QVERIFY(origin.ok());
    nlohmann::json document(experiment::toJson(trained_));
    QVERIFY(experiment::setPointer(document, pointer.toStdString(), value.toStdString()).ok());
    const experiment::Parsed parsed = experiment::parse(document);
    const auto dataset = workspace_->importData(trained_, {});
    QVERIFY(dataset.ok());
    QCOMPARE(forkPosition(parsed.experiment, *dataset->dataset, *origin->fork),
             keeps ? Position::kKeep : Position::kEpochStart);
  }
};

QTEST_GUILESS_MAIN(RunOriginTest)
#include "run_origin_test.moc"
