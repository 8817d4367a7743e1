// SPDX-License-Identifier: GPL-3.0-or-later
// The window over a workspace with damaged files: it starts, and says what is damaged. The window
// is this program again, as a child: data sets are checked when a process first opens them, and a
// window that dies must not take the test with it.
#include <QApplication>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <fstream>

#include "app/parapet/parts.h"
#include "app/parapet/start_questions.h"
#include "engine/base/files.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;
namespace fs = std::filesystem;

namespace {

constexpr int kLongMs = 60'000;

std::unique_ptr<Parts> open(const QString& folder) {
  auto parts =
      Parts::make((folder + "/workspace").toStdString(), (folder + "/config").toStdString());
  return parts ? std::move(parts).value() : nullptr;
}

/// The sample with few epochs and a checkpoint after each.
experiment::Experiment smallSample() {
  auto document = experiment::parseJson(experiment::findRecipe("sample")->text).value();
  document["dataset"]["generator"] = {{"users", 60}, {"items", 80}, {"events", 3000}, {"seed", 7}};
  document["training"]["epochs"] = 3;
  document["training"]["checkpoints"] = {{"every", 1}, {"keep", 3}, {"best", "val_loss"}};
  return experiment::parse(document).experiment;
}

/// Trains twice in a workspace of its own; the ids of the runs.
QStringList trainTwice(const QString& folder) {
  QStringList ids;
  const auto parts = open(folder);
  RunController& runs = parts->bench().runs;
  for (int run = 0; run < 2; ++run) {
    runs.start(smallSample(), "sample");
    if (!QTest::qWaitFor([&] { return !runs.active(); }, kLongMs)) return {};
    ids << runs.runId();
  }
  return ids;
}

void say(const char* where, QString text) {
  fputs(qPrintable(QString("%1: %2\n").arg(where, text.replace('\n', ' '))), stdout);
  fflush(stdout);
}

/// The child: opens the window, looks at a run in Browse, compares two in Runs, and prints what it
/// is told. Usage: --child FOLDER RUN OTHER.
int showAndTell(const QStringList& arguments) {
  const auto parts = open(arguments[0]);
  if (!parts) return 3;
  MainWindow& window = parts->window();
  window.restore();
  window.show();
  window.showPage("browse");
  auto& browse = *qobject_cast<BrowsePage*>(window.page("browse"));
  browse.showUser(arguments[1], QString());
  const auto answered = [&] {
    const auto& columns = browse.board().columns();
    if (!columns.empty() && columns.front()->list().rowCount() > 0) return true;
    const QString message = browse.message();
    return !message.isEmpty() && !message.startsWith("Reading") && !message.startsWith("Opening");
  };
  if (!QTest::qWaitFor(answered, kLongMs)) return 4;
  say("browse", browse.message());
  say("notice", browse.bar().notice());
  window.showPage("runs");
  auto& runs = *qobject_cast<RunsPage*>(window.page("runs"));
  if (!QTest::qWaitFor([&] { return runs.filter().rowCount() == 2; }, kLongMs)) return 5;
  runs.comparison().setRuns({arguments[1], arguments[2]});
  auto* state = runs.findChild<QLabel*>("comparisonState");
  if (!QTest::qWaitFor([&] { return !state->text().startsWith("Comparing"); }, kLongMs)) return 6;
  say("compare", state->text());
  return 0;
}

/// Inverts a byte near the end of a file.
void damage(const fs::path& file) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(-2, std::ios::end);
  const int before = bytes.get();
  bytes.seekp(-2, std::ios::end);
  bytes.put(static_cast<char>(~before));
}

fs::path onlyFile(const fs::path& folder, const std::string& name) {
  fs::path found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().filename() == name) found = entry.path();
  return found;
}

}  // namespace

class DamagedFilesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QStringList runs_;

  fs::path copyOfWorkspace(const QString& name) {
    const fs::path to = folder_.filePath(name).toStdString();
    fs::copy(folder_.filePath("whole").toStdString(), to, fs::copy_options::recursive);
    return to;
  }
  /// The output of the child; "" if it did not end by itself with 0.
  QString told(const fs::path& folder) {
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(),
                {"--child", QString::fromStdString(folder.string()), runs_[0], runs_[1]});
    if (!child.waitForFinished(4 * kLongMs)) return {};
    const bool ended = child.exitStatus() == QProcess::NormalExit && child.exitCode() == 0;
    const QString output = QString::fromUtf8(child.readAllStandardOutput());
    if (!ended) qWarning("exit %d, %s", child.exitCode(), qPrintable(output));
    return ended ? output : QString();
  }

 private slots:
  /// Started from a desktop nobody sees a terminal: why, and what to do, stands in a window.
  void aWorkspaceThatCannotBeOpenedIsToldInAWindow_data() {
    QTest::addColumn<QString>("button");
    QTest::addRow("quit") << "quitWithoutWorkspace";
    QTest::addRow("another folder") << "otherWorkspace";
  }
  void aWorkspaceThatCannotBeOpenedIsToldInAWindow() {
    QFETCH(QString, button);
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    std::ofstream(path + "/parapet.db") << std::string(20'000, 'x');
    const auto parts = window::Parts::make(path, path + "/config");
    QVERIFY(!parts.ok());
    const QString reason = QString::fromStdString(parts.error().text());
    QVERIFY2(reason.contains("parapet.db"), qPrintable(reason));
    const QTemporaryDir chosen;
    QString said;
    QTimer press;
    press.setInterval(20);
    connect(&press, &QTimer::timeout, this, [&] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
        said = box->informativeText();
        QTest::mouseClick(box->findChild<QPushButton*>(button), Qt::LeftButton);
      } else if (auto* files = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        files->setDirectory(chosen.path());
        QMetaObject::invokeMethod(files, "accept");
      }
    });
    press.start();
    QVERIFY(!window::canAsk());  // this test draws into memory
    const auto folderChosen = window::askForWorkspace(reason);
    QCOMPARE(said, reason);
    QCOMPARE(folderChosen.has_value(), button == "otherWorkspace");
    if (folderChosen)
      QVERIFY(window::Parts::make(folderChosen->toStdString(), path + "/config").ok());
  }

  void initTestCase() {
    applyTheme(Theme::kLight);
    runs_ = trainTwice(folder_.filePath("whole"));
    QCOMPARE(runs_.size(), 2);
  }

  void wholeFilesAreNoProblem() {
    const QString told = this->told(copyOfWorkspace("intact"));
    QVERIFY2(told.contains("browse: \n") && told.contains("notice: \n"), qPrintable(told));
  }

  void aDamagedDataSetIsAnError_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"item.i32", "user.i32"}) QTest::newRow(file) << file;
  }
  void aDamagedDataSetIsAnError() {
    QFETCH(QString, file);
    const fs::path folder = copyOfWorkspace("data " + file);
    const fs::path column = onlyFile(folder / "workspace" / "datasets", file.toStdString());
    QVERIFY(!column.empty());
    damage(column);
    const QString told = this->told(folder);
    QVERIFY2(told.contains(file), qPrintable(told));
    QVERIFY2(!told.contains("browse: \n"), qPrintable(told));
  }

  void aDamagedNewestCheckpointIsToldInBrowseAndRuns() {
    const fs::path folder = copyOfWorkspace("checkpoint");
    const fs::path checkpoints = folder / "workspace" / "checkpoints" / runs_[0].toStdString();
    fs::path newest;
    std::int64_t newestStep = -1;
    for (const auto& entry : fs::directory_iterator(checkpoints)) {
      const QString name = QString::fromStdString(entry.path().filename().string());
      if (const std::int64_t step = name.section('-', 1).toLongLong(); step > newestStep) {
        newestStep = step;
        newest = entry.path();
      }
    }
    bool hit = false;
    for (const auto& entry : fs::directory_iterator(newest))
      if (entry.path().extension() == ".safetensors") {
        damage(entry.path());
        hit = true;
      }
    QVERIFY(hit);
    const QString told = this->told(folder);
    const QString step = QString::number(newestStep);
    const QStringList lines = told.split('\n');
    QCOMPARE(lines.value(0), QString("browse: "));  // an older one answers
    QVERIFY2(lines.value(1).contains(step), qPrintable(told));
    QVERIFY2(lines.value(2).contains(step), qPrintable(told));
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = QCoreApplication::arguments();
  if (arguments.size() == 5 && arguments[1] == "--child") return showAndTell(arguments.mid(2));
  DamagedFilesTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "damaged_files_test.moc"
