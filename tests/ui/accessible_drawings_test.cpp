// SPDX-License-Identifier: GPL-3.0-or-later
// Plots and drawings tell a screen reader what they show. The test asks through QAccessible, on the
// pages of the window after a real run.
#include <QAccessible>
#include <QTest>

#include "app/parapet/parts.h"
#include "tests/ui/window_look.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/mesh/plan_view.h"
#include "ui/pages/model/graph_view.h"
#include "ui/pages/train/lane_view.h"
#include "ui/pages/train/train_page.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 120'000;

QAccessibleInterface* spoken(QWidget& widget) {
  return QAccessible::queryAccessibleInterface(&widget);
}
QString nameOf(const QAccessibleInterface& about) {
  return about.text(QAccessible::Name);
}
QString valueOf(const QAccessibleInterface& about) {
  return about.text(QAccessible::Value);
}
QAccessibleInterface* childNamed(const QAccessibleInterface& about, const QString& name) {
  for (int i = 0; i < about.childCount(); ++i)
    if (about.child(i) && nameOf(*about.child(i)) == name) return about.child(i);
  return nullptr;
}

/// A plot that counts what it announces. Off-screen nobody listens to QAccessible.
class CountedPlot : public CurvePlot {
 public:
  CountedPlot() : CurvePlot("loss", "nats") {}
  int announced = 0;

 protected:
  void announce() override {
    ++announced;
    CurvePlot::announce();
  }
};

}  // namespace

class AccessibleDrawingsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Parts> parts_;

  template <class Widget>
  Widget& drawing() {
    return *parts_->window().findChild<Widget*>();
  }
  CurvePlot& losses() {
    return qobject_cast<TrainPage*>(parts_->window().page("train"))->curvePanel().lossPlot();
  }

 private slots:
  void initTestCase() {
    applyTheme(Theme::kLight);
    auto made = Parts::make((folder_.path() + "/workspace").toStdString(),
                            (folder_.path() + "/config").toStdString());
    QVERIFY(made.ok());
    parts_ = std::move(made).value();
    parts_->window().restore();
    parts_->window().beginWith("sample");
    parts_->window().resize(1280, 800);
    parts_->window().show();
    QVERIFY(parts_->trainSampleIfEmpty());
    QVERIFY(QTest::qWaitFor([this] { return !parts_->bench().runs.active(); }, kLongMs));
    parts_->window().showPage("train");
    QVERIFY(comesToRest(parts_->window(), kLongMs));
  }
  void cleanupTestCase() { parts_.reset(); }

  void aPlotSpeaksItsAxesAndSeries() {
    CurvePlot& plot = losses();
    const QAccessibleInterface* about = spoken(plot);
    QVERIFY(about);
    QCOMPARE(about->role(), QAccessible::Chart);
    QCOMPARE(nameOf(*about), QString("Plot of loss over step"));
    QVERIFY2(about->childCount() >= 3, qPrintable(QString::number(about->childCount())));
    const auto run = parts_->bench().workspace.store().find("latest");
    const auto epochs = parts_->bench().workspace.store().epochs(run->id);
    QVERIFY(epochs.ok() && !epochs->empty());
    double last = 0.0;
    for (const auto& [key, value] : epochs->back().metrics)
      if (key == "val_loss") last = value;
    bool saysLast = false;
    for (int i = 0; i < about->childCount(); ++i) {
      const QAccessibleInterface* part = about->child(i);
      QVERIFY(part->isValid());
      QVERIFY(!nameOf(*part).isEmpty());
      QVERIFY(part->parent() == about);
      QCOMPARE(about->indexOfChild(part), i);
      saysLast |=
          valueOf(*part).startsWith("last " + QString::number(last, 'g', 6) + ", smallest ");
    }
    QVERIFY2(saysLast, qPrintable(about->text(QAccessible::Description)));
    QVERIFY(valueOf(*about).startsWith(QString("%1 series").arg(about->childCount())));
  }

  void aPlotSpeaksTheChosenPoint() {
    CurvePlot& plot = losses();
    const QAccessibleInterface* about = spoken(plot);
    QVERIFY(!valueOf(*about).contains("step 160"));
    plot.showCrosshair(160.0);
    QVERIFY2(valueOf(*about).contains("; step 160: "), qPrintable(valueOf(*about)));
    QVERIFY2(valueOf(*about->child(0)).contains(" at step 160"),
             qPrintable(valueOf(*about->child(0))));
    plot.showCrosshair(std::nullopt);
    QVERIFY(!valueOf(*about).contains("step 160"));
  }

  void changesAreAnnouncedAndNotEachOne() {
    CountedPlot plot;
    plot.show();
    const int series = plot.addPoints("validation");
    QAccessibleInterface* about = spoken(plot);
    QTest::qWait(2 * SpokenDrawing::kAnnounceMs);
    plot.announced = 0;
    constexpr int kPoints = 40;
    for (int i = 1; i <= kPoints; ++i) {
      plot.appendPoint(series, {.step = double(i), .value = 7.0 - 0.1 * i});
      QTest::qWait(SpokenDrawing::kAnnounceMs / 20);
    }
    QTRY_VERIFY(plot.announced >= 1);
    QVERIFY2(plot.announced < kPoints / 4, qPrintable(QString::number(plot.announced)));
    const QString value = valueOf(*childNamed(*about, "validation"));
    QVERIFY2(value.startsWith("last 3, smallest 3, largest 6.9"), qPrintable(value));
    // Nothing is said of what does not change.
    QTest::qWait(2 * SpokenDrawing::kAnnounceMs);
    plot.announced = 0;
    QTest::qWait(2 * SpokenDrawing::kAnnounceMs);
    QCOMPARE(plot.announced, 0);
    // A curve that goes takes its child along.
    const QAccessibleInterface* gone = about->child(0);
    plot.removeSeries(series);
    QVERIFY(!gone->isValid());
    QCOMPARE(about->childCount(), 0);
    QVERIFY(!about->child(0));
  }

  void lanesSpeakEachDevice() {
    auto& lanes = drawing<LaneView>();
    QTRY_VERIFY(lanes.isVisible());
    const QAccessibleInterface* about = spoken(lanes);
    QCOMPARE(about->childCount(), 1);
    QVERIFY2(valueOf(*about->child(0)).contains("compute"), qPrintable(valueOf(*about->child(0))));
    QVERIFY(about->text(QAccessible::Description).contains("compute"));
    QVERIFY(lanes.rect().contains(QRect(lanes.mapFromGlobal(about->child(0)->rect().topLeft()),
                                        about->child(0)->rect().size())));
  }

  void theGraphSpeaksItsBoxes() {
    parts_->window().showPage("experiment/model");
    QVERIFY(comesToRest(parts_->window(), kLongMs));
    auto& graph = drawing<GraphView>();
    const QAccessibleInterface* about = spoken(graph);
    QCOMPARE(about->role(), QAccessible::Graphic);
    QCOMPARE(nameOf(*about), QString("Graph of the model"));
    QCOMPARE(about->childCount(), static_cast<int>(graph.boxes().size()));
    QAccessibleInterface* user = childNamed(*about, "user, query tower");
    QVERIFY(user);
    QVERIFY2(valueOf(*user).contains("table user"), qPrintable(valueOf(*user)));
    QVERIFY2(valueOf(*user).contains("read by "), qPrintable(valueOf(*user)));
    QVERIFY(!user->state().selected);
    graph.select("/features/0");
    QVERIFY(about->child(0)->state().selected);
    QVERIFY(valueOf(*about).contains("; " + nameOf(*about->child(0))));
  }

  void thePlanSpeaksItsBlocks() {
    parts_->window().showPage("experiment/mesh");
    QVERIFY(comesToRest(parts_->window(), kLongMs));
    auto& plan = drawing<PlanView>();
    QTRY_VERIFY_WITH_TIMEOUT(!plan.picture().columns.empty(), kLongMs);
    const QAccessibleInterface* about = spoken(plan);
    QVERIFY2(valueOf(*about).contains("cpu:0 holds "), qPrintable(valueOf(*about)));
    QAccessibleInterface* item = childNamed(*about, "item on cpu:0");
    QVERIFY(item);
    QVERIFY(valueOf(*item).contains("item"));
    plan.selectTable(plan.picture().columns[0].blocks[about->indexOfChild(item)].table);
    QVERIFY(item->state().selected);
  }

  void everyDrawingOfTheWindowHasANameAndParts() {
    QStringList faults;
    int drawings = 0;
    for (QWidget* widget : parts_->window().findChildren<QWidget*>()) {
      const auto* drawn = dynamic_cast<const SpokenDrawing*>(widget);
      if (!drawn) continue;
      ++drawings;
      const QAccessibleInterface* about = spoken(*widget);
      if (!about || nameOf(*about).isEmpty())
        faults << QString("%1 has no name").arg(widget->metaObject()->className());
      for (int i = 0; about && i < about->childCount(); ++i)
        if (nameOf(*about->child(i)).isEmpty() || valueOf(*about->child(i)).isEmpty())
          faults << QString("%1: part %2").arg(widget->metaObject()->className()).arg(i);
    }
    QVERIFY(drawings >= 8);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }
};

QTEST_MAIN(AccessibleDrawingsTest)
#include "accessible_drawings_test.moc"
