// SPDX-License-Identifier: GPL-3.0-or-later
// Safe mode of the program: offered after a crash and after nothing else, without plugins, and with
// settings that are neither read nor written. The window that is killed is the program itself.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/parapet/parts.h"
#include "app/parapet/start_mark.h"
#include "engine/base/files.h"
#include "engine/base/process.h"
#include "tests/ui/window_look.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::LastEnd;
using window::Parts;
using window::StartMark;

namespace {

constexpr int kLongMs = 60'000;
constexpr const char* kWarning = "the last window did not end orderly";
constexpr const char* kUserSettings = R"({"theme":"dark","races_proposals":false,"version":1})";

QString textOf(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

/// Whether a program has begun to end orderly when it is told to: its window is there.
bool catchesTermination(const QProcess& program) {
  QFile status(QString("/proc/%1/status").arg(program.processId()));
  if (!status.open(QIODevice::ReadOnly)) return false;
  const QString text = QString::fromUtf8(status.readAll());
  const auto begin = text.indexOf("SigCgt:") + 7;
  const quint64 caught =
      text.mid(begin, text.indexOf('\n', begin) - begin).trimmed().toULongLong(nullptr, 16);
  return (caught >> (SIGTERM - 1) & 1) != 0;
}

/// A home folder for programs of this test.
struct Home {
  QTemporaryDir folder;

  [[nodiscard]] QString at(const QString& name) const { return folder.filePath(name); }
  [[nodiscard]] QStringList marks() const {
    return QDir(at("state/parapet/windows")).entryList({"*.json"}, QDir::Files);
  }
  /// Starts the window and waits until it is there, has tried its devices and has trained.
  void start(QProcess& program, const QStringList& more = {}) const {
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", at("config"));
    environment.insert("XDG_STATE_HOME", at("state"));
    program.setProcessEnvironment(environment);
    program.start(PARAPET_PROGRAM, QStringList{"--workspace", at("workspace")} + more);
    QVERIFY(program.waitForStarted(kLongMs));
    QVERIFY(QTest::qWaitFor([&] { return catchesTermination(program); }, kLongMs));
    QVERIFY(QTest::qWaitFor([this] { return hasFinishedRun(); }, kLongMs));
  }
  [[nodiscard]] bool hasFinishedRun() const {
    if (!QFile::exists(at("workspace/parapet.db"))) return false;
    const auto opened = workspace::Workspace::open(at("workspace").toStdString());
    if (!opened) return false;
    const auto newest = (*opened)->store().find("latest");
    return newest && newest->state == experiment::RunState::kFinished;
  }
};

void end(QProcess& program, int signal) {
  QCOMPARE(::kill(static_cast<pid_t>(program.processId()), signal), 0);
  QVERIFY(program.waitForFinished(kLongMs));
}

/// The plugins that a process has opened.
int pluginsOf(const QProcess& program) {
  QFile maps(QString("/proc/%1/maps").arg(program.processId()));
  if (!maps.open(QIODevice::ReadOnly)) return -1;
  return static_cast<int>(QString::fromUtf8(maps.readAll()).count("/lib/parapet/plugins/"));
}

std::unique_ptr<Parts> open(const QString& folder) {
  auto parts =
      Parts::make((folder + "/workspace").toStdString(), (folder + "/config").toStdString());
  return parts ? std::move(parts).value() : nullptr;
}

QPushButton* visibleButton(const QWidget& window, const QString& text) {
  for (auto* button : window.findChildren<QPushButton*>())
    if (button->text() == text && button->isVisible()) return button;
  return nullptr;
}

}  // namespace

class SafeModeTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { applyTheme(Theme::kLight); }

  void aKilledWindowIsReportedOnce() {
    const Home home;
    QProcess program;
    home.start(program);
    QCOMPARE(home.marks().size(), 1);
    end(program, SIGKILL);
    QCOMPARE(home.marks().size(), 1);

    QProcess next;
    home.start(next);
    end(next, SIGTERM);
    QVERIFY(next.readAllStandardError().contains(kWarning));
    QCOMPARE(home.marks().size(), 0);

    QProcess third;
    home.start(third);
    end(third, SIGTERM);
    QVERIFY(!third.readAllStandardError().contains(kWarning));
  }

  void windowsThatAreOpenAtOnceAreNoCrash() {
    const Home home;
    QProcess first, second;
    home.start(first);
    home.start(second);
    QTRY_COMPARE_WITH_TIMEOUT(home.marks().size(), 2, kLongMs);
    end(second, SIGTERM);
    end(first, SIGTERM);
    QVERIFY(!second.readAllStandardError().contains(kWarning));
    QVERIFY(!first.readAllStandardError().contains(kWarning));
  }

  void aCrashOfTheStartIsToldApart() {
    const QTemporaryDir folder;
    const std::filesystem::path marks = folder.path().toStdString();
    QProcess gone;
    gone.start("true", QStringList());
    QVERIFY(gone.waitForStarted());
    const auto pid = gone.processId();
    QVERIFY(gone.waitForFinished());
    const auto leave = [&](const std::string& name, bool hasStarted, const std::string& boot) {
      const nlohmann::json mark{{"pid", pid},
                                {"boot_id", boot},
                                {"start_ticks", 1},
                                {"began_ms", 1},
                                {"started", hasStarted}};
      QVERIFY(writeFileAtomically(marks / name, mark.dump()).ok());
    };
    const std::string boot = ProcessIdentity::thisProcess().bootId;
    leave("a.json", true, boot);
    QCOMPARE(StartMark(marks).lastEnd(), LastEnd::kCrashed);
    leave("a.json", true, boot);
    leave("b.json", false, boot);
    QCOMPARE(StartMark(marks).lastEnd(), LastEnd::kCrashedAtStart);
    QCOMPARE(StartMark(marks).lastEnd(), LastEnd::kOrderly);
    leave("a.json", true, "another boot");
    QVERIFY(writeFileAtomically(marks / "b.json", "{").ok());
    QCOMPARE(StartMark(marks).lastEnd(), LastEnd::kOrderly);
    QVERIFY(!std::filesystem::exists(marks / "a.json"));
  }

  void safeModeOpensNoPluginAndLeavesTheSettings() {
    const Home home;
    const QString settings = home.at("config/parapet/settings.json");
    QVERIFY(createFolders(home.at("config/parapet").toStdString()).ok());
    QVERIFY(writeFileAtomically(settings.toStdString(), kUserSettings).ok());
    QProcess safe;
    home.start(safe, {"--safe-mode"});
    QCOMPARE(pluginsOf(safe), 0);
    QTest::qWait(1500);  // longer than the pause after which a window writes its layout
    end(safe, SIGTERM);
    QCOMPARE(textOf(settings), QString(kUserSettings));
    QCOMPARE(QDir(home.at("config/parapet")).entryList(QDir::Files), QStringList{"settings.json"});
    QCOMPARE(home.marks().size(), 0);

    QProcess normal;
    home.start(normal);
    if (QDir(PARAPET_PLUGINS).entryList({"*.so"}).isEmpty()) QSKIP("no plugins were built");
    QTRY_VERIFY_WITH_TIMEOUT(pluginsOf(normal) > 0, kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.at("config/parapet/layout.json")), kLongMs);
    end(normal, SIGTERM);
  }

  void theOfferAndTheWayBackAreButtons() {
    const QTemporaryDir folder;
    const auto parts = open(folder.path());
    QVERIFY(parts);
    MainWindow& window = parts->window();
    window.show();
    QVERIFY(!visibleButton(window, "Restart in safe mode"));
    window.offerSafeMode();
    QSignalSpy restarts(&window, &MainWindow::restartRequested);
    auto* offer = visibleButton(window, "Restart in safe mode");
    QVERIFY(offer);
    // Another offer takes nothing away.
    window.notices().show(LogLevel::kInfo, "Something else", "Undo", [] {});
    QVERIFY(offer->isVisible());
    offer->click();
    QCOMPARE(restarts.size(), 1);
    QVERIFY(!window.windowTitle().contains("safe mode"));

    window.showSafeMode();
    QVERIFY(window.windowTitle().contains("(safe mode)"));
    auto* back = visibleButton(window, "Restart normally");
    QVERIFY(back);
    back->click();
    QCOMPARE(restarts.size(), 2);
    // The way back stays in the menu.
    for (QAction* action : window.allActions())
      if (action->objectName() == "help.restart") action->trigger();
    QCOMPARE(restarts.size(), 3);
    QVERIFY(comesToRest(window, kLongMs));
  }
};

QTEST_MAIN(SafeModeTest)
#include "safe_mode_test.moc"
