// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts.h"

#include <QtTest>

#include "engine/launch/addresses.h"

using namespace parapet;
using namespace parapet::launch;

class HostsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void readsNamesSlotsAndAddresses() {
    const auto hosts = parseHosts(
        "# two machines\n\nnode1 slots=2\r\n\tnode2  address=10.0.0.2 slots=3 # fast\nnode3\n",
        "f");
    QVERIFY2(hosts.ok(), hosts.ok() ? "" : hosts.error().message.c_str());
    QCOMPARE(hosts->size(), std::size_t{3});
    QCOMPARE((*hosts)[0].slots, 2);
    QCOMPARE((*hosts)[1].name, std::string("node2"));
    QCOMPARE((*hosts)[1].slots, 3);
    QCOMPARE((*hosts)[1].address, std::string("10.0.0.2"));
    QCOMPARE((*hosts)[1].line, std::int64_t{4});
    QCOMPARE((*hosts)[2].slots, 1);
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("line");
    const auto row = [](const char* name, const char* text, const char* says, int line) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(says) << line;
    };
    row("nothing", "", "f: it names no host; accepted: a host a line", 0);
    row("comments alone", "# a\n\n", "it names no host", 0);
    row("twice", "a\nb\na\n", "f:3: the host \"a\" is also on line 1", 3);
    row("no slots", "a slots=0", "f:1: slots is \"0\"; accepted: a whole number from 1", 1);
    row("slots in words", "a\nb slots=two", "f:2: slots is \"two\"", 2);
    row("many slots", "a slots=2000", "slots is \"2000\"", 1);
    row("empty slots", "a slots=", "slots is \"\"", 1);
    row("unknown word", "a cores=2", "\"cores=2\" is not known here; accepted: NAME [slots=K]", 1);
    row("a second name", "a b", "\"b\" is not known here", 1);
    row("no name", "slots=2", "\"slots=2\" is no name of a host", 1);
    row("an option", "-oProxyCommand=x", "is no name of a host", 1);
    row("a name as address", "a address=b", "address is \"b\"; accepted: an address in numbers", 1);
    row("one process", "127.0.0.1", "its slots are 1 in all", 0);
    row("unknown host", "127.0.0.1\nnowhere.invalid", "f:2: the host \"nowhere.invalid\" has no",
        2);
    row("not here", "a address=192.0.2.1 slots=2", "none of its hosts is this machine", 0);
  }
  void refuses() {
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, says);
    QFETCH(const int, line);
    const auto run = readHosts(text.toStdString(), "f");
    QVERIFY(!run.ok());
    QCOMPARE(run.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(run.error().message.find(says.toStdString()) != std::string::npos,
             run.error().message.c_str());
    QCOMPARE(run.error().path, std::string("f"));
    QCOMPARE(run.error().line.value_or(0), std::int64_t{line});
  }

  // Process 0 runs here, wherever its line is.
  void thisMachineIsTheFirst() {
    const auto run = readHosts("far address=192.0.2.1\nhere address=127.0.0.1 slots=2\n", "f");
    QVERIFY2(run.ok(), run.ok() ? "" : run.error().message.c_str());
    QCOMPARE(run->hosts[0].name, std::string("here"));
    QVERIFY(run->hosts[0].isHere && !run->hosts[1].isHere);
    QCOMPARE(run->processes(), 3);
    QCOMPARE(run->address, std::string("127.0.0.1"));
  }

  void addressesAreOfThisMachineOrNot() {
    QVERIFY(isHere(resolve("127.0.0.1", 0).value()));
    QVERIFY(!isHere(resolve("192.0.2.1", 0).value()));
    QCOMPARE(addressTowards(resolve("127.0.0.1", 0).value()).value(), std::string("127.0.0.1"));
  }
};

QTEST_GUILESS_MAIN(HostsTest)
#include "hosts_test.moc"
