// SPDX-License-Identifier: GPL-3.0-or-later
// The window over a model folder, which answers questions and trains nothing, and the way into it.
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "app/parapet/parts.h"
#include "tests/ui/test_bench.h"
#include "tests/ui/window_look.h"
#include "ui/forms/card.h"
#include "ui/pages/frame/run_toolbar.h"
#include "ui/style/controls.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 60'000;

QAction* action(const MainWindow& window, const QString& name) {
  for (QAction* found : window.allActions())
    if (found->objectName() == name) return found;
  return nullptr;
}

}  // namespace

class ModelWindowTest : public QObject {
  Q_OBJECT

  TestBench bench_;
  std::unique_ptr<Parts> parts_;
  QString model_ = bench_.folder.path() + "/model";

  MainWindow& window() { return parts_->window(); }
  bool isShown(const char* name) {
    auto* label = window().findChild<QLabel*>(name);
    return label && label->isVisible();
  }

 private slots:
  void initTestCase() {
    applyTheme(Theme::kLight);
    const QString run = bench_.train(2);
    workspace::ExportOptions options;
    options.what = workspace::ExportWhat::kModel;
    options.out = model_.toStdString();
    QVERIFY(bench_.workspace->exportRun(run.toStdString(), options, WorkContext{}).ok());
    auto made = Parts::make(model_.toStdString(), (bench_.folder.path() + "/config").toStdString());
    QVERIFY(made.ok());
    parts_ = std::move(made).value();
    window().restore();
    window().beginWith("sample");
    window().show();
  }
  void cleanupTestCase() { parts_.reset(); }

  void theTrainPageSaysThatAModelDoesNotTrain() {
    window().showPage("train");
    QVERIFY(comesToRest(window(), kLongMs));
    QVERIFY(isShown("modelDoesNotTrain"));
    QVERIFY(!isShown("step"));
    for (const QString& fault : faultsOf(window())) QFAIL(qPrintable(fault));
    for (auto* button : window().page("train")->findChildren<QPushButton*>())
      if (button->text() == "Browse the model") button->click();
    QCOMPARE(window().currentPage(), QString("browse"));
  }

  void homeAndExperimentPromiseNoTraining() {
    window().showPage("home");
    QVERIFY(comesToRest(window(), kLongMs));
    QVERIFY(window().findChild<QLabel*>("welcome")->text().contains("does not train"));
    for (auto* button : window().page("home")->findChildren<QPushButton*>())
      QVERIFY2(!button->isVisible() || button->text().contains("its"), qPrintable(button->text()));
    window().showPage("experiment");
    QVERIFY(comesToRest(window(), kLongMs));
    for (auto* label : window().page("experiment")->findChildren<QLabel*>())
      QVERIFY2(!label->text().contains("Run (F5)"), qPrintable(label->text()));
    for (const QString& fault : faultsOf(window())) QFAIL(qPrintable(fault));
  }

  void recallSaysWhyThereIsNone() {
    window().showPage("browse");
    const auto saysWhy = [this] {
      const auto labels = window().page("browse")->findChildren<ElidedLabel*>();
      return std::ranges::any_of(labels, [](const ElidedLabel* label) {
        return label->isVisible() && label->text().contains("no held-out row counts");
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(saysWhy(), kLongMs);
  }

  void runIsDisabledWithTheReason() {
    for (const char* name : {"run.run", "run.queue"}) {
      QAction* run = action(window(), name);
      QVERIFY(run && !run->isEnabled());
      QVERIFY2(whyDisabled(*run).contains("is a model"), qPrintable(whyDisabled(*run)));
    }
  }

  void aFolderThatIsNoModelIsRefused() {
    QAction* open = action(window(), "experiment.openModel");
    QVERIFY(open);
    open->trigger();
    auto* dialog = window().findChild<QFileDialog*>();
    QVERIFY(dialog);
    QCOMPARE(dialog->fileMode(), QFileDialog::Directory);
    emit dialog->fileSelected(bench_.folder.path());
    QVERIFY2(window().notices().text().contains("is no model folder"),
             qPrintable(window().notices().text()));
    dialog->reject();
  }
};

QTEST_MAIN(ModelWindowTest)
#include "model_window_test.moc"
