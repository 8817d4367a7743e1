// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/probe_journal.h"

using namespace parapet;
namespace fs = std::filesystem;

namespace {

constexpr const char* kHold = "--hold";

/// The work of the child: it stands in its probe until it is killed, aborts at an "a" and ends well at
/// the end of its input.
int hold(const char* folder, const char* plugin, std::string_view how) {
  const ProbeJournal journal{fs::path(folder)};
  using enum ProbeJournal::MarkedBy;
  const auto mark = journal.mark(plugin, how == "tested" ? kCrash : kAnyDeath);
  std::puts("trying");
  std::fflush(stdout);
  if (std::getchar() == 'a') std::abort();
  return 0;
}

}  // namespace

/// A child process of this test marks a plugin and dies, or does not.
class ProbeJournalTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> temporary_;
  fs::path folder_, plugin_;

  [[nodiscard]] ProbeJournal journal() const { return ProbeJournal(folder_); }

  [[nodiscard]] std::unique_ptr<QProcess> trying(const char* how = "untested") const {
    auto child = std::make_unique<QProcess>();
    child->start(QCoreApplication::applicationFilePath(),
                 {kHold, QString::fromStdString(folder_.string()),
                  QString::fromStdString(plugin_.string()), how});
    return child->waitForReadyRead(30'000) ? std::move(child) : nullptr;
  }

  [[nodiscard]] bool crash() const {
    const auto child = trying();
    if (!child) return false;
    child->kill();
    return child->waitForFinished(30'000);
  }

 private Q_SLOTS:
  void init() {
    temporary_ = std::make_unique<QTemporaryDir>();
    folder_ = fs::path(temporary_->path().toStdString()) / "probes";
    plugin_ = fs::path(temporary_->path().toStdString()) / "parapet_sample.so";
    QVERIFY(writeFileAtomically(plugin_, "first").ok());
  }

  void nothingIsKnownOfANewPlugin() { QVERIFY(!journal().crashOf(plugin_)); }

  void aTryThatEndsLeavesNothing() {
    {
      const auto mark = journal().mark(plugin_, ProbeJournal::MarkedBy::kAnyDeath);
      QVERIFY(!fs::is_empty(folder_));
    }
    QVERIFY(fs::is_empty(folder_));
  }

  void oneDeathIsNoCrash() {
    QVERIFY(crash());
    QVERIFY2(!journal().crashOf(plugin_), "it may have come from outside");
  }

  void aTryThatEndsWellBreaksTheRow() {
    QVERIFY(crash());
    { const auto mark = journal().mark(plugin_, ProbeJournal::MarkedBy::kAnyDeath); }
    QVERIFY(fs::is_empty(folder_));
    QVERIFY(crash());
    QVERIFY(!journal().crashOf(plugin_));
  }

  // A mark of a plugin that passed its trial is left by a crash alone.
  void ofWhatPassedItsTrialOnlyACrashIsMarked_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<bool>("marks");
    QTest::newRow("abort()") << 0 << true;
    QTest::newRow("killed") << SIGKILL << false;
    QTest::newRow("asked to end") << SIGTERM << false;
    QTest::newRow("SIGABRT from outside") << SIGABRT << false;
  }
  void ofWhatPassedItsTrialOnlyACrashIsMarked() {
    QFETCH(int, signal);
    QFETCH(bool, marks);
    for (int death = 0; death < 2; ++death) {
      QVERIFY(!journal().crashOf(plugin_));
      const auto child = trying("tested");
      QVERIFY(child);
      QVERIFY2(fs::is_empty(folder_) || death == 1, "nothing is written before the crash");
      if (signal == 0)
        child->write("a");
      else
        QCOMPARE(::kill(static_cast<pid_t>(child->processId()), signal), 0);
      QVERIFY(child->waitForFinished(30'000));
      QCOMPARE(child->exitStatus(), QProcess::CrashExit);
    }
    QCOMPARE(journal().crashOf(plugin_).has_value(), marks);
    QCOMPARE(journal().forgetCrashes(), marks ? 2 : 0);
  }

  void aGoodLoadBreaksTheRowOfCrashes() {
    for (int start = 0; start < 2; ++start) {
      const auto child = trying("tested");
      QVERIFY(child);
      child->write("a");
      QVERIFY(child->waitForFinished(30'000));
      QVERIFY(!fs::is_empty(folder_));
      { const auto mark = journal().mark(plugin_, ProbeJournal::MarkedBy::kCrash); }
      QVERIFY(fs::is_empty(folder_));
    }
    QVERIFY(!journal().crashOf(plugin_));
  }

  void aCrashIsKnownAtTheNextStart() {
    const std::int64_t before = wallClockMs();
    QVERIFY(crash());
    QVERIFY(crash());
    const auto crashedMs = journal().crashOf(plugin_);
    QVERIFY(crashedMs.has_value());
    QVERIFY(*crashedMs >= before && *crashedMs <= wallClockMs());
    QVERIFY2(journal().crashOf(plugin_).has_value(), "asking forgets nothing");
  }

  void aCrashIsOfOnePluginOnly() {
    QVERIFY(crash());
    QVERIFY(crash());
    QVERIFY(!journal().crashOf(plugin_.parent_path() / "parapet_sample-2.so"));
    QVERIFY(!journal().crashOf(plugin_.parent_path() / "elsewhere" / plugin_.filename()));
  }

  void processesThatTryAtTheSameTimeDisableNothing() {
    const auto first = trying(), second = trying();
    QVERIFY(first && second);
    QVERIFY(!journal().crashOf(plugin_));
    QCOMPARE(journal().forgetCrashes(), 0);
    second->closeWriteChannel();
    QVERIFY(second->waitForFinished(30'000));
    QVERIFY(!journal().crashOf(plugin_));
    first->kill();
    QVERIFY(first->waitForFinished(30'000));
    QVERIFY(crash());
    QVERIFY2(journal().crashOf(plugin_), "the mark of the first was not the second's to remove");
  }

  void aChangedFileIsTriedAgain() {
    QVERIFY(crash());
    QVERIFY(crash());
    QVERIFY(writeFileAtomically(plugin_, "second, longer").ok());
    QVERIFY(!journal().crashOf(plugin_));
    QVERIFY(fs::is_empty(folder_));
  }

  void forgettingLetsThePluginBeTriedAgain() {
    QVERIFY(crash());
    QVERIFY(crash());
    QCOMPARE(journal().forgetCrashes(), 2);
    QVERIFY(!journal().crashOf(plugin_));
  }

  void anotherBootMakesMarksVoid() {
    QVERIFY(crash());
    QVERIFY(crash());
    QVERIFY(journal().crashOf(plugin_));
    const auto change = [&](const char* key, const nlohmann::json& value) {
      for (const auto& mark : fs::directory_iterator(folder_)) {
        auto entry = nlohmann::json::parse(*readFile(mark.path()));
        entry[key] = value;
        QVERIFY(writeFileAtomically(mark.path(), entry.dump()).ok());
      }
    };
    change("boot_id", "of another machine");
    QVERIFY(!journal().crashOf(plugin_));
    QVERIFY2(!fs::is_empty(folder_), "another machine may be trying it");
    change("began_ms", wallClockMs() - 3'600'000);
    QVERIFY(!journal().crashOf(plugin_));
    QVERIFY(fs::is_empty(folder_));
  }

  void aTrialThatWentWrongIsHeldAgainInAnotherBoot() {
    for (const TrialEnd end : {TrialEnd::kHung, TrialEnd::kDied, TrialEnd::kReturned}) {
      journal().rememberTrial(plugin_, "build", {7, {end, ""}});
      QVERIFY(journal().trialOf(plugin_, "build"));
      const fs::path file = fs::directory_iterator(folder_)->path();
      auto trial = nlohmann::json::parse(*readFile(file));
      trial["boot_id"] = "of another boot";
      QVERIFY(writeFileAtomically(file, trial.dump()).ok());
      QCOMPARE(journal().trialOf(plugin_, "build").has_value(), end == TrialEnd::kReturned);
    }
  }

  void halfAMarkIsNoCrash() {
    QVERIFY(crash());
    const fs::path mark = fs::directory_iterator(folder_)->path();
    for (const char* text : {"", "{\"plugin\":", "{}", "[1]"}) {
      QVERIFY(writeFileAtomically(mark, text).ok());
      QVERIFY(!journal().crashOf(plugin_));
    }
  }

  void worksWhereNothingCanBeWritten() {
    for (const char* folder : {"/proc/parapet", ""}) {
      folder_ = folder;
      const auto mark = journal().mark(plugin_, ProbeJournal::MarkedBy::kAnyDeath);
      journal().rememberTrial(plugin_, "build", {1, {}});
      QVERIFY(!journal().trialOf(plugin_, "build"));
      QVERIFY(!journal().crashOf(plugin_));
      QCOMPARE(journal().forgetCrashes(), 0);
    }
    QVERIFY2(QDir(".").entryList({"*parapet_sample*"}).isEmpty(), "no folder is not this folder");
  }

  void aTrialIsRememberedForThisFileAndThisBuild() {
    QVERIFY(!journal().trialOf(plugin_, "build"));
    journal().rememberTrial(plugin_, "build", {7, {TrialEnd::kHung, "it did not return"}});
    const auto past = journal().trialOf(plugin_, "build");
    QVERIFY(past.has_value());
    QCOMPARE(past->trial.end, TrialEnd::kHung);
    QCOMPARE(past->trial.reason, std::string("it did not return"));
    QCOMPARE(past->beganMs, std::int64_t{7});
    QVERIFY2(!journal().trialOf(plugin_, "another build"), "another build tries for itself");
    QVERIFY2(!journal().crashOf(plugin_), "a trial is no crash of the program");
    QVERIFY(writeFileAtomically(plugin_, "second, longer").ok());
    QVERIFY(!journal().trialOf(plugin_, "build"));
  }

  void forgettingKeepsTheTrialsThatWentWell() {
    const fs::path other = plugin_.parent_path() / "other.so";
    QVERIFY(writeFileAtomically(other, "other").ok());
    journal().rememberTrial(plugin_, "build", {7, {TrialEnd::kDied, "it exited"}});
    journal().rememberTrial(other, "build", {7, {}});
    QCOMPARE(journal().forgetCrashes(), 1);
    QVERIFY(!journal().trialOf(plugin_, "build"));
    QVERIFY(journal().trialOf(other, "build"));
  }

  void halfATrialIsNone() {
    journal().rememberTrial(plugin_, "build", {7, {}});
    const fs::path file = fs::directory_iterator(folder_)->path();
    for (const char* text : {"", "{\"plugin\":", "{}", "[1]", "{\"bytes\": \"many\"}"}) {
      QVERIFY(writeFileAtomically(file, text).ok());
      QVERIFY(!journal().trialOf(plugin_, "build"));
    }
  }
};

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == kHold) return hold(argv[2], argv[3], argv[4]);
  QCoreApplication application(argc, argv);
  ProbeJournalTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "probe_journal_test.moc"
