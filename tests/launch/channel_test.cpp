// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/channel.h"

#include <QtTest>

using namespace parapet;
using namespace parapet::launch;

namespace {

constexpr Secret kSecret{1, 2, 3};
constexpr Secret kOtherSecret{1, 2, 4};

std::string taken(Channel& channel) {
  std::string bytes(channel.unsent());
  channel.wrote(bytes.size());
  return bytes;
}

/// Two ends, and all that went either way.
struct Pair {
  explicit Pair(const Secret& ofClient = kSecret)
      : server(Channel::Side::kServer, kSecret, std::string(kNonceBytes, 's')),
        client(Channel::Side::kClient, ofClient, std::string(kNonceBytes, 'c')) {}
  /// Carries bytes until neither has any, `step` at a time.
  Status run(std::size_t step = 1000) {
    for (int idle = 0; idle < 2;) {
      idle = 0;
      for (const bool isUp : {true, false}) {
        const std::string bytes = taken(isUp ? client : server);
        idle += bytes.empty() ? 1 : 0;
        (isUp ? up : down) += bytes;
        for (std::size_t at = 0; at < bytes.size(); at += step)
          PARAPET_TRY((isUp ? server : client).receive(bytes.substr(at, step)));
      }
    }
    return {};
  }
  Channel server, client;
  std::string up, down;
};

}  // namespace

class LaunchChannelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void carriesMessagesBothWays_data() {
    QTest::addColumn<int>("step");
    for (const int step : {1, 7, 100'000}) QTest::addRow("%d bytes at a time", step) << step;
  }
  void carriesMessagesBothWays() {
    QFETCH(const int, step);
    Pair pair;
    pair.client.send(Beat{1, 2});  // waits for the greeting
    QVERIFY(pair.run(static_cast<std::size_t>(step)).ok());
    QVERIFY(pair.server.isOpen() && pair.client.isOpen());
    pair.server.send(Set{"k", std::string(100'000, 'x')});
    pair.server.send(Bye{3});
    QVERIFY(pair.run(static_cast<std::size_t>(step)).ok());
    QVERIFY(pair.server.take() == (std::vector<Message>{Beat{1, 2}}));
    QVERIFY(pair.client.take() ==
            (std::vector<Message>{Set{"k", std::string(100'000, 'x')}, Bye{3}}));
    QVERIFY(pair.client.take().empty());
  }

  void anotherSecretIsRefusedByBoth() {
    Pair pair(kOtherSecret);
    const std::string hello = taken(pair.client), helloBack = taken(pair.server);
    QVERIFY(pair.server.receive(hello).ok());
    QVERIFY(pair.client.receive(helloBack).ok());
    for (const Status& status :
         {pair.server.receive(taken(pair.client)), pair.client.receive(std::string(32, 'x'))}) {
      QVERIFY(!status.ok());
      QVERIFY(status.error().message.find("another secret") != std::string::npos);
    }
    QVERIFY(!pair.server.isOpen() && !pair.client.isOpen());
  }

  void anotherVersionIsNamed() {
    Pair pair;
    std::string hello = taken(pair.client);
    hello[8] = static_cast<char>(kProtocolVersion + 1);
    const Status status = pair.server.receive(hello);
    QVERIFY(!status.ok());
    QCOMPARE(status.error().message,
             std::string("launch: the peer speaks version 2 of the protocol, this program 1"));
  }

  void anotherProgramIsRefusedAtItsFirstByte() {
    Pair pair;
    QVERIFY(!pair.server.receive("G").ok());
    Pair other;
    QVERIFY(!other.server.receive(std::string("parapet!GET / HTTP/1.0")).ok());
  }

  // A greeting and messages that somebody recorded, played to a server with a nonce of its own.
  void aRecordedGreetingOpensNothing() {
    Pair pair;
    pair.client.send(Bye{3});
    QVERIFY(pair.run().ok());
    Channel server(Channel::Side::kServer, kSecret, std::string(kNonceBytes, 't'));
    const Status status = server.receive(pair.up);
    QVERIFY(!status.ok());
    QVERIFY(!server.isOpen());
    QVERIFY(server.take().empty());
  }

  // A client that sends back what the server said is refused.
  void aGreetingThatIsSentBackOpensNothing() {
    Channel server(Channel::Side::kServer, kSecret, std::string(kNonceBytes, 's'));
    QVERIFY(server.receive(taken(server)).ok());
    QVERIFY(!server.receive(taken(server)).ok());
  }

  void aFrameIsAcceptedOnceAndWhole_data() {
    QTest::addColumn<int>("change");
    QTest::newRow("said twice") << 0;
    QTest::newRow("left out") << 1;
    QTest::newRow("changed") << 2;
    QTest::newRow("sent back") << 3;
  }
  void aFrameIsAcceptedOnceAndWhole() {
    QFETCH(const int, change);
    Pair pair;
    QVERIFY(pair.run().ok());
    pair.client.send(Beat{1, 2});
    std::string first = taken(pair.client);
    pair.client.send(Beat{1, 3});
    const std::string second = taken(pair.client);
    Status status;
    if (change == 0) {
      QVERIFY(pair.server.receive(first).ok());
      status = pair.server.receive(first);
    } else if (change == 1) {
      status = pair.server.receive(second);
    } else if (change == 2) {
      first[6] = static_cast<char>(first[6] ^ 1);
      status = pair.server.receive(first);
    } else {
      status = pair.client.receive(first);
    }
    QVERIFY(!status.ok());
    QVERIFY(status.error().message.find("not authentic") != std::string::npos);
    QCOMPARE(pair.server.take().size(), change == 0 ? std::size_t{1} : std::size_t{0});
  }

  void aHugeLengthIsRefusedBeforeItsBytes() {
    Pair pair;
    QVERIFY(pair.run().ok());
    const Status status = pair.server.receive("\xff\xff\xff\xff");
    QVERIFY(!status.ok());
    QVERIFY(status.error().message.find("are the most") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(LaunchChannelTest)
#include "channel_test.moc"
