// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <tuple>

#include "engine/checkpoint/checkpoint.h"
#include "engine/train/trainer.h"
#include "tests/train/make_session.h"
#include "tests/workspace/same_tensors.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::Placement;
using experiment::RunState;

/// A run that was interrupted ends with the bits it would have had without.
class ResumeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resumeIsExact_data();
  void resumeIsExact();
  void aStopInAValidationLeavesNoTrace_data();
  void aStopInAValidationLeavesNoTrace();
  void resumesOnOtherDevices();
  void checkpointsLoadUnderOtherPlacements_data();
  void checkpointsLoadUnderOtherPlacements();
  void theCurveIsKeptBeforeTheCheckpoint();
  void earlyStoppingCountsTheEpochOfItsCheckpoint();
  void resumeFallsBackFromACorruptCheckpoint();
  void aStopWhileTheCheckpointIsVerifiedStartsNothing();
  void aRunThatIsOverOnlyTellsItsOutcome();
  void aLivingRunIsNotResumedTwice();
};

void ResumeTest::resumeIsExact_data() {
  QTest::addColumn<int>("stopAfter");
  QTest::addColumn<QString>("optimizer");
  for (const QString optimizer : {"adagrad", "adam"})
    for (const int steps : {0, 1, 4, 10, 13, 19})  // 10 steps an epoch, 20 in all
      QTest::addRow("%s, stopped after %d steps", qPrintable(optimizer), steps)
          << steps << optimizer;
}

void ResumeTest::resumeIsExact() {
  QFETCH(int, stopAfter);
  QFETCH(QString, optimizer);
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  if (optimizer == "adam") {
    experiment.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
    experiment.dataset.batch.cache = false;
  }
  const workspace::RunOutcome straight = place.train(experiment);
  QCOMPARE(straight.state, RunState::kFinished);
  QCOMPARE(straight.steps, 20);

  testing::RecordingSink sink;
  auto run = place->start(experiment, {.threads = 1, .sink = &sink, .paused = true});
  QVERIFY(run.ok());
  // Before that there is no run to resume.
  QTRY_VERIFY(!sink.all<experiment::RunStarted>().empty());
  for (int step = 0; step < stopAfter; ++step) (*run)->step();
  QTRY_COMPARE(sink.steps().size(), static_cast<std::size_t>(stopAfter));
  (*run)->stop();
  const workspace::RunOutcome stopped = (*run)->wait();
  QCOMPARE(stopped.state, RunState::kStopped);
  QCOMPARE(stopped.steps, stopAfter);

  auto resumed = place->resume(stopped.runId, {.threads = 1});
  QVERIFY2(resumed.ok(), resumed ? "" : resumed.error().text().c_str());
  const workspace::RunOutcome ended = (*resumed)->wait();
  QCOMPARE(ended.state, RunState::kFinished);
  QCOMPARE(ended.runId, stopped.runId);
  QCOMPARE(ended.steps, 20);
  QCOMPARE(ended.epochs.size(), std::size_t{2});
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    QCOMPARE(ended.epochs[epoch].loss, straight.epochs[epoch].loss);
    QCOMPARE(ended.epochs[epoch].lossAsDisplayed, straight.epochs[epoch].lossAsDisplayed);
    QCOMPARE(ended.epochs[epoch].metrics, straight.epochs[epoch].metrics);
  }
  testing::compareTensors(straight.checkpoint, ended.checkpoint);
}

void ResumeTest::aStopInAValidationLeavesNoTrace_data() {
  QTest::addColumn<QString>("stage");
  QTest::addColumn<int>("epochs");  // that are recorded at the stop
  for (const QString stage : {"measuring losses", "measuring lists"})
    for (const int epochs : {0, 1})
      QTest::addRow("%s, epoch %d", qPrintable(stage), epochs + 1) << stage << epochs;
  // The test is measured after the last epoch.
  QTest::newRow("losses of the test") << "measuring losses" << 2;
}

void ResumeTest::aStopInAValidationLeavesNoTrace() {
  QFETCH(QString, stage);
  QFETCH(int, epochs);
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.checkpoints.every = 1;
  const workspace::RunOutcome straight = place.train(experiment);
  QCOMPARE(straight.state, RunState::kFinished);
  QVERIFY(!straight.testMetrics.empty());

  testing::RecordingSink sink;
  std::promise<workspace::RunHandle*> started;
  workspace::RunOptions options{.threads = 1, .sink = &sink};
  options.progress = [&, handle = started.get_future().share()](std::string_view at, auto, auto) {
    if (at == stage.toStdString() &&
        sink.all<experiment::EpochEnded>().size() == static_cast<std::size_t>(epochs))
      handle.get()->stop();
  };
  auto run = place->start(experiment, std::move(options));
  if (!run) started.set_value(nullptr);
  QVERIFY(run.ok());
  started.set_value(run->get());
  const workspace::RunOutcome stopped = (*run)->wait();
  QCOMPARE(stopped.state, RunState::kStopped);
  QCOMPARE(stopped.epochs.size(), static_cast<std::size_t>(epochs));
  QCOMPARE(stopped.steps, epochs == 0 ? 10 : 20);
  QVERIFY(!stopped.checkpoint.empty());
  QVERIFY(stopped.testMetrics.empty());

  auto resumed = place->resume(stopped.runId, {.threads = 1});
  QVERIFY2(resumed.ok(), resumed ? "" : resumed.error().text().c_str());
  const workspace::RunOutcome ended = (*resumed)->wait();
  QCOMPARE(ended.state, RunState::kFinished);
  QCOMPARE(ended.epochs.size(), straight.epochs.size());
  for (std::size_t epoch = 0; epoch < ended.epochs.size(); ++epoch) {
    QCOMPARE(ended.epochs[epoch].step, straight.epochs[epoch].step);
    QCOMPARE(ended.epochs[epoch].loss, straight.epochs[epoch].loss);
    QCOMPARE(ended.epochs[epoch].metrics, straight.epochs[epoch].metrics);
  }
  QCOMPARE(ended.testMetrics, straight.testMetrics);
  testing::compareTensors(straight.checkpoint, ended.checkpoint);
  const auto rowsOf = [&](const std::string& id) {
    std::vector<std::tuple<std::int64_t, std::int64_t, bool>> rows;
    const auto checkpoints = place->store().checkpoints(id);
    if (!checkpoints) throw InternalError(checkpoints.error().text());
    for (const auto& row : *checkpoints) rows.emplace_back(row.step, row.epoch, row.best);
    return rows;
  };
  QCOMPARE(rowsOf(ended.runId), rowsOf(straight.runId));
}

// A run of one device is stopped in the middle of an epoch and goes on on three: the weights are those
// of the checkpoint to the bit, the losses those of a run without interruption within rounding.
void ResumeTest::resumesOnOtherDevices() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.model.query = {experiment::Layer{.units = 8},
                            experiment::Layer{.units = experiment.tables[0].embeddingDim}};
  const workspace::RunOutcome straight = place.train(experiment);
  QCOMPARE(straight.state, RunState::kFinished);
  const auto stepsOf = [&](const std::string& run) {
    std::map<std::int64_t, double> losses;
    const auto steps = place->store().steps(run);
    if (!steps) throw InternalError(steps.error().text());
    for (const auto& bucket : *steps) losses[bucket.lastStep] = bucket.last;
    return losses;
  };

  testing::RecordingSink sink;
  auto run = place->start(experiment, {.threads = 1, .sink = &sink, .paused = true});
  QVERIFY(run.ok());
  for (int step = 0; step < 7; ++step) (*run)->step();
  QTRY_COMPARE(sink.steps().size(), std::size_t{7});
  (*run)->stop();
  const workspace::RunOutcome stopped = (*run)->wait();
  QCOMPARE(stopped.steps, 7);

  const auto saved = checkpoint::open(stopped.checkpoint);
  QVERIFY(saved.ok());
  experiment.mesh.devices = {"cpu*3"};
  experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
  for (experiment::Table& table : experiment.tables) table.placement = Placement::kRow;
  const auto dataset = place->importData(experiment, {});
  QVERIFY(dataset.ok());
  const auto session = testing::makeSession(experiment, dataset->dataset);
  QVERIFY(session.ok() && (*session)->load(*saved).ok());
  QCOMPARE((*session)->mesh().ranks(), 3);
  for (const checkpoint::TensorView& tensor : (*session)->tensors())
    QVERIFY2(std::ranges::equal(tensor.bytes, saved->find(tensor.name)->bytes),
             tensor.name.c_str());

  const data::Split split = workspace::splitFor(experiment, *dataset->dataset).value();
  train::RunControl control;
  testing::RecordingSink resumed;
  const train::TrainerOptions options{
      .runId = stopped.runId,
      .checkpointFolder = place.folder.filePath("other").toStdString(),
      .resumeFrom = *saved};
  const train::TrainerResult ended =
      train::train(**session, experiment, split, options, control, resumed);
  QCOMPARE(ended.state, RunState::kFinished);
  QCOMPARE(ended.steps, 20);
  const auto steps = resumed.steps();
  QCOMPARE(steps.size(), std::size_t{13});
  QVERIFY(place->store().flush().ok());
  const auto expected = stepsOf(straight.runId);
  for (const experiment::StepPoint& point : steps)
    QVERIFY2(std::abs(point.loss - expected.at(point.step)) <= 1e-5 * expected.at(point.step),
             std::to_string(point.step).c_str());
}

void ResumeTest::checkpointsLoadUnderOtherPlacements_data() {
  QTest::addColumn<experiment::Placement>("written");
  using enum experiment::Placement;
  for (const auto& [name, placement] :
       std::initializer_list<std::pair<const char*, Placement>>{{"replicated", kReplicated},
                                                                {"row", kRow},
                                                                {"row block", kRowBlock},
                                                                {"column", kColumn},
                                                                {"table", kTable}})
    QTest::newRow(name) << placement;
}

void ResumeTest::checkpointsLoadUnderOtherPlacements() {
  QFETCH(experiment::Placement, written);
  using enum experiment::Placement;
  testing::TemporaryWorkspace place;
  const auto placed = [](Placement placement, const char* devices) {
    experiment::Experiment experiment = testing::smallSample();
    experiment.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
    experiment.mesh.devices = {devices};
    experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
    for (experiment::Table& table : experiment.tables) table.placement = placement;
    return experiment;
  };
  const workspace::RunOutcome run = place.train(placed(written, "cpu*3"));
  QCOMPARE(run.state, RunState::kFinished);
  const auto checkpoint = checkpoint::open(run.checkpoint);
  QVERIFY(checkpoint.ok());
  const auto dataset = place->importData(placed(written, "cpu*3"), {});
  QVERIFY(dataset.ok());
  for (const Placement other : {kReplicated, kRow, kRowBlock, kColumn, kTable}) {
    const auto session = testing::makeSession(placed(other, "cpu*5"), dataset->dataset);
    QVERIFY(session.ok());
    QVERIFY((*session)->load(*checkpoint).ok());
    for (const checkpoint::TensorView& tensor : (*session)->tensors()) {
      const checkpoint::TensorView* from = checkpoint->find(tensor.name);
      QVERIFY2(from && std::ranges::equal(tensor.bytes, from->bytes), tensor.name.c_str());
    }
  }
}

// Killed at any moment, a run goes on from a checkpoint; the epochs before it must be recorded.
void ResumeTest::theCurveIsKeptBeforeTheCheckpoint() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.checkpoints.every = 1;
  std::vector<std::size_t> recorded;
  sink.hook = [&](const experiment::RunEvent& event) {
    if (std::holds_alternative<experiment::CheckpointWritten>(event))
      recorded.push_back(place->store().epochs(place->store().runs()->front().id)->size());
  };
  auto run = place->start(experiment, {.threads = 1, .sink = &sink});
  QVERIFY(run.ok());
  QCOMPARE((*run)->wait().state, RunState::kFinished);
  QCOMPARE(recorded, (std::vector<std::size_t>{1, 2}));
}

void ResumeTest::earlyStoppingCountsTheEpochOfItsCheckpoint() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.epochs = 50;
  experiment.optimizer.learningRate = 1e-7;  // nothing improves by the delta
  experiment.training.earlyStopping = experiment::EarlyStopping{"val_loss", 3, 0.01};
  experiment.training.checkpoints.every = 1;
  const workspace::RunOutcome straight = place.train(experiment);
  QCOMPARE(straight.epochs.size(), std::size_t{4});
  // As if it had been killed right after its checkpoint of epoch 3.
  QVERIFY(QDir(QString::fromStdString(straight.checkpoint)).removeRecursively());
  auto resumed = place->resume(straight.runId, {.threads = 1});
  QVERIFY(resumed.ok());
  QCOMPARE((*resumed)->wait().epochs.size(), std::size_t{4});
  // And a run that was stopped early has nothing left to train.
  auto over = place->resume(straight.runId, {.threads = 1});
  QVERIFY(over.ok());
  QCOMPARE((*over)->wait().epochs.size(), std::size_t{4});
}

void ResumeTest::resumeFallsBackFromACorruptCheckpoint() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.checkpoints.every = 1;
  const workspace::RunOutcome whole = place.train(experiment);
  QFile tensors(QString::fromStdString(whole.checkpoint) + "/tensors.safetensors");
  QVERIFY(tensors.open(QFile::ReadWrite));
  QVERIFY(tensors.seek(tensors.size() - 5));
  QCOMPARE(tensors.write("x"), 1);
  tensors.close();
  auto resumed = place->resume(whole.runId, {.threads = 1});
  QVERIFY(resumed.ok());
  const workspace::RunOutcome again = (*resumed)->wait();
  QCOMPARE(again.state, RunState::kFinished);
  QVERIFY(std::any_of(place.warnings.begin(), place.warnings.end(), [](const std::string& text) {
    return text.find("ckpt-20") != std::string::npos;
  }));
  QCOMPARE(again.epochs.size(), std::size_t{2});
  QCOMPARE(again.epochs[1].loss, whole.epochs[1].loss);
}

void ResumeTest::aStopWhileTheCheckpointIsVerifiedStartsNothing() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  const workspace::RunOutcome ended = place.train(experiment);
  QCOMPARE(ended.state, RunState::kFinished);
  std::stop_source stop;
  stop.request_stop();
  const auto resumed = place->resume(ended.runId, {.threads = 1, .stop = stop.get_token()});
  QVERIFY(!resumed.ok());
  QCOMPARE(resumed.error().code, ErrorCode::kCancelled);
  experiment.training.epochs += 2;
  experiment.training.fork = experiment::Fork{ended.runId, ended.steps};
  const auto forked = place->start(experiment, {.threads = 1, .stop = stop.get_token()});
  QVERIFY(!forked.ok());
  QCOMPARE(forked.error().code, ErrorCode::kCancelled);
  const auto runs = place->store().runs();
  QVERIFY(runs.ok());
  QCOMPARE(runs->size(), std::size_t{1});
  QCOMPARE(runs->front().state, RunState::kFinished);
}

void ResumeTest::aRunThatIsOverOnlyTellsItsOutcome() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome whole = place.train(testing::smallSample());
  auto resumed = place->resume(whole.runId, {.threads = 1});
  QVERIFY(resumed.ok());
  const workspace::RunOutcome again = (*resumed)->wait();
  QCOMPARE(again.state, RunState::kFinished);
  QCOMPARE(again.steps, whole.steps);
  QCOMPARE(again.epochs.size(), whole.epochs.size());
}

void ResumeTest::aLivingRunIsNotResumedTwice() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  auto run = place->start(testing::smallSample(), {.threads = 1, .sink = &sink, .paused = true});
  QVERIFY(run.ok());
  QTRY_VERIFY(!sink.all<experiment::StateChanged>().empty());
  QVERIFY(place->store().flush().ok());
  const auto second = place->resume((*run)->id(), {});
  QVERIFY(!second.ok());
  QVERIFY2(second.error().message.find("only an ended run") != std::string::npos,
           second.error().message.c_str());
}

QTEST_GUILESS_MAIN(ResumeTest)
#include "resume_test.moc"
