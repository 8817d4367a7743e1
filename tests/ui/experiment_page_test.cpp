// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/experiment_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <random>

#include "app/parapet/pages.h"
#include "ui/models/document_edits.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/mesh/mesh_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/training/training_page.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

nlohmann::json recipe(const std::string& name) {
  return *experiment::parseJson(experiment::findRecipe(name)->text);
}

void collectPointers(const nlohmann::json& value, const std::string& pointer,
                     std::vector<std::string>& found) {
  found.push_back(pointer);
  if (!value.is_structured()) return;
  for (const auto& [key, child] : value.items()) collectPointers(child, pointer + "/" + key, found);
}

/// A document with one to three values changed, removed or replaced by something of another type.
nlohmann::json mutated(nlohmann::json document, std::mt19937& random) {
  static const std::vector<nlohmann::json> values{nullptr,
                                                  true,
                                                  0,
                                                  -1,
                                                  1e308,
                                                  0.5,
                                                  "",
                                                  "adam",
                                                  "user",
                                                  nlohmann::json::array(),
                                                  nlohmann::json::object(),
                                                  {1, 2, 3},
                                                  {{"kind", "sgd"}},
                                                  9223372036854775807};
  const auto pick = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  for (std::size_t left = 1 + pick(3); left > 0; --left) {
    std::vector<std::string> pointers;
    collectPointers(document, "", pointers);
    const nlohmann::json::json_pointer pointer(pointers[pick(pointers.size())]);
    if (pointer.empty() || pick(3) > 0) {
      document[pointer] = values[pick(values.size())];
    } else if (auto& parent = document[pointer.parent_pointer()]; parent.is_object()) {
      parent.erase(pointer.back());
    }
  }
  return document;
}

}  // namespace

class ExperimentPageTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<RunBridge> bridge_;
  std::unique_ptr<RunController> runs_;
  std::unique_ptr<ExperimentEditor> editor_;
  std::unique_ptr<Workbench> bench_;
  std::unique_ptr<ExperimentPage> page_;

  template <class Step>
  Step& step(const QString& name) {
    return *qobject_cast<Step*>(page_->step(name));
  }
  DocumentTable& tables() { return step<TablesPage>("tables").tables(); }
  ImportPanel& import() { return step<DataPage>("data").importPanel(); }
  MeshPage& mesh() { return step<MeshPage>("mesh"); }
  void openDrawer() { page_->drawerAction()->setChecked(true); }
  QModelIndex dimCell() { return tables().model().index(0, TablesModel::kDim); }
  template <class Widget>
  Widget* fieldOf(const QString& pointer) {
    return page_->findChild<Widget*>(pointer);
  }

 private slots:
  void initTestCase() {
    auto opened = workspace::Workspace::open(folder_.path().toStdString());
    QVERIFY(opened.ok());
    workspace_ = std::move(opened).value();
  }
  void init() {
    bridge_ = std::make_unique<RunBridge>();
    runs_ = std::make_unique<RunController>(*workspace_, *bridge_);
    editor_ = std::make_unique<ExperimentEditor>();
    editor_->load(recipe("sample"), "sample");
    bench_ = std::make_unique<Workbench>(Workbench{*workspace_, *bridge_, *runs_, *editor_});
    page_ = std::make_unique<ExperimentPage>(*bench_);
    window::addSteps(*page_, *bench_);
    page_->resize(1280, 720);
    page_->show();
    QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
  }
  void cleanup() {
    page_.reset();
    editor_.reset();
    runs_.reset();
    bridge_.reset();
  }

  void stepsStandInTheirOrder() {
    QCOMPARE(page_->steps().count(), 5);
    QStringList titles;
    for (int step = 0; step < page_->steps().count(); ++step)
      titles << page_->steps().tabText(step).replace("&&", "&");
    QCOMPARE(titles, QStringList({"Data", "Tables & features", "Model", "Training",
                                  "Devices & placement"}));
    page_->showPart("model");
    QVERIFY(page_->step("model")->isVisible());
    QCOMPARE(page_->currentStep(), QString("model"));
  }

  void everyFieldIsEditedInOnePlace() {
    // Where a table lies is a cell of its row, and chosen where the plan shows what it costs.
    const QHash<QString, int> exceptions{{"/tables/*/placement", 2}};
    QHash<QString, int> count;
    // Controls are named by what they edit, those of fields and those that have none.
    for (const QWidget* widget : page_->findChildren<QWidget*>()) {
      if (widget->objectName().startsWith('/')) ++count[widget->objectName()];
      if (const QString pointer = widget->property("pointer").toString(); !pointer.isEmpty())
        ++count[pointer];
    }
    for (const DocumentTable* table : page_->findChildren<DocumentTable*>()) {
      const DocumentRowsModel& model = table->model();
      if (model.rowCount() == 0) continue;
      for (int column = 0; column < model.columnCount(); ++column)
        if (model.flags(model.index(0, column)) & Qt::ItemIsEditable)
          ++count[model.cellPointer(model.index(0, column)).replace("/0/", "/*/")];
    }
    for (auto each = count.begin(); each != count.end(); ++each)
      QVERIFY2(each.value() == exceptions.value(each.key(), 1), qPrintable(each.key()));
    QVERIFY(count.contains("/tables/*/placement") && count.contains("/mesh/shape"));
    QVERIFY(count.contains("/dataset/batch/size") && count.contains("/mesh/devices"));
  }

  void problemsAreCountedAtTheirSteps() {
    editor_->setValue("/dataset/batch/size", 0, "x");
    editor_->setValue("/training/epochs", 0, "x");
    editor_->setValue("/mesh/threads", 0, "x");
    QCOMPARE(page_->steps().tabText(0), QString("Data"));
    QCOMPARE(page_->steps().tabText(3), QString("Training (2)"));
    QCOMPARE(page_->steps().tabText(4), QString("Devices && placement (1)"));
    page_->jumpTo("/dataset/batch/size");
    QCOMPARE(page_->currentStep(), QString("training"));
    QVERIFY(fieldOf<QLineEdit>("/dataset/batch/size")->hasFocus());
  }

  void aFixIsAButtonAndOneStep() {
    editor_->setValue("/tables/0/embedding_dim", 32, "x");
    QVERIFY(!editor_->runnable());
    auto* fix =
        page_->problems().findChild<QToolButton*>("fix.Add dense 32 to the candidate tower");
    QVERIFY(fix != nullptr && fix->isVisible());
    fix->click();
    QTRY_VERIFY(editor_->runnable());
    QCOMPARE(editor_->undoStack().count(), 2);
    editor_->undoStack().undo();
    QVERIFY(!editor_->runnable());
  }

  void theFocusStaysOnThePageWhenAFixTakesItsButtonAway() {
    page_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(page_->window()));
    editor_->setValue("/tables/0/embedding_dim", 32, "x");
    editor_->setValue("/training/epochs", 0, "x");
    auto* fix =
        page_->problems().findChild<QToolButton*>("fix.Add dense 32 to the candidate tower");
    QVERIFY(fix != nullptr);
    fix->setFocus();
    fix->click();
    QTRY_COMPARE(page_->problems().list().count(), 1);
    QVERIFY(page_->problems().isAncestorOf(QApplication::focusWidget()));
    // With the last problem the list goes, and the step has the focus.
    editor_->undoStack().undo();
    editor_->undoStack().undo();
    fix = page_->problems().findChild<QToolButton*>("fix.Add dense 32 to the candidate tower");
    QVERIFY(fix != nullptr);
    fix->setFocus();
    fix->click();
    QTRY_COMPARE(page_->problems().list().count(), 0);
    QVERIFY(qobject_cast<StepPage*>(QApplication::focusWidget()) != nullptr);
  }

  void noDataIsAProblemThatAsks() {
    editor_->load(recipe("movielens-retrieval"), "movielens-retrieval");
    QTRY_VERIFY(!editor_->runnable());
    auto* choose = page_->problems().findChild<QToolButton*>(QString::fromUtf8("fix.Choose data…"));
    QVERIFY(choose != nullptr);
    disconnect(page_.get(), &ExperimentPage::dataRequested, nullptr, nullptr);  // no dialog here
    QSignalSpy alone(page_.get(), &ExperimentPage::dataRequested);
    choose->click();
    QTRY_COMPARE(alone.count(), 1);
    QCOMPARE(alone[0][0].value<experiment::FixKind>(), experiment::FixKind::kChooseData);
  }

  void withoutALabelTheLossAsksForOne() {
    editor_->setValue("/loss/kind", "mse", "x");
    editor_->setValue("/dataset/label", {{"column", nullptr}, {"scale", nullptr}}, "x");
    QTRY_VERIFY(!editor_->runnable());
    QVERIFY(!editor_->findingsAt("/dataset/label").problems.empty());
    auto* softmax = page_->problems().findChild<QToolButton*>("fix.In-batch softmax");
    QVERIFY(softmax != nullptr);
    softmax->click();
    QTRY_VERIFY(editor_->value("/loss/kind") == "in_batch_softmax");
    QTRY_VERIFY(editor_->runnable());
  }

  void deepLinksFindStepAndField_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("step");
    QTest::addRow("label") << "/dataset/label/column"
                           << "data";
    QTest::addRow("share") << "/dataset/split/train"
                           << "data";
    QTest::addRow("loss") << "/loss/kind"
                          << "model";
    QTest::addRow("rate") << "/optimizer/learning_rate"
                          << "model";
    QTest::addRow("devices") << "/mesh/devices"
                             << "mesh";
    QTest::addRow("seed") << "/training/seed"
                          << "training";
  }
  void deepLinksFindStepAndField() {
    QFETCH(QString, pointer);
    QFETCH(QString, step);
    page_->jumpTo(pointer);
    QCOMPARE(page_->currentStep(), step);
    auto* field = fieldOf<QWidget>(pointer);
    QVERIFY(field != nullptr && field->isVisible() && field->hasFocus());
  }

  /// Every setting of lists has a field with names of its own, and what is clicked is in the document.
  void settingsOfListsAreFields() {
    page_->showPart("training");
    page_->step("training")->findChild<Form*>("lists")->setUnfolded(true);
    const auto choose = [this](const char* pointer, const QString& name) {
      auto* combo = fieldOf<QComboBox>(pointer);
      QVERIFY2(combo && combo->isVisible(), pointer);
      QVERIFY2(!combo->accessibleName().isEmpty() && !combo->toolTip().isEmpty(), pointer);
      QVERIFY2(combo->findText(name) >= 0, qPrintable(name));
      combo->setFocus();
      // As by hand: the keys of the first letters.
      QTest::keyClick(combo, Qt::Key_Home);
      while (combo->currentText() != name) {
        const int before = combo->currentIndex();
        QTest::keyClick(combo, Qt::Key_Down);
        QVERIFY2(combo->currentIndex() > before, qPrintable(name));
      }
    };
    choose("/evaluation/catalogue", "never in training");
    QVERIFY(editor_->value("/evaluation/catalogue") == nlohmann::ordered_json("never"));
    choose("/evaluation/unit", "a held-out row in its own context");
    QVERIFY(editor_->value("/evaluation/unit") == nlohmann::ordered_json("example"));
    choose("/evaluation/unit", "what the query side reads");
    QVERIFY(editor_->value("/evaluation/unit").is_null());
    choose("/evaluation/seen_pairs", "are left out");
    QVERIFY(editor_->value("/evaluation/seen_pairs") == nlohmann::ordered_json("drop"));
    choose("/evaluation/protocol", "Yambda, as its stored code computes");
    QVERIFY(editor_->value("/evaluation/protocol") == nlohmann::ordered_json("yambda-compat"));
    // The one contradicts the other, and it is said there.
    QTRY_VERIFY(!editor_->findingsAt("/evaluation/seen_pairs").problems.empty());
    choose("/evaluation/protocol", "none");

    // Scrolling the form over a combo box changes nothing.
    auto* over = fieldOf<QComboBox>("/evaluation/catalogue");
    page_->findChild<QLineEdit*>("/training/epochs")->setFocus();
    QWheelEvent wheel(QPointF(4, 4), over->mapToGlobal(QPointF(4, 4)), {}, {0, 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(over, &wheel);
    QCOMPARE(over->currentText(), QString("never in training"));

    auto* metrics = fieldOf<QWidget>("/evaluation/metrics");
    QVERIFY(metrics && metrics->isVisible());
    auto* coverage = metrics->findChild<QCheckBox*>("coverage");
    QVERIFY(coverage && !coverage->isChecked());
    QTest::keyClick(coverage, Qt::Key_Space);
    metrics->findChild<QCheckBox*>("hit")->click();
    QVERIFY(editor_->value("/evaluation/metrics") ==
            nlohmann::ordered_json({"recall", "ndcg", "mrr", "coverage"}));
    editor_->undoStack().undo();
    QVERIFY(metrics->findChild<QCheckBox*>("hit")->isChecked());

    auto* sample = fieldOf<QLineEdit>("/evaluation/sample");
    QTest::keyClicks(sample, "500");
    QVERIFY(editor_->value("/evaluation/sample") == nlohmann::ordered_json(500));
    auto* segments = fieldOf<QLineEdit>("/evaluation/segments");
    QTest::keyClicks(segments, "activity, user");
    QVERIFY(editor_->value("/evaluation/segments") == nlohmann::ordered_json({"activity", "user"}));
  }

  void batchesCountOverAllDevicesOrOnEach() {
    page_->showPart("training");
    auto* by = page_->findChild<QComboBox*>("batchSizeCounts");
    QVERIFY(!fieldOf<QLineEdit>("/dataset/batch/size")->text().isEmpty());
    QTest::keyClick(by, Qt::Key_Down);
    QVERIFY(editor_->value("/dataset/batch/size").is_null());
    QVERIFY(editor_->value("/dataset/batch/per_device") == 100);
    QCOMPARE(editor_->undoStack().count(), 1);
  }

  void drawerOpensBesideAnyStep() {
    QVERIFY(!page_->drawer().isVisible());
    page_->showPart("model");
    page_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    QTest::keyClick(page_.get(), Qt::Key_F4);
    QVERIFY(page_->drawer().isVisible() && page_->step("model")->isVisible());
    const auto lineOf = [this](const char* text) {
      return page_->json().document()->find(text).blockNumber() + 1;
    };
    QVERIFY(page_->json().isMarkedPart(lineOf("\"optimizer\"")));
    QVERIFY(!page_->json().isMarkedPart(lineOf("\"dataset\"")));
    page_->showPart("data");
    QVERIFY(page_->json().isMarkedPart(lineOf("\"dataset\"")));
    QVERIFY(!page_->json().isMarkedPart(lineOf("\"optimizer\"")));
    QTest::keyClick(page_.get(), Qt::Key_F4);
    QVERIFY(!page_->drawer().isVisible());
  }

  void aClosedDrawerHandsNothingOver() {
    openDrawer();
    page_->drawerAction()->setChecked(false);
    editor_->setValue("/training/epochs", 9, "x");
    QPalette dark;
    dark.setColor(QPalette::Base, Qt::black);
    page_->json().setPalette(dark);
    QCoreApplication::processEvents();
    page_->json().commit();  // as the pause after typing does
    QVERIFY(editor_->runnable());
    QCOMPARE(editor_->experiment().training.epochs, 9);
  }

  void drawerHasRoomForLines() {
    page_->resize(1280, 720);
    openDrawer();
    QTRY_VERIFY(page_->drawer().width() >= 44 * page_->json().fontMetrics().averageCharWidth());
  }

  void drawerLeavesOutDefaults() {
    openDrawer();
    const QString folded = page_->json().toPlainText();
    QVERIFY(!folded.contains("\"precision\""));
    QVERIFY(folded.contains("\"epochs\""));
    page_->drawer().showsDefaults().click();
    const QString full = page_->json().toPlainText();
    QCOMPARE(full, editor_->text());
    QVERIFY(full.contains("\"precision\"") && folded.size() < full.size());
    page_->drawer().showsDefaults().click();
    QCOMPARE(page_->json().toPlainText(), folded);
    // Text that is typed into the short form means the same as in the long one.
    QTextCursor cursor = page_->json().document()->find("\"embedding_dim\": 16");
    cursor.insertText("\"embedding_dim\": 48");
    page_->json().commit();
    QCOMPARE(editor_->experiment().tables[0].embeddingDim, 48);
    QCOMPARE(editor_->undoStack().count(), 1);
  }

  void editingACellChangesTheText() {
    openDrawer();
    page_->jumpTo("/tables/0/embedding_dim");
    QCOMPARE(tables().view().currentIndex(), dimCell());
    tables().view().edit(dimCell());
    auto* spin = tables().view().findChild<QSpinBox*>();
    QVERIFY(spin != nullptr);
    QTest::keyClick(spin, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(spin, "24");
    QTest::keyClick(spin, Qt::Key_Return);
    QTRY_COMPARE(editor_->experiment().tables[0].embeddingDim, 24);
    QTRY_VERIFY(page_->json().toPlainText().contains("\"embedding_dim\": 24"));
    QCOMPARE(editor_->undoStack().count(), 1);
  }

  void typingTextChangesTheCell() {
    openDrawer();
    QTextCursor cursor = page_->json().document()->find("\"embedding_dim\": 16");
    page_->json().setFocus();
    cursor.insertText("\"embedding_dim\": 48");
    QTRY_COMPARE(dimCell().data().toString(), QString("48"));
    QCOMPARE(editor_->undoStack().count(), 1);
  }

  void changesFromTheFormKeepTheCursorOfTheText() {
    openDrawer();
    QTextCursor cursor = page_->json().document()->find("\"training\"");
    page_->json().setTextCursor(cursor);
    const QString line = cursor.block().text();
    editor_->setValue("/training/early_stopping", nlohmann::json::object(), "Stop early");
    QCOMPARE(page_->json().textCursor().block().text(), line);
  }

  void dimZeroIsMarkedUntilItIsTakenBack() {
    openDrawer();
    QVERIFY(tables().model().setData(dimCell(), 0, Qt::EditRole));
    QVERIFY(!editor_->runnable());
    QCOMPARE(dimCell().data(DocumentRowsModel::kSeverityRole).toInt(),
             static_cast<int>(Severity::kProblem));
    QVERIFY(page_->json().marks().values().contains(Severity::kProblem));
    QVERIFY(page_->problems().list().isVisible());
    editor_->undoStack().undo();
    QVERIFY(editor_->runnable());
    QCOMPARE(dimCell().data(DocumentRowsModel::kSeverityRole).toInt(),
             static_cast<int>(Severity::kNone));
    QVERIFY(page_->json().marks().isEmpty());
    QVERIFY(!page_->problems().list().isVisible());
  }

  void wideFormsHaveTwoColumns() {
    page_->showPart("training");
    const auto left = [this](const char* name) {
      auto* form = page_->step("training")->findChild<Form*>(name);
      return form->mapTo(page_.get(), QPoint(0, 0)).x();
    };
    page_->resize(1500, 900);
    QTRY_VERIFY(left("lists") > left("batches") + 400);
    page_->resize(1100, 900);
    QTRY_COMPARE(left("lists"), left("batches"));
  }

  void settingsAtTheirDefaultAreFolded() {
    page_->showPart("training");
    auto* form = page_->step("training")->findChild<Form*>("batches");
    auto* more = form->findChild<QToolButton*>("more");
    const auto shown = [form](const char* pointer) {
      return form->findChild<QWidget*>(pointer)->isVisible();
    };
    QVERIFY(shown("/dataset/batch/size"));
    QVERIFY(!shown("/dataset/batch/window"));
    QVERIFY2(more->text().endsWith("more settings"), qPrintable(more->text()));
    // One that differs, or is wrong, is there without a press.
    editor_->setValue("/dataset/batch/window", 5000, "x");
    QTRY_VERIFY(shown("/dataset/batch/window"));
    editor_->undoStack().undo();
    QTRY_VERIFY(!shown("/dataset/batch/window"));
    editor_->setValue("/dataset/batch/replay_batches", -1, "x");
    QTRY_VERIFY(shown("/dataset/batch/replay_batches"));
    editor_->undoStack().undo();
    more->click();
    QTRY_VERIFY(shown("/dataset/batch/window"));
    // The group stays open over a restart.
    const nlohmann::json state = page_->step("training")->saveState();
    more->click();
    QTRY_VERIFY(!shown("/dataset/batch/window"));
    page_->step("training")->restoreState(state);
    QTRY_VERIFY(shown("/dataset/batch/window"));
    more->click();
    // Whoever asks for a field by name sees it.
    page_->jumpTo("/dataset/batch/cache");
    QTRY_VERIFY(shown("/dataset/batch/cache"));
  }

  void countsHaveTheirDigitsInGroupsAndAUnit() {
    page_->showPart("training");
    editor_->setValue("/dataset/batch/size", 12345, "x");
    page_->jumpTo("/training/epochs");
    auto* line = fieldOf<QLineEdit>("/dataset/batch/size");
    QCOMPARE(line->text(), QString("12,345"));
    line->setFocus();
    QCOMPARE(line->text(), QString("12345"));
    line->selectAll();
    QTest::keyClicks(line, "1,000,000");
    QCOMPARE(editor_->value("/dataset/batch/size"), nlohmann::ordered_json(1000000));
    page_->jumpTo("/training/epochs");
    QCOMPARE(line->text(), QString("1,000,000"));
    bool hasUnit = false;
    for (const QLabel* label : line->parentWidget()->findChildren<QLabel*>())
      hasUnit = hasUnit || label->text() == "examples";
    QVERIFY(hasUnit);
    editor_->setValue("/training/seed", 20261129, "x");
    QCOMPARE(fieldOf<QLineEdit>("/training/seed")->text(), QString("20261129"));
  }

  void fieldsTellWhatIsAccepted() {
    page_->jumpTo("/training/epochs");
    auto* line = fieldOf<QLineEdit>("/training/epochs");
    QVERIFY(line != nullptr && line->hasFocus());
    line->selectAll();
    QTest::keyClicks(line, "1,5");
    QVERIFY(!editor_->runnable());
    auto* field = qobject_cast<Field*>(line->parentWidget());
    // After a pause.
    QVERIFY(field->findingsText().isEmpty());
    QTRY_VERIFY(field->findingsText().contains("Accepted: an integer from 1 to 1000000"));
    QCOMPARE(line->text(), QString("1,5"));
    line->selectAll();
    QTest::keyClicks(line, "7");
    QTest::keyClick(line, Qt::Key_Up);
    QCOMPARE(editor_->experiment().training.epochs, 8);
    QVERIFY(field->findingsText().isEmpty());
  }

  void textThatIsNoJsonStopsTheForm() {
    openDrawer();
    page_->json().setPlainText("{ \"name\": \n oops");
    page_->json().commit();
    QCOMPARE(page_->json().marks().value(2), Severity::kProblem);
    QVERIFY(!page_->step("data")->isEnabled());
    editor_->setText(textOf(editor_->document()));
    QVERIFY(page_->step("data")->isEnabled());
  }

  void problemsNameTheFieldsOfTheForms() {
    editor_->setValue("/dataset/batch/size", -5, "batch size");
    const QAbstractItemModel& list = *page_->problems().list().view().model();
    QCOMPARE(list.rowCount(), 1);  // nothing that follows from it
    const QModelIndex place = list.index(0, ProblemsModel::kLocation);
    QCOMPARE(place.data().toString(), QString("Training › Global batch size"));
    QCOMPARE(place.data(Qt::ToolTipRole).toString(), QString("/dataset/batch/size"));
    editor_->undoStack().undo();
    editor_->setValue("/tables/0/embedding_dim", 0, "width");
    QCOMPARE(list.index(0, ProblemsModel::kLocation).data().toString(),
             QString("Tables & features › Table user: embedding dim"));
  }

  void onlySettingsOfTheKindAreShown() {
    page_->jumpTo("/optimizer/kind");
    for (Form* form : page_->findChildren<Form*>()) form->setUnfolded(true);
    QVERIFY(fieldOf<QLineEdit>("/optimizer/initial_accumulator")->isVisible());
    QVERIFY(!fieldOf<QLineEdit>("/optimizer/beta1")->isVisible());
    editor_->setValue("/optimizer/kind", "adam", "Change kind");
    QVERIFY(!fieldOf<QLineEdit>("/optimizer/initial_accumulator")->isVisible());
    QVERIFY(fieldOf<QLineEdit>("/optimizer/beta1")->isVisible());
  }

  void bytesOfTablesAreLive() {
    const QModelIndex weights = tables().model().index(0, TablesModel::kWeights);
    const QModelIndex state = tables().model().index(0, TablesModel::kState);
    // 401 users × 16 × 4 bytes, and as much for the accumulator.
    QTRY_COMPARE(weights.data().toString(), QString("25.06 KiB"));
    QCOMPARE(state.data().toString(), QString("25.06 KiB"));
    tables().model().setData(dimCell(), 32, Qt::EditRole);
    // Towers of different width have no dot product, so there is no size to tell.
    QTRY_COMPARE(weights.data().toString(), QString("–"));
    editor_->setValue("/tables/1/embedding_dim", 32, "Change dim");
    QTRY_COMPARE(weights.data().toString(), QString("50.12 KiB"));
  }

  void cachesOfTablesAreSetAndTold() {
    const QModelIndex rows = tables().model().index(0, TablesModel::kCacheRows);
    const QModelIndex hits = tables().model().index(0, TablesModel::kCacheHits);
    QCOMPARE(rows.data().toString(), QString("all"));
    QCOMPARE(hits.data().toString(), QString("–"));
    QVERIFY(tables().model().setData(rows, 5000, Qt::EditRole));
    QCOMPARE(editor_->experiment().tables[0].cacheRows, std::optional<std::int64_t>(5000));
    auto& model = dynamic_cast<TablesModel&>(tables().model());
    model.setCaches({{"user", 2000, 1103}});
    QCOMPARE(hits.data().toString(), QString("55.1 %"));
  }

  void problemsOfSizesComeFromPreflight() {
    editor_->setValue("/dataset/batch/size", 200, "x");
    editor_->setValue("/dataset/split/train", 100, "x");
    editor_->setValue("/dataset/split/validation", 10, "x");
    editor_->setValue("/dataset/split/test", 0, "x");
    QTRY_VERIFY(!editor_->findingsAt("/dataset/batch/size").problems.empty());
    editor_->setValue("/dataset/batch/size", 50, "x");
    QVERIFY(editor_->runnable());
  }

  // Known once the data are: nothing is measured of lists that are longer than the catalogue.
  void metricsBeyondTheCatalogueComeFromPreflight() {
    QVERIFY(workspace_->importData(editor_->experiment(), {}).ok());
    editor_->setValue("/evaluation/k", {10, 500}, "x");
    QTRY_VERIFY(!editor_->findingsAt("/evaluation/k/1").warnings.empty());
    editor_->setValue("/training/checkpoints/best", "val_recall@500", "x");
    QTRY_VERIFY(!editor_->findingsAt("/training/checkpoints/best").problems.empty());
    QVERIFY(!editor_->runnable());
    const experiment::Findings found = editor_->findingsAt("/training/checkpoints/best");
    QVERIFY(found.problems[0].message.find("300 candidates") != std::string::npos);
    editor_->setValue("/training/checkpoints/best", "val_recall@10", "x");
    QTRY_VERIFY(editor_->findingsAt("/training/checkpoints/best").problems.empty());
  }

  void importTellsRowsAndCoverage() {
    QSignalSpy imported(&import(), &ImportPanel::imported);
    import().start();
    QTRY_COMPARE_WITH_TIMEOUT(imported.count(), 1, 60000);
    QVERIFY(import().summary().startsWith("20,000 rows"));
  }

  void memoryPanelShowsRanksAndMemory() {
    const MemoryPanel& mesh = this->mesh().memory();
    const auto cell = [](const ReportTableModel& model, int row, int column) {
      return model.index(row, column).data().toString();
    };
    const auto setMesh = [this](const char* text) {
      editor_->setValue("/mesh", nlohmann::json::parse(text), "x");
    };
    setMesh(R"({"devices": ["cpu*8"], "shape": [4, 2], "axes": ["data", "model"]})");
    QTRY_COMPARE(mesh.ranks().rowCount(), 8);
    QCOMPARE(cell(mesh.ranks(), 5, MemoryPanel::kDevice), QString("cpu:5"));
    QCOMPARE(cell(mesh.ranks(), 5, MemoryPanel::kCoordinates), QString("2, 1"));
    // A batch of 100 over 8 devices does not divide: 12 or 13 rows each, 100 in all.
    qlonglong rows = 0;
    for (int rank = 0; rank < 8; ++rank) {
      const qlonglong share = cell(mesh.ranks(), rank, MemoryPanel::kRows).toLongLong();
      QVERIFY(share == 12 || share == 13);
      rows += share;
    }
    QCOMPARE(rows, 100);
    // Eight logical devices share one memory: their parameters count once.
    QCOMPARE(mesh.memory().rowCount(), 1);
    QCOMPARE(cell(mesh.memory(), 0, 1), QString("8"));
    const QString weights = cell(mesh.memory(), 0, 2);
    setMesh(R"({"devices": ["cpu*1"]})");
    QTRY_COMPARE(mesh.ranks().rowCount(), 1);
    QCOMPARE(cell(mesh.memory(), 0, 2), weights);
  }

  void problemsOfDevicesAndShapeStandBelowThem_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("told");
    QTest::newRow("more devices than rows") << "/mesh/devices"
                                            << R"(["cpu*101"])"
                                            << "101 devices";
    QTest::newRow("unknown device") << "/mesh/devices"
                                    << R"(["gpu"])"
                                    << "gpu";
    QTest::newRow("other number") << "/mesh/shape"
                                  << "[3]"
                                  << "the shape has 3 devices";
  }
  void problemsOfDevicesAndShapeStandBelowThem() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, told);
    editor_->setValue(pointer, nlohmann::json::parse(value.toStdString()), "x");
    page_->jumpTo(pointer);
    const DevicePanel& devices = mesh().devices();
    QTRY_VERIFY2(devices.findingsText().contains(told), qPrintable(devices.findingsText()));
    QVERIFY(devices.isAncestorOf(QApplication::focusWidget()));
    QVERIFY(!editor_->runnable());
    QVERIFY(!page_->findChild<QPushButton*>("verifyStart")->isEnabled());
  }

  void meshProblemsStandBesideTheirFields_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("told");
    QTest::newRow("no thread") << "/mesh/threads"
                               << "0"
                               << "0";
    QTest::newRow("no capacity") << "/mesh/capacity_bytes"
                                 << "0"
                                 << "0";
  }
  void meshProblemsStandBesideTheirFields() {
    QFETCH(QString, field);
    QFETCH(QString, typed);
    QFETCH(QString, told);
    page_->jumpTo(field);
    Field* found = nullptr;
    for (Field* each : page_->findChildren<Field*>())
      if (each->pointer() == field) found = each;
    QVERIFY(found != nullptr);
    found->editWidget()->setFocus();
    QTest::keyClick(found->editWidget(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(found->editWidget(), typed);
    QTRY_VERIFY2(found->findingsText().contains(told), qPrintable(found->findingsText()));
    QVERIFY(!editor_->runnable());
    QVERIFY(!page_->findChild<QPushButton*>("verifyStart")->isEnabled());
    const auto* outline = found->findChild<QWidget*>("outline");
    QVERIFY(outline->isVisible());
    QCOMPARE(outline->geometry(), found->editWidget()->geometry());
    editor_->undoStack().undo();
    QTRY_VERIFY(!outline->isVisible());
  }

  void verifyFindsTheSameBitsTwice() {
    VerifyPanel& verify = mesh().verify();
    QSignalSpy finished(&verify, &VerifyPanel::finished);
    QVERIFY2(verify.command().startsWith("parapet-cli verify sample --steps 20 --workspace "),
             qPrintable(verify.command()));
    // As the command palette does it.
    const auto actions = page_->pageActions();
    const auto action = std::ranges::find_if(
        actions, [](const QAction* each) { return each->text().startsWith("Verify"); });
    QVERIFY(action != actions.end());
    (*action)->trigger();
    QVERIFY(verify.running() && verify.isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    auto* verdict = verify.findChild<QLabel*>("verifyVerdict");
    QVERIFY2(
        verdict->isVisible() && verdict->text().contains("Passed: every tensor has the same bits"),
        qPrintable(verdict->text()));
    // A verdict on another document would be a lie.
    editor_->setValue("/training/seed", 43, "x");
    QVERIFY(verdict->text().isEmpty());
  }

  void verifyComparesWithOneDevice() {
    editor_->setValue("/mesh/devices", nlohmann::json::array({"cpu*4"}), "x");
    VerifyPanel& verify = mesh().verify();
    page_->showPart("mesh");
    mesh().plan().showTab(verify.parentWidget());
    // With several devices, unless asked otherwise.
    QVERIFY2(verify.command().contains("--against cpu:0 --steps 20 ") &&
                 verify.command().contains("'/mesh/devices"),
             qPrintable(verify.command()));
    QSignalSpy finished(&verify, &VerifyPanel::finished);
    verify.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    auto* verdict = verify.findChild<QLabel*>("verifyVerdict");
    QVERIFY2(
        verdict->text().contains("Passed") &&
            (verdict->text().contains("same bits") || verdict->text().contains("tensors agree")) &&
            verdict->text().contains("within"),
        qPrintable(verdict->text()));
    auto* view = verify.findChild<QTableView*>();
    QVERIFY(view->isVisible() && view->model()->rowCount() > 1);
  }

  void verifyCanBeCancelled() {
    VerifyPanel& verify = mesh().verify();
    verify.start();
    QVERIFY(verify.running());
    verify.cancel();
    QVERIFY(!verify.running());
    QVERIFY(verify.findChild<QLabel*>("verifyVerdict")->text().contains("cancelled"));
    QVERIFY(page_->findChild<QPushButton*>("verifyStart")->isEnabled());
  }

  void commandTellsTheDifferences() {
    QCOMPARE(page_->terminalCommand(), QString("parapet-cli preview sample"));
    page_->showPart("training");
    QCOMPARE(page_->terminalCommand(), QString("parapet-cli train sample"));
    editor_->setValue("/training/epochs", 2, "x");
    QCOMPARE(page_->terminalCommand(),
             QString("parapet-cli train sample --set /training/epochs=2"));
  }

  void savesAndOpensAgain() {
    page_->showPart("training");
    editor_->setValue("/training/epochs", 2, "x");
    const QString file = folder_.filePath("mine.json");
    QVERIFY(page_->saveFile(file));
    QVERIFY(!editor_->modified());
    QCOMPARE(page_->terminalCommand(), "parapet-cli train " + file);
    editor_->load(recipe("movielens-retrieval"), "movielens-retrieval");
    page_->openFile(file);
    QCOMPARE(editor_->experiment().training.epochs, 2);
    QVERIFY(!page_->saveFile(folder_.filePath("no/such/folder.json")));
  }

  void everyControlHasAName() {
    for (const QWidget* widget : page_->findChildren<QWidget*>()) {
      const bool control = widget->inherits("QAbstractButton") || widget->inherits("QComboBox") ||
                           widget->inherits("QAbstractItemView") || widget->inherits("QSpinBox");
      const QString parentClass = widget->parentWidget()->metaObject()->className();
      // Controls that Qt itself puts into its widgets are named by them.
      if (!control || parentClass.startsWith('Q')) continue;
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
               qPrintable(widget->objectName() + " in " + parentClass));
    }
  }

  void randomDocumentsShowProblemsOrCanRun() {
    std::mt19937 random(20261121);
    int broken = 0;
    for (int round = 0; round < 300; ++round) {
      editor_->load(mutated(recipe(round % 2 ? "sample" : "movielens-retrieval"), random),
                    "random");
      const bool listed = page_->problems().list().count() > 0;
      QVERIFY2(editor_->runnable() || listed, qPrintable(editor_->text()));
      broken += editor_->runnable() ? 0 : 1;
      page_->json().commit();
      QCOMPARE(editor_->undoStack().count(), 0);
      if (listed)
        page_->jumpTo(
            page_->problems().list().view().model()->index(0, 0).data(Qt::UserRole).toString());
    }
    QVERIFY(broken > 100 && broken < 300);
  }
};

QTEST_MAIN(ExperimentPageTest)
#include "experiment_page_test.moc"
