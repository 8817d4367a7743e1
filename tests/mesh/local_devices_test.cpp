// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/local_devices.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "engine/base/text.h"

using namespace parapet;
using mesh::LocalDevices;

namespace {

const LocalDevices kCores{3, {}};
const LocalDevices kGpus{3, {"cuda:0", "cuda:1"}};

QString named(const std::vector<std::string>& names, const LocalDevices& here) {
  const auto found = mesh::namedDevices(names, here);
  return QString::fromStdString(found ? join(*found, " ") : found.error().message);
}

}  // namespace

class LocalDevicesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aStarIsEveryDeviceOfAKind() {
    QCOMPARE(named({"cpu*"}, kCores), QString("cpu:0 cpu:1 cpu:2"));
    QCOMPARE(named({"cpu*"}, kGpus), QString("cpu:0 cpu:1 cpu:2"));
    QCOMPARE(named({"cuda*"}, kGpus), QString("cuda:0 cuda:1"));
  }
  void allAreTheGpusOrElseTheCores() {
    QCOMPARE(named({"all"}, kGpus), QString("cuda:0 cuda:1"));
    QCOMPARE(named({"all"}, kCores), QString("cpu:0 cpu:1 cpu:2"));
  }
  void otherNamesStay() {
    QCOMPARE(named({"cpu:4", "2xcpu"}, kGpus), QString("cpu:4 cpu:5 cpu:6"));
  }
  void refusesEveryGpuOfNone() {
    const auto found = mesh::namedDevices({"cuda*"}, kCores);
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code, ErrorCode::kInvalidDocument);
    QVERIFY(found.error().message.find("none is here") != std::string::npos);
  }
  void refusesADeviceTwice() {
    QVERIFY(named({"all", "cpu:1"}, kCores).contains("names cpu:1 again"));
  }
  void thisMachineHasCores() { QVERIFY(mesh::localDevices().cores >= 1); }

  // The remark of a plugin on a GPU that works is no reason against the GPU.
  void gpusWithRemarksAreHere() {
    const QTemporaryDir journal;
    const auto here = [&](const char* plugins) {
      return mesh::localDevices(
          tensor::DeviceRegistry({{std::filesystem::path(PARAPET_SAMPLE_PLUGINS) / plugins},
                                  true,
                                  ProbeJournal(journal.path().toStdString()),
                                  ""}));
    };
    QCOMPARE(here("gpus").gpus, (std::vector<std::string>{"cuda:0", "cuda:1"}));
    QVERIFY(here("unsupported").gpus.empty());
    QVERIFY(here("good").gpus.empty());
  }
};

QTEST_GUILESS_MAIN(LocalDevicesTest)
#include "local_devices_test.moc"
