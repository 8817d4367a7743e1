// SPDX-License-Identifier: Apache-2.0
// The communicator of plugins/cuda over a library that has NCCL's functions and no GPU.
#include <dlfcn.h>

#include <QtTest>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include "engine/mesh/communicator_abi.h"
#include "plugins/cuda/communicator/nccl.h"
#include "plugins/cuda/libraries.h"
#include "plugins/cuda/stream.h"

extern "C" const PcPlugin* parapet_plugin(void);

namespace {

constexpr std::int64_t kTimeoutMs = 100;

// Devices whose streams are always done, but for one that may be told to hang.
std::atomic<int> hangingStream{-1};

parapet::cuda::Stream& streamAt(std::int32_t index) {
  static std::array<parapet::cuda::Stream, 4> streams;
  parapet::cuda::Stream& stream = streams.at(static_cast<std::size_t>(index));
  stream.device = index;
  return stream;
}

const PpDevice& deviceOf(const char* kind) {
  static PpDevice cuda{}, cpu{};
  PpDevice& device = std::string_view(kind) == "cuda" ? cuda : cpu;
  device.structSize = sizeof device;
  device.kind = kind;
  device.stream = [](std::int32_t index) -> void* { return &streamAt(index); };
  device.wait = [](void* stream, std::int64_t) -> std::int32_t {
    return static_cast<parapet::cuda::Stream*>(stream)->device == hangingStream ? PP_TIMED_OUT
                                                                                : PP_OK;
  };
  device.lastError = [] { return "the device is lost"; };
  return device;
}

const PcCollectives& collectives() {
  return *parapet_plugin()->collectives;
}

struct Closing {
  void operator()(PcCommunicator* of) const { collectives().destroy(of); }
};
using Owned = std::unique_ptr<PcCommunicator, Closing>;

Owned make(const std::vector<PcRank>& ranks, std::int32_t& code, PcError& error) {
  const PcWorld world{sizeof(PcWorld), static_cast<std::int32_t>(ranks.size()), ranks.data(),
                      kTimeoutMs};
  PcCommunicator* made = nullptr;
  code = collectives().create(&world, &made, &error);
  return Owned(made);
}

template <class T>
struct Buffers {
  std::vector<std::vector<T>> of;
  std::vector<void*> out;
  std::vector<const void*> in;
  explicit Buffers(std::vector<std::vector<T>> values) : of(std::move(values)) {
    for (auto& one : of) {
      out.push_back(one.data());
      in.push_back(one.data());
    }
  }
};

}  // namespace

class NcclTest : public QObject {
  Q_OBJECT

  PcError error_{};
  std::int32_t code_ = PC_OK;

  static std::vector<PcRank> gpus(int count) {
    std::vector<PcRank> ranks;
    for (int rank = 0; rank < count; ++rank) ranks.push_back({&deviceOf("cuda"), rank});
    return ranks;
  }
  Owned pair() { return make(gpus(2), code_, error_); }
  [[nodiscard]] QString text() const { return QString::fromUtf8(error_.text); }
  static int count(const char* name) {
    void* const library = ::dlopen(PARAPET_STUBS "/good/libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<int (*)()>(::dlsym(library, name))();
  }
  static void fail(const char* name, int rank) {
    void* const library = ::dlopen(PARAPET_STUBS "/good/libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    reinterpret_cast<void (*)(int)>(::dlsym(library, name))(rank);
  }
  std::int32_t sum(PcCommunicator* ranks, int count = 2) {
    Buffers<float> values(std::vector<std::vector<float>>(static_cast<std::size_t>(count), {1.0f}));
    const PcCall call{sizeof call, PC_F32, PC_DEVICE, nullptr, values.out.data()};
    return collectives().allReduce(ranks, &call, 1, &error_);
  }

 private Q_SLOTS:
  void init() {
    qputenv("PARAPET_CUDA_LIB_DIRS", PARAPET_STUBS "/good");
    qunsetenv("PARAPET_NCCL_STUB");
    hangingStream = -1;
    error_ = {};
  }
  void cleanup() { QCOMPARE(count("stubLive"), 0); }

  void aMissingLibraryIsNamedWithWhereItWasLookedFor() {
    qputenv("PARAPET_CUDA_LIB_DIRS", "/nowhere/at/all");
    std::string why;
    QVERIFY(!parapet::cuda::NcclApi::open(why, {"libnccl_of_nobody.so.2"}));
    for (const char* said :
         {"NCCL is not here", "PARAPET_CUDA_LIB_DIRS", "/nowhere/at/all/libnccl_of_nobody.so.2"})
      QVERIFY2(why.find(said) != std::string::npos, why.c_str());
  }

  // Listing devices opens no library of half a gigabyte.
  void aLibraryIsFoundWithoutBeingOpened() {
    using parapet::cuda::Library;
    QCOMPARE(Library::find("libnccl.so.2"), std::string(PARAPET_STUBS "/good/libnccl.so.2"));
    QVERIFY(!::dlopen(PARAPET_STUBS "/newer/libnccl.so.2", RTLD_NOW | RTLD_NOLOAD));
    qputenv("PARAPET_CUDA_LIB_DIRS", PARAPET_STUBS "/newer");
    QCOMPARE(Library::find("libnccl.so.2"), std::string(PARAPET_STUBS "/newer/libnccl.so.2"));
    QVERIFY(!::dlopen(PARAPET_STUBS "/newer/libnccl.so.2", RTLD_NOW | RTLD_NOLOAD));
    QCOMPARE(Library::find("libnccl_of_nobody.so.2"), std::string());
  }

  void refusesAnotherMajorVersion() {
    qputenv("PARAPET_CUDA_LIB_DIRS", PARAPET_STUBS "/newer");
    QVERIFY(!pair());
    QCOMPARE(code_, std::int32_t{PC_UNSUPPORTED});
    QVERIFY2(text().contains("newer/libnccl.so.2 is NCCL 30100, of major version 3; 2 is accepted"),
             error_.text);
  }

  void refusesALibraryWithoutAFunction() {
    qputenv("PARAPET_CUDA_LIB_DIRS", PARAPET_STUBS "/partial");
    QVERIFY(!pair());
    QCOMPARE(code_, std::int32_t{PC_UNSUPPORTED});
    QVERIFY2(text().contains("has no ncclCommAbort"), error_.text);
  }

  void refusesRanksThatItCannotConnect() {
    QVERIFY(!make({{&deviceOf("cuda"), 0}, {&deviceOf("cpu"), 0}}, code_, error_));
    QCOMPARE(code_, std::int32_t{PC_UNSUPPORTED});
    QCOMPARE(error_.rank, 1);
    const auto twice = make(
        {{&deviceOf("cuda"), 0}, {&deviceOf("cuda"), 1}, {&deviceOf("cuda"), 0}}, code_, error_);
    QVERIFY(!twice);
    QVERIFY2(text().contains("ranks 0 and 2 are both on cuda:0"), error_.text);
  }

  void sumsEveryElementTypeOnTwoThreeAndFourRanks() {
    for (const int ranks : {2, 3, 4}) {
      const Owned all = make(gpus(ranks), code_, error_);
      QVERIFY2(all, error_.text);
      const auto check = [&]<class T>(T, std::int32_t type, T one, T total) {
        Buffers<T> values(std::vector<std::vector<T>>(static_cast<std::size_t>(ranks), {one, one}));
        const PcCall call{sizeof call, type, PC_DEVICE, nullptr, values.out.data()};
        QCOMPARE(collectives().allReduce(all.get(), &call, 2, &error_), std::int32_t{PC_OK});
        for (const auto& of : values.of) QCOMPARE(of, std::vector<T>({total, total}));
      };
      const auto times = static_cast<float>(ranks);
      check(0.0f, PC_F32, 1.5f, 1.5f * times);
      check(0.0, PC_F64, 1e9 + 0.25, (1e9 + 0.25) * ranks);
      check(std::int32_t{}, PC_I32, -7, -7 * ranks);
      check(std::int64_t{}, PC_I64, std::int64_t{1} << 40, (std::int64_t{1} << 40) * ranks);
      // 1 and 2, 3 or 4 as bf16.
      const std::array<std::uint16_t, 5> bf16{0, 0x3f80, 0x4000, 0x4040, 0x4080};
      check(std::uint16_t{}, PC_BF16, bf16[1], bf16.at(static_cast<std::size_t>(ranks)));
    }
  }

  void scattersGathersAndExchangesUnevenShares() {
    const Owned ranks = pair();
    QVERIFY2(ranks, error_.text);
    const std::array<std::int64_t, 2> counts{1, 2};
    {
      Buffers<float> in({{1, 2, 3}, {10, 20, 30}}), out({{0}, {0, 0}});
      const PcCall call{sizeof call, PC_F32, PC_DEVICE, in.in.data(), out.out.data()};
      QCOMPARE(collectives().reduceScatter(ranks.get(), &call, counts.data(), &error_),
               std::int32_t{PC_OK});
      QCOMPARE(out.of, (std::vector<std::vector<float>>{{11}, {22, 33}}));
    }
    {
      Buffers<float> in({{1}, {2, 3}}), out({{0, 0, 0}, {0, 0, 0}});
      const PcCall call{sizeof call, PC_F32, PC_DEVICE, in.in.data(), out.out.data()};
      QCOMPARE(collectives().allGather(ranks.get(), &call, counts.data(), &error_),
               std::int32_t{PC_OK});
      QCOMPARE(out.of, (std::vector<std::vector<float>>{{1, 2, 3}, {1, 2, 3}}));
    }
    {
      // Rank 0 keeps one and sends two; rank 1 sends nothing and keeps one.
      Buffers<std::int64_t> in({{1, 2, 3}, {4}}), out({{0}, {0, 0, 0}});
      const std::array<std::int64_t, 2> send0{1, 2}, begin0{0, 1}, receive0{1, 0};
      const std::array<std::int64_t, 2> send1{0, 1}, begin1{0, 0}, receive1{2, 1};
      const std::array<PcPeerCounts, 2> peers{
          PcPeerCounts{send0.data(), begin0.data(), receive0.data()},
          PcPeerCounts{send1.data(), begin1.data(), receive1.data()}};
      const PcCall call{sizeof call, PC_I64, PC_DEVICE, in.in.data(), out.out.data()};
      QCOMPARE(collectives().allToAll(ranks.get(), &call, peers.data(), &error_),
               std::int32_t{PC_OK});
      QCOMPARE(out.of, (std::vector<std::vector<std::int64_t>>{{1}, {2, 3, 4}}));
    }
  }

  // Ranks of one device: no library, the device's own ops.
  void ranksOfOneDeviceCopyByRowsAndSumByItsOps() {
    static std::vector<std::int64_t> rows;
    rows.clear();
    PpOps ops{};
    ops.copyColumns = [](const PpCall*, const PpCopyColumns* a) -> std::int32_t {
      rows.push_back(a->rows);
      for (std::int64_t row = 0; row < a->rows; ++row)
        std::copy_n(a->in + row * a->strideIn, a->width, a->out + row * a->strideOut);
      return PP_OK;
    };
    ops.sumParts = [](const PpCall*, const PpSumParts* a) -> std::int32_t {
      for (std::int64_t i = 0; i < a->count; ++i) {
        float sum = 0.0f;
        for (std::int32_t part = 0; part < a->parts; ++part) sum += a->in[part][i];
        a->out[i] = sum;
      }
      return PP_OK;
    };
    PpDevice device = deviceOf("cuda");
    device.ops = &ops;
    const Owned ranks = make({{&device, 0}, {&device, 0}}, code_, error_);
    QVERIFY2(ranks, error_.text);
    std::vector<float> values(10'007);
    std::iota(values.begin(), values.end(), 0.0f);
    Buffers<float> both({values, values});
    const PcCall call{sizeof call, PC_F32, PC_DEVICE, nullptr, both.out.data()};
    QCOMPARE(collectives().allReduce(ranks.get(), &call, 10'007, &error_), std::int32_t{PC_OK});
    for (float& value : values) value *= 2.0f;
    QCOMPARE(both.of[0], values);
    QCOMPARE(both.of[1], values);
    // A block of threads for each row: one row would leave the device idle.
    QCOMPARE(rows, (std::vector<std::int64_t>{39, 1}));
  }

  void whatLiesInTheHostsMemoryNeedsNoLibrary() {
    const Owned ranks = pair();
    Buffers<float> values({{1}, {2}});
    qputenv("PARAPET_NCCL_STUB", "hangs:all");
    const PcCall call{sizeof call, PC_F32, PC_HOST, nullptr, values.out.data()};
    QCOMPARE(collectives().allReduce(ranks.get(), &call, 1, &error_), std::int32_t{PC_OK});
    QCOMPARE(values.of, (std::vector<std::vector<float>>{{3}, {3}}));
  }

  void aLostPeerIsNamed() {
    const Owned ranks = pair();
    qputenv("PARAPET_NCCL_STUB", "lost:1");
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_PEER});
    QCOMPARE(error_.rank, 1);
    QVERIFY2(text().contains("remote process exited"), error_.text);
    // The others are told whose fault it was.
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_PEER});
    QVERIFY2(text().contains("rank 1 (cuda:1)"), error_.text);
  }

  void aHangingPeerIsNamedAfterTheTimeOutAndAborted() {
    const Owned ranks = pair();
    const int before = count("stubAborted");
    qputenv("PARAPET_NCCL_STUB", "hangs:1");
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_PEER});
    QCOMPARE(error_.rank, 1);
    QCOMPARE(text(), QString("it has not answered within 100 ms"));
    QCOMPARE(count("stubAborted"), before + 2);
    QCOMPARE(count("stubLive"), 0);
  }

  void whereAllHangItSaysSo() {
    const Owned ranks = make(gpus(3), code_, error_);
    qputenv("PARAPET_NCCL_STUB", "hangs:all");
    QCOMPARE(sum(ranks.get(), 3), std::int32_t{PC_PEER});
    QVERIFY2(text().contains("as 2 of the other ranks"), error_.text);
  }

  // Streams order collectives; who reads a result back waits for it, and finds the device that hangs.
  void aCollectiveWaitsForNoDevice() {
    const Owned ranks = pair();
    hangingStream = 1;
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_OK});
    QCOMPARE(collectives().barrier(ranks.get(), &error_), std::int32_t{PC_OK});
    hangingStream = -1;
  }

  // NCCL finds an error while the devices work.
  void aBarrierNamesTheRankThatNcclBlames() {
    const Owned ranks = pair();
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_OK});
    fail("stubFail", 1);
    QCOMPARE(collectives().barrier(ranks.get(), &error_), std::int32_t{PC_PEER});
    QCOMPARE(error_.rank, 1);
    QVERIFY2(text().contains("remote process exited"), error_.text);
  }

  void uploadsAreThereBeforeACollective() {
    static std::vector<std::int32_t> sent;
    sent.clear();
    const Owned ranks = pair();
    for (const std::int32_t rank : {0, 1})
      streamAt(rank).send = [](parapet::cuda::Stream& stream) -> std::int32_t {
        sent.push_back(stream.device);
        return stream.device == hangingStream ? PP_FAILED : PP_OK;
      };
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_OK});
    QCOMPARE(sent, (std::vector<std::int32_t>{0, 1}));
    hangingStream = 1;
    QCOMPARE(sum(ranks.get()), std::int32_t{PC_PEER});
    QCOMPARE(text(), QString("the device is lost"));
    QCOMPARE(error_.rank, 1);
    for (const std::int32_t rank : {0, 1}) streamAt(rank).send = nullptr;
  }

  void aStartThatHangsEndsAndLeavesNothing() {
    qputenv("PARAPET_NCCL_STUB", "starts:1");
    QVERIFY(!pair());
    QCOMPARE(code_, std::int32_t{PC_PEER});
    QCOMPARE(error_.rank, 1);
    QCOMPARE(text(), QString("NCCL has not started within 100 ms"));
    QCOMPARE(count("stubLive"), 0);
  }

  void anAbortReachesTheConnectionsOfAllGroups() {
    const Owned all = make(gpus(3), code_, error_);
    const std::array<std::int32_t, 2> some{0, 2};
    PcCommunicator* made = nullptr;
    QCOMPARE(collectives().group(all.get(), some.data(), 2, &made, &error_), std::int32_t{PC_OK});
    const Owned group(made);
    QCOMPARE(count("stubLive"), 5);
    const int before = count("stubAborted");
    collectives().abort(group.get(), "the run has ended");
    QCOMPARE(count("stubAborted"), before + 5);
    for (PcCommunicator* const of : {all.get(), group.get()}) {
      QCOMPARE(collectives().barrier(of, &error_), std::int32_t{PC_PEER});
      QVERIFY2(text().contains("the run has ended"), error_.text);
    }
  }

  // The thread that waits does not use what another has aborted.
  void anAbortEndsAWaitOfAnotherThread() {
    const auto ranks = gpus(2);
    const PcWorld patient{sizeof(PcWorld), 2, ranks.data(), 60'000};
    PcCommunicator* made = nullptr;
    QCOMPARE(collectives().create(&patient, &made, &error_), std::int32_t{PC_OK});
    const Owned pair(made);
    qputenv("PARAPET_NCCL_STUB", "hangs:1");
    std::jthread other([&] { collectives().abort(pair.get(), "stopped by the user"); });
    QCOMPARE(sum(pair.get()), std::int32_t{PC_PEER});
    QVERIFY2(text().contains("stopped by the user"), error_.text);
    other.join();
    QCOMPARE(count("stubLive"), 0);
  }

  void destroysInOrderWhatHasNotFailed() {
    const int before = count("stubDestroyed");
    { const Owned ranks = pair(); }
    QCOMPARE(count("stubDestroyed"), before + 2);
  }
};

QTEST_GUILESS_MAIN(NcclTest)
#include "nccl_test.moc"
