// SPDX-License-Identifier: Apache-2.0
// A rank fails in the middle of a step: the run ends within the time-out and says who, its last
// checkpoint is good, and this process trains on.
#include <QtTest>

#include "engine/mesh/plugin_communicator.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;

namespace {

constexpr const char* kDeviceFault = "PARAPET_EMULATED_FAULT";
constexpr const char* kPeerFault = "PARAPET_SAMPLE_COMMUNICATOR_FAULT";
// Longer than any run takes here: what ends it is the fault.
constexpr std::chrono::minutes kPatience{1};

/// Sets a variable in the second epoch of a run, hence in the middle of a step of it.
class FaultySink final : public experiment::RunSink {
 public:
  FaultySink(const char* variable, const char* fault) : variable_(variable), fault_(fault) {}
  void onEvent(const std::string&, const experiment::RunEvent& event) override {
    if (const auto* ended = std::get_if<experiment::RunEnded>(&event)) end = *ended;
  }
  void onStep(const std::string&, const experiment::StepPoint& point) override {
    if (point.epoch == 2 && point.step % 3 == 0) qputenv(variable_, fault_);
  }
  std::optional<experiment::RunEnded> end;

 private:
  const char* variable_;
  const char* fault_;
};

experiment::Experiment sampleOn(std::vector<std::string> devices) {
  experiment::Experiment experiment = testing::smallSample();
  experiment.mesh.devices = std::move(devices);
  experiment.training.epochs = 4;
  experiment.training.checkpoints.every = 1;
  return experiment;
}

}  // namespace

class RanksTest : public QObject {
  Q_OBJECT

  /// Trains into a fault, and asks for what must hold then.
  static void endsWith(testing::TemporaryWorkspace& place, const experiment::Experiment& experiment,
                       const char* variable, const char* fault, ErrorCode code,
                       const std::string& rank, const std::string& reason) {
    FaultySink sink(variable, fault);
    auto run = place->start(experiment, {.recipe = "sample", .threads = 2, .sink = &sink});
    QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
    const auto outcome = (*run)->wait(kPatience);
    qunsetenv(variable);
    QVERIFY(outcome);
    QCOMPARE(outcome->state, RunState::kFailed);
    QVERIFY(outcome->error);
    const std::string text = outcome->error->text();
    QVERIFY2(text.find(rank) != std::string::npos, text.c_str());
    QVERIFY2(text.find(reason) != std::string::npos, text.c_str());
    QCOMPARE(outcome->error->code, code);
    QVERIFY(sink.end && sink.end->state == RunState::kFailed && sink.end->error);
    QCOMPARE(place->store().find(outcome->runId)->state, RunState::kFailed);

    const auto checkpoints = place->verifyCheckpoints(outcome->runId, {});
    QVERIFY(checkpoints.ok());
    QCOMPARE(checkpoints->size(), std::size_t{1});
    QVERIFY2(checkpoints->front().ok, checkpoints->front().message.c_str());
    auto resumed = place->resume(outcome->runId, {});
    QVERIFY2(resumed.ok(), resumed.ok() ? "" : resumed.error().text().c_str());
    const workspace::RunOutcome end = (*resumed)->wait();
    QVERIFY2(end.state == RunState::kFinished, end.error ? end.error->text().c_str() : "");
    QCOMPARE(end.epochs.size(), std::size_t{4});
  }

  static std::unique_ptr<workspace::Workspace> openWithSample(const QTemporaryDir& folder) {
    return workspace::Workspace::open(
               folder.path().toStdString(), {},
               mesh::communicatorsNamed("sample", mesh::communicatorPlugins()).value())
        .value();
  }

 private Q_SLOTS:
  void cleanup() {
    qunsetenv(kDeviceFault);
    qunsetenv(kPeerFault);
  }

  void aDeviceFaultEndsTheRun_data() {
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<QByteArray>("rank");
    QTest::addColumn<QByteArray>("reason");
    QTest::addRow("device_lost") << QByteArray("lost:1:5") << QByteArray("rank 1 (emu:1)")
                                 << QByteArray("the device is lost");
    QTest::addRow("rank_throws") << QByteArray("fails:2:5") << QByteArray("rank 2 (emu:2)")
                                 << QByteArray("the device has thrown");
    QTest::addRow("rank_hangs") << QByteArray("hangs:1:5") << QByteArray("rank 1 (emu:1)")
                                << QByteArray("has not answered within 1500 ms");
    QTest::addRow("the first rank hangs")
        << QByteArray("hangs:0:7") << QByteArray("rank 0 (emu:0)") << QByteArray("1500 ms");
  }
  void aDeviceFaultEndsTheRun() {
    QFETCH(QByteArray, fault);
    QFETCH(QByteArray, rank);
    QFETCH(QByteArray, reason);
    testing::TemporaryWorkspace place;
    endsWith(place, sampleOn({"emu:0", "emu:1", "emu:2"}), kDeviceFault, fault.constData(),
             ErrorCode::kDevice, rank.toStdString(), reason.toStdString());
  }

  // The process trains no more on it, and its checkpoint can be asked all the same.
  void aCheckpointIsAskedWhenItsDeviceIsLost() {
    testing::TemporaryWorkspace place;
    FaultySink sink(kDeviceFault, "lost:0:5");
    auto run = place->start(sampleOn({"emu:0"}), {.recipe = "sample", .threads = 2, .sink = &sink});
    QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
    const auto outcome = (*run)->wait(kPatience);
    QVERIFY(outcome);
    QCOMPARE(outcome->state, RunState::kFailed);
    const auto lost = place->evaluate(outcome->runId, {}, {});
    QVERIFY2(lost.ok(), lost.ok() ? "" : lost.error().text().c_str());
    QCOMPARE(lost->warnings.size(), std::size_t{1});
    QVERIFY2(lost->warnings[0].find("cpu*1 answers in the place of emu:0") != std::string::npos,
             lost->warnings[0].c_str());
    std::vector<std::string> warnings;
    const auto recommender = place->recommender(outcome->runId, {}, &warnings, {});
    QVERIFY2(recommender.ok(), recommender.ok() ? "" : recommender.error().text().c_str());
    qunsetenv(kDeviceFault);
    const auto found = place->evaluate(outcome->runId, {}, {});
    QVERIFY(found.ok() && found->warnings.empty());
    QVERIFY(!found->metrics.empty());
    for (std::size_t i = 0; i < found->metrics.size(); ++i)
      QVERIFY2(std::abs(lost->metrics[i].second - found->metrics[i].second) < 1e-5,
               found->metrics[i].first.c_str());
  }

  // One device: nothing is exchanged, and the results of the step are waited for.
  void aLoneDeviceHangs() {
    testing::TemporaryWorkspace place;
    endsWith(place, sampleOn({"emu:0"}), kDeviceFault, "hangs:0:3", ErrorCode::kDevice,
             "rank 0 (emu:0)", "has not answered within 1500 ms");
  }

  void aPeerFaultEndsTheRun_data() {
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<QByteArray>("reason");
    QTest::addRow("silent") << QByteArray("silent:1:1") << QByteArray("it was silent for 1500 ms");
    QTest::addRow("fails") << QByteArray("fails:1:1") << QByteArray("it closed its connection");
  }
  void aPeerFaultEndsTheRun() {
    QFETCH(QByteArray, fault);
    QFETCH(QByteArray, reason);
    testing::TemporaryWorkspace place;
    place.workspace.reset();
    place.workspace = openWithSample(place.folder);
    experiment::Experiment experiment = sampleOn({"cpu*2"});
    experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
    endsWith(place, experiment, kPeerFault, fault.constData(), ErrorCode::kPeer, "rank 1 (cpu:1)",
             reason.toStdString());
  }

  // The communicator of a plugin trains the bits of that of this process.
  void aPluginTrainsTheSame() {
    experiment::Experiment experiment = sampleOn({"cpu*3"});
    experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
    testing::TemporaryWorkspace here, there;
    there.workspace.reset();
    there.workspace = openWithSample(there.folder);
    const workspace::RunOutcome local = here.train(experiment), plugin = there.train(experiment);
    QCOMPARE(local.state, RunState::kFinished);
    QCOMPARE(plugin.state, RunState::kFinished);
    for (std::size_t epoch = 0; epoch < local.epochs.size(); ++epoch)
      QCOMPARE(plugin.epochs.at(epoch).loss, local.epochs[epoch].loss);
  }
};

QTEST_GUILESS_MAIN(RanksTest)
#include "ranks_test.moc"
