// SPDX-License-Identifier: Apache-2.0
// Devices with memory of their own: parts of one, several, one alone, others than those that are here.
#include <QtTest>

#include "engine/mesh/device_mesh.h"
#include "engine/workspace/plan.h"
#include "engine/workspace/resolved_experiment.h"
#include "tests/workspace/sample_runs.h"
#include "tests/workspace/small_recipes.h"

using namespace parapet;
using experiment::Experiment;
using experiment::Problem;

namespace {

constexpr std::int64_t kMemory = std::int64_t{1} << 30;  // of an emulated device

const Problem* at(const std::vector<Problem>& problems, std::string_view pointer) {
  const auto found = std::ranges::find(problems, pointer, &Problem::pointer);
  return found == problems.end() ? nullptr : &*found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Experiment sampleOn(std::vector<std::string> devices) {
  Experiment experiment = testing::smallSample();
  experiment.mesh.devices = std::move(devices);
  return experiment;
}

}  // namespace

class LogicalDevicesTest : public QObject {
  Q_OBJECT

  const testing::SmallRecipes recipes_;
  testing::TemporaryWorkspace place_;

  [[nodiscard]] std::vector<mesh::DevicePlan> devicesOf(const Experiment& experiment) {
    const auto preflight = place_->preflight(experiment);
    return preflight.resolved ? preflight.resolved->model.plan.devices
                              : std::vector<mesh::DevicePlan>{};
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(recipes_.made()); }

  void partsOfADeviceTrainWhatCpuDevicesDo_data() {
    QTest::addColumn<QString>("recipe");
    for (const experiment::Recipe& recipe : experiment::recipes())
      QTest::newRow(recipe.name.c_str()) << QString::fromStdString(recipe.name);
  }
  void partsOfADeviceTrainWhatCpuDevicesDo() {
    QFETCH(QString, recipe);
    testing::TemporaryWorkspace place;
    const auto found = place->verify(
        recipes_.of(recipe.toStdString()),
        {.steps = 3, .devices = {"emu:0/0", "emu:0/1"}, .against = {"cpu*2"}, .threads = 2}, {});
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY2(found->identical, found->tensors.empty() ? "" : found->tensors[0].name.c_str());
  }

  void aRunEndsOnPartsOfDevices() {
    const auto run =
        place_.train(sampleOn({"emu:0/0", "emu:0/1", "emu:3/0", "emu:3/1", "emu:3/2"}), 2);
    QVERIFY2(run.state == experiment::RunState::kFinished,
             run.error ? run.error->text().c_str() : "");
  }

  // The device that has fewest examples of a batch may own rows of all of them.
  void clippedUpdatesFitWhereDevicesHaveUnequalParts() {
    for (const auto placement : {experiment::Placement::kRow, experiment::Placement::kReplicated}) {
      Experiment experiment = testing::smallSample();
      experiment.dataset.generator =
          experiment::Generator{.users = 3000, .items = 3000, .events = 9000, .seed = 7};
      experiment.dataset.batch.size = 1200;
      experiment.optimizer.clipNorm = 0.01;
      for (experiment::Table& table : experiment.tables) table.placement = placement;
      const auto found = place_->verify(experiment,
                                        {.steps = 3,
                                         .devices = {"emu:0/0", "emu:0/1", "emu:0/2", "emu:1"},
                                         .against = {"cpu*1"},
                                         .threads = 2},
                                        {});
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
      QVERIFY2(found->passed, std::to_string(found->maxRelativeDiff).c_str());
    }
  }

  // A part is a rank of the device's memory, with an equal share of it.
  void partsShareTheMemoryOfTheirDevice() {
    const std::vector<std::string> names{"emu:2/0", "emu:2/1", "emu:2/2", "emu:2/3"};
    const auto devices = devicesOf(sampleOn(names));
    QCOMPARE(devices.size(), std::size_t{4});
    for (const mesh::DevicePlan& device : devices) {
      QCOMPARE(device.memory, devices[0].memory);
      QCOMPARE(device.capacityBytes, kMemory / 4);
    }
    const auto mesh = mesh::DeviceMesh::create({.devices = names, .shape = {}});
    QCOMPARE(mesh->spaces().size(), std::size_t{1});
    QCOMPARE(mesh->spaces()[0].ranks, 4);
  }

  void partsOfSeveralDevicesShareTheMemoryOfEach() {
    const std::vector<std::string> names{"emu:2/0", "emu:2/1", "emu:5"};
    const auto devices = devicesOf(sampleOn(names));
    QCOMPARE(devices.size(), std::size_t{3});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      QCOMPARE(devices[rank].memory,
               std::string(rank == 2 ? "memory of emu:5" : "memory of emu:2"));
      QCOMPARE(devices[rank].capacityBytes, rank == 2 ? kMemory : kMemory / 2);
    }
    const auto mesh = mesh::DeviceMesh::create({.devices = names, .shape = {}});
    QCOMPARE(mesh->spaces().size(), std::size_t{2});
  }

  void partsThatStandApartHaveMemoriesOfTheirOwn() {
    const std::vector<std::string> names{"emu:2/0", "emu:5", "emu:2/1"};
    const auto devices = devicesOf(sampleOn(names));
    QCOMPARE(devices.size(), std::size_t{3});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      QCOMPARE(devices[rank].memory, "memory of " + names[rank]);
      QCOMPARE(devices[rank].capacityBytes, rank == 1 ? kMemory : kMemory / 2);
    }
    const auto mesh = mesh::DeviceMesh::create({.devices = names, .shape = {}});
    QCOMPARE(mesh->spaces().size(), std::size_t{3});
  }

  void partsWithMemoryOfTheirOwnHaveTheSameShares() {
    Experiment experiment = sampleOn({"emu:2/0", "emu:2/1"});
    experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto devices = devicesOf(experiment);
    QCOMPARE(devices.size(), std::size_t{2});
    QVERIFY(devices[0].memory != devices[1].memory);
    for (const mesh::DevicePlan& device : devices) QCOMPARE(device.capacityBytes, kMemory / 2);
    QCOMPARE(place_.train(experiment, 2).state, experiment::RunState::kFinished);
  }

  void aPartHasALimitOfItsOwn() {
    Experiment experiment = sampleOn({"emu:0/0", "emu:0/1"});
    const std::vector<std::int64_t> limits{kMemory / 8, kMemory / 2};
    experiment.mesh.capacityBytes = experiment::DeviceCapacity(limits);
    const auto devices = devicesOf(experiment);
    QCOMPARE(devices.size(), std::size_t{2});
    for (std::size_t rank = 0; rank < 2; ++rank)
      QCOMPARE(devices[rank].capacityBytes, limits[rank]);
    QVERIFY(place_->preflight(experiment).findings.problems.empty());
    experiment.mesh.capacityBytes = experiment::DeviceCapacity({kMemory / 8, 1000});
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, "/mesh/capacity_bytes/1");
    QVERIFY(problem != nullptr);
    QVERIFY2(has(problem->message, "emu:0/1"), problem->message.c_str());
    QCOMPARE(place_->start(experiment, {}).error().pointer, std::string("/mesh/capacity_bytes/1"));
  }

  // A limit is no memory: of one that is larger than a device, or than what its parts have together, the
  // plan counts what there is.
  void aLimitBeyondTheMemoryIsNoMore_data() {
    QTest::addColumn<QStringList>("devices");
    QTest::addColumn<QList<qint64>>("limits");
    QTest::addColumn<QList<qint64>>("counted");
    QTest::addColumn<QString>("pointer");  // of what is too little
    QTest::newRow("a device") << QStringList{"emu:0"} << QList<qint64>{8 * kMemory}
                              << QList<qint64>{kMemory} << "/mesh/devices";
    QTest::newRow("one of two") << QStringList{"emu:0", "emu:1"}
                                << QList<qint64>{8 * kMemory, kMemory / 4}
                                << QList<qint64>{kMemory, kMemory / 4} << "/mesh/capacity_bytes/1";
    QTest::newRow("parts") << QStringList{"emu:0/0", "emu:0/1"}
                           << QList<qint64>{3 * kMemory, kMemory}
                           << QList<qint64>{kMemory / 4 * 3, kMemory / 4} << "/mesh/devices";
    QTest::newRow("parts apart") << QStringList{"emu:0/0", "emu:1", "emu:0/1"}
                                 << QList<qint64>{3 * kMemory, kMemory / 2, kMemory}
                                 << QList<qint64>{kMemory / 4 * 3, kMemory / 2, kMemory / 4}
                                 << "/mesh/devices";
  }
  void aLimitBeyondTheMemoryIsNoMore() {
    QFETCH(QStringList, devices);
    QFETCH(QList<qint64>, limits);
    QFETCH(QList<qint64>, counted);
    QFETCH(QString, pointer);
    std::vector<std::string> names;
    for (const QString& device : devices) names.push_back(device.toStdString());
    Experiment experiment = sampleOn(names);
    experiment.mesh.capacityBytes =
        experiment::DeviceCapacity(std::vector<std::int64_t>(limits.begin(), limits.end()));
    const auto planned = devicesOf(experiment);
    QCOMPARE(std::ssize(planned), counted.size());
    for (qsizetype rank = 0; rank < counted.size(); ++rank)
      QCOMPARE(planned[static_cast<std::size_t>(rank)].capacityBytes, counted[rank]);
    experiment.dataset.vocabularies[0].size = {experiment::VocabularySize::Kind::kFixed,
                                               30'000'000};
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, pointer.toStdString());
    QVERIFY(problem != nullptr);
    QVERIFY2(has(problem->message, "are missing"), problem->message.c_str());
  }

  // The plan knows what a device has, not what a machine like this one would.
  void whatADeviceCannotHoldIsToldBeforeARun() {
    Experiment experiment = sampleOn({"emu:0"});
    experiment.dataset.vocabularies[0].size = {experiment::VocabularySize::Kind::kFixed,
                                               10'000'000};
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, "/mesh/devices");
    QVERIFY(problem != nullptr);
    QVERIFY2(has(problem->message, "are missing"), problem->message.c_str());
    experiment.mesh.devices = {"emu*8"};
    QVERIFY(at(place_->preflight(experiment).findings.problems, "/mesh/devices") == nullptr);
  }

  void listsOfOtherLengthsAreRefusedWithoutAPlan() {
    Experiment experiment = sampleOn({"emu*2"});
    experiment.mesh.capacityBytes = experiment::DeviceCapacity({kMemory, kMemory, kMemory});
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, "/mesh/capacity_bytes");
    QVERIFY(problem != nullptr);
    QCOMPARE(problem->message, std::string("3 numbers for 2 devices"));
    QVERIFY2(has(problem->accepted, "a list of 2, in the order of emu:0, emu:1"),
             problem->accepted.c_str());
    QCOMPARE(place_->start(experiment, {}).error().pointer, std::string("/mesh/capacity_bytes"));
    // Devices of a comparison are others than those that the list is of.
    const auto verified = place_->verify(
        experiment, {.steps = 1, .devices = {"cpu*3"}, .against = {"cpu:0"}, .threads = 1}, {});
    QVERIFY2(verified.ok(), verified.ok() ? "" : verified.error().text().c_str());
  }

  void oneDeviceSaysThatNothingIsDataParallel() {
    const auto alone = place_->preflight(sampleOn({"emu:1"}));
    QCOMPARE(alone.dataParallel, std::string("Nothing is data parallel: emu:1 alone computes every "
                                             "batch of 50 examples."));
    const Problem* warning = at(alone.findings.warnings, "/mesh/devices");
    QVERIFY(warning != nullptr);
    QCOMPARE(warning->message, std::string("nothing is data parallel: emu:1 alone computes, and 7 "
                                           "other devices of its kind are idle"));
    QCOMPARE(warning->accepted, std::string("several of emu:0 … emu:7"));
    // All cores work for the one device of the CPU.
    const auto host = place_->preflight(sampleOn({"cpu:0"}));
    QVERIFY(host.dataParallel.starts_with("Nothing is data parallel: cpu:0"));
    QVERIFY(at(host.findings.warnings, "/mesh/devices") == nullptr);
    for (const auto& [devices, says] :
         {std::pair{"emu*2", "Data parallel: 2 devices share every batch of 50 examples, 25 each."},
          {"cpu*4", "Data parallel: 4 devices share every batch of 50 examples, 12 or 13 each."}}) {
      const auto several = place_->preflight(sampleOn({devices}));
      QCOMPARE(several.dataParallel, std::string(says));
      QVERIFY(at(several.findings.warnings, "/mesh/devices") == nullptr);
    }
    QCOMPARE(place_->preflight(sampleOn({"emu:63"})).dataParallel, std::string());
  }

  void devicesOfTwoKindsAreRefusedWithTheReason() {
    for (const std::vector<std::string>& devices :
         {std::vector<std::string>{"cpu:0", "emu:0"}, {"emu:0/0", "emu:0/1", "cpu:0"}}) {
      const Experiment experiment = sampleOn(devices);
      const auto problems = place_->preflight(experiment).findings.problems;
      const Problem* problem = at(problems, "/mesh/devices");
      QVERIFY(problem != nullptr);
      QVERIFY2(has(problem->message, "each step would wait for the slower kind"),
               problem->message.c_str());
      QCOMPARE(place_->start(experiment, {}).error().pointer, std::string("/mesh/devices"));
    }
  }

  void anAbsentDeviceSaysWhichThereAre() {
    for (const char* absent : {"emu:8", "emu:9/1", "cuda:0"}) {
      const auto problems = place_->preflight(sampleOn({absent})).findings.problems;
      const Problem* problem = at(problems, "/mesh/devices");
      QVERIFY(problem != nullptr);
      QVERIFY2(has(problem->message, "device \"" + std::string(absent) + "\" is not here"),
               problem->message.c_str());
      QVERIFY2(has(problem->message, "here are: cpu (any number), emu:0 … emu:7"),
               problem->message.c_str());
    }
    const auto problems = place_->preflight(sampleOn({"cuda:0"})).findings.problems;
    QVERIFY2(has(at(problems, "/mesh/devices")->message, "no CUDA plugin is installed"),
             at(problems, "/mesh/devices")->message.c_str());
  }

  // A device computes in TF32 or the document is refused; what a device has is asked of it.
  void tf32IsForDevicesThatHaveIt() {
    for (const char* device : {"cpu:0", "emu:0"}) {
      Experiment experiment = sampleOn({device});
      QVERIFY(place_->preflight(experiment).findings.problems.empty());
      experiment.training.precision = experiment::Precision::kTf32;
      const auto problems = place_->preflight(experiment).findings.problems;
      QCOMPARE(problems.size(), std::size_t{1});
      QCOMPARE(problems[0].pointer, std::string("/training/precision"));
      QCOMPARE(problems[0].message, std::string(device) + " has no products in tf32");
#ifdef PARAPET_GRID_PLUGIN
      QCOMPARE(problems[0].accepted, std::string("fp32 or bf16; devices that have tf32: grid:0"));
#else
      QCOMPARE(problems[0].accepted, std::string("fp32 or bf16; no device here has tf32"));
#endif
      QCOMPARE(place_->start(experiment, {}).error().pointer, std::string("/training/precision"));
    }
  }

  // Nothing runs on the hardware of a profile, so what this machine lacks is no problem of it.
  void aPlanForOtherHardwareAsksNoDeviceHere() {
    Experiment experiment = testing::smallSample();
    experiment.training.precision = experiment::Precision::kTf32;
    const auto hardware = mesh::parseHardware(
        R"({"hosts": [{"devices": [{"kind": "h100-80gb", "count": 2}]}]})", "hosts.json");
    QVERIFY(hardware.ok());
    const auto plan = place_->plan(experiment, {.hardware = *hardware}, {});
    QVERIFY(plan.ok());
    QVERIFY2(plan->findings.problems.empty(),
             plan->findings.problems.empty() ? "" : plan->findings.problems[0].message.c_str());
    // A list is one of the devices of the profile.
    experiment.mesh.devices = {"cpu*3"};
    experiment.mesh.capacityBytes = experiment::DeviceCapacity({kMemory, kMemory, kMemory});
    const auto other = place_->plan(experiment, {.hardware = *hardware}, {});
    QVERIFY(other.ok());
    QCOMPARE(other->findings.problems.size(), std::size_t{1});
    QCOMPARE(other->findings.problems[0].pointer, std::string("/mesh/capacity_bytes"));
    QVERIFY2(has(other->findings.problems[0].accepted, "cuda:0, cuda:1"),
             other->findings.problems[0].accepted.c_str());
  }
};

QTEST_GUILESS_MAIN(LogicalDevicesTest)
#include "logical_devices_test.moc"
