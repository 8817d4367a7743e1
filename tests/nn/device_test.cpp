// SPDX-License-Identifier: Apache-2.0
// A device whose memory the host cannot read, and whose stream runs late, trains the same model to
// the bit as the kernels do that it is made of.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;

namespace {

using sample::kExamples, sample::Kind, sample::Outcome;

/// Kinds that are left out of those of every test: tables with several readers, bags, and optimizers that
/// look at all gradients before they apply one.
const std::vector<Kind>& kindsOfUpdates() {
  static const std::vector<Kind> all{
      {"a table with several readers, norms clipped",
       [] {
         Experiment experiment = sample::sharedTable();
         experiment.optimizer.clipNorm = 0.01;
         return experiment;
       }},
      {"Adam on every row, one norm of all gradients",
       [] {
         Experiment experiment = sample::denseTowers(experiment::Activation::kGelu);
         experiment.optimizer.kind = experiment::OptimizerKind::kAdam;
         experiment.optimizer.sparseUpdate = experiment::SparseUpdate::kDense;
         experiment.optimizer.globalClipNorm = 0.02;
         experiment.optimizer.weightDecay = 0.01;
         return experiment;
       }},
      {"row-wise Adagrad, values clipped",
       [] {
         Experiment experiment = sample::plainDot(6);
         experiment.optimizer.kind = experiment::OptimizerKind::kRowwiseAdagrad;
         experiment.optimizer.clipValue = 0.01;
         return experiment;
       }},
      {"FTRL",
       [] {
         Experiment experiment = sample::denseTowers(experiment::Activation::kRelu);
         experiment.optimizer.kind = experiment::OptimizerKind::kFtrl;
         return experiment;
       }},
  };
  return all;
}

std::vector<Kind> everyKind() {
  std::vector<Kind> all = sample::kinds();
  all.insert(all.end(), kindsOfUpdates().begin(), kindsOfUpdates().end());
  return all;
}

}  // namespace

class DeviceTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry registry_{
      {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal_.path().toStdString()), ""}};
  const std::vector<Kind> kinds_ = everyKind();

  static mesh::DeviceMesh meshOf(std::vector<tensor::Device> devices,
                                 experiment::MemorySpaces spaces) {
    return mesh::DeviceMesh::arrange(std::move(devices), std::nullopt, {"data"}, spaces).value();
  }
  static sample::Trainer trainerOn(const tensor::Device& device, const Kind& kind, int threads) {
    nn::Model model = sample::modelOf(kind);
    auto idsPerRow = sample::idsPerRow(model);
    return {std::move(model), meshOf({device}, experiment::MemorySpaces::kShared), threads,
            kExamples + kind.extra, std::move(idsPerRow)};
  }
  static Outcome trainedOn(const tensor::Device& device, const Kind& kind, int threads) {
    sample::Trainer trainer = trainerOn(device, kind, threads);
    return sample::trained(trainer, kind.extra);
  }
  void addKinds() const {
    QTest::addColumn<int>("kind");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      QTest::addRow("%s", kinds_[kind].name) << static_cast<int>(kind);
  }
  struct Copies {
    std::int64_t toHost = 0, toDevice = 0;
  };
  /// The copies of devices in each step of a model; none of steps that fail.
  [[nodiscard]] std::vector<Copies> copiesOf(const Kind& of, int devices,
                                             experiment::Placement placement) const {
    static std::atomic<std::int64_t> toHost, toDevice;
    static PpDevice plain, backend;
    std::vector<tensor::Device> counted;
    for (int index = 0; index < devices; ++index) {
      const std::string name = "emu:" + std::to_string(index);
      const tensor::Device device = registry_.find(name).value();
      plain = device.backend();
      backend = plain;
      backend.copyToHost = [](void* stream, void* out, const void* in, std::uint64_t bytes) {
        ++toHost;
        return plain.copyToHost(stream, out, in, bytes);
      };
      backend.copyToDevice = [](void* stream, void* out, const void* in, std::uint64_t bytes) {
        ++toDevice;
        return plain.copyToDevice(stream, out, in, bytes);
      };
      counted.push_back(tensor::Device(name, backend, index, "emulated"));
    }
    nn::Model model = sample::modelOf(of);
    auto idsPerRow = sample::idsPerRow(model);
    sample::Trainer trainer(std::move(model),
                            meshOf(std::move(counted), experiment::MemorySpaces::kShared), 2,
                            kExamples + of.extra, std::move(idsPerRow), placement);
    sample::Steps steps(trainer.model, of.extra);
    std::vector<Copies> copies;
    for (std::size_t step = 0; step < steps.batches.size(); ++step) {
      toHost = toDevice = 0;
      if (!trainer.plan.train(steps.input(step), static_cast<std::int64_t>(step) + 1).ok()) break;
      copies.push_back({toHost, toDevice});
    }
    return copies;
  }
  [[nodiscard]] tensor::Device emulated() const { return registry_.find("emu:0").value(); }

 private Q_SLOTS:
  void trainsTheSameBits_data() { addKinds(); }
  void trainsTheSameBits() {
    QFETCH(int, kind);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    const Outcome host = trainedOn(tensor::hostDevice(), of, 1);
    for (const int threads : {1, 3}) {
      const Outcome here = trainedOn(emulated(), of, threads);
      QCOMPARE(here.losses.size(), static_cast<std::size_t>(sample::kSteps) + 1);
      QCOMPARE(here.losses, host.losses);
      QCOMPARE(here.masked, host.masked);
      QVERIFY(here.arrays == host.arrays);
    }
  }

  // Devices that share no memory are as many spaces, and come to the bits of as many on the host.
  void severalTrainTheSameBits_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("devices");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      for (const int devices : {2, 3, 8})
        QTest::addRow("%s, %d devices", kinds_[kind].name, devices)
            << static_cast<int>(kind) << devices;
  }
  void severalTrainTheSameBits() {
    QFETCH(int, kind);
    QFETCH(int, devices);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    std::vector<tensor::Device> here, host;
    for (int index = 0; index < devices; ++index) {
      here.push_back(registry_.find("emu:" + std::to_string(index)).value());
      host.push_back(tensor::hostDevice());
    }
    using enum experiment::Placement;
    std::vector<experiment::Placement> placements{kReplicated, kRow};
    if (devices <= 3) placements.push_back(kColumn);  // of at least as many columns
    for (const auto placement : placements) {
      const auto trained = [&](mesh::DeviceMesh on, int threads) {
        nn::Model model = sample::modelOf(of);
        auto idsPerRow = sample::idsPerRow(model);
        sample::Trainer trainer(std::move(model), std::move(on), threads, kExamples + of.extra,
                                std::move(idsPerRow), placement);
        return sample::trained(trainer, of.extra);
      };
      const Outcome expected = trained(meshOf(host, experiment::MemorySpaces::kSeparate), 1);
      const Outcome found = trained(meshOf(here, experiment::MemorySpaces::kShared), 2);
      QCOMPARE(found.losses.size(), static_cast<std::size_t>(sample::kSteps) + 1);
      QCOMPARE(found.losses, expected.losses);
      QCOMPARE(found.masked, expected.masked);
      QVERIFY(found.arrays == expected.arrays);
    }
  }

  // Logical devices of a device are ranks of one memory, which has its parameters once.
  void ranksOfADeviceShareItsMemory_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<std::vector<int>>("devices");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      QTest::addRow("%s, two each", kinds_[kind].name)
          << static_cast<int>(kind) << std::vector<int>{0, 0, 1, 1};
      QTest::addRow("%s, one and three", kinds_[kind].name)
          << static_cast<int>(kind) << std::vector<int>{0, 1, 1, 1};
    }
  }
  void ranksOfADeviceShareItsMemory() {
    QFETCH(int, kind);
    QFETCH(std::vector<int>, devices);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    std::vector<tensor::Device> here, host(4, tensor::hostDevice());
    for (const int index : devices)
      here.push_back(registry_.find("emu:" + std::to_string(index)).value());
    using enum experiment::Placement;
    for (const auto placement : {kReplicated, kRow, kRowBlock}) {
      const auto trained = [&](mesh::DeviceMesh on) {
        nn::Model model = sample::modelOf(of);
        auto idsPerRow = sample::idsPerRow(model);
        sample::Trainer trainer(std::move(model), std::move(on), 2, kExamples + of.extra,
                                std::move(idsPerRow), placement);
        for (const nn::Parameter& parameter : trainer.parameters)
          if (parameter.shards.size() != trainer.mesh.spaces().size())
            throw InternalError(parameter.spec.name);
        return sample::trained(trainer, of.extra);
      };
      const Outcome one = trained(meshOf(host, experiment::MemorySpaces::kShared));
      const Outcome two = trained(meshOf(here, experiment::MemorySpaces::kShared));
      QCOMPARE(two.losses.size(), static_cast<std::size_t>(sample::kSteps) + 1);
      QVERIFY(sample::distance(two.losses, one.losses) <= 1e-5);
      QCOMPARE(two.arrays.size(), one.arrays.size());
      for (std::size_t i = 0; i < one.arrays.size(); ++i)
        QVERIFY(sample::distance(two.arrays[i], one.arrays[i]) <= 1e-5);
    }
  }

  // An id that the table does not have is found before it reaches the device.
  // The host only asks: a device is at work until what it was asked for can be read.
  void whatADeviceWorksOnIsItsTime() {
    static constexpr std::chrono::milliseconds kWork{50};
    static PpDevice plain, backend;
    plain = backend = emulated().backend();
    backend.wait = [](void* stream, std::int64_t timeoutMs) {
      std::this_thread::sleep_for(kWork);
      return plain.wait(stream, timeoutMs);
    };
    sample::Trainer trainer =
        trainerOn(tensor::Device("emu:0", backend, 0, "emulated"), kinds_[0], 1);
    sample::Steps steps(trainer.model, kinds_[0].extra);
    QVERIFY(trainer.plan.train(steps.input(0), 1).ok());
    const nn::StepTimes& times = trainer.plan.times();
    QCOMPARE(times.computeOfRank.size(), std::size_t{1});
    QVERIFY(times.computeOfRank[0] >= std::chrono::duration<double>(kWork).count());
  }

  void refusesAnIdBeyondTheTable() {
    const Kind& of = kinds_[4];
    sample::Trainer trainer = trainerOn(emulated(), of, 1);
    sample::Batch batch = sample::batchOf(trainer.model, kExamples, 1);
    batch.ids[1][4] = static_cast<std::int32_t>(sample::kItems);
    try {
      (void)trainer.plan.train(batch.input(), 1);
      QFAIL("it was taken");
    } catch (const InvalidArgument& error) {
      QCOMPARE(std::string(error.what()),
               std::string("[nn.LookupRows] id 7 of feature 1; accepted are 0 … 6"));
    }
  }

  // A weight that overflows is told, though nothing on the host has seen it.
  void tellsOfWeightsThatAreNotFinite() {
    Kind of = kindsOfUpdates()[0];
    of.experiment = [] {
      Experiment experiment = sample::plainDot();
      experiment.optimizer.learningRate = 1e38;
      return experiment;
    };
    sample::Trainer trainer = trainerOn(emulated(), of, 1);
    sample::Batch batch = sample::batchOf(trainer.model, kExamples, 1);
    QVERIFY(trainer.plan.train(batch.input(), 1).ok());
    QVERIFY(trainer.plan.keptWeightsFinite() == false || trainer.plan.train(batch.input(), 2).ok());
    QVERIFY(!trainer.plan.keptWeightsFinite());
  }

  // One read-back a step, whatever the model; a forward pass reads its values besides. What is
  // read of a value comes with the scalars.
  void readsBackOnceAStep_data() { addKinds(); }
  void readsBackOnceAStep() {
    QFETCH(int, kind);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    const auto copies = copiesOf(of, 1, experiment::Placement::kReplicated);
    QCOMPARE(copies.size(), static_cast<std::size_t>(sample::kSteps));
    for (const Copies& ofStep : copies) QCOMPARE(ofStep.toHost, std::int64_t{1});
  }

  // Devices that share no memory read their scalars, and copy out and in what a collective takes
  // and gives, once each: the gradients of dense parameters, with those of whole tables, or rows of
  // tables there and back, or their gradients alone. The rest is what a batch brings to its device.
  void copiesOfCollectivesAreCounted_data() {
    QTest::addColumn<int>("placement");
    QTest::addColumn<bool>("lazy");
    QTest::addColumn<int>("devices");
    QTest::addColumn<qint64>("toHost");
    QTest::addColumn<qint64>("toDevice");
    using enum experiment::Placement;
    for (const int devices : {2, 3}) {
      QTest::addRow("replicated, added whole, %d devices", devices)
          << static_cast<int>(kReplicated) << false << devices << qint64(2) << qint64(8);
      QTest::addRow("replicated, added by rows, %d devices", devices)
          << static_cast<int>(kReplicated) << true << devices << qint64(3) << qint64(24);
      QTest::addRow("row-wise, %d devices", devices)
          << static_cast<int>(kRow) << false << devices << qint64(4) << qint64(25);
    }
  }
  void copiesOfCollectivesAreCounted() {
    QFETCH(int, placement);
    QFETCH(bool, lazy);
    QFETCH(int, devices);
    QFETCH(qint64, toHost);
    QFETCH(qint64, toDevice);
    const Kind binary{"", [lazy] {
                        Experiment experiment = sample::denseTowers(experiment::Activation::kRelu);
                        experiment.loss.kind = experiment::LossKind::kBce;
                        if (lazy) experiment.optimizer.momentum = 0.9;
                        experiment.optimizer.sparseUpdate = experiment::SparseUpdate::kLazy;
                        return experiment;
                      }};
    const auto copies = copiesOf(binary, devices, static_cast<experiment::Placement>(placement));
    QCOMPARE(copies.size(), static_cast<std::size_t>(sample::kSteps));
    QCOMPARE(copies[1].toHost, devices * toHost);
    QCOMPARE(copies[1].toDevice, devices * toDevice);
  }
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
