// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/agreement.h"

#include <QtTest>

using namespace parapet::launch;

namespace {

Joined joinedWith(int rank, std::vector<Fact> facts, Milliseconds skewMs = 0) {
  return {{1, rank, 3, "node" + std::to_string(rank), 0, std::move(facts)}, skewMs};
}

}  // namespace

class AgreementTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void equalFactsAgree() {
    const std::vector<Fact> facts{{"build", "1"}, {"data", "a"}};
    QVERIFY(differences(std::vector{joinedWith(0, facts), joinedWith(1, facts)}, 100).empty());
    QVERIFY(differences({}, 100).empty());
  }

  void namesRankHostAndBothValues() {
    const auto found =
        differences(std::vector{joinedWith(0, {{"build", "1"}}), joinedWith(1, {{"build", "1"}}),
                                joinedWith(2, {{"build", "2"}})},
                    100);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].rank, 2);
    QCOMPARE(found[0].text,
             std::string("build: rank 2 (node2) has \"2\", rank 0 (node0) has \"1\""));
  }

  void aFactThatOneLacksDiffers() {
    const auto found = differences(
        std::vector{joinedWith(0, {{"data", "a"}}), joinedWith(1, {{"nccl", "2.30"}})}, 100);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].text,
             std::string("data: rank 1 (node1) has nothing, rank 0 (node0) has \"a\""));
    QCOMPARE(found[1].text,
             std::string("nccl: rank 1 (node1) has \"2.30\", rank 0 (node0) has nothing"));
  }

  void aClockMayBeAsFarOffAsAccepted() {
    QVERIFY(differences(std::vector{joinedWith(0, {}), joinedWith(1, {}, -100)}, 100).empty());
    const auto found = differences(std::vector{joinedWith(0, {}), joinedWith(1, {}, -101)}, 100);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(
        found[0].text,
        std::string(
            "clock: rank 1 (node1) is 101 ms behind rank 0 (node0); at most 100 ms are accepted"));
  }

  // Texts of others must not begin a line of their own.
  void valuesAreShownPrintable() {
    const auto found = differences(
        std::vector{joinedWith(0, {{"a", "1"}}), joinedWith(1, {{"a", "1\n\x1b[2J"}})}, 9);
    QVERIFY(found.at(0).text.find('\n') == std::string::npos);
    QVERIFY(found.at(0).text.find('\x1b') == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(AgreementTest)
#include "agreement_test.moc"
