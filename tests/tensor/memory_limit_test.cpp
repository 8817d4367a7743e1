// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/memory_limit.h"

#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "engine/tensor/buffer.h"
#include "engine/tensor/staged_array.h"

using namespace parapet;
using tensor::Buffer;
using tensor::Device;
using tensor::MemoryLimit;

namespace {

std::string refusal(const Device& device, std::int64_t floats) {
  try {
    const Buffer<float> buffer(device, floats);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

class MemoryLimitTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry registry_{
      {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal_.path().toStdString()), ""}};

  [[nodiscard]] Device device(std::string_view name) const { return registry_.find(name).value(); }

 private Q_SLOTS:
  void countsWhatBuffersTake() {
    const auto limit = std::make_shared<MemoryLimit>("emu:0/1", 1000);
    const Device part = device("emu:0/1").within(limit);
    QCOMPARE(part.memoryLimit(), limit);
    {
      Buffer<float> first(part, 100);
      const Buffer<double> second(part, 10);
      QCOMPARE(limit->inUse(), std::uint64_t{480});
      const Buffer<float> moved(std::move(first));
      QCOMPARE(limit->inUse(), std::uint64_t{480});
      Buffer<float> other(part, 50);
      QCOMPARE(limit->inUse(), std::uint64_t{680});
      other = Buffer<float>(part, 1);
      QCOMPARE(limit->inUse(), std::uint64_t{484});
      const Buffer<float> none(part, 0);
      QCOMPARE(limit->inUse(), std::uint64_t{484});
    }
    QCOMPARE(limit->inUse(), std::uint64_t{0});
    QCOMPARE(limit->peak(), std::uint64_t{684});
  }

  void refusesWhatGoesBeyondWithAllNumbers() {
    const auto limit = std::make_shared<MemoryLimit>("emu:0/1", 4096);
    const Device part = device("emu:0/1").within(limit);
    {
      const Buffer<float> held(part, 512);
      QCOMPARE(refusal(part, 513),
               std::string("[tensor.Buffer] emu:0/1 has no room for 2.00 KiB (2052 bytes): its "
                           "limit is 4.00 KiB (4096 bytes), of which 2.00 KiB (2048 bytes) are in "
                           "use"));
      QCOMPARE(limit->inUse(), std::uint64_t{2048});
      QCOMPARE(refusal(part, 512), std::string());  // to the last byte
    }
    QCOMPARE(refusal(part, 1024), std::string());
    QVERIFY(!refusal(part, 1025).empty());
    QVERIFY(!refusal(part, std::int64_t{1} << 60).empty());
    // Another handle of the same device has what the device has.
    QCOMPARE(refusal(device("emu:0/1"), 1025), std::string());
  }

  void partsOfOneMemoryTakeFromOneLimit() {
    const auto limit = std::make_shared<MemoryLimit>("emu:0/0, emu:0/1", 1000);
    const Device first = device("emu:0/0").within(limit), second = device("emu:0/1").within(limit);
    const Buffer<float> held(first, 150);
    QVERIFY(refusal(second, 150).starts_with("[tensor.Buffer] emu:0/0, emu:0/1 has no room for "));
    QCOMPARE(refusal(second, 100), std::string());
  }

  void twoLimitsOnOneDeviceCountApart() {
    const auto one = std::make_shared<MemoryLimit>("emu:0/0", 1000),
               other = std::make_shared<MemoryLimit>("emu:0/0", 1000);
    const Buffer<float> held(device("emu:0/0").within(one), 250);
    QCOMPARE(refusal(device("emu:0/0").within(other), 250), std::string());
    QVERIFY(!refusal(device("emu:0/0").within(one), 1).empty());
    QCOMPARE(other->peak(), std::uint64_t{1000});
  }

  void whatTheDeviceRefusesIsGivenBack() {
    const std::uint64_t memory = device("emu:0").backend().memoryBytes(0);
    const auto limit = std::make_shared<MemoryLimit>("emu:0", 4 * memory);
    const std::string says =
        refusal(device("emu:0").within(limit), static_cast<std::int64_t>(memory / 2));
    QCOMPARE(
        says,
        std::string(
            "[tensor.Buffer] emu:0 has no room for 2.00 GiB: the emulated device tells no more"));
    QCOMPARE(limit->inUse(), std::uint64_t{0});
  }

  // The device has a copy of an array that the host writes; the host's own is the host's.
  void aStagedArrayTakesItsCopy() {
    const auto limit = std::make_shared<MemoryLimit>("emu:0", 1000);
    const tensor::StagedArray<float> array(device("emu:0").within(limit), 200);
    QCOMPARE(limit->inUse(), std::uint64_t{800});
  }

  // No device has so much; nothing of it can be read, and it is given back.
  void aDryRunCountsWhatIsNotThere() {
    constexpr std::int64_t kElements = std::int64_t{1} << 50;
    const auto count = std::make_shared<MemoryLimit>();
    {
      tensor::StagedArray<float> array(device("emu:0").dry(count), kElements);
      const tensor::Buffer<float> onHost(tensor::hostDevice().dry(count), 10);
      QVERIFY(onHost.host().empty());
      QCOMPARE(count->inUse(), std::uint64_t{8 * kElements + 40});
    }
    QCOMPARE(count->inUse(), std::uint64_t{0});
  }

  // The sum of several threads stays within the limit; a refusal of one takes nothing from the others.
  void threadsCountTogether() {
    constexpr int kThreads = 4;
    MemoryLimit limit("emu:0", 3 * 100);
    std::atomic<int> holding = 0, beyond = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
          for (int turn = 0; turn < 2000; ++turn) try {
              limit.take(100);
              if (++holding > 3) ++beyond;
              --holding;
              limit.giveBack(100);
              limit.take(301);  // never fits
            } catch (const InternalError&) {
            }
        });
    }
    QCOMPARE(beyond.load(), 0);
    QCOMPARE(limit.inUse(), std::uint64_t{0});
    QVERIFY(limit.peak() <= limit.bytes() && limit.peak() >= 100);
  }
};

QTEST_GUILESS_MAIN(MemoryLimitTest)
#include "memory_limit_test.moc"
