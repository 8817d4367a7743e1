// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/leader.h"

#include <QtTest>
#include <set>

#include "engine/base/result.h"
#include "tests/launch/outputs.h"

using namespace parapet;
using namespace parapet::launch;
using namespace parapet::launch::test;

namespace {

/// A leader whose members answer from links that are their ranks.
class Members {
 public:
  explicit Members(int processes, const Limits& limits = kTestLimits)
      : processes_(processes), leader(limits, processes) {
    (void)leader.on(now, Tick{});
  }
  std::vector<Output> joinAll(std::uint64_t of = 1) {
    std::vector<Output> outputs;
    for (int rank = 0; rank < processes_; ++rank)
      if (!gone.contains(rank)) outputs = say(rank, joinOfRank(rank, processes_, of));
    return outputs;
  }
  void begin() {
    joinAll(generation);
    (void)leader.on(now, Planned{generation, "plan", ""});
  }
  std::vector<Output> say(int rank, Message message) {
    return leader.on(now, Received{rank, std::move(message)});
  }
  std::vector<Output> issue(CommandKind kind = CommandKind::kStep) {
    return leader.on(now, Issue{generation, kind, "", 0});
  }
  /// Beats of all but the silent, until there is a verdict or the time is over.
  std::vector<Verdict> wait(Milliseconds ms, const std::set<int>& silent = {}) {
    for (const Milliseconds until = now + ms; now < until;) {
      now += 100;
      for (int rank = 0; rank < processes_; ++rank)
        if (!silent.contains(rank) && !gone.contains(rank)) say(rank, Beat{generation, 9});
      const auto verdicts = outputsOf<Verdict>(leader.on(now, Tick{}));
      if (!verdicts.empty()) return verdicts;
    }
    return {};
  }

 private:
  int processes_;

 public:
  Leader leader;
  Milliseconds now = 0;
  std::uint64_t generation = 1;
  std::set<int> gone;
};

}  // namespace

class LaunchLeaderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void beginsWhenAllAreHere() {
    Members members(3);
    QVERIFY(outputsOf<Formed>(members.say(2, joinOfRank(2, 3))).empty());
    QVERIFY(outputsOf<Formed>(members.say(0, joinOfRank(0, 3))).empty());
    const auto formed = outputsOf<Formed>(members.say(1, joinOfRank(1, 3)));
    QCOMPARE(formed.at(0).hosts, (std::vector<std::string>{"node0", "node1", "node2"}));
    const auto begins = sentOf<Begin>(members.leader.on(0, Planned{1, "plan", "ckpt-7"}));
    QCOMPARE(begins.size(), std::size_t{3});
    QCOMPARE(begins[0].checkpoint, std::string("ckpt-7"));
  }

  void whoDiffersEndsTheRunForAll() {
    Members members(2);
    Join other = joinOfRank(1, 2);
    other.facts[0].value = "2";
    members.say(0, joinOfRank(0, 2));
    const auto outputs = members.say(1, other);
    const std::string text = outputsOf<Verdict>(outputs).at(0).text();
    QCOMPARE(text, std::string("build: rank 1 (node1) has \"2\", rank 0 (node0) has \"1\""));
    QCOMPARE(sentOf<Verdict>(outputs).size(), std::size_t{2});
  }

  void refusesARankThatCannotBe_data() {
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("processes");
    QTest::addColumn<std::string>("reason");
    QTest::newRow("beyond") << 3 << 3 << std::string("ranks are 0 to 2");
    QTest::newRow("negative") << -1 << 3 << std::string("ranks are 0 to 2");
    QTest::newRow("other count") << 1 << 4
                                 << std::string("it was started for 4 processes, rank 0 for 3");
    QTest::newRow("taken") << 2 << 3 << std::string("its rank is taken by node2");
  }
  void refusesARankThatCannotBe() {
    QFETCH(const int, rank);
    QFETCH(const int, processes);
    Members members(3);
    members.say(2, joinOfRank(2, 3));
    const auto verdicts = sentOf<Verdict>(members.say(9, joinOfRank(rank, processes)), 9);
    QCOMPARE(verdicts.size(), std::size_t{1});
    QCOMPARE(verdicts[0].ending, Ending::kFailed);
    QTEST(verdicts[0].reason, "reason");
    members.say(0, joinOfRank(0, 3));
    QCOMPARE(outputsOf<Formed>(members.say(1, joinOfRank(1, 3))).size(), std::size_t{1});
  }

  void tellsForWhomItWaits() {
    Members members(3);
    members.say(0, joinOfRank(0, 3));
    QCOMPARE(members.leader.waiting(),
             std::string("waiting for 2 of 3 processes: rank 1, rank 2; 3 s left"));
    members.wait(1500, {1, 2});
    members.say(2, joinOfRank(2, 3));
    QCOMPARE(members.leader.waiting(),
             std::string("waiting for 1 of 3 processes: rank 1; 1 s left"));
    members.say(1, joinOfRank(1, 3));
    QCOMPARE(members.leader.waiting(), std::string());
    Members many(20);
    QVERIFY(many.leader.waiting().find("rank 7 and 12 more; 3 s left") != std::string::npos);
  }

  void namesTheFirstFewDifferences() {
    Members members(2);
    Join other = joinOfRank(1, 2);
    for (int i = 0; i < 7; ++i) other.facts.push_back({"/key/" + std::to_string(i), "1"});
    members.say(0, joinOfRank(0, 2));
    const auto verdict = outputsOf<Verdict>(members.say(1, other)).at(0);
    QVERIFY(verdict.reason.find("/key/4: rank 1") != std::string::npos);
    QVERIFY(verdict.reason.find("/key/5") == std::string::npos);
    QVERIFY(verdict.reason.ends_with("; and 2 more differences"));
  }

  void namesWhoDidNotCome() {
    Members members(3);
    members.say(0, joinOfRank(0, 3));
    const auto verdicts = members.wait(4000, {1, 2});
    QCOMPARE(verdicts.at(0).ending, Ending::kFailed);
    QCOMPARE(verdicts[0].rank, 1);
    QCOMPARE(verdicts[0].reason, std::string("did not come within 3000 ms; missing: 1, 2"));
  }

  void totalsAreSumsOverAll() {
    Members members(3);
    members.begin();
    QCOMPARE(sentOf<Command>(members.issue()).size(), std::size_t{3});
    members.say(0, Done{1, 1, 5, {}, ""});
    members.say(2, Done{1, 1, ~std::uint64_t{0}, {}, ""});
    members.say(2, Done{1, 1, 100, {}, ""});  // said twice
    const auto outcomes = outputsOf<Outcome>(members.say(1, Done{1, 1, 7, {}, ""}));
    QCOMPARE(outcomes.at(0).total, std::uint64_t{11});  // modulo 2⁶⁴
  }

  void onlyAStepIsSentAheadAndOnlyOne() {
    Members members(2);
    members.begin();
    members.issue();
    members.issue();
    QVERIFY_EXCEPTION_THROWN(members.issue(), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(members.issue(CommandKind::kValidate), InvalidArgument);
    for (const int rank : {0, 1})
      for (const std::uint64_t sequence : {1, 2}) members.say(rank, Done{1, sequence, 0, {}, ""});
    members.issue(CommandKind::kValidate);
    QVERIFY_EXCEPTION_THROWN(members.issue(), InvalidArgument);
  }

  void repeatsACommandThatDidNotArrive() {
    Members members(2);
    members.begin();
    members.issue();
    members.say(0, Beat{1, 1});
    members.say(1, Beat{1, 0});
    members.now += 100;
    const auto outputs = members.leader.on(members.now, Tick{});
    QCOMPARE(sentOf<Command>(outputs, 0).size(), std::size_t{0});
    QCOMPARE(sentOf<Command>(outputs, 1).size(), std::size_t{1});
  }

  void theSilentIsNamedAndTheOthersGoOn() {
    Members members(3);
    members.begin();
    const auto verdicts = members.wait(2000, {2});
    QCOMPARE(verdicts.at(0).text(),
             std::string("rank 2 (node2): nothing was heard of it for 1000 ms"));
    QCOMPARE(verdicts[0].ending, Ending::kRestart);
    members.gone = {2};
    const auto formed = outputsOf<Formed>(members.joinAll(2));
    QCOMPARE(formed.at(0).ranks, (std::vector<std::int32_t>{0, 1}));
    // The one that was lost comes back, and again as a new process.
    QCOMPARE(sentOf<Verdict>(members.say(2, Beat{1, 0}), 2).at(0).rank, 2);
    QCOMPARE(sentOf<Verdict>(members.say(7, joinOfRank(2, 3)), 7).at(0).reason,
             std::string("it has left the run, which goes on without it"));
  }

  void restartsAreCounted() {
    Members members(4);
    members.begin();
    QCOMPARE(outputsOf<Verdict>(members.say(3, Failure{1, "no device", -1})).at(0).ending,
             Ending::kRestart);
    members.gone = {3};
    members.generation = 2;
    members.begin();
    const auto verdict = outputsOf<Verdict>(members.say(2, Failure{2, "no device", -1})).at(0);
    QCOMPARE(verdict.ending, Ending::kFailed);
    QCOMPARE(verdict.text(),
             std::string("rank 2 (node2): no device; 1 restarts within 60 s are the most"));
  }

  void afterAWhileARestartIsForgotten() {
    Members members(4);
    members.begin();
    members.say(3, Failure{1, "no device", -1});
    members.gone = {3};
    members.generation = 2;
    members.begin();
    QVERIFY(members.wait(61'000).empty());
    QCOMPARE(outputsOf<Verdict>(members.say(2, Failure{2, "no device", -1})).at(0).ending,
             Ending::kRestart);
  }

  // 1 lost 2, because 2 gave up when it lost 3.
  void followsTheLostPeersToTheCulprit() {
    Members members(4);
    members.begin();
    QVERIFY(outputsOf<Verdict>(members.say(1, Failure{1, "reset", 2})).empty());
    QVERIFY(outputsOf<Verdict>(members.say(2, Failure{1, "reset", 3})).empty());
    const auto verdicts = outputsOf<Verdict>(members.leader.on(members.now + 5, Closed{3}));
    QCOMPARE(verdicts.at(0).rank, 3);
  }
  void withoutAClosedConnectionItFollowsThemInTheEnd() {
    Members members(4);
    members.begin();
    members.say(1, Failure{1, "reset", 2});
    members.say(2, Failure{1, "reset", 3});
    QCOMPARE(members.wait(2000).at(0).rank, 3);
  }

  void whoLostProcess0IsCutOffItself() {
    Members members(3);
    members.begin();
    members.say(2, Failure{1, "lost rank 0: silent", 0});
    members.leader.on(members.now, Closed{2});
    QCOMPARE(members.wait(500).at(0).rank, 2);
  }
  void unlessProcess0WasStopped() {
    Members members(3);
    members.begin();
    members.wait(300);
    members.now += 5000;
    members.say(2, Failure{1, "lost rank 0: silent", 0});
    const auto verdict = members.wait(500).at(0);
    QCOMPARE(verdict.rank, 0);
    QCOMPARE(verdict.ending, Ending::kFailed);
  }

  void whoHearsNobodyIsCutOffItself() {
    Members members(3);
    members.begin();
    const auto verdict = members.wait(2000, {1, 2}).at(0);
    QCOMPARE(verdict.rank, 0);
    QCOMPARE(verdict.ending, Ending::kFailed);
  }

  void aCommandThatHangsNamesWhoDidNotAnswer() {
    Members members(3);
    members.begin();
    members.issue();
    members.say(0, Done{1, 1, 0, {}, ""});
    members.say(2, Done{1, 1, 0, {}, ""});
    const auto verdict = members.wait(21'000).at(0);
    QCOMPARE(verdict.rank, 1);
    QCOMPARE(verdict.reason, std::string("command 1 was not done within 20000 ms"));
  }

  void theNameComesAfterAllIsDurable() {
    Members members(2);
    members.begin();
    members.issue(CommandKind::kCheckpoint);
    for (const int rank : {0, 1}) members.say(rank, Done{1, 1, 0, {{"p", 1, "h"}}, ""});
    std::string order;
    auto outputs = members.leader.on(members.now, Seal{1, "/r/a.tmp", "/r/a", "manifest", "text"});
    for (auto writes = outputsOf<Write>(outputs); !writes.empty();
         writes = outputsOf<Write>(outputs)) {
      const DiskOp& op = writes.at(0).op;
      order += std::to_string(static_cast<int>(op.kind)) + op.path.string() + " ";
      outputs = members.leader.on(members.now, DiskDone{});
    }
    QCOMPARE(order, std::string("0/r/a.tmp/manifest 1/r/a.tmp/manifest 2/r/a.tmp 3/r/a.tmp 2/r "));
    QCOMPARE(outputsOf<Sealed>(outputs).at(0).problem, std::string());
    QVERIFY_EXCEPTION_THROWN(
        members.leader.on(members.now, Seal{1, "/r/a.tmp", "/r/a", "manifest", "text"}),
        InvalidArgument);
  }

  void aFailureWaitsForTheCommit() {
    Members members(2);
    members.begin();
    members.issue(CommandKind::kCheckpoint);
    for (const int rank : {0, 1}) members.say(rank, Done{1, 1, 0, {{"p", 1, "h"}}, ""});
    (void)members.leader.on(members.now, Seal{1, "/r/a.tmp", "/r/a", "manifest", "text"});
    QVERIFY(outputsOf<Verdict>(members.say(1, Failure{1, "no device", -1})).empty());
    std::vector<Output> outputs;
    for (int i = 0; i < 5; ++i) outputs = members.leader.on(members.now, DiskDone{});
    QCOMPARE(outputsOf<Sealed>(outputs).size(), std::size_t{1});
    QCOMPARE(outputsOf<Verdict>(outputs).at(0).rank, 1);
  }

  void aProblemOfOneIsAnOutcomeWithItsName() {
    Members members(2);
    members.begin();
    members.issue(CommandKind::kCheckpoint);
    members.say(0, Done{1, 1, 0, {{"p", 1, "h"}}, ""});
    const auto outcome =
        outputsOf<Outcome>(members.say(1, Done{1, 1, 0, {}, "disk is full"})).at(0);
    QCOMPARE(outcome.problem, std::string("rank 1 (node1): disk is full"));
    QVERIFY_EXCEPTION_THROWN(
        members.leader.on(members.now, Seal{1, "/r/a.tmp", "/r/a", "manifest", "text"}),
        InvalidArgument);
  }

  void aRankThatAnotherKnowsToBeLostIsNamed() {
    Members members(3);
    members.begin();
    const auto verdict =
        outputsOf<Verdict>(members.leader.on(0, EndRun{"ended by signal 9", 2})).at(0);
    QCOMPARE(verdict.text(), std::string("rank 2 (node2): ended by signal 9"));
  }

  void theEndWaitsForNobodyWhoHasGone() {
    Members members(3);
    members.begin();
    QCOMPARE(outputsOf<Verdict>(members.leader.on(0, Closed{2})).size(), std::size_t{1});
    members.gone.insert(2);
    for (int restarted : {0, 1}) members.say(restarted, joinOfRank(restarted, 3, 2));
    members.generation = 2;
    (void)members.leader.on(0, Planned{2, "plan", ""});
    members.now = 10;
    QCOMPARE(outputsOf<Verdict>(members.leader.on(10, Closed{1})).at(0).ending, Ending::kFailed);
    QCOMPARE(outputsOf<Ended>(members.say(0, Bye{2})).size(), std::size_t{1});
  }

  void theEndWaitsForNobodySilent() {
    Members members(3, {.beatMs = 100, .silenceMs = 1000, .joinMs = 3000, .maxRestarts = 0});
    members.begin();
    QCOMPARE(members.wait(2000, {2}).at(0).rank, 2);
    members.say(0, Bye{1});
    QCOMPARE(outputsOf<Ended>(members.say(1, Bye{1})).size(), std::size_t{1});
  }

  void endsWhenAllHaveSaidGoodbye() {
    Members members(2);
    members.begin();
    QCOMPARE(sentOf<Verdict>(members.leader.on(0, EndRun{})).size(), std::size_t{2});
    QVERIFY(outputsOf<Ended>(members.say(0, Bye{1})).empty());
    QCOMPARE(outputsOf<Ended>(members.leader.on(1, Closed{1})).size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(LaunchLeaderTest)
#include "leader_test.moc"
