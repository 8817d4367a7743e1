// SPDX-License-Identifier: GPL-3.0-or-later
// Every page and step at the sizes of small screens, in both themes: nothing is cut, nothing covers
// something else. With PARAPET_PICTURES=FOLDER each is written there as a picture.
#include <QAbstractButton>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/parapet/parts.h"
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

/// Until two pictures in a row are the same: what comes from the background has arrived.
bool settles(QWidget& window) {
  QImage last;
  int same = 0;
  return QTest::qWaitFor(
      [&] {
        QCoreApplication::sendPostedEvents();
        const QImage now = window.grab().toImage();
        same = now == last ? same + 1 : 0;
        last = now;
        return same >= 3;
      },
      kLongMs);
}

QString textOf(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->currentText();
  return {};
}

QSize wantedBy(const QWidget& widget) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  if (label && label->wordWrap()) return {0, label->heightForWidth(label->width())};
  return widget.minimumSizeHint();
}

/// Visible texts and controls that are smaller than what they show, or that cover each other.
QStringList faultsOf(const QWidget& window) {
  QStringList faults;
  QList<const QWidget*> seen;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || textOf(*widget).isEmpty()) continue;
    if (widget->visibleRegion().isEmpty()) continue;
    const QString name =
        QString("%1 \"%2\"").arg(widget->metaObject()->className(), textOf(*widget).left(60));
    const QSize wanted = wantedBy(*widget);
    if (widget->width() < wanted.width() || widget->height() < wanted.height())
      faults << QString("%1 is %2×%3, wants %4×%5")
                    .arg(name)
                    .arg(widget->width())
                    .arg(widget->height())
                    .arg(wanted.width())
                    .arg(wanted.height());
    for (const QWidget* other : seen)
      if (other->parentWidget() == widget->parentWidget() &&
          other->geometry().intersects(widget->geometry()))
        faults << name + " covers " + textOf(*other).left(60);
    seen.append(widget);
  }
  return faults;
}

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
    if (!settles(window)) return {name + " never comes to rest"};
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
