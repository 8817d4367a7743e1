// SPDX-License-Identifier: Apache-2.0
// Misuse of the communicator of one process; that its collectives are right is among the
// conformance cases of engine/selftest.
#include <QtTest>
#include <array>
#include <functional>
#include <thread>

#include "engine/mesh/communicator.h"

using namespace parapet;
using mesh::Communicator;
using mesh::ElementType;
using mesh::PeerCounts;

namespace {

constexpr auto kF32 = ElementType::kF32;
constexpr auto kHost = mesh::Memory::kHost;

std::unique_ptr<Communicator> communicatorOf(int ranks) {
  return mesh::makeLocalCommunicator(ranks, {&tensor::hostDevice(), nullptr});
}

/// The message of the InvalidArgument of `misuse`; "" if there is none.
std::string complaint(const std::function<Status()>& misuse) {
  try {
    return misuse().ok() ? "" : "an error";
  } catch (const InvalidArgument& exception) {
    return exception.what();
  }
}

}  // namespace

class LocalCommunicatorTest : public QObject {
  Q_OBJECT

  std::array<float, 2> one_{1.0f, 1.0f}, two_{2.0f, 2.0f}, spare_{3.0f, 3.0f};
  const std::vector<void*> pair_{one_.data(), two_.data()}, lone_{one_.data()},
      three_{one_.data(), two_.data(), spare_.data()};
  const std::vector<const void*> constPair_{one_.data(), two_.data()}, constLone_{one_.data()};
  const std::vector<std::int64_t> ones_{1, 1};

 private Q_SLOTS:
  void refusesFewerThanOneRank() {
    QVERIFY_EXCEPTION_THROWN(communicatorOf(0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(communicatorOf(-1), InvalidArgument);
  }

  void refusesBuffersOfAnotherNumberOfRanks() {
    const auto ranks = communicatorOf(2);
    const std::vector<PeerCounts> counts(2, PeerCounts(2));
    QCOMPARE(complaint([&] { return ranks->allReduce(three_, 1, kF32, kHost); }),
             std::string("[mesh.allReduce] buffers of 3 ranks; this communicator has 2"));
    QVERIFY(complaint([&] {
              return ranks->reduceScatter(constLone_, pair_, ones_, kF32, kHost);
            }).starts_with("[mesh.reduceScatter] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->reduceScatter(constPair_, lone_, ones_, kF32, kHost);
            }).starts_with("[mesh.reduceScatter] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->allGather(constPair_, lone_, ones_, kF32, kHost);
            }).starts_with("[mesh.allGather] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->allGather(constPair_, pair_, std::span(ones_).first(1), kF32, kHost);
            }).starts_with("[mesh.allGather] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->allToAll(constPair_, counts, three_, kF32, kHost);
            }).starts_with("[mesh.allToAll] buffers of 3"));
  }

  void refusesNegativeCounts() {
    const auto ranks = communicatorOf(2);
    const std::vector<std::int64_t> negative{1, -1};
    const std::vector<std::pair<std::string, std::function<Status()>>> calls{
        {"allReduce", [&] { return ranks->allReduce(pair_, -1, kF32, kHost); }},
        {"reduceScatter",
         [&] { return ranks->reduceScatter(constPair_, pair_, negative, kF32, kHost); }},
        {"allGather", [&] { return ranks->allGather(constPair_, pair_, negative, kF32, kHost); }}};
    for (const auto& [name, call] : calls)
      QCOMPARE(complaint(call), "[mesh." + name + "] n is -1; at least 0 is accepted");
  }

  void refusesSumsOfBytes() {
    const auto ranks = communicatorOf(2);
    QCOMPARE(
        complaint([&] { return ranks->allReduce(pair_, 1, ElementType::kBytes, kHost); }),
        std::string("[mesh.allReduce] sums of bytes; f32, f64, bf16, i32 and i64 are accepted"));
    QVERIFY(complaint([&] {
              return ranks->reduceScatter(constPair_, pair_, ones_, ElementType::kBytes, kHost);
            }).starts_with("[mesh.reduceScatter] sums of bytes"));
  }

  void refusesGroupsOfOtherRanks() {
    const auto ranks = communicatorOf(3);
    const auto group = [&](std::vector<int> members) {
      return complaint([&, members]() -> Status {
        (void)ranks->group(members);
        return {};
      });
    };
    QCOMPARE(group({}), std::string("[mesh.group] no rank; at least 1 is accepted"));
    QCOMPARE(group({0, 3}), std::string("[mesh.group] rank 3; accepted are 1 … 2"));
    QCOMPARE(group({1, 1}), std::string("[mesh.group] rank 1; accepted are 2 … 2"));
  }

  // The nearest bf16, the even one of two that are as near; NaN stays NaN.
  void roundsSumsOfHalvesOnce() {
    const auto ranks = communicatorOf(3);
    constexpr std::uint16_t kOne = 0x3f80, kEighth = 0x3b80, kNan = 0x7f81;  // 1, 2⁻⁸, NaN
    std::array<std::uint16_t, 2> first{kOne, kNan}, second{kEighth, kOne}, third{kEighth, kOne};
    const std::vector<void*> all{first.data(), second.data(), third.data()};
    QVERIFY(ranks->allReduce(all, 2, ElementType::kBf16, kHost).ok());
    // Rounded after each addition it would be 1: 1 + 2⁻⁸ lies between 1 and 1 + 2⁻⁷.
    QCOMPARE(third[0], std::uint16_t{kOne + 1});
    QVERIFY((third[1] & 0x7f80) == 0x7f80 && (third[1] & 0x7f) != 0);
    QCOMPARE(first, third);
  }

  void refusesSendCountsThatDoNotFit() {
    const auto ranks = communicatorOf(2);
    const auto send = [&](std::vector<PeerCounts> counts) {
      return complaint(
          [&, counts] { return ranks->allToAll(constPair_, counts, pair_, kF32, kHost); });
    };
    std::vector<PeerCounts> counts(2, PeerCounts(2));
    QCOMPARE(send({counts[0]}),
             std::string("[mesh.allToAll] buffers of 1 ranks; this communicator has 2"));
    QCOMPARE(send({counts[0], PeerCounts(1)}),
             std::string("[mesh.allToAll] rank 1 sends to 1 ranks; this communicator has 2"));
    counts[1].send[1] = -3;
    QCOMPARE(send(counts),
             std::string("[mesh.allToAll] rank 1 sends -3 to rank 1; at least 0 is accepted"));
    counts[1].send[1] = 0;
    counts[0].send[1] = 1;
    QCOMPARE(send(counts),
             std::string("[mesh.allToAll] rank 0 sends 1 to rank 1, which expects 0"));
    QCOMPARE(one_, (std::array<float, 2>{1.0f, 1.0f}));
  }

  void anotherThreadMayAbort() {
    const auto ranks = communicatorOf(2);
    std::thread([&] { ranks->abort("the window was closed"); }).join();
    const Status status = ranks->barrier();
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::kPeer);
    QVERIFY(status.error().message.find("the window was closed") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(LocalCommunicatorTest)
#include "local_communicator_test.moc"
