// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/buffer.h"

#include <QtTest>

using namespace parapet;
using tensor::Buffer;
using tensor::DeviceRegistry;
using tensor::hostDevice;

class BufferTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isAlignedToACacheLine() {
    for (const std::int64_t count : {1, 3, 1000, 2'000'000}) {
      const Buffer<float> buffer(hostDevice(), count);
      QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, std::uintptr_t{0});
      QCOMPARE(buffer.bytes(), static_cast<std::uint64_t>(count) * 4);
      QCOMPARE(buffer.host().size(), static_cast<std::size_t>(count));
    }
  }

  void nothingIsNull() {
    const Buffer<float> none(hostDevice(), 0), unmade;
    QVERIFY(!none.data());
    QVERIFY(!unmade.data());
    QCOMPARE(unmade.bytes(), std::uint64_t{0});
  }

  void refusesANegativeCount() {
    QVERIFY_EXCEPTION_THROWN(Buffer<float>(hostDevice(), -1), InvalidArgument);
  }

  void movesItsMemory() {
    Buffer<float> first(hostDevice(), 4);
    float* const memory = first.data();
    Buffer<float> second(std::move(first));
    QCOMPARE(second.data(), memory);
    Buffer<float> third;
    third = std::move(second);
    QCOMPARE(third.data(), memory);
    QCOMPARE(third.size(), std::int64_t{4});
  }

  void saysWhatDidNotFit() {
    std::string message;
    try {
      const Buffer<float> tooLarge(hostDevice(), std::int64_t{1} << 58);
    } catch (const InternalError& error) {
      message = error.what();
    }
    QVERIFY2(message.starts_with("[tensor.Buffer] cpu:0 has no room for "), message.c_str());
  }

  void registryKnowsTheProcessorByIndex() {
    const auto device = DeviceRegistry::instance().find("cpu:3");
    QVERIFY(device.has_value());
    QCOMPARE(device->name(), std::string("cpu:3"));
    QCOMPARE(device->index(), 3);
    QVERIFY(device->isHost());
    QVERIFY(!DeviceRegistry::instance().find("tpu:0").has_value());
  }
};

QTEST_GUILESS_MAIN(BufferTest)
#include "buffer_test.moc"
