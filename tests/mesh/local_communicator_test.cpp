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

namespace {

using Counts = std::vector<std::vector<std::int64_t>>;

std::unique_ptr<Communicator> communicatorOf(int ranks) {
  return mesh::makeLocalCommunicator(ranks, {&tensor::hostDevice(), nullptr});
}

/// What the InvalidArgument of `misuse` says; "" if there is none.
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
  const std::vector<float*> pair_{one_.data(), two_.data()}, lone_{one_.data()},
      three_{one_.data(), two_.data(), spare_.data()};
  const std::vector<const float*> constPair_{one_.data(), two_.data()}, constLone_{one_.data()};

 private slots:
  void refusesFewerThanOneRank() {
    QVERIFY_EXCEPTION_THROWN(communicatorOf(0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(communicatorOf(-1), InvalidArgument);
  }

  void refusesBuffersOfAnotherNumberOfRanks() {
    const auto ranks = communicatorOf(2);
    const Counts counts(2, {0, 0});
    QCOMPARE(complaint([&] { return ranks->allReduce(three_, 1); }),
             std::string("[mesh.allReduce] buffers of 3 ranks; this communicator has 2"));
    QVERIFY(complaint([&] {
              return ranks->reduceScatter(constLone_, pair_, 1);
            }).starts_with("[mesh.reduceScatter] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->reduceScatter(constPair_, lone_, 1);
            }).starts_with("[mesh.reduceScatter] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->allGather(constPair_, lone_, 1);
            }).starts_with("[mesh.allGather] buffers of 1"));
    QVERIFY(complaint([&] {
              return ranks->allToAll(constPair_, counts, three_);
            }).starts_with("[mesh.allToAll] buffers of 3"));
    QVERIFY(complaint([&] {
              return ranks->broadcast(lone_, 1, 0);
            }).starts_with("[mesh.broadcast] buffers of 1"));
  }

  void refusesRootsThatAreNoRank() {
    const auto ranks = communicatorOf(2);
    for (const int root : {-1, 2})
      QCOMPARE(complaint([&] { return ranks->broadcast(pair_, 1, root); }),
               "[mesh.broadcast] root " + std::to_string(root) + "; accepted are 0 … 1");
  }

  void refusesNegativeCounts() {
    const auto ranks = communicatorOf(2);
    const std::vector<std::pair<std::string, std::function<Status()>>> calls{
        {"allReduce", [&] { return ranks->allReduce(pair_, -1); }},
        {"reduceScatter", [&] { return ranks->reduceScatter(constPair_, pair_, -1); }},
        {"allGather", [&] { return ranks->allGather(constPair_, pair_, -1); }},
        {"broadcast", [&] { return ranks->broadcast(pair_, -1, 0); }}};
    for (const auto& [name, call] : calls)
      QCOMPARE(complaint(call), "[mesh." + name + "] n is -1; at least 0 is accepted");
  }

  void refusesSendCountsThatDoNotFit() {
    const auto ranks = communicatorOf(2);
    const auto send = [&](Counts counts) {
      return complaint([&, counts] { return ranks->allToAll(constPair_, counts, pair_); });
    };
    QCOMPARE(send({{0, 0}}),
             std::string("[mesh.allToAll] buffers of 1 ranks; this communicator has 2"));
    QCOMPARE(send({{0, 0}, {0}}),
             std::string("[mesh.allToAll] rank 1 sends to 1 ranks; this communicator has 2"));
    QCOMPARE(send({{0, 0}, {0, -3}}),
             std::string("[mesh.allToAll] rank 1 sends -3 to rank 1; at least 0 is accepted"));
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
