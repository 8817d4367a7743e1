// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/wire.h"

#include <QtTest>

using namespace parapet;
using namespace parapet::launch;

namespace {

std::vector<Message> oneOfEach() {
  return {Join{2, 1, 4, "node1", -5, {{"build", "x"}, {"", ""}}},
          Begin{3, {0, 2}, {"a", "b"}, std::string("\0plan", 5), "ckpt-7"},
          Beat{1, 0xFFFFFFFFFFFFFFFFull},
          Command{1, 2, CommandKind::kQuery, "arguments", 9},
          Done{1, 2, 3, {{"p", 4, "h"}}, "full"},
          Failure{1, "reason", -1},
          Verdict{1, Ending::kFinished, -1, "", ""},
          Bye{7},
          Set{"key", "value"},
          Get{1, "key", 1000},
          Value{1, true, "value"}};
}

}  // namespace

class LaunchWireTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyMessageComesBack() {
    QCOMPARE(oneOfEach().size(), std::variant_size_v<Message>);
    for (const Message& message : oneOfEach()) {
      const auto read = decode(encode(message));
      QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
      QVERIFY(*read == message);
    }
  }

  void theBytesAreThese() {
    QCOMPARE(encode(Beat{1, 0x0203}),
             std::string("\x02\x01\0\0\0\0\0\0\0\x03\x02\0\0\0\0\0\0", 17));
    QCOMPARE(encode(Set{"k", ""}), std::string("\x08\x01\0\0\0k\0\0\0\0", 10));
  }

  void aMessageThatIsCutIsRefused() {
    for (const Message& message : oneOfEach()) {
      const std::string bytes = encode(message);
      for (std::size_t size = 0; size < bytes.size(); ++size)
        QVERIFY(!decode(bytes.substr(0, size)).ok());
      QVERIFY(!decode(bytes + '\0').ok());
    }
  }

  void refuses_data() {
    QTest::addColumn<std::string>("bytes");
    QTest::newRow("unknown number") << std::string("\x0b");
    QTest::newRow("truth value 2") << std::string("\x0a\x01\0\0\0\0\0\0\0\x02\0\0\0\0", 14);
    QTest::newRow("length beyond the end") << std::string("\x08\xff\xff\xff\xffk", 6);
    // Four thousand million elements of a list, of which there is none.
    QTest::newRow("list beyond the end") << std::string("\x01\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 13);
    Command command;
    command.kind = static_cast<CommandKind>(kCommandKinds);
    QTest::newRow("kind of command") << encode(command);
    Verdict verdict;
    verdict.ending = static_cast<Ending>(kEndings);
    QTest::newRow("ending") << encode(verdict);
  }
  void refuses() {
    QFETCH(const std::string, bytes);
    const auto read = decode(bytes);
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, ErrorCode::kPeer);
  }

  void aMessageHasALargestSize() {
    QVERIFY(decode(encode(Set{"", std::string(kMaxMessageBytes - 9, 'x')})).ok());
    QVERIFY_EXCEPTION_THROWN(encode(Set{"", std::string(kMaxMessageBytes - 8, 'x')}),
                             InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(LaunchWireTest)
#include "wire_test.moc"
