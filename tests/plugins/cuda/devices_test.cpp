// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/devices.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include "plugins/cuda/copies.h"
#include "plugins/cuda/gpu.h"
#include "plugins/cuda/graphs.h"
#include "plugins/cuda/products.h"
#include "plugins/cuda/recording.h"

namespace parapet::cuda {

void openProducts(Stream&) {}
std::string productsRemark() {
  return "cuBLASLt is not here";
}

}  // namespace parapet::cuda

using namespace parapet::cuda;

namespace {

/// The streams that ops of recordings were launched on, and how many values they were to fill.
struct Launched {
  std::vector<std::pair<Stream*, std::int64_t>> ops;
  std::int32_t code = PP_OK;  ///< that they give
  bool capturable = true;     ///< false: what launches them while they are captured is an error
};
Launched& launched() {
  static Launched all;
  return all;
}

std::int32_t fillOf(const PpCall* call, const PpFill* args) {
  Stream& stream = streamOf(call);
  launched().ops.emplace_back(&stream, args->count);
  if (!launched().capturable && fakeMachine().captures > 0 && &stream != streamOfDevice(0))
    return lose(stream, "a kernel", cudaErrorStreamCaptureUnsupported);
  return launched().code;
}

}  // namespace

/// The devices of plugins/cuda over a runtime that has no GPU (runtime/).
class DevicesTest : public QObject {
  Q_OBJECT

  std::array<char, 1024> reason_{};
  std::int32_t ran_ = -1;  // what the last recording has run

  std::int32_t find() {
    reason_ = {};
    return findDevices(reason_.data(), reason_.size());
  }
  [[nodiscard]] bool says(const char* text) const {
    return std::string_view(said()).find(text) != std::string_view::npos;
  }
  /// Asks for two ops, the second of `count` values, and ends the recording.
  std::int32_t record(void* recording, std::int64_t count) {
    launched().ops.clear();
    PpCall call{};
    auto& ops = static_cast<Recording*>(recording)->ops;
    for (const std::int64_t values : {std::int64_t{1}, count}) {
      PpFill args{};
      args.count = values;
      ops.add(fillOf, call, args);
    }
    return endRecording(recording, 1, &ran_);
  }
  static Stream& stream() { return *static_cast<Stream*>(streamOfDevice(0)); }

 private Q_SLOTS:
  void initTestCase() { qputenv("PARAPET_TIMEOUT_MS", "20"); }
  // A process does not forget a lost device, so each case finds them anew.
  void init() {
    gpus().clear();
    fakeMachine() = {};
    launched() = {};
    QCOMPARE(find(), std::int32_t{PP_OK});
  }

  void saysWhyThereIsNone_data() {
    QTest::addColumn<int>("found");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("major");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no driver") << int{cudaErrorInsufficientDriver} << 0 << 9 << "driver";
    QTest::newRow("no GPU") << int{cudaErrorNoDevice} << 0 << 9 << "no GPU";
    QTest::newRow("none shown") << 0 << 0 << 9 << "no GPU";
    QTest::newRow("chip too old") << 0 << 1 << 7 << "compute capability 7.0); 8.0 or newer";
    QTest::newRow("error") << int{cudaErrorLaunchFailure} << 0 << 9 << "the NVIDIA driver refuses";
  }
  void saysWhyThereIsNone() {
    QFETCH(int, found);
    QFETCH(int, devices);
    QFETCH(int, major);
    QFETCH(QString, reason);
    fakeMachine().found = static_cast<cudaError_t>(found);
    fakeMachine().devices = devices;
    fakeMachine().major = major;
    QCOMPARE(find(), std::int32_t{PP_UNSUPPORTED});
    QVERIFY2(QString(reason_.data()).contains(reason), reason_.data());
  }

  void eachDeviceIsDescribedOnALineOfItsOwn() {
    const QStringList lines = QString(reason_.data()).split('\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY2(lines[1].startsWith("Fake 1, compute capability 9.0; "), reason_.data());
    QVERIFY2(lines[1].contains("CUDA 13.0"), reason_.data());
    // The remark says what makes the products, if the library does not.
    QVERIFY2(lines[0].contains("cuBLASLt is not here"), reason_.data());
  }

  void copiesThereAndBack() {
    std::vector<float> in(1 << 20), out(in.size());
    std::iota(in.begin(), in.end(), 0.0f);
    const std::uint64_t bytes = in.size() * sizeof(float);
    void* const memory = allocate(0, bytes);
    QVERIFY(memory);
    QCOMPARE(copyToDevice(&stream(), memory, in.data(), bytes), std::int32_t{PP_OK});
    QCOMPARE(copyToHost(&stream(), out.data(), memory, bytes), std::int32_t{PP_OK});
    QCOMPARE(out, in);
    const std::size_t before = fakeMachine().usedBytes;
    release(0, memory);
    QCOMPARE(fakeMachine().usedBytes, before - bytes);
  }

  void outOfMemorySaysWhatIsFreeAndLosesNothing() {
    QVERIFY(!allocate(0, std::uint64_t{2} << 30));
    QVERIFY2(says("864.00 MiB of 1.00 GiB free"), said());
    QVERIFY2(says("what fits: smaller batches"), said());
    void* const memory = allocate(0, 1024);
    QVERIFY(memory);
    release(0, memory);
  }

  void aDeviceWithoutRoomForScratchIsNotLost() {
    fakeMachine().usedBytes = fakeMachine().totalBytes;
    Stream& here = stream();
    QVERIFY(!isLost(here));
    PpCall call{};
    call.stream = &here;
    QVERIFY(!Scratch(&call).take<float>(1));
    QVERIFY2(says("the device had no room when they were asked for"), said());
    QCOMPARE(done(&call), std::int32_t{PP_OUT_OF_MEMORY});
    // Another program has left: it is asked for again, and less is taken where less is there.
    fakeMachine().usedBytes = fakeMachine().totalBytes - (std::size_t{40} << 20);
    QCOMPARE(stream().scratchBytes, std::uint64_t{32} << 20);
    QVERIFY(Scratch(&call).take<float>(1));
  }

  void theFirstReasonOfALossStaysOnEveryThread() {
    Stream& here = stream();
    fakeMachine().work = cudaErrorLaunchFailure;
    QCOMPARE(wait(&here, 1), std::int32_t{PP_FAILED});
    QVERIFY2(says("an op: unspecified launch failure"), said());
    std::string elsewhere;
    std::jthread([&] {
      float x = 0.0f;
      if (copyToDevice(&here, &x, &x, sizeof x) == PP_FAILED) elsewhere = said();
    }).join();
    QVERIFY2(
        elsewhere.find("an op: unspecified launch failure (cudaErrorLaunchFailure); the device "
                       "is lost") != std::string::npos,
        elsewhere.c_str());
    QVERIFY(!allocate(0, 16));
    QVERIFY2(says("an op: unspecified launch failure"), said());
  }

  void aCopyBehindAKernelThatDoesNotEndTimesOut() {
    Stream& here = stream();
    float x = 1.0f;
    fakeMachine().work = cudaErrorNotReady;
    QCOMPARE(copyToHost(&here, &x, &x, sizeof x), std::int32_t{PP_TIMED_OUT});
    QVERIFY2(says("a copy from the device has not ended within 20 ms"), said());
    toHost(here, &x, &x, sizeof x);
    QCOMPARE(here.code, std::int32_t{PP_TIMED_OUT});
    here.code = PP_OK;
    toDevice(here, &x, &x, sizeof x);
    QCOMPARE(here.code, std::int32_t{PP_TIMED_OUT});
    here.code = PP_OK;
    // A wait is no loss: once the kernel has ended all goes on.
    fakeMachine().work = cudaSuccess;
    QCOMPARE(wait(&here, 1), std::int32_t{PP_OK});
  }

  /// Copies of a kind, and on which stream.
  static int copiesOf(cudaMemcpyKind kind, bool onStreamOfOps) {
    const auto& copies = fakeMachine().copies;
    return static_cast<int>(std::ranges::count_if(copies, [&](const FakeMachine::Copy& copy) {
      return copy.kind == kind && (copy.on == stream().handle) == onStreamOfOps;
    }));
  }

  void uploadsOfAStepAreOneCopyBesideTheKernels() {
    constexpr int kUploads = 20;
    std::array<std::array<int, 100>, kUploads> in{}, out{};
    Stream& here = stream();
    for (int i = 0; i < kUploads; ++i) {
      in.at(i).fill(i);
      QCOMPARE(copyToDevice(&here, &out.at(i), &in.at(i), sizeof in.at(i)), std::int32_t{PP_OK});
    }
    const auto sent = in;
    in = {};  // may be changed at once
    QVERIFY(fakeMachine().copies.empty());
    QCOMPARE(here.send(here), std::int32_t{PP_OK});
    QCOMPARE(out, sent);
    QCOMPARE(copiesOf(cudaMemcpyHostToDevice, false), 1);
    QCOMPARE(copiesOf(cudaMemcpyHostToDevice, true), 0);
    QCOMPARE(copiesOf(cudaMemcpyDeviceToDevice, true), kUploads);
    QCOMPARE(here.send(here), std::int32_t{PP_OK});
    QCOMPARE(copiesOf(cudaMemcpyHostToDevice, false), 1);
  }

  void anUploadIsThereBeforeWhateverIsAskedNext_data() {
    QTest::addColumn<int>("next");
    QTest::newRow("a wait") << 0;
    QTest::newRow("a copy to the host") << 1;
    QTest::newRow("a recording") << 2;
    QTest::newRow("memory given back") << 3;
  }
  void anUploadIsThereBeforeWhateverIsAskedNext() {
    QFETCH(int, next);
    Stream& here = stream();
    const float x = 2.0f;
    float y = 0.0f, read = 0.0f;
    void* const memory = allocate(0, 4);
    QCOMPARE(copyToDevice(&here, &y, &x, sizeof x), std::int32_t{PP_OK});
    QCOMPARE(y, 0.0f);
    if (next == 0) QCOMPARE(wait(&here, 1), std::int32_t{PP_OK});
    if (next == 1) {
      QCOMPARE(copyToHost(&here, &read, &y, sizeof y), std::int32_t{PP_OK});
      QCOMPARE(read, x);
    }
    if (next == 2) {
      void* const recording = makeRecording(0);
      QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
      releaseRecording(recording);
    }
    if (next == 3) release(0, memory);
    QCOMPARE(y, x);
  }

  // Uploads do not wait for the kernels with the lock held, as the ninth once did.
  void manyUploadsWaitForNoKernel() {
    Stream& here = stream();
    std::array<int, 1000> in{}, out{};
    fakeMachine().work = cudaErrorNotReady;
    for (int step = 0; step < 100; ++step) {
      QCOMPARE(copyToDevice(&here, &out, &in, sizeof in), std::int32_t{PP_OK});
      QCOMPARE(here.send(here), std::int32_t{PP_OK});
    }
    QVERIFY(here.mutex.try_lock());
    here.mutex.unlock();
  }

  void uploadsThatFillTheRingWaitForRoomOnly() {
    Stream& here = stream();
    std::vector<char> in(Uploads::kRingBytes + 1000), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i % 251);
    fakeMachine().work = cudaErrorNotReady;
    QCOMPARE(copyToDevice(&here, out.data(), in.data(), in.size()), std::int32_t{PP_TIMED_OUT});
    QVERIFY2(says("a copy to the device has not ended within 20 ms"), said());
    QVERIFY(!isLost(here));
    fakeMachine().work = cudaSuccess;
    // Round and round, in sizes that do not divide it.
    for (std::size_t at = 0, size = 1; at < in.size(); at += size, size = size * 7 % 3'000'017) {
      size = std::min(size, in.size() - at);
      QCOMPARE(copyToDevice(&here, out.data() + at, in.data() + at, size), std::int32_t{PP_OK});
    }
    QCOMPARE(wait(&here, 1), std::int32_t{PP_OK});
    QVERIFY(out == in);
    fakeMachine().work = cudaErrorLaunchFailure;
    QCOMPARE(copyToDevice(&here, out.data(), in.data(), in.size()), std::int32_t{PP_FAILED});
    QVERIFY(isLost(here));
  }

  void withoutRoomOnTheDeviceEachUploadGoesByItself() {
    fakeMachine().usedBytes = fakeMachine().totalBytes;
    Stream& here = stream();
    std::array<float, 2> in{1.0f, 2.0f}, out{};
    QCOMPARE(copyToDevice(&here, &out[0], &in[0], sizeof(float)), std::int32_t{PP_OK});
    QCOMPARE(copyToDevice(&here, &out[1], &in[1], sizeof(float)), std::int32_t{PP_OK});
    QCOMPARE(here.send(here), std::int32_t{PP_OK});
    QCOMPARE(out, in);
    QCOMPARE(copiesOf(cudaMemcpyHostToDevice, true), 2);
  }

  // A poll must put nothing on a stream that others work on.
  void aWaitRecordsOneEventHoweverLongItTakes() {
    void* const handle = streamOfDevice(0);
    fakeMachine().work = cudaErrorNotReady;
    const int before = fakeMachine().records;
    QCOMPARE(wait(handle, 20), std::int32_t{PP_TIMED_OUT});
    QCOMPARE(fakeMachine().records, before + 1);
  }

  // First one by one, then on a stream of its own to be captured, then as one. Something new begins anew.
  void whatComesAgainIsLaunchedAsAGraph() {
    void* const recording = makeRecording(0);
    QVERIFY(recording);
    QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
    QCOMPARE(launched().ops, (decltype(Launched::ops){{&stream(), 1}, {&stream(), 5}}));
    QCOMPARE(fakeMachine().captures, 0);
    QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
    Stream* const capturing = &gpuOf(stream()).capturing;
    QCOMPARE(launched().ops, (decltype(Launched::ops){{capturing, 1}, {capturing, 5}}));
    QVERIFY(capturing->handle != stream().handle);
    QCOMPARE(capturing->scratch, stream().scratch);
    QCOMPARE(fakeMachine().captures, 1);
    QCOMPARE(fakeMachine().graphLaunches, 1);
    for (int replay = 1; replay <= 3; ++replay) {
      QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
      QVERIFY(launched().ops.empty());
      QCOMPARE(fakeMachine().graphLaunches, 1 + replay);
      QCOMPARE(ran_, std::int32_t{PP_RAN_REPLAY});
    }
    QCOMPARE(record(recording, 6), std::int32_t{PP_OK});
    QCOMPARE(launched().ops, (decltype(Launched::ops){{&stream(), 1}, {&stream(), 6}}));
    QCOMPARE(record(recording, 6), std::int32_t{PP_OK});
    QCOMPARE(fakeMachine().captures, 2);
    QCOMPARE(fakeMachine().graphs, 1);
    releaseRecording(recording);
    QCOMPARE(fakeMachine().graphs, 0);
  }

  void whatCannotBeCapturedRunsOneByOne() {
    fakeMachine().capture = cudaErrorStreamCaptureUnsupported;
    void* const recording = makeRecording(0);
    for (int time = 0; time < 4; ++time) {
      QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
      QCOMPARE(launched().ops.back(), (std::pair{&stream(), std::int64_t{5}}));
      // Once is enough.
      QCOMPARE(fakeMachine().captures, time == 0 ? 0 : 1);
    }
    QVERIFY(static_cast<Recording*>(recording)->ops.hasGivenUp());
    QCOMPARE(ran_, std::int32_t{PP_RAN_EACH});
    QCOMPARE(fakeMachine().graphs, 0);
    QVERIFY(!isLost(stream()));
    releaseRecording(recording);
  }

  // The error is one of its recording, not of the device's others.
  void anOpThatCannotBeCapturedIsAnErrorOfItsRecording() {
    launched().capturable = false;
    void* const first = makeRecording(0);
    for (int time = 0; time < 3; ++time) QCOMPARE(record(first, 5), std::int32_t{PP_OK});
    launched().capturable = true;
    QVERIFY(static_cast<Recording*>(first)->ops.hasGivenUp());
    QVERIFY(!isLost(stream()));
    QVERIFY(!isLost(gpuOf(stream()).capturing));
    void* const second = makeRecording(0);
    for (int time = 0; time < 3; ++time) QCOMPARE(record(second, 5), std::int32_t{PP_OK});
    QCOMPARE(ran_, std::int32_t{PP_RAN_REPLAY});
    releaseRecording(first);
    releaseRecording(second);
  }

  void anOpThatFailsEndsARecording() {
    void* const recording = makeRecording(0);
    launched().code = PP_OUT_OF_MEMORY;
    for (int time = 0; time < 2; ++time)
      QCOMPARE(record(recording, 5), std::int32_t{PP_OUT_OF_MEMORY});
    QCOMPARE(fakeMachine().graphs, 0);
    releaseRecording(recording);
  }

  void aLostDeviceReplaysNothing() {
    void* const recording = makeRecording(0);
    for (int time = 0; time < 3; ++time) QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
    fakeMachine().work = cudaErrorIllegalAddress;
    QCOMPARE(record(recording, 5), std::int32_t{PP_FAILED});
    QVERIFY2(says("a recorded step: "), said());
    QVERIFY(isLost(stream()));
    const int launches = fakeMachine().graphLaunches;
    QCOMPARE(record(recording, 5), std::int32_t{PP_FAILED});
    QCOMPARE(fakeMachine().graphLaunches, launches);
    releaseRecording(recording);
  }

  void graphsCanBeTurnedOff() {
    qputenv("PARAPET_CUDA_GRAPHS", "0");
    QVERIFY(!makeRecording(0));
    qunsetenv("PARAPET_CUDA_GRAPHS");
  }

  // Two runs share a device: one waits for what it has asked, not for a moment without work.
  void aWaitEndsWhileOthersGoOnAsking() {
    void* const handle = streamOfDevice(0);
    const int marks = fakeMachine().marks;
    fakeMachine().othersGoOn = true;
    QCOMPARE(wait(handle, 20), std::int32_t{PP_OK});
    std::int32_t out = 0;
    const std::int32_t in = 1;
    QCOMPARE(copyToHost(handle, &out, &in, sizeof in), std::int32_t{PP_OK});
    QCOMPARE(fakeMachine().marks, marks);
  }

  // The runtime would wait for a kernel that does not end.
  void whatAHangingDeviceUsesIsLeftToIt() {
    void* const memory = allocate(0, 64);
    void* const recording = makeRecording(0);
    for (int time = 0; time < 2; ++time) QCOMPARE(record(recording, 5), std::int32_t{PP_OK});
    const std::size_t used = fakeMachine().usedBytes;
    QCOMPARE(fakeMachine().graphs, 1);
    fakeMachine().work = cudaErrorNotReady;
    release(0, memory);
    QCOMPARE(fakeMachine().usedBytes, used);
    QVERIFY(gpuOf(stream()).isLate);
    releaseRecording(recording);
    QCOMPARE(fakeMachine().graphs, 1);
    fakeMachine().work = cudaSuccess;
    release(0, memory);
    QVERIFY(fakeMachine().usedBytes < used);
    QVERIFY(!gpuOf(stream()).isLate);
  }

  void devicesAreLostApart() {
    fakeMachine().work = cudaErrorIllegalAddress;
    QCOMPARE(wait(streamOfDevice(1), 1), std::int32_t{PP_FAILED});
    fakeMachine().work = cudaSuccess;
    QCOMPARE(wait(streamOfDevice(0), 1), std::int32_t{PP_OK});
    QCOMPARE(wait(streamOfDevice(1), 1), std::int32_t{PP_FAILED});
  }
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
