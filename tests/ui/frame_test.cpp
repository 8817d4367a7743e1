// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextBlock>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/ui/test_bench.h"
#include "ui/bridge/progress.h"
#include "ui/dialogs/help_dialog.h"
#include "ui/forms/card.h"
#include "ui/forms/problem_list.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/frame/experiment_picker.h"
#include "ui/pages/frame/main_window.h"
#include "ui/pages/log/log_page.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kLongMs = 60'000;

/// A page with a counter that it remembers.
class CountingPage : public Page {
 public:
  explicit CountingPage(QString title) : title_(std::move(title)) {
    connect(&action_, &QAction::triggered, this, [this] { ++count; });
  }
  QString title() const override { return title_; }
  QString iconName() const override { return QStringLiteral("train"); }
  QString terminalCommand() const override { return "parapet-cli count " + QString::number(count); }
  QList<QAction*> pageActions() const override { return {const_cast<QAction*>(&action_)}; }
  nlohmann::json saveState() const override { return {{"count", count}}; }
  void restoreState(const nlohmann::json& state) override { count = state.value("count", 0); }

  void showPart(const QString& name) override { part = name; }

  int count = 0;
  QString part;

 private:
  QString title_;
  QAction action_{QStringLiteral("Count one more")};
};

/// A window over a bench; `folder` is what it remembers itself in.
struct Framed {
  Framed(TestBench& bench, const QString& folder)
      : settings(folder.toStdString()),
        window(bench.bench, settings, log, folder.toStdString()),
        first(new CountingPage("Experiment")),
        second(new CountingPage("Train")) {
    window.addPage("experiment", first);
    window.addPage("train", second);
  }

  /// As a start of the program does.
  void open() {
    window.restore();
    window.show();
  }
  QAction* action(const QString& name) {
    for (QAction* found : window.allActions())
      if (found->objectName() == name) return found;
    return nullptr;
  }

  LogCollector log;
  AppSettings settings;
  MainWindow window;
  CountingPage* first;
  CountingPage* second;
};

/// The text that the workspace keeps of an experiment.
QString storedText(TestBench& bench, const char* name) {
  const auto found = bench.workspace->store().experiments().find(name);
  return found ? QString::fromStdString(found->text()) : QString();
}

/// Contrast of two colours, 1 … 21, as WCAG 2 defines it.
double contrast(const QColor& one, const QColor& other) {
  const auto luminance = [](const QColor& color) {
    const auto part = [](double value) {
      return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) +
           0.0722 * part(color.blueF());
  };
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

/// Whether the notice bar shows a text.
bool noticeSays(const NoticeBar& notices, const QString& text) {
  for (const auto* label : notices.findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains(text)) return true;
  return false;
}

QString textOf(const QString& file) {
  QFile in(file);
  return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

}  // namespace

class FrameTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { applyTheme(Theme::kLight); }

  void pagesAnswerToTheirKeys() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    QTest::keyClick(&framed.window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(framed.window.currentPage(), QString("train"));
    QVERIFY(framed.second->isVisible());
    QTest::keyClick(&framed.window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(framed.window.currentPage(), QString("experiment"));
    emit framed.first->pageRequested("train");
    QCOMPARE(framed.window.currentPage(), QString("train"));
  }

  void theFocusIsWhereItWasWhenAPageComesBack() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    auto* line = new QLineEdit(framed.first);
    auto* other = new QLineEdit(framed.first);
    auto* box = new QCheckBox(framed.second);
    other->move(0, 40);
    framed.window.showPage("experiment");
    framed.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    other->setFocus();
    framed.window.showPage("train");
    box->setFocus();
    framed.window.showPage("experiment");
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(other));
    // Not where the toolbar had it meanwhile.
    framed.window.showPage("train");
    framed.window.findChild<QToolButton*>("pageButton.experiment")->setFocus();
    framed.window.showPage("experiment");
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(other));
    // A control that cannot have the focus leaves it to the page.
    framed.window.showPage("train");
    other->setEnabled(false);
    framed.window.showPage("experiment");
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(framed.first));
    // A page that is shown already keeps it.
    line->setFocus();
    framed.window.showPage("experiment");
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(line));
  }

  void numbersOfAStretchedLastColumnStandBelowTheirTitle() {
    QStandardItemModel model(1, 2);
    model.setHorizontalHeaderLabels({"Name", "Rows"});
    model.setData(model.index(0, 1), "8");
    model.setData(model.index(0, 1), int{Qt::AlignRight | Qt::AlignVCenter}, Qt::TextAlignmentRole);
    model.setHeaderData(1, Qt::Horizontal, int{Qt::AlignRight | Qt::AlignVCenter},
                        Qt::TextAlignmentRole);
    QTableView view;
    view.setModel(&model);
    view.setShowGrid(false);
    view.verticalHeader()->hide();
    view.resize(900, 120);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QVERIFY(view.horizontalHeader()->sectionSize(1) > 600);
    // The last dark column of pixels, frames aside.
    const auto endOfText = [](QWidget* widget, const QRect& cell) {
      const QImage picture = widget->grab(cell.adjusted(4, 4, -8, -4)).toImage();
      int last = 0;
      for (int x = 0; x < picture.width(); ++x)
        for (int y = 0; y < picture.height(); ++y)
          if (qGray(picture.pixel(x, y)) < 128) last = x;
      return last / picture.devicePixelRatio();
    };
    QHeaderView* header = view.horizontalHeader();
    const double number = endOfText(view.viewport(), view.visualRect(model.index(0, 1)));
    const double title = endOfText(
        header->viewport(),
        QRect(header->sectionViewportPosition(1), 0, header->sectionSize(1), header->height()));
    QVERIFY2(number > 0 && number < 150, qPrintable(QString::number(number)));
    QVERIFY2(std::abs(title - number) < 12,
             qPrintable(QStringLiteral("%1 %2").arg(title).arg(number)));
  }

  void progressIsToldInTheSameWordsEverywhere() {
    QCOMPARE(progressText("reading", 42, 100), QString("Importing … 42 %"));
    QCOMPARE(progressText("indexing", 0, 0), QString("Indexing …"));
    QCOMPARE(progressText("downloading", 5, 4), QString("Downloading … 100 %"));
    QCOMPARE(progressText("comparing contexts", 1, 3), QString("Comparing contexts … 33 %"));
  }

  void commandsSayIdsWithCommasAsJson() {
    RecommendQuestion question{.run = "latest", .lists = {{"1"}, {"it's"}}, .k = 5};
    QCOMPARE(recommendCommand(question),
             QString("parapet-cli recommend latest --user '1,it'\\''s' -k 5"));
    question.lists = {{"1", {{"place", "at home"}}}};
    QCOMPARE(recommendCommand(question),
             QString("parapet-cli recommend latest --user 1 -k 5 --context 'place=at home'"));
    question.where["genres"] = "Film-Noir";
    QVERIFY(recommendCommand(question).endsWith(" --where genres=Film-Noir"));
    question.where["title"] = "Net, The";
    QVERIFY2(recommendCommand(question).contains(
                 "\"where\":{\"genres\":\"Film-Noir\",\"title\":\"Net, The\"}"),
             qPrintable(recommendCommand(question)));
    question.where.clear();
    question.lists[0].history = QStringList{"a,b", "c"};
    question.options = {"--exclude-seen"};
    QCOMPARE(recommendCommand(question),
             QString("printf '%s\\n' '{\"user\":\"1\",\"k\":5,\"context\":{\"place\":\"at home\"},"
                     "\"history\":[\"a,b\",\"c\"]}' | parapet-cli recommend latest --stdin "
                     "--exclude-seen"));
    question.lists[0].history = QStringList();
    QVERIFY(recommendCommand(question).contains("\"history\":[]"));
  }

  void commandsAskForTheListsThatAreShownAndNoOthers() {
    RecommendQuestion question{
        .run = "latest", .lists = {{"1", {{"hour", "8"}}}, {"1", {{"hour", "20"}}}}, .k = 5};
    QCOMPARE(recommendCommand(question),
             QString("parapet-cli recommend latest --user 1 -k 5 --context hour=8,20"));
    // Options would ask for user 2 in both contexts, and for every hour on every day.
    const QString lines = "printf '%s\\n' ";
    question.lists.push_back({"2", {{"hour", "8"}}});
    QVERIFY2(recommendCommand(question).startsWith(lines), qPrintable(recommendCommand(question)));
    question.lists = {{"1", {{"hour", "8"}, {"day", "mon"}}},
                      {"1", {{"hour", "20"}, {"day", "sun"}}}};
    QCOMPARE(recommendCommand(question),
             lines +
                 "'{\"user\":\"1\",\"k\":5,\"context\":{\"day\":\"mon\",\"hour\":\"8\"}}' "
                 "'{\"user\":\"1\",\"k\":5,\"context\":{\"day\":\"sun\",\"hour\":\"20\"}}' | "
                 "parapet-cli recommend latest --stdin");
    // As in the user's last row is none of the values.
    question.lists = {{"1"}, {"1", {{"hour", "20"}}}};
    QVERIFY2(recommendCommand(question).startsWith(lines), qPrintable(recommendCommand(question)));
    question.lists = {{"1"}, {"1"}};
    QCOMPARE(recommendCommand(question), QString("parapet-cli recommend latest --user 1 -k 5"));
  }

  void showsAPartOfAPage() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.showPage("train/lower half");
    QCOMPARE(framed.window.currentPage(), QString("train"));
    QCOMPARE(framed.second->part, QString("lower half"));
    framed.window.showPage("no such page/part");
    QCOMPARE(framed.window.currentPage(), QString("train"));
  }

  void runsTheExperimentAndFollowsItsStates() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    bench.editor.load(sampleDocument(100'000), "sample");
    framed.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    QVERIFY(framed.action("run.run")->isEnabled());
    QVERIFY(!framed.action("run.stop")->isEnabled());
    QTest::keyClick(&framed.window, Qt::Key_F5);
    QVERIFY(bench.runs.active());
    QVERIFY(framed.action("run.run")->text().startsWith("&Queue after"));
    QVERIFY(QTest::qWaitFor([&] { return framed.action("run.pause")->isEnabled(); }, kLongMs));
    framed.action("run.pause")->trigger();
    QVERIFY(QTest::qWaitFor([&] { return framed.action("run.step")->isEnabled(); }, kLongMs));
    framed.action("run.stop")->trigger();
    QVERIFY(!framed.action("run.stop")->isEnabled());
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    QVERIFY(framed.action("run.run")->isEnabled());
  }

  void listsProblemsWithTheirFixes() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    bench.editor.load(sampleDocument(2), "sample");
    bench.editor.setValue("/tables/0/embedding_dim", 32, "x");
    bench.editor.setValue("/training/epochs", -3, "x");
    QVERIFY(!bench.editor.runnable());
    framed.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    const auto popup = [&] { return framed.window.findChild<ProblemsPopup*>(); };
    framed.action("run.problems")->trigger();
    QVERIFY(popup() && popup()->isVisible());
    auto* list = popup()->findChild<ProblemList*>();
    QCOMPARE(list->count(), static_cast<int>(bench.editor.findings().problems.size() +
                                             bench.editor.findings().warnings.size()));
    QVERIFY(popup()->width() <= framed.window.width());
    const QImage seen = popup()->grab().toImage();
    for (const QPoint& edge : {QPoint(0, seen.height() / 2), QPoint(seen.width() / 2, 0),
                               QPoint(seen.width() - 1, seen.height() / 2)})
      QCOMPARE(seen.pixelColor(edge), borderColor(popup()->palette()));
    // A fix is one step; the list stays while there is more to do, and goes with the last problem.
    auto* dense = list->findChild<QToolButton*>("fix.Add dense 32 to the candidate tower");
    QVERIFY(dense && dense->isVisible());
    dense->click();
    QTRY_COMPARE(bench.editor.undoStack().count(), 3);
    QVERIFY(popup() && popup()->isVisible());
    QSignalSpy questions(&framed.window, &MainWindow::questionRequested);
    auto* reset = list->findChild<QToolButton*>("fix.Reset epochs");
    QVERIFY(reset && reset->isVisible());
    reset->click();
    QTRY_VERIFY(bench.editor.runnable());
    QTRY_VERIFY(!popup());
    QCOMPARE(questions.count(), 0);
    bench.editor.undoStack().undo();
    framed.action("run.problems")->trigger();
    QSignalSpy chosen(&framed.window, &MainWindow::problemChosen);
    list = popup()->findChild<ProblemList*>();
    QTest::keyClick(&list->view(), Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    QVERIFY(!chosen[0][0].toString().isEmpty());
    QTRY_VERIFY(!popup());
    QCOMPARE(framed.window.currentPage(), QString("experiment"));
  }

  void saysWhyItCannotRun() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    bench.editor.load(sampleDocument(2), "sample");
    framed.window.show();
    auto* button = framed.window.findChild<QToolButton*>("problemsButton");
    QVERIFY(!button->isVisible());
    bench.editor.setValue("/training/epochs", -3, "Change epochs");
    QTRY_VERIFY(button->isVisible());
    QCOMPARE(button->text(), QString("1 problem"));
    QAction* run = framed.action("run.run");
    QVERIFY(!run->isEnabled());
    QVERIFY2(run->toolTip().contains("Training › Epochs"), qPrintable(run->toolTip()));
    QSignalSpy chosen(&framed.window, &MainWindow::problemChosen);
    framed.window.showPage("train");
    button->click();
    auto* list = framed.window.findChild<ProblemList*>();
    QCOMPARE(list->count(), 1);
    QTest::keyClick(&list->view(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().toString(), QString("/training/epochs"));
    QCOMPARE(framed.window.currentPage(), QString("experiment"));
    framed.action("edit.undo")->trigger();
    QVERIFY(run->isEnabled());
    framed.action("edit.redo")->trigger();
    QVERIFY(!run->isEnabled());
  }

  void whatIsAcceptedTakesTheRoomThatItNeeds() {
    TestBench bench;
    bench.editor.load(sampleDocument(2), "sample");
    ProblemList list(bench.editor);
    list.resize(900, 200);
    list.show();
    const QTableView& view = list.view();
    experiment::Findings findings;
    findings.warnings.push_back({"/dataset", "something to know", ""});
    bench.editor.setPreflightFindings(findings);
    QCOMPARE(list.count(), 1);
    QVERIFY(view.isColumnHidden(ProblemsModel::kAccepted));
    findings.warnings.push_back({"/dataset", "another", "1"});
    bench.editor.setPreflightFindings(findings);
    QVERIFY(!view.isColumnHidden(ProblemsModel::kAccepted));
    QVERIFY(view.columnWidth(ProblemsModel::kAccepted) < 200);
    findings.warnings.push_back({"/dataset", "a third", std::string(400, 'x')});
    bench.editor.setPreflightFindings(findings);
    QCOMPARE(view.columnWidth(ProblemsModel::kAccepted), 360);
    QVERIFY(view.columnWidth(ProblemsModel::kMessage) > 200);
  }

  void paletteFindsAnActionByAFewLetters() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    QTest::keyClick(&framed.window, Qt::Key_K, Qt::ControlModifier);
    auto* palette = framed.window.findChild<CommandPalette*>();
    QVERIFY(palette->isVisible());
    auto* typed = palette->findChild<QLineEdit*>();
    QTest::keyClicks(typed, "trncount");
    QTest::keyClick(typed, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return framed.second->count == 1; }, 5000));
    QCOMPARE(framed.first->count, 0);
    QVERIFY(!palette->isVisible());
  }

  void comesBackAsItWasWithoutBeingClosed() {
    TestBench bench;
    const QString folder = bench.folder.path() + "/config";
    const auto lasting = [&] { return textOf(folder + "/layout.json"); };
    {
      Framed framed(bench, folder);
      QVERIFY(!framed.window.restore());
      framed.window.show();
      bench.editor.load(sampleDocument(7), "sample");
      bench.editor.setValue("/training/epochs", 9, "Change epochs");
      framed.second->count = 42;
      framed.window.showPage("train");
      // On disk while the window is open: a kill would lose nothing.
      QVERIFY(QTest::qWaitFor([&] { return lasting().contains("42"); }, 10'000));
      QVERIFY(QTest::qWaitFor(
          [&] { return storedText(bench, "sample-1").contains("\"epochs\": 9"); }, 10'000));
    }
    bench.editor.load(sampleDocument(1), "other");
    Framed again(bench, folder);
    QVERIFY(again.window.restore());
    QCOMPARE(again.second->count, 42);
    QCOMPARE(again.window.currentPage(), QString("train"));
    QCOMPARE(bench.editor.experiment().training.epochs, 9);
    QCOMPARE(bench.editor.origin(), QString("sample"));
  }

  void textThatDoesNotParseComesBackToo() {
    TestBench bench;
    const QString folder = bench.folder.path() + "/config";
    {
      Framed framed(bench, folder);
      framed.window.restore();
      bench.editor.load(sampleDocument(7), "sample");
      bench.editor.setText("{ \"parapet\": 1, ");
      QVERIFY(QTest::qWaitFor(
          [&] { return storedText(bench, "sample-1").startsWith("{ \"parapet\": 1, "); }, 10'000));
    }
    bench.editor.load(sampleDocument(1), "other");
    Framed again(bench, folder);
    QVERIFY(again.window.restore());
    QCOMPARE(bench.editor.text(), QString("{ \"parapet\": 1, "));
    QVERIFY(!bench.editor.runnable());
  }

  void aDraftOfAnEarlierVersionHasTodaysKeys() {
    TestBench bench;
    const QDir folder(bench.folder.path());
    QVERIFY(folder.mkpath("autosave"));
    nlohmann::json document = sampleDocument(7);
    auto& evaluation = document["evaluation"];
    evaluation["relevant_from"] = 3;
    evaluation.erase("relevance_threshold");
    QFile out(folder.filePath("autosave/experiment.json"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(
        nlohmann::json{{"version", 1}, {"document", document}, {"origin", "sample"}}.dump()));
    out.close();
    Framed framed(bench, bench.folder.path());
    QVERIFY(framed.window.restore());
    QVERIFY(bench.editor.runnable());
    QVERIFY(bench.editor.value("/evaluation/relevance_threshold") == 3);
  }

  void corruptFilesAreNamedAndSetAside_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    for (const char* file : {"settings.json", "layout.json", "autosave/experiment.json"}) {
      QTest::newRow(qPrintable(QString("%1 cut short").arg(file)))
          << file << QByteArray("{\"version\": 1, \"the");
      QTest::newRow(qPrintable(QString("%1 of a newer program").arg(file)))
          << file << QByteArray("{\"version\": 99}");
      QTest::newRow(qPrintable(QString("%1 empty").arg(file))) << file << QByteArray();
    }
    QTest::newRow("layout.json of no window")
        << "layout.json"
        << QByteArray(
               "{\"version\": 1, \"geometry\": \"AAAA\", \"docks\": \"x\", \"content\": {}}");
  }
  void corruptFilesAreNamedAndSetAside() {
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    TestBench bench;
    const QDir folder(bench.folder.path());
    QVERIFY(folder.mkpath("autosave"));
    QFile out(folder.filePath(file));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(content);
    out.close();
    Framed framed(bench, folder.path());
    framed.open();
    const QFileInfo info(folder.filePath(file));
    const QStringList kept = info.dir().entryList({info.fileName() + ".corrupt-*"});
    QCOMPARE(kept.size(), 1);
    QCOMPARE(textOf(info.dir().filePath(kept.front())).toUtf8(), content);
    QVERIFY2(framed.window.notices().text().contains(info.fileName()),
             qPrintable(framed.window.notices().text()));
  }

  void aDroppedExperimentIsLoaded() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    const QString file = bench.folder.filePath("mine.json");
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(sampleDocument(5).dump()));
    out.close();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&framed.window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&framed.window, &drop);
    QCOMPARE(bench.editor.experiment().training.epochs, 5);
    QCOMPARE(bench.editor.origin(), file);
  }

  void whatIsDroppedAndIsNoDataSaysWhatItIs() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    bench.editor.load(sampleDocument(5), "sample");
    QSignalSpy data(&framed.window, &MainWindow::dataDropped);
    framed.window.openDropped(bench.folder.path());
    QVERIFY2(framed.window.notices().text().contains(bench.folder.path()),
             qPrintable(framed.window.notices().text()));
    QCOMPARE(bench.editor.origin(), QString("sample"));
    QCOMPARE(data.size(), 0);
  }

  void newsTakeAwayNoOfferAndErrorsLeaveWithTheirExperiment() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    int undone = 0;
    NoticeBar& notices = framed.window.notices();
    notices.show(LogLevel::kInfo, "moved to the trash", "Undo", [&undone] { ++undone; });
    notices.show(LogLevel::kInfo, "written");
    QCOMPARE(notices.text(), QString("written"));
    QPushButton* undo = nullptr;
    for (auto* button : notices.findChildren<QPushButton*>())
      if (button->text() == "Undo") undo = button;
    QVERIFY(undo != nullptr && undo->isVisible());
    undo->click();
    QCOMPARE(undone, 1);
    QVERIFY(!undo->isVisible());

    const auto shown = [&notices](const QString& text) {
      for (const auto* label : notices.findChildren<QLabel*>())
        if (label->text() == text) return label->isVisible();
      return false;
    };
    emit bench.runs.failed(Error{ErrorCode::kIo, "the disk of this run", {}, {}});
    QVERIFY(shown(notices.text()) && notices.text().contains("the disk of this run"));
    framed.window.openDocument("dlrm");
    QVERIFY(!shown(notices.text()));
    // The notice of the workspace stays.
    notices.show(LogLevel::kWarning, "read-only");
    framed.window.openDocument("sample");
    QVERIFY(shown("read-only"));
  }

  void theOfferOfARunThatWaitsLeavesWhenItStarts() {
    NoticeBar notices;
    notices.setVisible(true);
    notices.show(
        LogLevel::kInfo, "was put into the queue", "Undo", [] {}, Lasts::kUndo);
    notices.setRun("0123456789ab");
    notices.leaveRun("another");
    QVERIFY(noticeSays(notices, "was put into the queue"));
    notices.leaveRun("0123456789ab");
    QVERIFY(!noticeSays(notices, "was put into the queue"));
    // Another offer is not about the run.
    notices.show(
        LogLevel::kInfo, "was moved to the trash", "Undo", [] {}, Lasts::kUndo);
    notices.leaveRun("0123456789ab");
    QVERIFY(noticeSays(notices, "was moved to the trash"));
  }

  void noticesDoNotMoveWhatIsUnderTheMouse() {
    QWidget window;
    auto* layout = new QVBoxLayout(&window);
    auto* page = new QLabel("page");
    auto* list = new QLabel("problems");
    auto* notices = new NoticeBar;
    setHoldsStill(*list);
    layout->addWidget(page, 1);
    layout->addWidget(list);
    layout->addWidget(notices);
    window.resize(600, 400);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto over = [](QWidget* widget) {
      QCursor::setPos(widget->mapToGlobal(widget->rect().center()));
    };
    over(list);
    const int before = list->y();
    notices->show(LogLevel::kError, "Something failed", {}, {}, Lasts::kThisExperiment);
    QTest::qWait(500);
    QCOMPARE(list->y(), before);
    QVERIFY(!noticeSays(*notices, "Something failed"));
    over(page);
    QTRY_VERIFY(noticeSays(*notices, "Something failed"));
    QTRY_VERIFY(list->y() < before);
    // It goes in the same way.
    over(list);
    const int with = list->y();
    notices->leave(Lasts::kThisExperiment);
    QTest::qWait(500);
    QCOMPARE(list->y(), with);
    over(page);
    QTRY_COMPARE(list->y(), before);
    // A notice whose cause ended while it was hidden is not shown.
    over(list);
    notices->show(LogLevel::kError, "Something failed", {}, {}, Lasts::kThisExperiment);
    notices->leave(Lasts::kThisExperiment);
    over(page);
    QTest::qWait(500);
    QVERIFY(!noticeSays(*notices, "Something failed"));
  }

  // On another page nobody would see it.
  void undoShowsWhatItChanges() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    bench.editor.setValue("/training/epochs", 7, "epochs");
    framed.window.showPage("train");
    QSignalSpy shown(&framed.window, &MainWindow::problemChosen);
    framed.action("edit.undo")->trigger();
    QVERIFY(bench.editor.value("/training/epochs") != 7);
    QCOMPARE(shown.size(), 1);
    QCOMPARE(shown[0][0].toString(), QString("/training/epochs"));
    QCOMPARE(framed.window.currentPage(), QString("experiment"));
    framed.action("edit.redo")->trigger();
    QCOMPARE(bench.editor.value("/training/epochs").dump(), std::string("7"));
    QCOMPARE(shown.size(), 2);
  }

  void newsFadeAndWhatAsksForSomethingStays() {
    NoticeRow row;
    row.resize(600, 40);
    auto* fade = row.findChild<QTimer*>("fade");
    QVERIFY(fade != nullptr);
    const auto say = [&row](LogLevel level, const QString& action) {
      row.show(
          level, "text", action, action.isEmpty() ? std::function<void()>() : [] {},
          Lasts::kUntilClosed);
    };
    say(LogLevel::kWarning, {});
    QVERIFY(!fade->isActive());
    say(LogLevel::kInfo, "Go on");
    QVERIFY(!fade->isActive());
    row.show(
        LogLevel::kInfo, "text", "Undo", [] {}, Lasts::kUndo);
    QVERIFY(fade->isActive());
    QCOMPARE(fade->interval(), NoticeRow::kUndoMs);
    say(LogLevel::kInfo, {});
    QCOMPARE(fade->interval(), NoticeRow::kFadeMs);
    QVERIFY(fade->isActive() && row.isVisible());
    // The mouse over it holds it.
    QEnterEvent enter({9, 9}, {9, 9}, {9, 9});
    QApplication::sendEvent(&row, &enter);
    QVERIFY(!fade->isActive());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&row, &leave);
    QVERIFY(fade->isActive());
    // The window that came up under the mouse has been told of it.
    QTest::qWait(50);
    fade->start(1);
    QTRY_VERIFY(!row.isVisible());
  }

  void anErrorLeavesWhenItsCauseIsFixedOrARunStarts() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    const NoticeBar& notices = framed.window.notices();
    const Error error{ErrorCode::kInvalidDocument, "there is no column part", "/split/column", {}};
    emit bench.runs.failed(error);
    QVERIFY(noticeSays(notices, "no column part"));
    bench.editor.setValue("/training/epochs", 7, "x");
    QVERIFY(noticeSays(notices, "no column part"));
    bench.editor.setValue("/split/kind", "leave_last", "x");
    QVERIFY(!noticeSays(notices, "no column part"));
    emit bench.runs.failed(error);
    QVERIFY(noticeSays(notices, "no column part"));
    emit bench.runs.started("0123456789ab");
    QVERIFY(!noticeSays(notices, "no column part"));
  }

  void troubleOfTheWorkspaceOffersAWayOutAndLeavesWithIt() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    framed.window.showTrouble("the workspace folder is gone");
    NoticeBar& notices = framed.window.notices();
    QVERIFY(noticeSays(notices, "is gone"));
    const auto buttons = notices.findChildren<QPushButton*>();
    QVERIFY(std::ranges::any_of(buttons, [](auto* button) { return button->isVisible(); }));
    emit framed.window.experiments().recovered();
    QVERIFY(!noticeSays(notices, "is gone"));
  }

  void theRunThatIsSpokenOfIsNamed() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    const auto* progress = framed.window.findChild<QWidget*>("runProgress");
    const auto text = [progress] { return progress->findChild<QLabel*>()->text(); };
    experiment::Experiment watched = sampleExperiment(100'000);
    watched.name = "watched";
    bench.runs.start(watched, "sample");
    QVERIFY(QTest::qWaitFor([&] { return text().contains("epoch"); }, kLongMs));
    QVERIFY2(text().startsWith("watched · "), qPrintable(text()));
    bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    QCOMPARE(text(), QString("watched · Stopped"));
    // A start that fails is not said of the run before it.
    std::filesystem::rename(bench.workspace->folder(),
                            bench.workspace->folder().string() + "-moved");
    watched.name = "another";
    bench.runs.start(watched, "sample");
    QCOMPARE(text(), QString("another · did not start"));
    std::filesystem::rename(bench.workspace->folder().string() + "-moved",
                            bench.workspace->folder());
  }

  void dataThatAreChosenInPlaceOfAnExperimentBeginOne() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    const std::string file = bench.folder.path().toStdString() + "/shop.csv";
    QVERIFY(writeFileAtomically(file, "user,item,rating\n1,2,3\n2,3,4\n").ok());
    QSignalSpy data(&framed.window, &MainWindow::dataDropped);
    auto* picker = framed.window.findChild<ExperimentPicker*>();
    for (const char* page : {"train", "experiment"}) {
      framed.window.showPage(page);
      emit picker->openRequested(QString::fromStdString(file));
      QCOMPARE(data.back()[0].toString(), QString::fromStdString(file));
      QCOMPARE(data.back()[1].value<MainWindow::DataOf>(), MainWindow::DataOf::kNewExperiment);
    }
  }

  void whatIsSaidOfAFileOrARunLeavesWithIt() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    NoticeBar& notices = framed.window.notices();
    const auto shown = [&notices] {
      for (const auto* label : notices.findChildren<QLabel*>())
        if (label->text() == notices.text()) return label->isVisible();
      return false;
    };
    framed.window.openDropped(bench.folder.path() + "/gone.json");
    QVERIFY2(shown() && notices.text().contains("gone.json"), qPrintable(notices.text()));
    framed.window.openDocument("dlrm");
    QVERIFY(!shown());
    notices.show(LogLevel::kWarning, "run 0123456789ab crashed; it can be resumed");
    emit bench.runs.started("fedcba987654");
    QVERIFY(shown());
    emit bench.runs.started("0123456789ab");
    QVERIFY(!shown());
  }

  void aRecipeWithoutDataLeadsToTheirChoice() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("movielens-retrieval");
    framed.window.showPage("train");
    QSignalSpy chosen(&framed.window, &MainWindow::problemChosen);
    QSignalSpy started(&bench.runs, &RunController::started);
    framed.action("run.run")->trigger();
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().toString(), QString("/dataset/path"));
    QCOMPARE(framed.window.currentPage(), QString("experiment"));
    // No run, so no id that no command knows.
    QCOMPARE(started.size(), 0);
    QVERIFY(!bench.runs.active());
    QVERIFY(bench.workspace->store().runs()->empty());
  }

  void aRecipeReplacesNothing() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    framed.window.openDocument("sample");
    bench.editor.setValue("/training/epochs", 11, "Change epochs");
    framed.window.openDocument("movielens-retrieval");
    QCOMPARE(bench.editor.experimentName(), QString("movielens-retrieval-1"));
    QVERIFY(storedText(bench, "sample-1").contains("\"epochs\": 11"));
    // A clone of a run is loaded like any document.
    bench.editor.load(nlohmann::json::parse(storedText(bench, "sample-1").toStdString()), "run x");
    QCOMPARE(bench.editor.experimentName(), QString("sample-2"));
    QVERIFY(storedText(bench, "sample-2").contains("\"epochs\": 11"));
  }

  void thePickerListsSearchesRenamesAndDeletes() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.open();
    QVERIFY(QTest::qWaitForWindowActive(&framed.window));
    framed.window.openDocument("sample");
    framed.window.openDocument("dlrm");
    auto* picker = framed.window.findChild<ExperimentPicker*>();
    QCOMPARE(picker->text(), QString("dlrm-1"));
    auto* popup = framed.window.findChild<ExperimentPickerPopup*>();
    auto* list = popup->findChild<QTreeView*>("experimentList");
    auto* search = popup->findChild<QLineEdit*>();
    const auto open = [&] {
      QTest::mouseClick(picker, Qt::LeftButton);
      QVERIFY(popup->isVisible());
    };
    open();
    QCOMPARE(list->model()->rowCount(), 2 + static_cast<int>(experiment::recipes().size()));
    QTest::keyClicks(search, "sample-1");
    QCOMPARE(list->model()->rowCount(), 1);
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(!popup->isVisible());
    QCOMPARE(bench.editor.experimentName(), QString("sample-1"));
    QCOMPARE(picker->text(), QString("sample-1"));

    open();
    QTest::keyClicks(search, "dlrm-1");
    popup->findChild<QPushButton*>("renameExperiment")->click();
    auto* typed = list->viewport()->findChild<QLineEdit*>();
    QVERIFY(typed);
    typed->setText("clicks");
    QTest::keyClick(typed, Qt::Key_Return);
    QTRY_VERIFY(!storedText(bench, "clicks").isEmpty());
    QCOMPARE(bench.editor.experimentName(), QString("sample-1"));
    popup->hide();

    open();
    QTest::keyClicks(search, "clicks");
    popup->findChild<QPushButton*>("deleteExperiment")->click();
    QVERIFY(storedText(bench, "clicks").isEmpty());
    QVERIFY(framed.window.notices().text().contains("clicks"));
    framed.window.notices().findChild<QPushButton*>()->click();
    QVERIFY(!storedText(bench, "clicks").isEmpty());
    QCOMPARE(bench.editor.experimentName(), QString("clicks"));

    open();
    QTest::keyClicks(search, "new from dcn");
    QCOMPARE(list->model()->rowCount(), 1);
    QVERIFY(!popup->findChild<QPushButton*>("deleteExperiment")->isEnabled());
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(bench.editor.experimentName(), QString("dcn-v2-1"));
  }

  void closingDuringARunAsksAndCheckpoints() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    bench.runs.start(sampleExperiment(100'000), "sample");
    // Only a run that has trained a step has a checkpoint; what is done before it is counted, too.
    QVERIFY(QTest::qWaitFor(
        [&] {
          return bench.runs.state() == experiment::RunState::kRunning &&
                 bench.runs.progress().done > 0;
        },
        kLongMs));
    framed.window.close();
    QVERIFY(framed.window.isVisible());
    auto* question = framed.window.findChild<CloseQuestion*>();
    QVERIFY(question->isVisible());
    QVERIFY(bench.runs.active());
    QTest::keyClick(question, Qt::Key_Escape);
    QVERIFY(!question->isVisible());
    QVERIFY(bench.runs.active());
    // A run that ends by itself takes the question with it.
    framed.window.close();
    bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    QVERIFY(!question->isVisible());
    QVERIFY(framed.window.isVisible());
    bench.runs.start(sampleExperiment(100'000), "sample");
    QVERIFY(QTest::qWaitFor(
        [&] {
          return bench.runs.state() == experiment::RunState::kRunning &&
                 bench.runs.progress().done > 0;
        },
        kLongMs));
    framed.window.close();
    // The default button: Return is enough.
    QTest::keyClick(question, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return !framed.window.isVisible(); }, kLongMs));
    QVERIFY(QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs));
    const auto run = bench.workspace->store().find(bench.runs.runId().toStdString());
    QCOMPARE(run->state, experiment::RunState::kStopped);
    QVERIFY(!bench.workspace->store().checkpoints(run->id)->empty());
  }

  void copiesTheTerminalCommandOfThePage() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    framed.first->count = 3;
    framed.action("command.copy")->trigger();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             "parapet-cli count 3 --workspace " +
                 shellWord(QString::fromStdString(bench.workspace->folder().string())));
  }

  void commandsNameAWorkspaceThatIsNotTheDefault() {
    QCOMPARE(inWorkspace("parapet-cli runs", workspace::Workspace::defaultFolder()),
             QString("parapet-cli runs"));
    QCOMPARE(inWorkspace("parapet-cli runs", workspace::Workspace::defaultFolder() / "."),
             QString("parapet-cli runs"));
    QCOMPARE(
        inWorkspace("printf 1 | parapet-cli recommend latest --stdin", "/data/my runs"),
        QString("printf 1 | parapet-cli recommend latest --stdin --workspace '/data/my runs'"));
  }

  void commandsNameTheModelThatIsOpenInPlaceOfARun() {
    TestBench bench;
    const QString run = bench.train(1);
    const std::filesystem::path folder = (bench.folder.path() + "/my \\1 model").toStdString();
    workspace::ExportOptions options;
    options.what = workspace::ExportWhat::kModel;
    options.out = folder;
    QVERIFY(bench.workspace->exportRun(run.toStdString(), options, WorkContext{}).ok());
    const QString model = " --model " + shellWord(QString::fromStdString(folder.string()));
    QCOMPARE(inWorkspace("parapet-cli recommend " + run + " --user 1", folder),
             "parapet-cli recommend" + model + " --user 1");
    QCOMPARE(inWorkspace("printf 1 | parapet-cli recommend " + run + " --stdin", folder),
             "printf 1 | parapet-cli recommend" + model + " --stdin");
    QCOMPARE(inWorkspace("parapet-cli show " + run, folder), "parapet-cli show" + model);
    QVERIFY(inWorkspace("parapet-cli runs", folder).contains(" --workspace "));
    QVERIFY(inWorkspace("parapet-cli show " + run, bench.workspace->folder())
                .contains(" --workspace "));
  }

  void messagesReachTheLog() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    auto* page = new LogPage(framed.window.logModel());
    framed.window.addPage("log", page);
    framed.action("view.log")->trigger();
    QVERIFY(page->isVisible());
    std::thread([] { log(LogLevel::kInfo, "from another thread"); }).join();
    auto* table = page->findChild<QTableView*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() == 1; }, 5000));
    QCOMPARE(table->model()->index(0, LogModel::kMessage).data().toString(),
             QString("from another thread"));
    page->findChild<QLineEdit*>()->setText("something else");
    QCOMPARE(table->model()->rowCount(), 0);
  }

  void helpListsShortcutsAndTerms() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    framed.action("help.shortcuts")->trigger();
    auto* shortcuts = framed.window.findChild<HelpDialog*>();
    QVERIFY(shortcuts != nullptr && shortcuts->isVisible());
    QVERIFY(shortcuts->shown().rowCount() > 10);
    shortcuts->findChild<QLineEdit*>()->setText("undo");
    QCOMPARE(shortcuts->shown().rowCount(), 1);
    delete shortcuts;
    framed.action("help.glossary")->trigger();
    auto* terms = framed.window.findChild<HelpDialog*>();
    QVERIFY(terms != nullptr && terms->shown().rowCount() > 30);
    for (const auto& [term, meaning] : glossary())
      QVERIFY2(!term.isEmpty() && meaning.endsWith('.'), qPrintable(term));
  }

  void documentsAreReadInTheWindow() {
    QStringList names;
    for (const auto& [name, title] : DocumentDialog::documents()) names << name;
    DocumentDialog dialog;
    for (const QString& name : names) {
      dialog.showDocument(name);
      QCOMPARE(dialog.current(), name);
      QVERIFY2(dialog.text().toPlainText().size() > 500, qPrintable(name));
      // Every link leads to a document or into the web.
      for (QTextBlock block = dialog.text().document()->begin(); block.isValid();
           block = block.next())
        for (auto part = block.begin(); !part.atEnd(); ++part) {
          const QUrl link(part.fragment().charFormat().anchorHref());
          QVERIFY2(link.isEmpty() || !link.isRelative() || link.path().isEmpty() ||
                       QFile::exists(":/docs/" + link.path()),
                   qPrintable(name + " → " + link.toString()));
        }
    }
    dialog.showDocument("tutorials/verdict.md");
    QCOMPARE(dialog.text().document()->firstBlock().text(), QString("Reading a verdict"));
  }

  void signsOpenTheirTermAndTheirPart() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.window.show();
    const std::unique_ptr<QToolButton> term(infoSign("glossary/placement", "Placement", nullptr));
    term->click();
    auto* terms = framed.window.findChild<HelpDialog*>();
    QVERIFY(terms != nullptr && terms->isVisible());
    QVERIFY(terms->shown().rowCount() > 0 && terms->shown().rowCount() < 10);
    const std::unique_ptr<QToolButton> part(
        infoSign("docs/data.md#your-own-data", "Source", nullptr));
    part->click();
    auto* document = framed.window.findChild<DocumentDialog*>();
    QVERIFY(document != nullptr && document->isVisible());
    QCOMPARE(document->current(), QString("data.md"));
    QCOMPARE(document->text().textCursor().block().text(), QString("Your own data"));
  }

  void theTitleNamesExperimentAndWorkspace() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    bench.editor.load(sampleDocument(5), "sample");
    bench.editor.setValue("/name", "Mine", "Name");
    const QStringList parts = framed.window.windowTitle().split(QString::fromUtf8(" — "));
    QCOMPARE(parts.size(), 3);
    QCOMPARE(parts[0], QString("Mine"));
    QCOMPARE(parts[2], QString("Parapet"));
  }

  void aLayoutOfAnotherScreenKeepsItsPages() {
    TestBench bench;
    const QString folder = bench.folder.path() + "/config";
    {
      Framed framed(bench, folder);
      framed.window.restore();
      framed.window.show();
      framed.second->count = 7;
      QVERIFY(QTest::qWaitFor(
          [&] { return textOf(folder + "/layout.json").contains("\"count\": 7"); }, 10'000));
    }
    auto layout = nlohmann::json::parse(textOf(folder + "/layout.json").toStdString());
    layout["geometry"] = "of a screen that is gone";
    QFile out(folder + "/layout.json");
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(layout.dump()));
    out.close();
    Framed again(bench, folder);
    again.window.restore();
    QCOMPARE(again.second->count, 7);
    QVERIFY2(again.window.notices().text().isEmpty(), qPrintable(again.window.notices().text()));
  }

  void bordersAndHintsAreSeenOnEveryGround() {
    for (const QPalette& palette : {lightPalette(), darkPalette()})
      for (const auto role :
           {QPalette::Window, QPalette::Base, QPalette::AlternateBase, QPalette::Button}) {
        const QColor ground = palette.color(role);
        if (role == QPalette::Window || role == QPalette::Base)
          for (const QColor& line : {borderColor(palette), focusColor(palette)})
            QVERIFY2(contrast(line, ground) >= 3.0, qPrintable(line.name() + ground.name()));
        for (const QColor& text : {palette.color(QPalette::PlaceholderText), quietColor(palette)})
          QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(text.name() + ground.name()));
      }
  }

  void aPaneOfTabsHasTheGroundOfTheWindow() {
    applyTheme(Theme::kDark);
    QTabWidget tabs;
    tabs.addTab(new QWidget, "One");
    tabs.addTab(new QWidget, "Two");
    tabs.resize(300, 200);
    const QColor inside = tabs.grab().toImage().pixelColor(150, 150);
    applyTheme(Theme::kLight);
    QCOMPARE(inside, darkPalette().color(QPalette::Window));
  }

  void uncheckedBoxesHaveTheBorder() {
    applyTheme(Theme::kDark);
    QCheckBox box;
    box.resize(40, 40);
    const QImage image = box.grab().toImage();
    bool seen = false;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        seen = seen || image.pixelColor(x, y) == borderColor(box.palette());
    applyTheme(Theme::kLight);
    QVERIFY(seen);
  }

  void controlsHaveTheBorder() {
    applyTheme(Theme::kDark);
    const auto has = [](QWidget& widget, const QColor& color) {
      widget.resize(120, 30);
      const QImage image = widget.grab().toImage();
      for (int x = 0; x < image.width(); ++x)
        for (int y : {0, 1})
          if (image.pixelColor(x, y) == color) return true;
      return false;
    };
    QLineEdit line;
    QPushButton button("Plan");
    QComboBox box;
    QSpinBox number;
    for (QWidget* each : std::initializer_list<QWidget*>{&line, &button, &box, &number})
      QVERIFY2(has(*each, borderColor(each->palette())), each->metaObject()->className());
    line.show();
    QVERIFY(QTest::qWaitForWindowActive(&line));
    line.setFocus();
    QVERIFY(has(line, focusColor(line.palette())));
    applyTheme(Theme::kLight);
  }

  void themesChangeAndAreRemembered() {
    TestBench bench;
    Framed framed(bench, bench.folder.path());
    framed.action("theme.dark")->trigger();
    QVERIFY(isDark(QApplication::palette()));
    QCOMPARE(AppSettings(bench.folder.path().toStdString()).theme(), QString("dark"));
    framed.action("theme.light")->trigger();
    QVERIFY(!isDark(QApplication::palette()));
  }

  void iconsTakeTheColourOfThePalette() {
    const auto darkest = [] {
      const QImage image = lineIcon("stop").pixmap(32, 32).toImage();
      int lightness = -1;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (const QColor at = image.pixelColor(x, y); at.alpha() == 255)
            lightness = std::max(lightness, at.lightness());
      return lightness;
    };
    applyTheme(Theme::kDark);
    const int onDark = darkest();
    applyTheme(Theme::kLight);
    const int onLight = darkest();
    QVERIFY(onLight >= 0);
    QVERIFY2(onDark > 150 && onLight < 100, qPrintable(QString("%1 %2").arg(onDark).arg(onLight)));
  }
};

QTEST_MAIN(FrameTest)
#include "frame_test.moc"
