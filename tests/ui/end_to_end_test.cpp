// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, as a person uses it: tile, train, killed, restarted, resumed, browsed,
// compared, exported. The window that is killed is this program again, as a child.
#include <signal.h>

#include <QFile>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include "app/parapet/parts.h"
#include "app/parapet/termination_signals.h"
#include "engine/base/files.h"
#include "engine/experiment/experiment.h"
#include "tests/ui/window_look.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;
using window::Parts;

namespace {

constexpr int kLongMs = 60'000;
constexpr int kEndless = 100'000;

std::unique_ptr<Parts> open(const QString& folder) {
  auto parts =
      Parts::make((folder + "/workspace").toStdString(), (folder + "/config").toStdString());
  return parts ? std::move(parts).value() : nullptr;
}

QAction* action(Parts& parts, const QString& name) {
  for (QAction* found : parts.window().allActions())
    if (found->objectName() == name) return found;
  return nullptr;
}

QString textOf(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

/// The text that the workspace keeps of the experiment that is edited.
QString storedText(Parts& parts) {
  const auto found = parts.bench().workspace.store().experiments().byId(
      parts.bench().editor.experimentId().toStdString());
  return found ? QString::fromStdString(found->document) : QString();
}

/// The child: takes the tile of the sample, trains without end on the page Train, and says so once
/// all of that is on disk. It ends when it is killed or asked to.
int trainUntilKilled(const QString& folder) {
  const auto parts = open(folder);
  MainWindow& window = parts->window();
  window.restore();
  window.show();
  window.findChild<QPushButton*>("useRecipe.sample")->click();
  parts->bench().editor.setValue("/training/epochs", kEndless, "Change epochs");
  action(*parts, "run.run")->trigger();
  window.showPage("train");
  const RunController& runs = parts->bench().runs;
  const bool ready = QTest::qWaitFor(
      [&] {
        return runs.progress().epoch >= 3 &&
               textOf(folder + "/config/layout.json").contains("\"page\": \"train\"") &&
               storedText(*parts).contains("100000");
      },
      kLongMs);
  if (!ready || !parts->bench().workspace.store().flush().ok()) return 1;
  const window::TerminationSignals termination;
  QObject::connect(&termination, &window::TerminationSignals::received, &window,
                   &MainWindow::quitWithCheckpoint);
  fputs(qPrintable(runs.runId() + "\n"), stdout);
  fflush(stdout);
  return QApplication::exec();
}

}  // namespace

class EndToEndTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Parts> parts_;
  QString run_;

  template <class PageType>
  PageType& page(const QString& name) {
    return *qobject_cast<PageType*>(parts_->window().page(name));
  }
  bool waitForEnd() {
    return QTest::qWaitFor([this] { return !parts_->bench().runs.active(); }, kLongMs);
  }

 private slots:
  void initTestCase() { applyTheme(Theme::kLight); }
  void cleanupTestCase() { parts_.reset(); }

  void aFirstStartIsNeverEmpty() {
    const QTemporaryDir fresh;
    const auto first = open(fresh.path());
    QVERIFY(!first->window().restore());
    first->window().beginWith("sample");
    first->window().show();
    QVERIFY(first->bench().editor.runnable());
    QVERIFY(first->trainSampleIfEmpty());
    QVERIFY(QTest::qWaitFor([&] { return !first->bench().runs.active(); }, kLongMs));
    QCOMPARE(first->bench().runs.state(), RunState::kFinished);
    auto* browse = qobject_cast<BrowsePage*>(first->window().page("browse"));
    first->window().showPage("browse");
    QVERIFY(QTest::qWaitFor([&] { return !browse->board().columns().empty(); }, kLongMs));
    QVERIFY(!first->trainSampleIfEmpty());
  }

  void aTerminationSignalStopsTheRunWithACheckpoint() {
    const QTemporaryDir fresh;
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {"--child", fresh.path()});
    QVERIFY(child.waitForReadyRead(kLongMs));
    const std::string run = child.readLine().trimmed().toStdString();
    QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGTERM), 0);
    QVERIFY(child.waitForFinished(kLongMs));
    QCOMPARE(child.exitStatus(), QProcess::NormalExit);
    QCOMPARE(child.exitCode(), 0);
    const auto left = open(fresh.path());
    QVERIFY(left);
    const auto& store = left->bench().workspace.store();
    const auto stored = store.find(run);
    QVERIFY(stored.ok());
    QCOMPARE(stored->state, RunState::kStopped);
    QCOMPARE(store.checkpoints(run)->back().step, stored->steps);
  }

  void theProgramEndsOrderlyOnATerminationSignal() {
    const QTemporaryDir fresh;
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", fresh.path() + "/config");
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(PARAPET_PROGRAM, {"--workspace", fresh.path() + "/workspace"});
    QVERIFY(program.waitForStarted(kLongMs));
    const auto watched = [&]() -> std::optional<store::RunRecord> {
      if (!QFile::exists(fresh.path() + "/workspace/parapet.db")) return std::nullopt;
      const auto opened = workspace::Workspace::open((fresh.path() + "/workspace").toStdString());
      if (!opened) return std::nullopt;
      const auto newest = (*opened)->store().find("latest");
      return newest ? std::optional(*newest) : std::nullopt;
    };
    // An empty workspace trains the sample at once.
    QVERIFY(QTest::qWaitFor([&] { return watched().has_value(); }, kLongMs));
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), SIGTERM), 0);
    QVERIFY(program.waitForFinished(kLongMs));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    QVERIFY(experiment::isTerminal(watched()->state));
  }

  void dataOfTheCommandLineBeginOneExperiment() {
    const QTemporaryDir fresh;
    const QString file = fresh.filePath("ratings.csv");
    std::string rows = "user,item,rating\n";
    for (int row = 0; row < 400; ++row)
      rows += std::to_string(row % 20) + "," + std::to_string(row * 7 % 30) + ",4\n";
    QVERIFY(writeFileAtomically(file.toStdString(), rows).ok());
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CONFIG_HOME", fresh.path() + "/config");
    environment.insert("XDG_STATE_HOME", fresh.path() + "/state");
    program.setProcessEnvironment(environment);
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(PARAPET_PROGRAM, {"--workspace", fresh.path() + "/workspace", "--data", file});
    QVERIFY(program.waitForStarted(kLongMs));
    const auto names = [&] {
      QStringList found;
      if (!QFile::exists(fresh.path() + "/workspace/parapet.db")) return found;
      const auto opened = workspace::Workspace::open((fresh.path() + "/workspace").toStdString());
      if (!opened) return found;
      if (const auto list = (*opened)->store().experiments().list())
        for (const auto& record : *list) found << QString::fromStdString(record.name);
      return found;
    };
    QVERIFY(QTest::qWaitFor([&] { return names().contains("ratings"); }, kLongMs));
    QCOMPARE(names(), QStringList{"ratings"});
    QCOMPARE(::kill(static_cast<pid_t>(program.processId()), SIGTERM), 0);
    QVERIFY(program.waitForFinished(kLongMs));
  }

  void comesBackAfterItWasKilledWhileTraining() {
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {"--child", folder_.path()});
    QVERIFY(child.waitForReadyRead(kLongMs));
    run_ = QString::fromUtf8(child.readLine()).trimmed();
    QCOMPARE(run_.size(), 12);
    QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
    QVERIFY(child.waitForFinished(kLongMs));

    parts_ = open(folder_.path());
    QVERIFY(parts_);
    QVERIFY(parts_->window().restore());
    parts_->window().show();
    QCOMPARE(parts_->window().currentPage(), QString("train"));
    QCOMPARE(parts_->bench().editor.experiment().training.epochs, kEndless);
    QCOMPARE(parts_->bench().editor.origin(), QString("sample"));
    QVERIFY(!parts_->trainSampleIfEmpty());
  }

  void resumesTheKilledRunFromItsCheckpoint() {
    QVERIFY(parts_);
    RunController& runs = parts_->bench().runs;
    const auto checkpoints = parts_->bench().workspace.store().checkpoints(run_.toStdString());
    QVERIFY(!checkpoints->empty());
    runs.resumeRun(run_);
    const std::int64_t from = checkpoints->back().step;
    QVERIFY(QTest::qWaitFor([&] { return runs.progress().done > from + 50; }, kLongMs));
    action(*parts_, "run.stop")->trigger();
    QVERIFY(waitForEnd());
    QCOMPARE(runs.runId(), run_);
    QCOMPARE(runs.state(), RunState::kStopped);
  }

  void theCurveHasEveryStepThatWasTrained() {
    QVERIFY(parts_);
    auto& train = page<TrainPage>("train");
    train.showRun(run_);
    const auto stored = parts_->bench().workspace.store().find(run_.toStdString());
    QVERIFY(QTest::qWaitFor([&] { return train.curves().lastStep() == stored->steps; }, kLongMs));
    const auto steps = parts_->bench().workspace.store().steps(run_.toStdString());
    QVERIFY(steps.ok());
    std::int64_t next = 1;
    for (const auto& bucket : *steps) {
      QCOMPARE(bucket.firstStep, next);
      next = bucket.lastStep + 1;
    }
    QCOMPARE(next - 1, stored->steps);
    QCOMPARE(train.curves().epochs().rowCount(), static_cast<int>(stored->epochs));
  }

  void browsesWhatItLearned() {
    QVERIFY(parts_);
    emit parts_->window().page("home")->browseRequested(run_, QString());
    auto& browse = page<BrowsePage>("browse");
    QCOMPARE(parts_->window().currentPage(), QString("browse"));
    QVERIFY(QTest::qWaitFor([&] { return !browse.board().columns().empty(); }, kLongMs));
    QVERIFY(QTest::qWaitFor([&] { return browse.board().columns().front()->list().rowCount() > 0; },
                            kLongMs));
    QVERIFY(browse.terminalCommand().contains(run_));
  }

  void comparesAndExportsTwoRuns() {
    QVERIFY(parts_);
    Workbench& bench = parts_->bench();
    bench.editor.setValue("/training/epochs", 2, "Change epochs");
    action(*parts_, "run.run")->trigger();
    QVERIFY(waitForEnd());
    const QString other = bench.runs.runId();
    QVERIFY(other != run_);
    parts_->window().showPage("runs");
    auto& runs = page<RunsPage>("runs");
    QVERIFY(QTest::qWaitFor([&] { return runs.filter().rowCount() == 2; }, kLongMs));
    runs.table().choose({run_, other});
    for (QAction* found : runs.pageActions())
      if (found->text() == "Compare") found->trigger();
    const auto compared = bench.workspace.compare({run_.toStdString(), other.toStdString()}, {});
    QVERIFY(compared.ok());
    QCOMPARE(compared->settings.size(), std::size_t{1});
    QCOMPARE(compared->settings.front().pointer, std::string("/training/epochs"));
    workspace::ExportOptions options;
    options.what = workspace::ExportWhat::kCurves;
    options.format = "csv";
    options.out = (folder_.path() + "/curves.csv").toStdString();
    const auto exported = bench.workspace.exportRun(other.toStdString(), options, WorkContext{});
    QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().text().c_str());
    QVERIFY(textOf(QString::fromStdString(exported->files.front().string())).contains("val_loss"));
  }

  void aDroppedTableBecomesTheDataOfTheExperiment() {
    QVERIFY(parts_);
    const QString file = folder_.path() + "/clicks.csv";
    QVERIFY(writeFileAtomically(file.toStdString(), "user,item,click\n1,2,0\n2,1,1\n").ok());
    parts_->window().openDropped(file);
    QCOMPARE(parts_->window().currentPage(), QString("experiment"));
    QCOMPARE(page<ExperimentPage>("experiment").currentStep(), QString("data"));
    const ExperimentEditor& editor = parts_->bench().editor;
    QVERIFY(QTest::qWaitFor([&] { return editor.value("/dataset/source") == "csv"; }, 20'000));
    QVERIFY(editor.value("/dataset/label/column") == "click");
    parts_->bench().editor.undoStack().undo();
  }

  void aNewExperimentBeginsAtItsData() {
    QVERIFY(parts_);
    MainWindow& window = parts_->window();
    auto& experiment = page<ExperimentPage>("experiment");
    window.showPage("experiment/mesh");
    const QString before = window.experiments().currentId();
    window.openDocument("sample");
    QCOMPARE(experiment.currentStep(), QString("data"));
    const QString after = window.experiments().currentId();
    QVERIFY(before != after);
    experiment.showPart("training");
    window.experiments().open(before);
    QCOMPARE(experiment.currentStep(), QString("mesh"));
    window.experiments().open(after);
    QCOMPARE(experiment.currentStep(), QString("training"));
  }

  void nothingIsClippedOrCovered_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("dark");
    for (const bool dark : {false, true})
      for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)})
        QTest::addRow("%d x %d %s", size.width(), size.height(), dark ? "dark" : "light")
            << size << dark;
  }
  void nothingIsClippedOrCovered() {
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    QVERIFY(parts_);
    applyTheme(dark ? Theme::kDark : Theme::kLight);
    MainWindow& window = parts_->window();
    window.resize(size);
    QStringList faults;
    for (const char* name :
         {"home", "experiment/data", "experiment/tables", "experiment/model", "experiment/training",
          "experiment/mesh", "train", "runs", "browse", "devices", "log"}) {
      window.showPage(name);
      QVERIFY(comesToRest(window, kLongMs));
      QCOMPARE(window.size(), size);
      for (const QString& fault : faultsOf(window)) faults << QString(name) + ": " + fault;
    }
    applyTheme(Theme::kLight);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  if (argc == 3 && QString(argv[1]) == "--child") return trainUntilKilled(argv[2]);
  EndToEndTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "end_to_end_test.moc"
