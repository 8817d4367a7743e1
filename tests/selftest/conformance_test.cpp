// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <map>
#include <set>
#include <string>

#include "engine/mesh/plugin_communicator.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/tensor/buffer.h"
#include "tests/mesh/thread_processes.h"

using namespace parapet;
using selftest::Case;
using selftest::Exact;
using selftest::Measure;
using selftest::Outcome;

namespace {

// The device whose memory the host cannot read and, where no sanitizer is on, the kernels of GPUs.
#ifdef PARAPET_GRID_PLUGIN
const std::vector<std::filesystem::path> kFolders{PARAPET_EMULATED_PLUGIN, PARAPET_GRID_PLUGIN};
const std::vector<const char*> kTestDevices{"emu:0", "grid:0"};
// With a stand-in for a library of products, which leaves a part of the epilogues to our kernels; the
// second has room for a part of the operands in bf16, and of the rows that are sorted, alone.
const std::vector<const char*> kDevicesWithLibrary{"grid:1", "grid:2"};
#else
const std::vector<std::filesystem::path> kFolders{PARAPET_EMULATED_PLUGIN};
const std::vector<const char*> kTestDevices{"emu:0"};
const std::vector<const char*> kDevicesWithLibrary;
#endif

}  // namespace

class ConformanceTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry emulated_{
      {kFolders, true, ProbeJournal(journal_.path().toStdString()), ""}};
  const std::vector<mesh::CommunicatorPlugin> communicators_ =
      mesh::findCommunicatorPlugins(std::vector<std::filesystem::path>{PARAPET_COMMUNICATOR_PLUGIN},
                                    ProbeJournal(journal_.path().toStdString()));
  const std::vector<tensor::Device> devices_ = everyDevice();
  const std::vector<Case> ops_ = opsOfEveryBackend();
  const std::vector<Case> collectives_ = everyCollective();

  /// The backends of this machine, the device whose memory the host cannot read, and the kernels of
  /// GPUs on the host.
  [[nodiscard]] std::vector<tensor::Device> everyDevice() const {
    std::vector<tensor::Device> devices = tensor::DeviceRegistry::instance().variants();
    for (const char* name : kTestDevices)
      if (const auto device = emulated_.find(name)) devices.push_back(*device);
    return devices;
  }

  [[nodiscard]] std::vector<Case> opsOfEveryBackend() const {
    std::vector<Case> all;
    for (const tensor::Device& device : devices_)
      for (Case& conformance : selftest::opCases(device)) {
        conformance.name = fmt::format("{}: {}", device.instructionSet(), conformance.name);
        all.push_back(std::move(conformance));
      }
    for (const char* name : kDevicesWithLibrary) {
      const auto device = emulated_.find(name);
      if (!device) continue;  // theDevicesOfTestsAreThere tells
      for (Case& conformance : selftest::opCases(*device)) {
        // The plugin leaves TF32 to our kernel, which grid:0 has been through.
        const bool multiplies = conformance.op == "matmul" && !conformance.name.ends_with("tf32");
        if (!multiplies && conformance.op != "scatterRows") continue;
        conformance.name = fmt::format("{}, with a library: {}", name, conformance.name);
        all.push_back(std::move(conformance));
      }
    }
    return all;
  }

  /// `factory` over the devices of the ranks in turn; none: over the host.
  static selftest::CommunicatorOfRanks over(std::vector<tensor::Device> devices,
                                            mesh::CommunicatorFactory factory) {
    if (devices.empty()) devices.push_back(tensor::hostDevice());
    return [devices = std::move(devices), factory = std::move(factory)](int ranks) {
      std::vector<tensor::Device> ofRanks;
      for (int rank = 0; rank < ranks; ++rank)
        ofRanks.push_back(devices[static_cast<std::size_t>(rank) % devices.size()]);
      return factory(ofRanks, nullptr).value();
    };
  }

  /// In the memory of the host, and in that of three devices that share none, within this process,
  /// by a plugin, and among three processes.
  [[nodiscard]] std::vector<Case> everyCollective() const {
    std::vector<tensor::Device> devices;
    for (const char* name : {"emu:0", "emu:1", "emu:2"})
      if (const auto device = emulated_.find(name)) devices.push_back(*device);
    std::vector<Case> all;
    for (const char* name : {"local", "sample", "processes"}) {
      const auto factory = std::string_view(name) == "processes"
                               ? sample::joinedProcesses(3)
                               : mesh::communicatorsNamed(name, communicators_);
      if (!factory) continue;  // theSampleCommunicatorIsThere tells
      for (const auto& [where, memory] :
           {std::pair{"host", std::vector<tensor::Device>{}}, std::pair{"devices", devices}})
        for (Case& conformance : selftest::collectiveCases(over(memory, *factory), memory)) {
          conformance.name = fmt::format("{}, {}: {}", name, where, conformance.name);
          all.push_back(std::move(conformance));
        }
    }
    return all;
  }

  static void addRows(const std::vector<Case>& cases) {
    QTest::addColumn<int>("index");
    for (int index = 0; index < static_cast<int>(cases.size()); ++index)
      QTest::newRow(cases[static_cast<std::size_t>(index)].name.c_str()) << index;
  }

  static void runCase(const Case& conformance) {
    const Outcome outcome = conformance.run();
    const std::string message =
        fmt::format("error {} exceeds {}: {}", outcome.maxError, outcome.tolerance, outcome.detail);
    QVERIFY2(outcome.passed, message.c_str());
  }

 private Q_SLOTS:
  void opAgreesWithItsReference_data() { addRows(ops_); }
  void opAgreesWithItsReference() {
    QFETCH(int, index);
    runCase(ops_[static_cast<std::size_t>(index)]);
  }

  void collectiveAgreesWithItsReference_data() { addRows(collectives_); }
  void collectiveAgreesWithItsReference() {
    QFETCH(int, index);
    runCase(collectives_[static_cast<std::size_t>(index)]);
  }

  void everyOpOfTheTableHasCases() {
    std::set<std::string> found;
    for (const Case& conformance : ops_) found.insert(conformance.op);
    // Ops that the cases of another one call.
    const std::map<std::string, std::string> others{
        {"meanSquares", "rowwiseAdagrad"},
        {"batchMoments", "batchNormOfMoments"},
        {"batchNormGradientSums", "batchNormGradientOfSums"},
        {"l2NormalizeGradient", "l2Normalize"},
        {"attentionGradient", "attention"},
        {"softmaxBySequenceGradient", "softmaxBySequence"}};
    const std::vector<std::string> ops{
#define PP_OP(op, Args) #op,
#include "engine/tensor/ops.def"
    };
    for (const std::string& op : ops) {
      const auto other = others.find(op);
      QVERIFY2(found.contains(other == others.end() ? op : other->second), op.c_str());
    }
  }

  void everyCollectiveHasCases() {
    std::set<std::string> found;
    for (const Case& conformance : collectives_) found.insert(conformance.op);
    QCOMPARE(found, (std::set<std::string>{"allReduce", "reduceScatter", "allGather", "allToAll",
                                           "group", "abort"}));
  }

  void theSampleCommunicatorIsThere() {
    QCOMPARE(communicators_.size(), std::size_t{1});
    QCOMPARE(communicators_[0].name, std::string("sample"));
  }

  void theDevicesOfTestsAreThere() {
    for (const char* name : kTestDevices) QVERIFY2(emulated_.find(name), name);
    for (const char* name : kDevicesWithLibrary) QVERIFY2(emulated_.find(name), name);
  }

  // The emulated device is as unreadable as it claims: the copies are the only way.
  void memoryOfADeviceIsNotTheHosts() {
    const auto device = emulated_.find("emu:1");
    QVERIFY(device && !device->isHost());
    tensor::Buffer<float> buffer(*device, 3);
    QVERIFY_THROWS_EXCEPTION(InternalError, (void)buffer.host());
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(SIGSEGV, [](int) { ::_exit(7); });
      volatile float* const data = buffer.data();
      data[0] = 1.0f;
      ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 7);
  }

  void namesAreUnique() {
    std::set<std::string> names;
    for (const auto* cases : {&ops_, &collectives_})
      for (const Case& conformance : *cases)
        QVERIFY2(names.insert(conformance.name).second, conformance.name.c_str());
  }

  // The measure itself must be able to fail.
  void measureCountsInUnitsOfTheTerms() {
    Exact expected(2);
    expected.add(0, 3.0);
    expected.add(0, -2.0);  // 1 out of terms of size 5
    expected.add(1, 4.0);
    Measure measure(0.1);
    measure.values("x", std::vector<float>{2.0f, 4.0f}, expected);
    QCOMPARE(measure.outcome().maxError, 0.2);
    QVERIFY(!measure.outcome().passed);
    QCOMPARE(measure.outcome().detail, std::string("x[0] is 2; the reference is 1"));
  }

  void measureTakesNaNAndWrongSizesForFailures() {
    Exact expected(1);
    expected.add(0, 1.0);
    Measure notANumber(1.0), size(1.0);
    notANumber.values("x", std::vector<float>{std::numeric_limits<float>::quiet_NaN()}, expected);
    size.values("x", std::vector<float>{}, expected);
    QVERIFY(!notANumber.outcome().passed);
    QVERIFY(!size.outcome().passed);
  }

  void anExceptionFailsItsCase() {
    const Case throws =
        selftest::makeCase("op", "throws", 1.0, [](Measure&) { throw InternalError("broken"); });
    QVERIFY(!throws.run().passed);
    QCOMPARE(throws.run().detail, std::string("broken"));
  }
};

QTEST_GUILESS_MAIN(ConformanceTest)
#include "conformance_test.moc"
