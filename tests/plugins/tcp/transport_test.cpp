// SPDX-License-Identifier: Apache-2.0
// Processes that are connected by TCP, each a program of its own.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cstring>
#include <fstream>
#include <thread>

#include "engine/selftest/cases.h"
#include "tests/mesh/thread_processes.h"
#include "tests/plugins/tcp/processes.h"
#include "tests/plugins/tcp/scenarios.h"

using namespace parapet;
using std::chrono::milliseconds;

class TransportTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> made_;
  [[nodiscard]] std::filesystem::path folder() const { return made_->path().toStdString(); }

  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  /// The error of a meeting of one process alone.
  [[nodiscard]] std::string refusal(const std::string& address) const {
    mesh::Meeting meeting = sample::meetingIn(folder(), 1, 0, milliseconds(100));
    meeting.bindAddress = address;
    const auto transport = mesh::makePluginTransport(sample::pluginTransport(), meeting);
    return transport ? std::string() : transport.error().message;
  }
  [[nodiscard]] std::int64_t took(int process) const {
    std::ifstream in(folder() / fmt::format("took.{}", process));
    std::int64_t took = -1;
    in >> took;
    return took;
  }
  /// A connection to a port of this machine.
  static int connected(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      return socket;
    ::close(socket);
    return -1;
  }
  static void twoAndFour() {
    QTest::addColumn<int>("count");
    QTest::newRow("2 processes") << 2;
    QTest::newRow("4 processes") << 4;
  }
  /// All but process 1 end with 1 and blame `blamed`, "[mesh] process 1".
  void expectBlame(sample::Processes& processes, int count, const std::string& blamed) {
    for (int process = 0; process < count; ++process) {
      if (process == 1) continue;
      const sample::End end = processes.wait(process);
      QVERIFY2(
          end.code == 1 && has(end.said, blamed),
          fmt::format("process {}: code {}, signal {}: {}", process, end.code, end.signal, end.said)
              .c_str());
    }
  }

 private Q_SLOTS:
  void init() { made_ = std::make_unique<QTemporaryDir>(); }

  void everyCollectiveGivesTheExpected_data() { twoAndFour(); }
  void everyCollectiveGivesTheExpected() {
    QFETCH(int, count);
    sample::Processes processes("collectives", count, folder());
    for (int process = 0; process < count; ++process) {
      const sample::End end = processes.wait(process);
      QVERIFY2(end.code == 0, fmt::format("{} {}", process, end.said).c_str());
    }
  }

  void theOthersNameOneThatIsKilledAndMeetAgain_data() { twoAndFour(); }
  void theOthersNameOneThatIsKilledAndMeetAgain() {
    QFETCH(int, count);
    sample::Processes processes("killed", count, folder());
    expectBlame(processes, count, "[mesh] process 1: ");
    QCOMPARE(processes.wait(1).signal, SIGKILL);
    // The time-out is 30 s.
    for (int process = 0; process < count; ++process)
      if (process != 1)
        QVERIFY2(took(process) >= 0 && took(process) < 5'000,
                 fmt::to_string(took(process)).c_str());
  }

  void theOthersNameOneThatStopsWhenTheTimeIsOver_data() { twoAndFour(); }
  void theOthersNameOneThatStopsWhenTheTimeIsOver() {
    QFETCH(int, count);
    sample::Processes processes("stopped", count, folder());
    expectBlame(processes, count, "[mesh] process 1: it was silent for 1500 ms");
    for (int process = 0; process < count; ++process)
      if (process != 1)
        QVERIFY2(took(process) >= 1'400 && took(process) < 2'500,
                 fmt::to_string(took(process)).c_str());
  }

  void sizesThatDifferEndAllWithBoth_data() { twoAndFour(); }
  void sizesThatDifferEndAllWithBoth() {
    QFETCH(int, count);
    sample::Processes processes("sizes", count, folder());
    std::string said;
    for (int process = 0; process < count; ++process) {
      const sample::End end = processes.wait(process);
      QCOMPARE(end.code, 1);
      QVERIFY2(has(end.said, "bytes as ") && has(end.said, "expected were"), end.said.c_str());
      if (said.empty()) said = end.said;
      QCOMPARE(end.said, said);
    }
  }

  void anotherCollectiveEndsAll() {
    sample::Processes processes("order", 4, folder());
    for (int process = 0; process < 4; ++process) {
      const sample::End end = processes.wait(process);
      QCOMPARE(end.code, 1);
      QVERIFY2(has(end.said, "expected were"), end.said.c_str());
    }
  }

  void aReasonReachesAllThatWait_data() { twoAndFour(); }
  void aReasonReachesAllThatWait() {
    QFETCH(int, count);
    sample::Processes processes("ended", count, folder());
    for (int process = 0; process < count; ++process) {
      const sample::End end = processes.wait(process);
      QCOMPARE(end.code, 1);
      QCOMPARE(end.said,
               std::string("[mesh] process 0: the ranks were told to end: the user wanted it"));
    }
  }

  // Some say nothing, some what another protocol says, some all but the token.
  void strangersAreSentAway() {
    sample::note(folder(), "strangers", "");
    sample::Processes processes("collectives", 4, folder());
    std::vector<int> ports;
    QTRY_VERIFY_WITH_TIMEOUT((ports = processes.listening()).size() == 3, 60'000);
    std::array<char, 40> greeting{'p', 'a', 'r', 'a', 'p', 'e', 't', '1', 1};
    greeting[16] = 3;  // from process 3
    const std::string http(4096, 'G');
    std::vector<int> sockets;
    for (int round = 0; round < 30; ++round)
      for (const int port : ports)
        for (const std::string_view words : {std::string_view(), std::string_view(http),
                                             std::string_view(greeting.data(), greeting.size())}) {
          const int socket = connected(port);
          if (socket < 0) continue;
          (void)::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
          sockets.push_back(socket);
        }
    QCOMPARE(sockets.size(), ports.size() * 90);
    sample::note(folder(), "go", "");
    for (int process = 0; process < 4; ++process)
      QVERIFY(sample::awaitNote(folder(), fmt::format("met.{}", process)));
    QCOMPARE(processes.listening(), std::vector<int>());
    for (const int port : ports) QCOMPARE(connected(port), -1);
    sample::note(folder(), "seen", "");
    for (int process = 0; process < 4; ++process) {
      const sample::End end = processes.wait(process);
      QVERIFY2(end.code == 0, fmt::format("{} {}", process, end.said).c_str());
    }
    for (const int socket : sockets) ::close(socket);
  }

  // A stranger that answers at the address in the store does not know the token beside it.
  void aWrongTokenIsNamed() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QCOMPARE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    QCOMPARE(::listen(listener, 1), 0);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    std::thread answers([&] {
      const int socket = ::accept(listener, nullptr, nullptr);
      (void)::send(socket, "sixteen bytes...", 16, MSG_NOSIGNAL);
      std::array<char, 64> heard;
      while (::recv(socket, heard.data(), heard.size(), 0) > 0) {
      }
      ::close(socket);
    });
    const mesh::Meeting meeting = sample::meetingIn(folder(), 2, 1, milliseconds(10'000));
    QVERIFY(meeting.store
                .set("transport/1/process/0",
                     fmt::format("{} {} 127.0.0.1", std::string(32, '0'), ntohs(address.sin_port)))
                .ok());
    Error error;
    if (const auto transport = mesh::makePluginTransport(sample::pluginTransport(), meeting);
        !transport)
      error = transport.error();
    answers.join();
    ::close(listener);
    QCOMPARE(error.code, ErrorCode::kPeer);
    QVERIFY2(
        has(error.message, "[mesh] process 0: ") && has(error.message, "does not know the token"),
        error.message.c_str());
  }

  void oneThatDoesNotComeIsNamed() {
    for (const int process : {0, 1}) {
      const auto transport = mesh::makePluginTransport(
          sample::pluginTransport(),
          sample::meetingIn(folder() / "none", 2, process, milliseconds(100), process));
      QVERIFY(!transport);
    }
    const auto first = mesh::makePluginTransport(
        sample::pluginTransport(), sample::meetingIn(folder(), 2, 0, milliseconds(100)));
    QVERIFY(!first);
    QCOMPARE(first.error().message, std::string("[mesh] process 1: it did not come in time"));
    const auto second = mesh::makePluginTransport(
        sample::pluginTransport(), sample::meetingIn(folder(), 2, 1, milliseconds(100), 2));
    QVERIFY(!second);
    QCOMPARE(second.error().message, std::string("[mesh] process 0: it did not come in time"));
  }

  void refusesNamesAndEveryInterface() {
    QVERIFY(has(refusal("localhost"), "no numeric address"));
    QVERIFY(has(refusal(""), "no numeric address"));
    for (const char* every : {"0.0.0.0", "::", "::ffff:0.0.0.0"})
      QVERIFY2(has(refusal(every), "every interface"), every);
    QCOMPARE(refusal("127.0.0.1"), std::string());
  }

  void refusesAMessageToNobody() {
    const auto transport =
        mesh::makePluginTransport(sample::pluginTransport(),
                                  sample::meetingIn(folder(), 1, 0, milliseconds(100)))
            .value();
    QVERIFY_EXCEPTION_THROWN(transport->send(0, 1, {}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(transport->receive(1, 1, {}), InvalidArgument);
  }

  void hasNoCollectivesOfItsOwn() {
    const std::vector<mesh::CommunicatorPlugin> plugins{{.outcome = PluginOutcome::kLoaded,
                                                         .name = "tcp",
                                                         .reason = {},
                                                         .file = {},
                                                         .collectives = nullptr,
                                                         .transport = &sample::pluginTransport()}};
    const auto factory = mesh::communicatorsNamed("tcp", plugins);
    QVERIFY(!factory);
    QVERIFY2(has(factory.error().message, "tcp (it connects processes"),
             factory.error().message.c_str());
  }

  /// Three processes that are threads, over connections of their own.
  void collectivesConform() {
    int generation = 0;
    const auto make = [&](int ranks) {
      const int processes = std::min(3, ranks);
      const std::vector<int> firstRanks = sample::firstRanksOf(ranks, processes);
      std::vector<std::unique_ptr<mesh::Communicator>> parts(firstRanks.size());
      ++generation;
      sample::asProcesses(processes, [&](int process) {
        std::vector<tensor::Device> devices;
        for (int rank = 0; rank < ranks; ++rank) {
          const bool isHere = rank >= firstRanks[static_cast<std::size_t>(process)] &&
                              (process + 1 == processes ||
                               rank < firstRanks[static_cast<std::size_t>(process) + 1]);
          devices.push_back(isHere ? tensor::hostDevice() : tensor::hostDevice().elsewhere());
        }
        parts[static_cast<std::size_t>(process)] = mesh::makeProcessCommunicator(
            mesh::makePluginTransport(
                sample::pluginTransport(),
                sample::meetingIn(folder(), processes, process, milliseconds(30'000), generation))
                .value(),
            firstRanks, devices, nullptr);
      });
      return std::make_unique<sample::JoinedProcesses>(std::move(parts));
    };
    for (const selftest::Case& conformance : selftest::collectiveCases(make)) {
      const selftest::Outcome outcome = conformance.run();
      QVERIFY2(outcome.passed, fmt::format("{}: {}", conformance.name, outcome.detail).c_str());
    }
  }
};

int main(int argc, char** argv) {
  if (argc == 6 && std::string_view(argv[1]) == "--process")
    return sample::runScenario(argv[2], std::stoi(argv[3]), std::stoi(argv[4]), argv[5]);
  TransportTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "transport_test.moc"
