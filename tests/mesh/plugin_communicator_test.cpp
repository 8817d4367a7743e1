// SPDX-License-Identifier: Apache-2.0
// Plugins that give communicators; that their collectives are right is among the conformance cases.
#include "engine/mesh/plugin_communicator.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>

using namespace parapet;
using mesh::Communicator;
using mesh::CommunicatorPlugin;

class PluginCommunicatorTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  std::array<float, 2> one_{1.0f, 1.0f}, two_{2.0f, 2.0f};
  const std::vector<void*> pair_{one_.data(), two_.data()};

  [[nodiscard]] std::vector<CommunicatorPlugin> pluginsOf(const char* name) const {
    const std::vector<std::filesystem::path> folders{std::filesystem::path(PARAPET_TEST_PLUGINS) /
                                                     name};
    return mesh::findCommunicatorPlugins(folders, ProbeJournal(journal_.path().toStdString()));
  }
  [[nodiscard]] std::unique_ptr<Communicator> pair() const {
    const auto factory = mesh::communicatorsNamed("sample", pluginsOf("communicator")).value();
    const std::vector<tensor::Device> devices{
        {"cpu:0", tensor::hostDevice().backend(), 0, "portable"},
        {"cpu:1", tensor::hostDevice().backend(), 1, "portable"}};
    return factory(devices, nullptr).value();
  }
  [[nodiscard]] Status sum(Communicator& ranks) const {
    return ranks.allReduce(pair_, 2, mesh::ElementType::kF32, mesh::Memory::kHost);
  }

 private Q_SLOTS:
  void cleanup() { qunsetenv("PARAPET_SAMPLE_COMMUNICATOR_FAULT"); }

  void findsAPlugin() {
    const auto found = pluginsOf("communicator");
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].outcome, PluginOutcome::kLoaded);
    QCOMPARE(found[0].name, std::string("sample"));
    QVERIFY(found[0].collectives);
    QVERIFY(pluginsOf("nowhere").empty());
  }

  void refusesAnotherAbi() {
    const auto found = pluginsOf("communicator_wrong_abi");
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].outcome, PluginOutcome::kWrongAbi);
    QVERIFY(found[0].reason.find("2999") != std::string::npos);
    QVERIFY(!found[0].collectives);
    const auto factory = mesh::communicatorsNamed("sample", found);
    QVERIFY(!factory);
    QCOMPARE(factory.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(factory.error().message.find("wrong_abi") != std::string::npos,
             factory.error().message.c_str());
  }

  void needsNoPluginForThisProcess() {
    QVERIFY(mesh::communicatorsNamed("", {}).ok());
    QVERIFY(mesh::communicatorsNamed("local", {}).ok());
    QVERIFY(!mesh::communicatorsNamed("sample", {}).ok());
  }

  void aSilentRankIsNamedWithinTheTimeOut() {
    const auto ranks = pair();
    QVERIFY(sum(*ranks).ok());
    qputenv("PARAPET_SAMPLE_COMMUNICATOR_FAULT", "silent:1:1");
    const Status status = sum(*ranks);
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::kPeer);
    QCOMPARE(status.error().message, std::string("[mesh] rank 1 (cpu:1): it was silent for 50 ms"));
  }

  void anAbortReachesTheGroups() {
    const auto ranks = pair();
    const std::vector<int> last{1};
    const auto group = ranks->group(last).value();
    QCOMPARE(group->ranks(), 1);
    ranks->abort("the run has ended");
    const Status status = group->barrier();
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::kPeer);
    QVERIFY(status.error().message.find("the run has ended") != std::string::npos);
  }

  void refusesMisuseBeforeThePluginSeesIt() {
    const auto ranks = pair();
    QVERIFY_EXCEPTION_THROWN((void)ranks->allReduce(std::span(pair_).first(1), 1,
                                                    mesh::ElementType::kF32, mesh::Memory::kHost),
                             InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(PluginCommunicatorTest)
#include "plugin_communicator_test.moc"
