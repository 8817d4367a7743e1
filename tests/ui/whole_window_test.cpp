// SPDX-License-Identifier: GPL-3.0-or-later
// Every page and step at the sizes of small screens, in both themes: nothing is cut, nothing covers
// something else, titles have signs that lead somewhere, and every button does something or says
// why it does not. With PARAPET_PICTURES=FOLDER each page is written there as a picture.
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include "app/parapet/parts.h"
#include "tests/ui/window_look.h"
#include "ui/models/document_source.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/home/recipe_tile.h"
#include "ui/pages/train/train_page.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/controls.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000, kPressMs = 3000, kMinChart = 240;
constexpr const char* kPages[] = {"home",
                                  "experiment/data",
                                  "experiment/tables",
                                  "experiment/model",
                                  "experiment/training",
                                  "experiment/mesh",
                                  "train",
                                  "runs",
                                  "browse",
                                  "devices",
                                  "log"};
constexpr int kDataSteps = 8;

/// Everything that a press may change.
struct Traces {
  explicit Traces(Parts& parts)
      : page(parts.window().currentPage()),
        edits(parts.bench().editor.undoStack().index()),
        document(parts.bench().editor.document()),
        picture(parts.window().centralWidget()->grab().toImage()),
        focus(QApplication::focusWidget()),
        active(parts.bench().runs.active()) {}
  bool operator==(const Traces&) const = default;

  QString page;
  int edits;
  nlohmann::ordered_json document;
  QImage picture;
  QWidget* focus;
  bool active;
};

/// Presses that would take away what the others need, and those whose effect lies elsewhere.
bool isLeftOut(const QAbstractButton& button) {
  static const QStringList kTexts{"Move to trash", "Download…", "Refresh",
                                  "Self-test",     "Delete",    "Watch it train"};
  // Checked buttons of a group show what is shown already.
  const bool isChosen = button.isCheckable() && button.isChecked();
  return isChosen || kTexts.contains(button.text()) || button.objectName().startsWith("info.") ||
         button.objectName().startsWith("qt_") || button.inherits("QTabBar") ||
         button.inherits("QLineEditIconButton") || button.parentWidget()->inherits("QTabBar") ||
         button.parentWidget()->inherits("QSpinBox");
}

QString nameOf(const QAbstractButton& button) {
  for (const QString& name : {button.text(), button.accessibleName(), button.objectName()})
    if (!name.isEmpty()) return name;
  return button.metaObject()->className();
}

/// Why a button is disabled; that of its action where it has one.
QString reasonOf(const QAbstractButton& button) {
  const auto* tool = qobject_cast<const QToolButton*>(&button);
  if (tool != nullptr && tool->defaultAction() != nullptr)
    return whyDisabled(*tool->defaultAction());
  return whyDisabled(button);
}

}  // namespace

class WholeWindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Parts> parts_;

  template <class PageType>
  PageType& page(const QString& name) {
    return *qobject_cast<PageType*>(parts_->window().page(name));
  }
  DataPage& data() {
    return *qobject_cast<DataPage*>(page<ExperimentPage>("experiment").step("data"));
  }
  QStringList look(const QString& name, const QString& row) {
    MainWindow& window = parts_->window();
    if (!comesToRest(window, kLongMs)) return {name + " never comes to rest"};
    QStringList faults;
    const QStringList found =
        faultsOf(window) + sidewaysOf(window, {"Picture of the plan"}) + elidedOf(window);
    for (const QString& fault : found) faults << name + ": " + fault;
    if (const QString pictures = qEnvironmentVariable("PARAPET_PICTURES"); !pictures.isEmpty())
      window.grab().save(
          QDir(pictures).filePath(QString("%1 %2.png").arg(QString(name).replace('/', '-'), row)));
    return faults;
  }

 private slots:
  void initTestCase() {
    // The font of most desktops; without one the program would take a smaller one.
    QApplication::setFont(QFont("DejaVu Sans", 12));
    applyTheme(Theme::kLight);
    auto made = Parts::make((folder_.path() + "/workspace").toStdString(),
                            (folder_.path() + "/config").toStdString());
    QVERIFY(made.ok());
    parts_ = std::move(made).value();
    MainWindow& window = parts_->window();
    window.restore();
    window.beginWith("sample");
    window.show();
    // Something to show on every page.
    QVERIFY(parts_->trainSampleIfEmpty());
    QVERIFY(QTest::qWaitFor([this] { return !parts_->bench().runs.active(); }, kLongMs));
    data().importPanel().start();
    QVERIFY(QTest::qWaitFor([this] { return data().importPanel().dataset() != nullptr; }, kLongMs));
  }
  void cleanupTestCase() { parts_.reset(); }

  void nothingIsCutOrCovered_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("dark");
    for (const bool dark : {false, true})
      for (const QSize size : {QSize(960, 540), QSize(1280, 720), QSize(1920, 1080)})
        QTest::addRow("%dx%d %s", size.width(), size.height(), dark ? "dark" : "light")
            << size << dark;
  }
  void nothingIsCutOrCovered() {
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    applyTheme(dark ? Theme::kDark : Theme::kLight);
    MainWindow& window = parts_->window();
    window.resize(size);
    const QString row = QTest::currentDataTag();
    QStringList faults;
    for (const QString name : kPages) {
      window.showPage(name);
      const int steps = name == "experiment/data" ? kDataSteps : 1;
      for (int step = 0; step < steps; ++step) {
        if (steps > 1) data().showStep(step);
        faults << look(steps > 1 ? QString("%1-%2").arg(name).arg(step + 1) : name, row);
        QCOMPARE(window.size(), size);
      }
      if (name == "experiment/tables")
        for (const auto* table :
             page<ExperimentPage>("experiment").step("tables")->findChildren<QTableView*>())
          if (table->isVisible() && table->viewport()->height() < 3 * table->rowHeight(0))
            faults << QString("%1 has %2 px")
                          .arg(table->accessibleName())
                          .arg(table->viewport()->height());
      if (name != "train") continue;
      int highest = 0;
      for (const CurvePlot* plot : page<TrainPage>("train").findChildren<CurvePlot*>())
        if (plot->isVisible()) highest = std::max(highest, plot->height());
      if (highest < kMinChart) faults << QString("train: the chart has %1 px").arg(highest);
    }
    applyTheme(Theme::kLight);
    // A message of a check ends after some of them.
    for (const QString& fault : faults) qInfo().noquote() << fault;
    QVERIFY2(faults.isEmpty(), qPrintable(QString("%1 faults").arg(faults.size())));
  }

  /// Messages of an experiment without data take more room than its results.
  void nothingIsCutWhileThereAreNoData() {
    MainWindow& window = parts_->window();
    window.resize(960, 540);
    const QString before = window.experiments().currentId();
    window.openDocument("movielens-retrieval");
    QStringList faults;
    for (const QString name :
         {"experiment/tables", "experiment/model", "experiment/training", "experiment/mesh"}) {
      window.showPage(name);
      faults << look(name, "no data");
    }
    window.experiments().open(before);
    for (const QString& fault : faults) qInfo().noquote() << fault;
    QVERIFY2(faults.isEmpty(), qPrintable(QString("%1 faults").arg(faults.size())));
  }

  /// The tiles of Data › Source, which stand there while no data are chosen.
  void recipesAreNotCutWhereDataAreMissing_data() { nothingIsCutOrCovered_data(); }
  void recipesAreNotCutWhereDataAreMissing() {
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    applyTheme(dark ? Theme::kDark : Theme::kLight);
    MainWindow& window = parts_->window();
    window.resize(size);
    ExperimentEditor& editor = parts_->bench().editor;
    editor.setValue("/dataset/source", "movielens", "Another source");
    window.showPage("experiment/data");
    data().showStep(0);
    const auto tiles = data().findChildren<RecipeTile*>();
    QTRY_VERIFY_WITH_TIMEOUT(tiles.back()->isVisible(), kLongMs);
    const QStringList faults = look("experiment/data-missing", QTest::currentDataTag());
    editor.undoStack().undo();
    applyTheme(Theme::kLight);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }

  void everyTitleOfASectionHasASignThatLeadsSomewhere() {
    QStringList faults;
    QFile glossary(":/glossary.tsv");
    QVERIFY(glossary.open(QIODevice::ReadOnly));
    const QString terms = QLatin1Char('\n') + QString::fromUtf8(glossary.readAll());
    QList<QLabel*> titles;
    for (const char* name : {"sectionTitle", "settingsTitle", "metricsTitle", "pairedTitle"})
      titles += parts_->window().findChildren<QLabel*>(name);
    for (const QLabel* title : titles) {
      const QToolButton* sign = nullptr;
      for (const auto* button : title->parentWidget()->findChildren<QToolButton*>())
        if (button->objectName().startsWith("info.")) sign = button;
      if (sign == nullptr) {
        faults << QString("\"%1\" has no sign").arg(title->text());
        continue;
      }
      const QString target = sign->objectName().mid(5);
      const QString document = target.section('#', 0, 0), part = target.section('#', 1);
      if (target.startsWith("glossary/")) {
        if (!terms.contains(QString("\n%1\t").arg(target.section('/', 1))))
          faults << target + " is no term";
        continue;
      }
      QFile file(":/docs/" + document.section('/', 1));
      if (!file.open(QIODevice::ReadOnly)) {
        faults << document + " is no document";
        continue;
      }
      bool found = part.isEmpty();
      for (const QString& line : QString::fromUtf8(file.readAll()).split('\n'))
        found = found || (line.startsWith('#') &&
                          line.section(' ', 1).toLower().remove(',').replace(' ', '-') == part);
      if (!found) faults << target + " is no part of its document";
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }

  void aPageHasOneButtonForExports() {
    for (const QString name : kPages) {
      parts_->window().showPage(name);
      QVERIFY(comesToRest(parts_->window(), kLongMs));
      int exports = 0;
      for (const auto* button : parts_->window().findChildren<QAbstractButton*>())
        if (button->isVisible() &&
            (button->text().startsWith("Export") || button->text().startsWith("Save…")))
          ++exports;
      QVERIFY2(exports <= 1, qPrintable(QString("%1: %2").arg(name).arg(exports)));
    }
  }

  void everyButtonDoesSomethingOrSaysWhyNot() {
    MainWindow& window = parts_->window();
    window.resize(1280, 720);
    QStringList faults;
    // Whatever opens is an effect, and is closed again; also where a press waits for it.
    int opened = 0;
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, [&opened, &window] {
      QWidget* popup = QApplication::activePopupWidget();
      if (popup == nullptr) popup = QApplication::activeModalWidget();
      if (popup == nullptr || popup == &window) return;
      ++opened;
      popup->close();
    });
    closer.start(10);
    QSignalSpy copied(QApplication::clipboard(), &QClipboard::dataChanged);
    QSignalSpy told(&window.logModel(), &QAbstractItemModel::rowsInserted);
    for (const QString name : kPages) {
      const int steps = name == "experiment/data" ? kDataSteps : 1;
      for (int step = 0; step < steps; ++step) {
        const auto show = [&] {
          window.showPage(name);
          if (steps > 1) data().showStep(step);
          return comesToRest(window, kLongMs);
        };
        QVERIFY(show());
        QList<QPointer<QAbstractButton>> buttons;
        for (auto* button : window.centralWidget()->findChildren<QAbstractButton*>())
          if (button->isVisible() && !button->visibleRegion().isEmpty()) buttons << button;
        for (const QPointer<QAbstractButton>& button : buttons) {
          if (!button || !button->isVisible() || isLeftOut(*button)) continue;
          const QString what = QString("%1: \"%2\"").arg(name, nameOf(*button));
          if (!button->isEnabled()) {
            if (reasonOf(*button).isEmpty()) faults << what + " is disabled without a reason";
            continue;
          }
          const Traces before(*parts_);
          const QString experiment = window.experiments().currentId();
          const auto copies = copied.count(), words = told.count();
          const int openBefore = opened;
          button->click();
          const bool does = QTest::qWaitFor(
              [&] {
                return opened != openBefore || copied.count() != copies || told.count() != words ||
                       !(Traces(*parts_) == before);
              },
              kPressMs);
          if (!does) faults << what + " does nothing";
          QVERIFY(QTest::qWaitFor([] { return QApplication::activeModalWidget() == nullptr; },
                                  kLongMs));
          QUndoStack& edits = parts_->bench().editor.undoStack();
          while (edits.index() > before.edits && edits.canUndo()) edits.undo();
          if (window.experiments().currentId() != experiment) window.experiments().open(experiment);
          if (parts_->bench().runs.active()) parts_->bench().runs.stop();
          QVERIFY(QTest::qWaitFor([this] { return !parts_->bench().runs.active(); }, kLongMs));
          QVERIFY(show());
        }
      }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }
};

QTEST_MAIN(WholeWindowTest)
#include "whole_window_test.moc"
