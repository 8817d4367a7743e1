// SPDX-License-Identifier: GPL-3.0-or-later
// Every page and step at the sizes of small screens, in both themes: nothing is cut, nothing covers
// something else. With PARAPET_PICTURES=FOLDER each is written there as a picture.
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/parapet/parts.h"
#include "tests/ui/window_look.h"
#include "ui/models/document_source.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000, kMinChart = 240;
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
constexpr int kDataSteps = 7;

}  // namespace

class SizesTest : public QObject {
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
    if (!settles(window, kLongMs)) return {name + " never comes to rest"};
    QStringList faults;
    for (const QString& fault : faultsOf(window)) faults << name + ": " + fault;
    if (const QString pictures = qEnvironmentVariable("PARAPET_PICTURES"); !pictures.isEmpty())
      window.grab().save(
          QDir(pictures).filePath(QString("%1 %2.png").arg(QString(name).replace('/', '-'), row)));
    return faults;
  }

 private slots:
  void initTestCase() {
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
      if (name != "train") continue;
      int highest = 0;
      for (const CurvePlot* plot : page<TrainPage>("train").findChildren<CurvePlot*>())
        if (plot->isVisible()) highest = std::max(highest, plot->height());
      if (highest < kMinChart) faults << QString("train: the chart has %1 px").arg(highest);
    }
    applyTheme(Theme::kLight);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }
};

QTEST_MAIN(SizesTest)
#include "sizes_test.moc"
