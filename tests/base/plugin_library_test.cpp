// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/plugin_library.h"
#include "engine/tensor/plugin_abi.h"

using namespace parapet;
namespace fs = std::filesystem;

/// Sample plugins are opened by hand, each with one thing wrong.
class PluginLibraryTest : public QObject {
  Q_OBJECT

  static fs::path sample(const std::string& name) {
    return fs::path(PARAPET_SAMPLE_PLUGINS) / name / ("parapet_sample_" + name + ".so");
  }
  static PluginOpening open(const std::string& name) {
    return openPlugin(sample(name), {PP_ABI_VERSION, PARAPET_BUILD_TAG});
  }

  const QTemporaryDir folder_;
  [[nodiscard]] fs::path at(const char* name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void opensAGoodPlugin() {
    const PluginOpening opening = open("good");
    QVERIFY2(opening.outcome == PluginOutcome::kLoaded, opening.reason.c_str());
    const auto* plugin = static_cast<const PpPlugin*>(opening.table);
    QCOMPARE(std::string(plugin->instructionSet), std::string("sample-set"));
  }

  void refusesWhatDoesNotBelong_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("outcome");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* sample, PluginOutcome outcome, const QStringList& words) {
      QTest::newRow(sample) << QString(sample) << static_cast<int>(outcome) << words;
    };
    row("wrong-abi", PluginOutcome::kWrongAbi, {"99", QString::number(PP_ABI_VERSION)});
    row("wrong-tag", PluginOutcome::kWrongBuildTag, {"0.0.0-elsewhere", PARAPET_BUILD_TAG});
    row("missing-symbol", PluginOutcome::kMissingSymbol, {"parapet_plugin_build_tag"});
  }
  void refusesWhatDoesNotBelong() {
    QFETCH(QString, sample);
    QFETCH(int, outcome);
    QFETCH(QStringList, words);
    const PluginOpening opening = open(sample.toStdString());
    QCOMPARE(static_cast<int>(opening.outcome), outcome);
    for (const QString& word : words)
      QVERIFY2(QString::fromStdString(opening.reason).contains(word), opening.reason.c_str());
    QVERIFY(!opening.table);
  }

  void refusesATextFile() {
    const fs::path file = at("parapet_text.so");
    QVERIFY(writeFileAtomically(file, "This is no library.\n").ok());
    QCOMPARE(openPlugin(file, {}).outcome, PluginOutcome::kNotALibrary);
    QCOMPARE(openPlugin(at("absent.so"), {}).outcome, PluginOutcome::kNotALibrary);
  }

  void tellsWhyTheLoaderRefuses() {
    const fs::path file = at("parapet_cut.so");
    const auto whole = readFile(fs::path(PARAPET_SAMPLE_PLUGINS) / "good/parapet_sample_good.so");
    QVERIFY(writeFileAtomically(file, whole->substr(0, 100)).ok());
    const PluginOpening opening = openPlugin(file, {});
    QCOMPARE(opening.outcome, PluginOutcome::kCannotLoad);
    QVERIFY2(opening.reason.find("parapet_cut.so") != std::string::npos, opening.reason.c_str());
  }

  void listsSharedObjectsByName() {
    QVERIFY(createFolders(at("listed")).ok());
    for (const char* name : {"b.so", "a.so", "readme.txt", "c.so.1"})
      QVERIFY(writeFileAtomically(at("listed") / name, "").ok());
    const auto files = pluginFiles(at("listed"));
    QVERIFY(files.ok());
    QCOMPARE(*files, (std::vector<fs::path>{at("listed") / "a.so", at("listed") / "b.so"}));
  }

  void whatEveryUserMayWriteIsTold() {
    const fs::path folder = at("open");
    QVERIFY(createFolders(folder).ok());
    QVERIFY(writeFileAtomically(folder / "a.so", "").ok());
    std::vector<std::string> warnings;
    setLogHandler([&warnings](LogLevel level, std::string_view message) {
      if (level == LogLevel::kWarning) warnings.emplace_back(message);
    });
    fs::permissions(folder, fs::perms::owner_all);
    fs::permissions(folder / "a.so", fs::perms::owner_all);
    QVERIFY(pluginFiles(folder).ok());
    const std::size_t before = warnings.size();
    fs::permissions(folder / "a.so", fs::perms::all);
    QVERIFY(pluginFiles(folder).ok());
    fs::permissions(folder, fs::perms::all);
    QVERIFY(pluginFiles(folder).ok());
    setLogHandler({});
    QCOMPARE(before, std::size_t{0});
    QCOMPARE(warnings.size(), std::size_t{2});
    QVERIFY2(warnings[0].find("may write to " + (folder / "a.so").string()) != std::string::npos,
             warnings[0].c_str());
    QVERIFY2(warnings[1].find("the plugin folder " + folder.string()) != std::string::npos,
             warnings[1].c_str());
  }

  void aFolderThatIsNotThereIsNotFound() {
    const auto files = pluginFiles(at("nowhere"));
    QVERIFY(!files.ok());
    QCOMPARE(files.error().code, ErrorCode::kNotFound);
  }

  void looksWhereTheUserSays() {
    qputenv("PARAPET_PLUGIN_PATH", "/one::/two");
    QCOMPARE(pluginFolders(), (std::vector<fs::path>{"/one", "/two"}));
    qunsetenv("PARAPET_PLUGIN_PATH");
    const auto beside = pluginFolders();
    QCOMPARE(beside.size(), std::size_t{1});
    QVERIFY(beside.front().string().ends_with("/lib/parapet/plugins"));
    QVERIFY(beside.front().is_absolute());
  }

  void whatFailsItsTrialIsNotOpenedUntilAskedFor() {
    const ProbeJournal journal(at("failing"));
    const auto tried = [&] {
      return tryPlugin(sample("exits"), {PP_ABI_VERSION, PARAPET_BUILD_TAG}, journal,
                       [](const void*) { return PluginOpening{}; });
    };
    const PluginOpening first = tried();
    QCOMPARE(first.outcome, PluginOutcome::kDisabled);
    for (const char* words : {"exit code 0", "devices --retry"})
      QVERIFY2(first.reason.find(words) != std::string::npos, first.reason.c_str());
    QVERIFY(journal.trialOf(sample("exits"), PARAPET_BUILD_TAG).has_value());
    QCOMPARE(tried().reason, first.reason);
    QCOMPARE(journal.forgetCrashes(), 1);
    QCOMPARE(tried().outcome, PluginOutcome::kDisabled);
  }

  void aTrialThatWentWellIsHeldOnce() {
    const ProbeJournal journal(at("passing"));
    const PluginContract contract{PP_ABI_VERSION, PARAPET_BUILD_TAG};
    const auto opened = [&] {
      return tryPlugin(sample("good"), contract, journal,
                       [](const void*) { return PluginOpening{}; });
    };
    QCOMPARE(opened().outcome, PluginOutcome::kLoaded);
    const auto held = journal.trialOf(sample("good"), PARAPET_BUILD_TAG);
    QVERIFY(held && held->trial.end == TrialEnd::kReturned);
    QCOMPARE(opened().outcome, PluginOutcome::kLoaded);
    QCOMPARE(journal.trialOf(sample("good"), PARAPET_BUILD_TAG)->beganMs, held->beganMs);
  }

  void faultsAreWhatShouldWorkAndDoesNot() {
    for (const PluginOutcome fine : {PluginOutcome::kLoaded, PluginOutcome::kNotChosen,
                                     PluginOutcome::kNotInstalled, PluginOutcome::kNotSupported})
      QVERIFY(!isFault(fine));
    for (const PluginOutcome fault :
         {PluginOutcome::kNotALibrary, PluginOutcome::kCannotLoad, PluginOutcome::kMissingSymbol,
          PluginOutcome::kWrongAbi, PluginOutcome::kWrongBuildTag, PluginOutcome::kInitFailed,
          PluginOutcome::kDisabled, PluginOutcome::kWrongSetting})
      QVERIFY(isFault(fault));
  }
};

QTEST_GUILESS_MAIN(PluginLibraryTest)
#include "plugin_library_test.moc"
