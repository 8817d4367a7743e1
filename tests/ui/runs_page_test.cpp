// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "tests/ui/recorded_runs.h"
#include "ui/pages/runs/export_dialog.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kLongMs = 60000;

experiment::Experiment named(const char* name, double learningRate) {
  experiment::Experiment experiment = recordedExperiment(2);
  experiment.name = name;
  experiment.optimizer.learningRate = learningRate;
  return experiment;
}

void trigger(RunsPage& page, const char* text) {
  for (QAction* action : page.pageActions())
    if (action->text() == QString::fromUtf8(text)) return action->trigger();
  QFAIL(text);
}

}  // namespace

class RunsPageTest : public QObject {
  Q_OBJECT

  std::unique_ptr<RecordedBench> bench_;
  std::unique_ptr<RunsPage> page_;
  QString slow_, fast_;

  [[nodiscard]] store::RunRecord stored(const QString& run) {
    return bench_->workspace().store().find(run.toStdString()).value();
  }

 private slots:
  void init() {
    bench_ = std::make_unique<RecordedBench>();
    QVERIFY(bench_->good());
    slow_ = bench_->record(named("slow", 0.05));
    fast_ = bench_->record(named("fast", 0.3));
    QVERIFY(!slow_.isEmpty() && !fast_.isEmpty());
    page_ = std::make_unique<RunsPage>(bench_->bench());
    page_->resize(1120, 640);
    page_->show();
    QTRY_COMPARE(page_->filter().rowCount(), 2);
  }
  void cleanup() {
    page_.reset();
    bench_.reset();
  }

  void listsRunsWithTheirNumbers() {
    const QModelIndex fast = page_->filter().index(0, 0);
    QCOMPARE(fast.data().toString(), QString("fast"));
    const auto epochs = bench_->workspace().store().epochs(fast_.toStdString());
    QVERIFY(epochs.ok());
    QCOMPARE(fast.siblingAtColumn(RunsModel::kLastLoss).data(RunsModel::kSortRole).toDouble(),
             epochs->back().loss);
    QCOMPARE(fast.siblingAtColumn(RunsModel::kDevices).data().toString(), QString("cpu*1"));
    QCOMPARE(fast.siblingAtColumn(RunsModel::kEpochs).data().toString(), QString("2 / 2"));
  }

  void theTableHasTheHeightUntilARunIsChosen() {
    const int alone = page_->table().height();
    QVERIFY(!page_->overlay().isVisible());
    page_->table().choose({fast_});
    QTRY_VERIFY(page_->overlay().isVisible());
    QVERIFY(page_->table().height() < alone);
    page_->table().clearSelection();
    QTRY_VERIFY(!page_->overlay().isVisible());
    QTRY_COMPARE(page_->table().height(), alone);
  }

  void hasColumnsForDataModelAndId() {
    const QModelIndex fast = page_->filter().index(0, 0);
    QCOMPARE(fast.siblingAtColumn(RunsModel::kData).data().toString(), QString("generated movies"));
    QCOMPARE(fast.siblingAtColumn(RunsModel::kModel).data().toString(),
             QString("retrieval / in-batch softmax"));
    QCOMPARE(fast.siblingAtColumn(RunsModel::kId).data().toString(), fast_.left(6));
    QHeaderView* header = page_->table().horizontalHeader();
    QVERIFY(header->stretchLastSection());
    QCOMPARE(page_->table().selectionBehavior(), QAbstractItemView::SelectRows);
    // The newest first, and the arrow says so.
    QCOMPARE(header->sortIndicatorSection(), int(RunsModel::kCreated));
    QCOMPARE(header->sortIndicatorOrder(), Qt::DescendingOrder);
  }

  void titlesOfColumnsHaveRoom() {
    const QHeaderView* header = page_->table().horizontalHeader();
    for (int column = 0; column < header->count(); ++column)
      QVERIFY2(header->isSectionHidden(column) ||
                   header->sectionSize(column) >= header->sectionSizeHint(column),
               qPrintable(QString::number(column)));
  }

  void columnsOfAnotherVersionAreLeftOut() {
    QHeaderView* header = page_->table().horizontalHeader();
    header->resizeSection(RunsModel::kName, 222);
    nlohmann::json state = page_->saveState();
    header->resizeSection(RunsModel::kName, 111);
    state["column_count"] = int(RunsModel::kColumnCount) - 3;
    page_->restoreState(state);
    QCOMPARE(header->sectionSize(RunsModel::kName), 111);
    state["column_count"] = int(RunsModel::kColumnCount);
    page_->restoreState(state);
    QCOMPARE(header->sectionSize(RunsModel::kName), 222);
  }

  void storesANewName() {
    QVERIFY(page_->filter().setData(page_->filter().index(0, RunsModel::kName), "renamed"));
    QTRY_COMPARE(QString::fromStdString(stored(fast_).name), QString("renamed"));
    QVERIFY(page_->filter().setData(page_->filter().index(0, RunsModel::kNotes), "a note"));
    QTRY_COMPARE(QString::fromStdString(stored(fast_).notes), QString("a note"));
  }

  /// A click chooses, whatever was chosen before: only F2, a double click and the menu rename.
  void aClickOnANameChoosesAndADoubleClickRenames() {
    RunsTable& table = page_->table();
    const auto editor = [&table] { return table.viewport()->findChild<QLineEdit*>(); };
    const auto cell = [&](int column) {
      const QModelIndex index = page_->filter().index(0, column);
      table.scrollTo(index);
      return table.visualRect(index).center();
    };
    QVERIFY(!table.editTriggers().testFlag(QAbstractItemView::SelectedClicked));
    table.choose({slow_, fast_});
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell(RunsModel::kName));
    QCOMPARE(table.chosen(), QStringList{fast_});
    QVERIFY(!editor());
    QSignalSpy opened(&table, &RunsTable::opened);
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, cell(RunsModel::kName));
    QVERIFY(editor());
    QVERIFY(opened.isEmpty());
    QTest::keyClick(editor(), Qt::Key_Escape);
    QTRY_VERIFY(!editor());
    trigger(*page_, "Rename");
    QVERIFY(editor());
    QTest::keyClick(editor(), Qt::Key_Escape);
    QTRY_VERIFY(!editor());
    // A cell that is not edited leads to the run.
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell(RunsModel::kState));
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, cell(RunsModel::kState));
    QCOMPARE(opened.size(), 1);
  }

  void filtersByText() {
    auto* filter = page_->findChild<QLineEdit*>("filter");
    filter->setText("slow");
    QCOMPARE(page_->filter().rowCount(), 1);
    filter->setText("nothing like this");
    QCOMPARE(page_->filter().rowCount(), 0);
    filter->clear();
    QCOMPARE(page_->filter().rowCount(), 2);
  }

  void deletesIntoTheTrashAndUndoes() {
    page_->table().choose({slow_});
    trigger(*page_, "Move to trash");
    QTRY_COMPARE(page_->filter().rowCount(), 1);
    QVERIFY(stored(slow_).trashed);
    auto* undo = page_->findChild<QPushButton*>("undo");
    QVERIFY(undo->isVisible());
    undo->click();
    QTRY_COMPARE(page_->filter().rowCount(), 2);
    QVERIFY(!stored(slow_).trashed);
  }

  void restoresFromTheTrash() {
    page_->table().choose({slow_, fast_});
    trigger(*page_, "Move to trash");
    QTRY_COMPARE(page_->filter().rowCount(), 0);
    page_->findChild<QPushButton*>("trash")->click();
    QTRY_COMPARE(page_->filter().rowCount(), 2);
    page_->table().choose({fast_});
    trigger(*page_, "Restore");
    QTRY_COMPARE(page_->filter().rowCount(), 1);
    QVERIFY(!stored(fast_).trashed && stored(slow_).trashed);
  }

  void asksBeforeItDeletesForGood() {
    page_->table().choose({slow_});
    trigger(*page_, "Move to trash");
    QTRY_VERIFY(stored(slow_).trashed);
    page_->findChild<QPushButton*>("trash")->click();
    QTRY_COMPARE(page_->filter().rowCount(), 1);
    for (const bool agreed : {false, true}) {
      page_->table().choose({slow_});
      trigger(*page_, "Delete for good…");
      auto* question = page_->findChild<QMessageBox*>();
      QVERIFY(question);
      const QList<QAbstractButton*> buttons = question->buttons();
      const auto wanted = std::ranges::find_if(buttons, [&](QAbstractButton* button) {
        return (question->buttonRole(button) == QMessageBox::DestructiveRole) == agreed;
      });
      QVERIFY(wanted != buttons.end());
      (*wanted)->click();
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      QVERIFY(!page_->findChild<QMessageBox*>());
      if (agreed)
        QTRY_COMPARE(page_->filter().rowCount(), 0);
      else
        QVERIFY(bench_->workspace().store().find(slow_.toStdString()).ok());
    }
    QVERIFY(!bench_->workspace().store().find(slow_.toStdString()).ok());
  }

  void keepsWhatIsChosenWhenAnotherRunIsDeletedElsewhere() {
    page_->table().choose({slow_});
    QVERIFY(bench_->workspace().erase(fast_.toStdString()).ok());
    page_->source().refresh();
    QTRY_COMPARE(page_->filter().rowCount(), 1);
    QCOMPARE(page_->table().chosen(), QStringList{slow_});
  }

  void theFilterKeepsWhatIsChosenAndItsCurves() {
    page_->table().choose({slow_, fast_});
    QTRY_VERIFY(page_->overlay().plot().readout(1.0).size() == 2);
    page_->filter().setText("fast");
    QCOMPARE(page_->table().chosen(), QStringList{fast_});
    QCOMPARE(page_->table().hidden(), QStringList{slow_});
    page_->overlay().refresh();
    QTest::qWait(200);
    QCOMPARE(page_->overlay().plot().readout(1.0).size(), qsizetype{2});
    page_->filter().setText({});
    QCOMPARE(page_->table().chosen().size(), qsizetype{2});
    QVERIFY(page_->table().hidden().isEmpty());
    // A choice that is made meanwhile stands alone.
    page_->filter().setText("fast");
    page_->table().clearSelection();
    page_->filter().setText({});
    QVERIFY(page_->table().chosen().isEmpty());
  }

  void aClickOnACurveChoosesItsRun() {
    page_->table().choose({slow_, fast_});
    QTRY_VERIFY(page_->overlay().plot().readout(1.0).size() == 2);
    emit page_->overlay().runChosen(slow_);
    QCOMPARE(page_->table().chosen(), QStringList{slow_});
  }

  void noRowComesUnderTheMouse() {
    page_->source().setHeld(true);
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = "new";
    QVERIFY(bench_->workspace().store().createRun(run).ok());
    QSignalSpy refreshed(&page_->source(), &RunsSource::refreshed);
    page_->source().refresh();
    QVERIFY(refreshed.wait(kLongMs));
    QCOMPARE(page_->filter().rowCount(), 2);
    page_->source().setHeld(false);
    QTRY_COMPARE(page_->filter().rowCount(), 3);
  }

  // The rows that a page had when it was left are those of before.
  void whoEntersThePageSeesEveryRun() {
    page_->source().setHeld(true);
    page_->source().setActive(false);
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = "newer";
    QVERIFY(bench_->workspace().store().createRun(run).ok());
    const int before = page_->filter().rowCount();
    page_->source().setActive(true);
    QTRY_COMPARE(page_->filter().rowCount(), before + 1);
    page_->source().setHeld(false);
  }

  void comparesOnlyWhatDiffers() {
    page_->table().choose({slow_, fast_});
    trigger(*page_, "Compare");
    ComparisonModel& settings = page_->comparison().settings();
    QTRY_VERIFY_WITH_TIMEOUT(settings.rowCount() > 0, kLongMs);
    QStringList pointers;
    for (int row = 0; row < settings.rowCount(); ++row)
      pointers << settings.index(row, 1).data(Qt::EditRole).toString();
    pointers.removeAll("/name");
    QCOMPARE(pointers, QStringList{"/optimizer/learning_rate"});
    QVERIFY(page_->comparison().metrics().rowCount() > 3);
    QCOMPARE(page_->comparison().metrics().columnCount(), 3);
    // Both are asked for the same held-out queries, and the page says who is better.
    QVERIFY(page_->comparison().paired().rowCount() > 0);
    QTRY_VERIFY(page_->comparison().findChild<QLabel*>("pairedTitle")->isVisibleTo(page_.get()));
    // Other rows and other weights are a choice beside them.
    const auto hasMetric = [&](const char* name) {
      const ComparisonModel& metrics = page_->comparison().metrics();
      for (int row = 0; row < metrics.rowCount(); ++row)
        if (metrics.index(row, 0).data().toString() == name) return true;
      return false;
    };
    QVERIFY(hasMetric("val_loss"));
    const QString command =
        QStringLiteral("parapet-cli compare ") + page_->table().chosen().join(QLatin1Char(' '));
    QCOMPARE(page_->terminalCommand(), command);
    page_->comparison().findChild<QComboBox*>("comparisonCheckpoint")->setCurrentIndex(1);
    page_->comparison().findChild<QComboBox*>("comparisonSplit")->setCurrentIndex(1);
    QCOMPARE(page_->terminalCommand(), command + " --split test --checkpoint best");
    QTRY_VERIFY_WITH_TIMEOUT(hasMetric("test_loss") && !hasMetric("val_loss"), kLongMs);
    QVERIFY(page_->comparison().paired().rowCount() > 0);
    page_->table().choose({slow_});
    QTRY_COMPARE(page_->comparison().paired().rowCount(), 0);
  }

  void laysCurvesOverEachOther() {
    page_->table().choose({slow_, fast_});
    const auto rows = [this] {
      CurveTableModel table;
      page_->overlay().plot().setTable(&table);
      page_->overlay().plot().setTable(nullptr);
      return table.rowCount();
    };
    QTRY_COMPARE(rows(), 4);  // two runs of two validations
    page_->overlay().metric().setCurrentText("loss");
    QCOMPARE(rows(), 4);
    // The steps between them, over each axis.
    page_->overlay().metric().setCurrentText("step loss");
    const auto steps = [this](const QString& run) { return static_cast<int>(stored(run).steps); };
    QTRY_COMPARE(rows(), steps(slow_) + steps(fast_));
    auto* axis = page_->overlay().findChild<QComboBox*>("overlayAxis");
    CurvePlot& plot = page_->overlay().plot();
    plot.refreshNow();
    QVERIFY(plot.view().right < 2.1);  // two epochs
    axis->setCurrentIndex(axis->findText("Step"));
    QCOMPARE(plot.xAxis(), XAxis::kStep);
    plot.refreshNow();
    QVERIFY(plot.view().right >= static_cast<double>(steps(slow_)));
    axis->setCurrentIndex(axis->findText("Time"));
    QCOMPARE(plot.xAxis(), XAxis::kSeconds);
    page_->overlay().metric().setCurrentText("loss");
    QCOMPARE(rows(), 4);
    page_->table().choose({slow_});
    QTRY_COMPARE(rows(), 2);
  }

  // From the button over the runs to a run that has trained.
  void forksThroughADialogAndTrains() {
    page_->table().choose({fast_});
    QToolButton* fork = nullptr;
    for (auto* button : page_->findChildren<QToolButton*>())
      if (button->text() == QStringLiteral("Fork…")) fork = button;
    QVERIFY(fork != nullptr && fork->isVisible() && fork->isEnabled());
    fork->click();
    ForkDialog* dialog = nullptr;
    QTRY_VERIFY((dialog = page_->findChild<ForkDialog*>()) != nullptr);
    QCOMPARE(dialog->step(), stored(fast_).steps);
    // All epochs are done, so as many again are offered.
    QCOMPARE(dialog->epochs(), std::int64_t{4});
    dialog->findChild<QSpinBox*>(QStringLiteral("epochs"))->setValue(3);
    QSignalSpy asked(page_.get(), &Page::pageRequested);
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Open as experiment")) button->click();
    QTRY_COMPARE(asked.count(), 1);
    const nlohmann::json from = bench_->editor().value("/training/fork");
    QCOMPARE(QString::fromStdString(from.at("run").get<std::string>()), fast_);
    QVERIFY(bench_->editor().findings().problems.empty());

    const experiment::Experiment experiment = bench_->editor().experiment();
    QVERIFY(bench_->workspace().preflight(experiment).findings.problems.empty());
    const QString ended = bench_->record(experiment);
    QVERIFY(!ended.isEmpty());
    QCOMPARE(QString::fromStdString(stored(ended).forkedFrom), fast_);
    QCOMPARE(stored(ended).forkedStep, stored(fast_).steps);
    QCOMPARE(stored(ended).epochs, std::int64_t{3});
  }

  void clonesIntoTheEditor() {
    QSignalSpy requested(page_.get(), &Page::pageRequested);
    page_->table().choose({fast_});
    trigger(*page_, "Clone");
    QTRY_COMPARE(requested.size(), 1);
    QCOMPARE(requested[0][0].toString(), QString("experiment"));
    QCOMPARE(bench_->editor().experiment().optimizer.learningRate, 0.3);
    QCOMPARE(bench_->editor().origin(), QString("run %1").arg(fast_));
  }

  void exportsWithChosenFormat() {
    const ExportDialog dialog(fast_, "fast");
    workspace::ExportOptions options = dialog.options();
    QCOMPARE(options.format, std::string("safetensors"));
    QTemporaryDir folder;
    options.what = workspace::ExportWhat::kCurves;
    options.format = "csv";
    options.out = folder.filePath("curves.csv").toStdString();
    RunActions actions(bench_->bench());
    QSignalSpy exported(&actions, &RunActions::exported);
    actions.exportRun(fast_, options);
    QTRY_COMPARE(exported.size(), 1);
    QFile file(folder.filePath("curves.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 3);
  }

  // Ctrl+E moves to the end of a line in a text field, and lists the experiments elsewhere.
  void theKeyOfAnExportIsNoneOfATextField() {
    const QKeySequence end(QStringLiteral("Ctrl+E"));
    bool offersExport = false;
    for (const QAction* action : page_->pageActions()) {
      QVERIFY2(!action->shortcuts().contains(end), qPrintable(action->text()));
      offersExport |= action->shortcut() == QKeySequence(QStringLiteral("Ctrl+Shift+E"));
    }
    QVERIFY(offersExport);
    auto* filter = page_->findChild<QLineEdit*>("filter");
    QVERIFY(filter);
    filter->setFocus();
    QTest::keyClick(filter, Qt::Key_E, Qt::ControlModifier);
    QVERIFY(!page_->findChild<ExportDialog*>());
  }

  void aModelIsExportedAsAFolderWithALicence() {
    ExportDialog dialog(fast_, "fast");
    auto* licence = dialog.findChild<QLineEdit*>("licence");
    auto* choose = dialog.findChild<QPushButton*>("choosePath");
    QVERIFY(licence && choose && !licence->isEnabled());
    QCOMPARE(choose->text(), QString("Choose a file…"));
    auto* what = dialog.findChild<QComboBox*>();
    what->setCurrentIndex(what->findData(static_cast<int>(workspace::ExportWhat::kModel)));
    QVERIFY(licence->isEnabled());
    QCOMPARE(choose->text(), QString("Choose a folder…"));
    licence->setText(" CC-BY-4.0 ");
    workspace::ExportOptions options = dialog.options();
    QCOMPARE(options.licence, std::string("CC-BY-4.0"));
    QTemporaryDir folder;
    options.out = folder.filePath("model").toStdString();
    RunActions actions(bench_->bench());
    QSignalSpy exported(&actions, &RunActions::exported);
    actions.exportRun(fast_, options);
    QTRY_COMPARE(exported.size(), 1);
    QFile manifest(folder.filePath("model/manifest.json"));
    QVERIFY(manifest.open(QIODevice::ReadOnly));
    QVERIFY(manifest.readAll().contains("\"CC-BY-4.0\""));
    // The licence is that of a model alone.
    what->setCurrentIndex(what->findData(static_cast<int>(workspace::ExportWhat::kTables)));
    QVERIFY(dialog.options().licence.empty());
  }

  void exportsListsInContexts() {
    ExportDialog dialog(fast_, "fast", {"is_organic", "weekday"});
    QList<QLineEdit*> fields;  // that of the length is no context
    for (QLineEdit* field : dialog.findChildren<QLineEdit*>())
      if (field->accessibleName().startsWith("Context ")) fields << field;
    QCOMPARE(fields.size(), 2);
    QVERIFY(!fields[0]->isEnabled());
    auto* what = dialog.findChild<QComboBox*>();
    what->setCurrentIndex(
        what->findData(static_cast<int>(workspace::ExportWhat::kRecommendations)));
    QVERIFY(fields[0]->isEnabled());
    QCOMPARE(fields[0]->accessibleName(), QString("Context is_organic"));
    // Nothing typed: one list, as in the last row.
    QCOMPARE(dialog.options().contexts.size(), std::size_t{1});
    QVERIFY(dialog.options().contexts[0].empty());
    fields[0]->setText("1, 0,");
    fields[1]->setText("monday");
    const auto contexts = dialog.options().contexts;
    QCOMPARE(contexts.size(), std::size_t{2});
    QCOMPARE(contexts[1].size(), std::size_t{2});
    QCOMPARE(contexts[1][0].name, std::string("is_organic"));
    QCOMPARE(contexts[1][0].value, std::string("0"));
    QCOMPARE(contexts[1][1].value, std::string("monday"));
  }

  void doesEverythingAskedInOrder() {
    RunActions actions(bench_->bench());
    QSignalSpy changed(&actions, &RunActions::changed);
    actions.rename(fast_, "first");
    actions.rename(fast_, "second");
    actions.setNotes(fast_, "note");
    QTRY_COMPARE(changed.size(), 3);
    QCOMPARE(stored(fast_).name, std::string("second"));
    QCOMPARE(stored(fast_).notes, std::string("note"));
  }

  void asksOtherPages() {
    QSignalSpy shown(page_.get(), &Page::showRunRequested);
    QSignalSpy browsed(page_.get(), &Page::browseRequested);
    page_->table().choose({slow_});
    trigger(*page_, "Show in Train");
    trigger(*page_, "Browse");
    QCOMPARE(shown[0][0].toString(), slow_);
    QCOMPARE(browsed[0][0].toString(), slow_);
    QVERIFY(page_->terminalCommand().contains(slow_));
  }

  void saysWhyARunEndedAndWhatNext() {
    experiment::RunEnded ended;
    ended.state = experiment::RunState::kDiverged;
    ended.error = Error{ErrorCode::kDiverged, "the loss became nan at step 7"};
    bench_->workspace().store().sink().onEvent(slow_.toStdString(), ended);
    QVERIFY(bench_->workspace().store().flush().ok());
    page_->source().refresh();
    page_->table().choose({slow_});
    auto* advice = page_->findChild<QLabel*>("advice");
    QTRY_VERIFY2(advice->text().contains("nan at step 7"), qPrintable(advice->text()));
    QSignalSpy requested(page_.get(), &Page::pageRequested);
    page_->findChild<QPushButton*>("next")->click();
    QTRY_COMPARE(requested.size(), 1);
  }
};

QTEST_MAIN(RunsPageTest)
#include "runs_page_test.moc"
