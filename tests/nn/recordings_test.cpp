// SPDX-License-Identifier: Apache-2.0
// Steps that come again are recorded by a device and replayed; it changes no bit.
#include <QTemporaryDir>
#include <QtTest>

#include "engine/tensor/recording.h"
#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;
using experiment::OptimizerKind;
using sample::kExamples, sample::Kind;
using Ran = tensor::Recording::Ran;

namespace {

Experiment adamWithSchedule() {
  Experiment experiment = sample::ranking(experiment::LossKind::kMse);
  experiment.optimizer.kind = OptimizerKind::kAdam;
  experiment.optimizer.weightDecay = 0.01;
  experiment.optimizer.schedule =
      experiment::Schedule{.kind = experiment::ScheduleKind::kCosine, .decaySteps = 30};
  return experiment;
}

Experiment rowwise() {
  Experiment experiment = sample::plainDot(6);
  experiment.optimizer.kind = OptimizerKind::kRowwiseAdagrad;
  return experiment;
}

Experiment clipped() {
  Experiment experiment = sample::denseTowers(experiment::Activation::kGelu);
  experiment.optimizer.globalClipNorm = 0.02;
  return experiment;
}

}  // namespace

class RecordingsTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry registry_{
      {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal_.path().toStdString()), ""}};
  std::vector<Kind> kinds_ = sample::kinds();

  [[nodiscard]] mesh::DeviceMesh meshOf(const char* kind, int devices) const {
    std::vector<tensor::Device> all;
    for (int index = 0; index < devices; ++index)
      all.push_back(std::string_view(kind) == "emu"
                        ? registry_.find("emu:" + std::to_string(index)).value()
                        : tensor::hostDevice());
    return mesh::DeviceMesh::arrange(std::move(all), std::nullopt, {"data"},
                                     std::string_view(kind) == "emu"
                                         ? experiment::MemorySpaces::kShared
                                         : experiment::MemorySpaces::kSeparate)
        .value();
  }
  /// A plan with what it trains, and steps for it.
  struct Run {
    sample::Trainer trainer;
    sample::Steps steps;
    std::int64_t done = 0, replayed = 0;
    std::vector<double> losses;

    Run(const Kind& kind, mesh::DeviceMesh mesh)
        : trainer(trainerOf(kind, std::move(mesh))), steps(trainer.model, kind.extra) {
      sample::fitTransforms(trainer);
    }
    static sample::Trainer trainerOf(const Kind& kind, mesh::DeviceMesh mesh) {
      nn::Model model = sample::modelOf(kind);
      auto idsPerRow = sample::idsPerRow(model);
      return {std::move(model), std::move(mesh), 2, kExamples + kind.extra, std::move(idsPerRow)};
    }
    void step(std::size_t batch) {
      if (!trainer.plan.train(steps.input(batch), ++done).ok()) throw InternalError("a step");
      losses.push_back(trainer.loss().numerator);
      replayed += trainer.plan.times().replayed;
    }
    /// Full batches, none twice in turn.
    void fullSteps(int count) {
      for (int i = 0; i < count; ++i) step(static_cast<std::size_t>(done % (sample::kSteps - 1)));
    }
    void partialStep() { step(sample::kSteps - 1); }
    [[nodiscard]] std::vector<std::vector<float>> weights() const {
      std::vector<std::vector<float>> all;
      for (const nn::Parameter& parameter : trainer.parameters) {
        all.emplace_back(static_cast<std::size_t>(parameter.size()));
        nn::gatherRows(parameter, -1, all.back());
      }
      return all;
    }
  };
  void addKinds() const {
    QTest::addColumn<int>("kind");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      QTest::addRow("%s", kinds_[kind].name) << static_cast<int>(kind);
  }

 public:
  RecordingsTest() {
    kinds_.push_back({"Adam on a schedule, with weight decay", adamWithSchedule});
    kinds_.push_back({"row-wise Adagrad", rowwise});
    kinds_.push_back({"one norm of all gradients", clipped});
  }

 private Q_SLOTS:
  // Longer than what changes every time is recorded; a batch of another size in the middle.
  void changeNoBit_data() { addKinds(); }
  void changeNoBit() {
    QFETCH(int, kind);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    for (const int devices : {1, 2}) {
      Run host(of, meshOf("cpu", devices)), here(of, meshOf("emu", devices));
      for (Run* run : {&host, &here}) {
        run->fullSteps(5);
        run->partialStep();
        run->fullSteps(12);
      }
      QCOMPARE(here.losses, host.losses);
      QVERIFY(here.weights() == host.weights());
      QCOMPARE(host.replayed, std::int64_t{0});
      QVERIFY(here.replayed > 0);
    }
  }

  // Weights are restored in the middle and evaluated between the steps: what is replayed reads what is there.
  void readWhatHasChangedBetweenSteps_data() { addKinds(); }
  void readWhatHasChangedBetweenSteps() {
    QFETCH(int, kind);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    Run host(of, meshOf("cpu", 1)), here(of, meshOf("emu", 1));
    for (Run* run : {&host, &here}) {
      run->fullSteps(4);
      const std::vector<std::vector<float>> before = run->weights();
      run->fullSteps(2);
      sample::Trainer& trainer = run->trainer;
      nn::StepTask task = trainer.task;
      task.purpose = nn::StepPurpose::kForward;
      nn::StepRunner forward(trainer.model.graph, trainer.parameters, trainer.mesh,
                             *trainer.communicator, trainer.workers, task);
      QVERIFY(forward.forward(run->steps.input(0)).ok());
      run->losses.push_back(forward.losses()[0].numerator);
      for (std::size_t i = 0; i < before.size(); ++i)
        nn::scatterRows(run->trainer.parameters[i], -1, before[i]);
      QVERIFY(forward.forward(run->steps.input(1)).ok());
      run->losses.push_back(forward.losses()[0].numerator);
      run->fullSteps(4);
    }
    QCOMPARE(here.losses, host.losses);
    QVERIFY(here.weights() == host.weights());
    QVERIFY(here.replayed > 0);
  }

  // The first step of a plan is new, the second is seen to be the same, from then on each is replayed,
  // whatever the rows, rates and draws are.
  void replayEachFullStepFromTheThirdOn_data() {
    QTest::addColumn<int>("kind");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const std::string_view name = kinds_[kind].name;
      // Batches of sequence models have different numbers of positions.
      if (name.find("transformer") != name.npos || name.find("attention") != name.npos ||
          name.find("positions") != name.npos || name.find("classifies") != name.npos)
        continue;
      // The host must know how many clipped rows there are.
      if (name.find("norm of all") != name.npos) continue;
      QTest::addRow("%s", kinds_[kind].name) << static_cast<int>(kind);
    }
  }
  void replayEachFullStepFromTheThirdOn() {
    QFETCH(int, kind);
    Run run(kinds_[static_cast<std::size_t>(kind)], meshOf("emu", 1));
    run.fullSteps(2);
    QCOMPARE(run.replayed, std::int64_t{0});
    run.fullSteps(1);
    const std::int64_t pieces = run.replayed;
    QVERIFY(pieces > 0);
    QCOMPARE(run.trainer.plan.times().pieces, pieces);
    run.fullSteps(1);
    QCOMPARE(run.replayed, 2 * pieces);
    run.partialStep();
    QCOMPARE(run.replayed, 2 * pieces);
    run.fullSteps(3);
    QCOMPARE(run.replayed, 5 * pieces);
  }

  // A step that differs every time is recorded some times, not for ever.
  void giveUpWhatDoesNotComeAgain() {
    const tensor::Device device = registry_.find("emu:0").value();
    tensor::Buffer<float> out(device, 64);
    tensor::Recording recording(device);
    QVERIFY(recording.exists());
    const auto fill = [&](std::int64_t count) {
      tensor::run({&device, nullptr, tensor::Precision::kFp32, &recording},
                  PpFill{out.data(), count, static_cast<float>(count)});
    };
    for (std::int64_t count = 1; count <= 40; ++count) {
      fill(count);
      recording.end();
      QCOMPARE(tensor::readBack(out)[0], static_cast<float>(count));
    }
    for (int i = 0; i < 5; ++i) {
      fill(7);
      QCOMPARE(recording.end(), Ran::kEach);
    }
    QCOMPARE(tensor::readBack(out)[6], 7.0f);
  }

  // Nothing runs before the end, or if it is dropped; arrays of addresses are read when an op is called.
  void runAtTheirEnd() {
    const tensor::Device device = registry_.find("emu:0").value();
    tensor::Buffer<float> a(device, 4), b(device, 4), sum(device, 4);
    tensor::run({&device}, PpFill{a.data(), 4, 1.0f});
    tensor::run({&device}, PpFill{b.data(), 4, 2.0f});
    tensor::run({&device}, PpFill{sum.data(), 4, 0.0f});
    tensor::Recording recording(device);
    const tensor::Launch launch{&device, nullptr, tensor::Precision::kFp32, &recording};
    for (int round = 1; round <= 4; ++round) {
      std::vector<const float*> parts{a.data(), b.data()};
      tensor::run(launch, PpSumParts{.count = 4,
                                     .parts = static_cast<std::int32_t>(parts.size()),
                                     .in = parts.data(),
                                     .out = sum.data()});
      parts.assign(2, nullptr);
      const float before = round == 1 ? 0.0f : 3.0f;
      QCOMPARE(tensor::readBack(sum)[0], before);
      QCOMPARE(recording.end(), round <= 2 ? Ran::kEach : Ran::kAsOne);
      QCOMPARE(tensor::readBack(sum)[0], 3.0f);
    }
    tensor::run(launch, PpFill{sum.data(), 4, 9.0f});
    recording.drop();
    QCOMPARE(recording.end(), Ran::kNothing);
    QCOMPARE(tensor::readBack(sum)[0], 3.0f);
  }

  // The device refuses an op when the recording ends; the error is that of the op's rank.
  void aRefusedOpEndsTheStep() {
    Run run(kinds_[0], meshOf("emu", 2));
    run.fullSteps(3);
    qputenv("PARAPET_EMULATED_FAULT", "fails:1:3");
    const Status failed = run.trainer.plan.train(run.steps.input(0), 4);
    qunsetenv("PARAPET_EMULATED_FAULT");
    QVERIFY(!failed.ok());
    QCOMPARE(failed.error().code, ErrorCode::kDevice);
    QVERIFY2(failed.error().message.find("rank 1 (emu:1)") != std::string::npos,
             failed.error().message.c_str());
    QVERIFY(!run.trainer.plan.train(run.steps.input(0), 5).ok());
  }
};

QTEST_GUILESS_MAIN(RecordingsTest)
#include "recordings_test.moc"
