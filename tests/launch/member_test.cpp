// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/member.h"

#include <QtTest>

#include "tests/launch/outputs.h"

using namespace parapet::launch;
using namespace parapet::launch::test;

namespace {

Received from0(Message message) {
  return {0, std::move(message)};
}
Command commandOf(std::uint64_t sequence, std::uint64_t generation = 1) {
  return {generation, sequence, CommandKind::kStep, "", 0};
}

/// A member of rank 1 whose first generation runs.
Member running() {
  Member member(kTestLimits, joinOfRank(1, 2));
  (void)member.on(0, Tick{});
  (void)member.on(0, Idle{});
  (void)member.on(1, from0(Begin{1, {0, 1}, {"node0", "node1"}, "plan", ""}));
  return member;
}

}  // namespace

class LaunchMemberTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void joinsAgainUntilTheGenerationBegins() {
    Member member(kTestLimits, joinOfRank(1, 2));
    QVERIFY(sentOf<Join>(member.on(0, Tick{})).empty());  // the engine is not ready
    QCOMPARE(sentOf<Join>(member.on(0, Idle{})).size(), std::size_t{1});
    QCOMPARE(sentOf<Join>(member.on(100, Tick{7})).at(0).wallMs, 7);
    const Begin begin{1, {0, 1}, {"node0", "node1"}, "plan", ""};
    QCOMPARE(outputsOf<Begin>(member.on(150, from0(begin))).size(), std::size_t{1});
    QVERIFY(outputsOf<Begin>(member.on(151, from0(begin))).empty());  // it was said twice
    QVERIFY(sentOf<Join>(member.on(200, Tick{})).empty());
  }

  void eachCommandRunsOnceAndInOrder() {
    Member member = running();
    QVERIFY(outputsOf<Command>(member.on(2, from0(commandOf(2)))).empty());  // the first is missing
    QCOMPARE(outputsOf<Command>(member.on(3, from0(commandOf(1)))).size(), std::size_t{1});
    QVERIFY(outputsOf<Command>(member.on(4, from0(commandOf(1)))).empty());
    QVERIFY(outputsOf<Command>(member.on(5, from0(commandOf(2)))).empty());  // the engine works
    const auto outputs = member.on(6, Worked{1, 1, 5, {}, {}, {}});
    QCOMPARE(sentOf<Done>(outputs).at(0).status, std::uint64_t{5});
    QCOMPARE(outputsOf<Command>(outputs).at(0).sequence, std::uint64_t{2});
    QVERIFY(outputsOf<Command>(member.on(7, from0(commandOf(3, 2)))).empty());  // of no generation
  }

  void answersAgainUntilTheTotalIsKnown() {
    Member member = running();
    (void)member.on(2, from0(commandOf(1)));
    (void)member.on(3, Worked{1, 1, 5, {}, {}, {}});
    QCOMPARE(sentOf<Done>(member.on(103, Tick{})).size(), std::size_t{1});
    (void)member.on(104, from0(Beat{1, 1}));
    QVERIFY(sentOf<Done>(member.on(203, Tick{})).empty());
  }

  void piecesAreDurableBeforeTheyCount() {
    Member member = running();
    (void)member.on(2, from0(commandOf(1)));
    auto outputs = member.on(3, Worked{1, 1, 0, {{"a", 1, "h"}, {"b", 1, "h"}}, "/tmp/x", {}});
    for (const char* path : {"/tmp/x/a", "/tmp/x/b", "/tmp/x"}) {
      QVERIFY(sentOf<Done>(outputs).empty());
      QCOMPARE(outputsOf<Write>(outputs).at(0).op.path.string(), std::string(path));
      outputs = member.on(4, DiskDone{});
    }
    QCOMPARE(sentOf<Done>(outputs).at(0).pieces.size(), std::size_t{2});
  }

  void aSyncThatFailsIsAProblemOfTheCommand() {
    Member member = running();
    (void)member.on(2, from0(commandOf(1)));
    (void)member.on(3, Worked{1, 1, 0, {{"a", 1, "h"}}, "/tmp/x", {}});
    const auto done = sentOf<Done>(member.on(4, DiskDone{"disk is full"}));
    QCOMPARE(done.at(0).problem, std::string("disk is full"));
    QVERIFY(done.at(0).pieces.empty());
  }

  void aSilentLeaderEndsIt() {
    Member member = running();
    std::vector<Output> outputs;
    for (Milliseconds now = 0; now <= 1100; now += 100) {
      QVERIFY(outputsOf<Ended>(outputs).empty());
      outputs = member.on(now, Tick{});
    }
    QCOMPARE(outputsOf<Verdict>(outputs).at(0).text(),
             std::string("rank 0 (node0): nothing was heard of it for 1000 ms"));
    QCOMPARE(sentOf<Failure>(outputs).at(0).suspect, 0);
    QCOMPARE(outputsOf<Ended>(outputs).size(), std::size_t{1});
  }

  // A process that was stopped, or whose clock jumped, has not heard anybody either.
  void itsOwnPauseIsNobodysSilence() {
    Member member = running();
    QVERIFY(outputsOf<Ended>(member.on(1'000'000, Tick{})).empty());
    QVERIFY(outputsOf<Ended>(member.on(5, Tick{})).empty());
    QVERIFY(outputsOf<Ended>(member.on(1'000'000, Tick{})).empty());
  }

  void aRestartDropsWhatWasUnderWay() {
    Member member = running();
    (void)member.on(2, from0(commandOf(1)));
    const Verdict verdict{1, Ending::kRestart, 2, "node2", "it is gone"};
    QCOMPARE(outputsOf<Verdict>(member.on(3, from0(verdict))).size(), std::size_t{1});
    QVERIFY(outputsOf<Verdict>(member.on(4, from0(verdict))).empty());
    QVERIFY(sentOf<Done>(member.on(5, Worked{1, 1, 5, {}, {}, {}})).empty());
    QVERIFY(sentOf<Join>(member.on(100, Tick{})).empty());  // the engine still works
    QCOMPARE(sentOf<Join>(member.on(150, Idle{})).at(0).generation, std::uint64_t{2});
  }

  void saysGoodbyeAsOftenAsItIsTold() {
    Member member = running();
    const Verdict verdict{1, Ending::kFinished, -1, "", ""};
    QCOMPARE(sentOf<Bye>(member.on(2, from0(verdict))).size(), std::size_t{1});
    QCOMPARE(sentOf<Bye>(member.on(3, from0(verdict))).size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(LaunchMemberTest)
#include "member_test.moc"
