// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/files.h"
#include "engine/tensor/device.h"

using namespace parapet;
using tensor::BackendOutcome;
using tensor::BackendSearch;
using tensor::DeviceRegistry;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLoad = "--load";
const fs::path kSamples = PARAPET_SAMPLE_PLUGINS;

BackendSearch searchIn(std::vector<fs::path> folders, const fs::path& journal,
                       std::string pinnedCpu = "") {
  return {std::move(folders), true, ProbeJournal(journal), std::move(pinnedCpu)};
}

const BackendOutcome* outcomeOf(const DeviceRegistry& registry, std::string_view name) {
  const auto& all = registry.outcomes();
  const auto found = std::ranges::find(all, name, &BackendOutcome::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

/// Registries over the sample plugins of tests/base/plugins.
class DeviceRegistryTest : public QObject {
  Q_OBJECT

  const QTemporaryDir folder_;
  const fs::path journal_ = fs::path(folder_.path().toStdString()) / "probes";

  [[nodiscard]] DeviceRegistry registryOf(const std::string& sample,
                                          std::string pinnedCpu = "") const {
    return DeviceRegistry(searchIn({kSamples / sample}, journal_, std::move(pinnedCpu)));
  }

 private Q_SLOTS:
  void portableCpuIsAlwaysThere() {
    const DeviceRegistry registry(searchIn({}, journal_));
    const auto device = registry.find("cpu:7");
    QVERIFY(device && device->isHost());
    QCOMPARE(device->instructionSet(), tensor::kPortable);
    QCOMPARE(outcomeOf(registry, "cpu:0")->outcome, PluginOutcome::kLoaded);
    QCOMPARE(outcomeOf(registry, "cuda")->outcome, PluginOutcome::kNotInstalled);
    QCOMPARE(registry.variants().size(), std::size_t{1});
  }

  void eachDeviceHasWhatItsPluginSaysOfIt() {
    const DeviceRegistry registry = registryOf("remarks");
    QCOMPARE(outcomeOf(registry, "sample:0")->reason, std::string("chip one"));
    QCOMPARE(outcomeOf(registry, "sample:1")->reason, std::string("chip two"));
    QCOMPARE(outcomeOf(registry, "sample:1")->outcome, PluginOutcome::kLoaded);
    QCOMPARE(outcomeOf(registryOf("good"), "sample:0")->reason, std::string());
  }

  void aPluginsDevicesAreFoundByIndex() {
    const DeviceRegistry registry = registryOf("good");
    QCOMPARE(registry.find("sample:1")->index(), 1);
    QCOMPARE(registry.find("sample")->instructionSet(), std::string_view("sample-set"));
    for (const char* absent : {"sample:2", "sample:-1", "sample:x", "cpu:x", "other:0"})
      QVERIFY2(!registry.find(absent), absent);
    QCOMPARE(outcomeOf(registry, "sample:0")->memoryBytes, std::uint64_t{4096});
    QCOMPARE(outcomeOf(registry, "sample:1")->memoryBytes, std::uint64_t{8192});
    QVERIFY(outcomeOf(registry, "sample:1")->plugin.ends_with("parapet_sample_good.so"));
    QCOMPARE(registry.variants().size(), std::size_t{2});
  }

  void refusedPluginsAreListedWithTheirReason_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("outcome");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* sample, PluginOutcome outcome, const char* reason) {
      QTest::newRow(sample) << sample << static_cast<int>(outcome) << reason;
    };
    row("wrong-abi", PluginOutcome::kWrongAbi, "99");
    row("wrong-tag", PluginOutcome::kWrongBuildTag, "0.0.0-elsewhere");
    row("missing-symbol", PluginOutcome::kMissingSymbol, "parapet_plugin_build_tag");
    row("unsupported", PluginOutcome::kNotSupported, "no such processor");
    row("broken", PluginOutcome::kInitFailed, "driver too old");
    row("short-ops", PluginOutcome::kInitFailed, "lacks operations");
  }
  void refusedPluginsAreListedWithTheirReason() {
    QFETCH(QString, sample);
    QFETCH(int, outcome);
    QFETCH(QString, reason);
    const DeviceRegistry registry = registryOf(sample.toStdString());
    const BackendOutcome* found = outcomeOf(registry, "sample_" + sample.toStdString());
    QVERIFY(found);
    QCOMPARE(static_cast<int>(found->outcome), outcome);
    QVERIFY2(QString::fromStdString(found->reason).contains(reason), found->reason.c_str());
    QCOMPARE(found->kind, std::string("sample"));
    QVERIFY(!registry.find("sample:0"));
    QVERIFY2(registry.find("cpu:0"), "the others work all the same");
    QVERIFY2(ProbeJournal(journal_).forgetCrashes() == 0, "a refusal is no crash");
  }

  void aNamedFolderMustBeThere() {
    BackendSearch search = searchIn({"/nowhere/plugins"}, journal_);
    QCOMPARE(outcomeOf(DeviceRegistry(search), "plugins")->outcome, PluginOutcome::kWrongSetting);
    search.foldersNamed = false;
    QVERIFY(!outcomeOf(DeviceRegistry(search), "plugins"));
  }

  void aPinnedInstructionSetIsUsed() {
    const DeviceRegistry registry = registryOf("good", "portable");
    QCOMPARE(registry.find("cpu:0")->instructionSet(), tensor::kPortable);
    QCOMPARE(outcomeOf(registry, "cpu:0")->outcome, PluginOutcome::kLoaded);
  }

  void aPinThatCannotBeKeptIsToldAndReplacesNothing() {
    const DeviceRegistry registry = registryOf("good", "portabel");
    QVERIFY(!registry.find("cpu:0"));
    QVERIFY(registry.find("cpu:portable"));
    const BackendOutcome* wrong = outcomeOf(registry, "cpu:0");
    QCOMPARE(wrong->outcome, PluginOutcome::kWrongSetting);
    for (const char* word : {"portabel", "did you mean \"portable\"", "accepted here: portable"})
      QVERIFY2(wrong->reason.find(word) != std::string::npos, wrong->reason.c_str());
    QCOMPARE(outcomeOf(registry, "cpu:portable")->outcome, PluginOutcome::kNotChosen);
  }

  void theBestCpuIsChosenAndTheOthersAreListed() {
    const DeviceRegistry registry(searchIn({PARAPET_SHIPPED_PLUGINS}, journal_));
    if (!registry.find("cpu:x86-64-v3")) QSKIP("no plugin for x86-64-v3 works here");
    const std::string best(registry.find("cpu:3")->instructionSet());
    QVERIFY2(best.starts_with("x86-64-"), best.c_str());
    const BackendOutcome* portable = outcomeOf(registry, "cpu:portable");
    QCOMPARE(portable->outcome, PluginOutcome::kNotChosen);
    QCOMPARE(portable->reason, fmt::format("works here; {} is in use", best));
    if (best == "x86-64-v4") {
      const BackendOutcome* narrower = outcomeOf(registry, "cpu:x86-64-v3");
      QCOMPARE(narrower->outcome, PluginOutcome::kNotChosen);
      QVERIFY2(narrower->reason.starts_with("works here; x86-64-v4 is in use: products at "),
               narrower->reason.c_str());
    }
    const DeviceRegistry pinned(searchIn({PARAPET_SHIPPED_PLUGINS}, journal_, "portable"));
    QCOMPARE(pinned.find("cpu:3")->instructionSet(), tensor::kPortable);
    QCOMPARE(outcomeOf(pinned, "cpu:x86-64-v3")->outcome, PluginOutcome::kNotChosen);
  }

  void everyCpuPluginIsHereOrListedWithWhatIsLacking() {
    const DeviceRegistry registry(searchIn({PARAPET_SHIPPED_PLUGINS}, journal_));
    for (const std::string set : {"x86-64-v3", "x86-64-v4", "x86-64-amx"}) {
      if (set == "x86-64-amx" && !PARAPET_HAS_AMX) continue;  // sanitizer builds have none
      const auto file = fs::path(PARAPET_SHIPPED_PLUGINS) / ("parapet_cpu_" + set + ".so");
      if (!fs::exists(file)) QSKIP("this machine builds no plugin for x86-64");
      if (registry.find("cpu:" + set) || registry.find("cpu:0")->instructionSet() == set) continue;
      const BackendOutcome* lacking = outcomeOf(registry, "cpu_" + set);
      QVERIFY2(lacking, set.c_str());
      QCOMPARE(lacking->outcome, PluginOutcome::kNotSupported);
      QVERIFY2(lacking->reason.starts_with("this processor lacks ") ||
                   lacking->reason.starts_with("the system "),
               lacking->reason.c_str());
    }
  }

  void whatCrashesInItsTrialIsListedAsDisabled() {
    const DeviceRegistry registry = registryOf("aborts");
    const BackendOutcome* disabled = outcomeOf(registry, "sample_aborts");
    QVERIFY(disabled);
    QCOMPARE(disabled->outcome, PluginOutcome::kDisabled);
    QVERIFY2(registry.find("cpu:0"), "the others work all the same");
    QCOMPARE(ProbeJournal(journal_).forgetCrashes(), 1);
  }

  /// A process that loads the sample and dies in its probe.
  [[nodiscard]] bool diesLoading(const char* how) const {
    QProcess child;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("SAMPLE_CRASH", how);
    child.setProcessEnvironment(environment);
    child.start(QCoreApplication::applicationFilePath(),
                {kLoad, QString::fromStdString((kSamples / "good").string()),
                 QString::fromStdString(journal_.string())});
    return child.waitForFinished(60'000) && child.exitStatus() == QProcess::CrashExit;
  }

  void aKillAtTheStartDisablesNothingThatPassedItsTrial() {
    QVERIFY2(registryOf("good").find("sample:0"), "its trial went well");
    for (int death = 0; death < 3; ++death) QVERIFY(diesLoading("kill"));
    QVERIFY(registryOf("good").find("sample:0"));
    QCOMPARE(ProbeJournal(journal_).forgetCrashes(), 0);
  }

  void twoCrashesInARowDisableWhatPassedItsTrial() {
    QVERIFY2(registryOf("good").find("sample:0"), "its trial went well");
    QVERIFY(diesLoading("abort"));
    QVERIFY2(registryOf("good").find("sample:0"), "one is no row, and this start breaks it");
    QVERIFY(diesLoading("abort"));
    QVERIFY(diesLoading("kill"));
    QVERIFY(diesLoading("abort"));
    const DeviceRegistry registry = registryOf("good");
    const BackendOutcome* disabled = outcomeOf(registry, "sample_good");
    QVERIFY(disabled);
    QCOMPARE(disabled->outcome, PluginOutcome::kDisabled);
    QVERIFY2(disabled->reason.find("--retry") != std::string::npos, disabled->reason.c_str());
    QCOMPARE(ProbeJournal(journal_).forgetCrashes(), 2);
    QVERIFY(registryOf("good").find("sample:0"));
  }
};

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == kLoad) {
    const DeviceRegistry registry(searchIn({argv[2]}, argv[3]));
    return registry.outcomes().empty() ? 1 : 0;
  }
  QCoreApplication application(argc, argv);
  DeviceRegistryTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "device_registry_test.moc"
