// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_probe.h"

#include <QTemporaryDir>
#include <QtTest>

#include "engine/mesh/call_timer.h"
#include "engine/tensor/ops/ops.h"

using namespace parapet;

namespace {

void checkRates(const mesh::DeviceProfile& profile) {
  for (const double rate : {profile.streamBytesPerSecond, profile.lookup.bytesPerSecond,
                            profile.update.bytesPerSecond, profile.flopsPerSecond})
    QVERIFY(rate > 1e6 && rate < 1e15);
  QVERIFY(profile.groupSecondsPerId > 0.0);
  QVERIFY(profile.nodeSeconds > 0.0 && profile.nodeSeconds < 1.0);
  QVERIFY(profile.pairs.flopsPerSecond > 1e6 && profile.pairs.flopsPerSecond < 1e15);
  QVERIFY(profile.pairs.secondsPerPair >= 0.0);
}

}  // namespace

class DeviceProbeTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry registry_{
      {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal_.path().toStdString()), ""}};

 private Q_SLOTS:
  void measuresThisMachine() {
    const auto profile = mesh::probeDevice(tensor::cpuDevice(), 1, {});
    QVERIFY(profile.ok());
    QCOMPARE(profile->kind, std::string("cpu"));
    QVERIFY(profile->sharesMemory);
    QVERIFY(profile->memoryBytes > 0);
    checkRates(*profile);
    // The stored profile is the same.
    const auto stored = mesh::profileFromJson(mesh::profileToJson(*profile), "file");
    QVERIFY(stored.ok());
    QCOMPARE(stored->streamBytesPerSecond, profile->streamBytesPerSecond);
    QCOMPARE(stored->lookup.secondsPerRow, profile->lookup.secondsPerRow);
    QCOMPARE(stored->pairs.flopsPerSecond, profile->pairs.flopsPerSecond);
    QCOMPARE(stored->memoryBytes, profile->memoryBytes);
  }

  // Measures a device whose memory nobody else can read, and whose ops run beside the host.
  void measuresADeviceWithMemoryOfItsOwn() {
    const tensor::Device device = registry_.find("emu:1").value();
    const auto profile = mesh::probeDevice(device, 1, {});
    QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().message.c_str());
    QCOMPARE(profile->kind, std::string("emu:1"));
    QVERIFY(!profile->sharesMemory);
    QCOMPARE(profile->memoryBytes,
             static_cast<std::int64_t>(device.backend().memoryBytes(device.index())));
    checkRates(*profile);
  }

  // Ops of such a device return at once, so it is waited for: after several calls, not each.
  void callsAreWaitedFor() {
    static std::int64_t waits = 0;
    static PpDevice plain;
    const tensor::Device emulated = registry_.find("emu:0").value();
    plain = emulated.backend();
    PpDevice backend = plain;
    backend.copyToHost = [](void* stream, void* out, const void* in, std::uint64_t bytes) {
      ++waits;
      return plain.copyToHost(stream, out, in, bytes);
    };
    const tensor::Device device("emu:0", backend, 0, "emulated");
    tensor::Buffer<float> values(device, 64);
    std::int64_t calls = 0;
    // On a machine with much else to do the first call may take as long as several.
    for (int attempt = 0; attempt < 20 && calls <= waits; ++attempt) {
      calls = waits = 0;
      const double seconds = mesh::CallTimer(device, {}).seconds([&] {
        ++calls;
        tensor::run({&device, nullptr}, PpFill{values.data(), values.size(), 1.0f});
      });
      QVERIFY(seconds > 0.0 && seconds < 1.0);
    }
    QVERIFY2(waits >= 7 && calls > waits, qPrintable(QString("%1, %2").arg(calls).arg(waits)));
  }

  void isStopped() {
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = mesh::probeDevice(tensor::cpuDevice(), 2, stop.get_token());
    QVERIFY(!stopped.ok());
    QCOMPARE(stopped.error().code, ErrorCode::kCancelled);
  }
};

QTEST_GUILESS_MAIN(DeviceProbeTest)
#include "device_probe_test.moc"
