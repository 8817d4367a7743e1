// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_plot.h"
#include "ui/plots/plot_theme.h"

#include <qcustomplot.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QHelpEvent>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <algorithm>

#include "engine/base/result.h"
#include "tests/plots/steps.h"
#include "ui/plots/chart_link.h"
#include "ui/plots/curve_table_model.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

QCustomPlot& inside(CurvePlot& plot) {
  return *plot.findChild<QCustomPlot*>();
}

}  // namespace

class CurvePlotTest : public QObject {
  Q_OBJECT

 private slots:
  void labelsOfCloseLevelsStandApart() {
    // Far apart they stand on their lines.
    QCOMPARE(spreadLabels({50, 90}, 10, 0, 100), (std::vector<double>{50, 90}));
    // Close ones are as near to their lines as they can be, in the order of the lines.
    QCOMPARE(spreadLabels({88, 90, 86}, 10, 0, 100), (std::vector<double>{86, 100, 76}));
    QCOMPARE(spreadLabels({115, 126, 143}, 17, 0, 150), (std::vector<double>{98, 115, 143}));
    // A label that would leave the top stands below.
    QCOMPARE(spreadLabels({3}, 10, 0, 100), (std::vector<double>{13}));
    QCOMPARE(spreadLabels({3, 5}, 10, 0, 100), (std::vector<double>{15, 25}));
    QVERIFY(spreadLabels({}, 10, 0, 100).empty());
  }

  void noLineGoesThroughTheLabelOfALevel() {
    constexpr double kHeight = 10, kTop = 0, kBottom = 200;
    for (unsigned seed = 1; seed < 400; ++seed) {
      unsigned state = seed * 2654435761U;
      std::vector<double> lines;
      for (unsigned line = 0; line <= seed % 6; ++line) {
        state = state * 1664525U + 1013904223U;
        lines.push_back(double(state >> 16) / 65536.0 * (seed % 2 ? 40.0 : 120.0));
      }
      const std::vector<double> edges = spreadLabels(lines, kHeight, kTop, kBottom);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        QVERIFY(edges[i] - kHeight >= kTop && edges[i] <= kBottom);
        for (const double line : lines)
          QVERIFY2(line <= edges[i] - kHeight + 1e-9 || line >= edges[i] - 1e-9,
                   qPrintable(QString("seed %1").arg(seed)));
        for (std::size_t k = 0; k < i; ++k)
          QVERIFY(std::abs(edges[i] - edges[k]) >= kHeight - 1e-9);
      }
    }
  }

  void linesStayBehindTheLabelsOfLevels() {
    CurvePlot plot("recall", {});
    plot.resize(600, 400);
    plot.addLevel("EASE", 0.5);
    const int late = plot.addPoints("late");
    plot.setPoints(late, {{.epoch = 1, .value = 0.52}, {.epoch = 2, .value = 0.5}});
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    const auto labels = inside(plot).findChildren<QCPItemText*>();
    QCOMPARE(labels.size(), 1);
    QVERIFY(labels[0]->brush().color().alpha() > 128);
    QVERIFY(labels[0]->layer()->index() > inside(plot).graph(0)->layer()->index());
  }

  void theCrosshairGoesFromValueToValueAndACurveCanBeClicked() {
    CurvePlot plot("recall", {});
    plot.resize(600, 400);
    plot.setXAxis(XAxis::kEpoch);
    const int low = plot.addPoints("low"), high = plot.addPoints("high");
    plot.setPoints(low, {{.epoch = 1, .value = 0.1}, {.epoch = 2, .value = 0.2}});
    plot.setPoints(high, {{.epoch = 1, .value = 0.8}, {.epoch = 2, .value = 0.9}});
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    plot.refreshNow();
    QCustomPlot& canvas = inside(plot);
    const auto pixel = [&canvas](double x, double y) {
      return QPointF(canvas.xAxis->coordToPixel(x), canvas.yAxis->coordToPixel(y)).toPoint();
    };
    QSignalSpy pointed(&plot, &CurvePlot::pointedAt), clicked(&plot, &CurvePlot::curveClicked);
    QTest::mouseMove(&canvas, pixel(1.4, 0.5));
    QTRY_COMPARE(plot.crosshair().value_or(-1.0), 1.0);
    QTest::mouseMove(&canvas, pixel(1.6, 0.5));
    QTRY_COMPARE(plot.crosshair().value_or(-1.0), 2.0);
    QCOMPARE(pointed.back().front().toDouble(), 2.0);
    // Away from curves a click says nothing.
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, pixel(1.5, 0.5));
    QVERIFY(clicked.isEmpty());
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, pixel(1.5, 0.85));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.front().front().toInt(), high);
    // The other one steps back.
    QTest::mouseMove(&canvas, pixel(1.5, 0.85));
    const auto alphaOf = [&canvas](const QString& name) {
      for (int i = 0; i < canvas.graphCount(); ++i)
        if (canvas.graph(i)->name() == name) return canvas.graph(i)->pen().color().alpha();
      return -1;
    };
    QTRY_VERIFY(alphaOf("low") < 255);
    QCOMPARE(alphaOf("high"), 255);
  }

  void showsEverySeries() {
    installSpokenDrawings();
    CurvePlot plot("loss", "nats");
    plot.resize(800, 500);
    const int train = plot.addSteps("train");
    const int validation = plot.addPoints("validation");
    plot.addLevel("constant", 6.5);
    plot.appendSteps(train, test::steps(1, 400));
    plot.setStepsPerEpoch(validation, 80);
    plot.appendPoint(validation, {.epoch = 2, .value = 6.0});
    plot.show();
    QTRY_VERIFY(!plot.dirty());
    QCOMPARE(inside(plot).legend->itemCount(), 3);
    QCOMPARE(plot.drawn(train).x.size(), 400u);
    QCOMPARE(inside(plot).yAxis->label(), "loss [nats]");
    const QString spoken =
        QAccessible::queryAccessibleInterface(&plot)->text(QAccessible::Description);
    QVERIFY2(spoken.contains("constant: 6.5"), qPrintable(spoken));
    QVERIFY(plot.readout(160).contains("validation 6"));
    plot.removeSeries(train);
    QCOMPARE(inside(plot).legend->itemCount(), 2);
    QVERIFY_EXCEPTION_THROWN(plot.appendSteps(train, {}), InvalidArgument);
  }

  void theLegendNamesWhatIsDrawn() {
    CurvePlot plot("loss", "");
    plot.resize(800, 500);
    const int train = plot.addSteps("train");
    const int validation = plot.addPoints("validation");
    const int published = plot.addPoints("published", SeriesRole::kReference);
    plot.setPoints(published, {{.epoch = 1, .value = 5.0}});
    plot.refreshNow();
    QCOMPARE(inside(plot).legend->itemCount(), 0);  // no step is known of it
    plot.appendSteps(train, test::steps(1, 400));
    plot.refreshNow();
    QCOMPARE(inside(plot).legend->itemCount(), 1);
    plot.appendPoint(validation, {.step = 200, .value = 6.0});
    plot.setStepsPerEpoch(published, 80);
    plot.refreshNow();
    QCOMPARE(inside(plot).legend->itemCount(), 3);
  }

  void pointsApartHaveMarksAndNoLine() {
    CurvePlot plot("loss", "");
    plot.resize(800, 500);
    plot.appendSteps(plot.addSteps("train"), test::steps(1, 100));
    const int apart = plot.addPoints("apart", SeriesRole::kApart, CurvePlot::AxisUse::kNone);
    plot.refreshNow();
    const PlotView before = plot.view();
    plot.setPoints(apart, {{.step = 50, .value = -1000.0}, {.step = 100, .value = 6.0}});
    plot.refreshNow();
    QVERIFY(plot.view() == before);
    int marked = 0;
    for (int i = 0; i < inside(plot).graphCount(); ++i) {
      const QCPGraph& graph = *inside(plot).graph(i);
      if (graph.lineStyle() != QCPGraph::lsNone) continue;
      ++marked;
      QVERIFY(!graph.scatterStyle().isNone());
    }
    QCOMPARE(marked, 1);
  }

  /// A published run of other data may be anywhere: it is drawn, and the axes stay with the run.
  void aReferenceNeverSetsTheAxes() {
    CurvePlot plot("loss", "");
    plot.resize(800, 500);
    const int train = plot.addSteps("train");
    plot.appendSteps(train, test::steps(1, 100));
    plot.refreshNow();
    const PlotView before = plot.view();
    const int published =
        plot.addPoints("published", SeriesRole::kReference, CurvePlot::AxisUse::kNone);
    plot.setPoints(published, {{.step = 50, .value = 1000.0}, {.step = 90'000, .value = -7.0}});
    plot.refreshNow();
    QVERIFY(plot.view() == before);
    QVERIFY(!plot.drawn(published).x.empty());
    const int own = plot.addPoints("own");
    plot.setPoints(own, {{.step = 50, .value = 1000.0}});
    plot.refreshNow();
    QVERIFY(plot.view().top > 1000.0);
  }

  void epochsAreTickedOneByOneAndTheLastStandsWithin() {
    CurvePlot plot("val_loss", "");
    plot.resize(900, 400);
    plot.setXAxis(XAxis::kEpoch);
    const int validation = plot.addPoints("validation");
    plot.setPoints(
        validation,
        {{.epoch = 1, .value = 7.2}, {.epoch = 2, .value = 6.9}, {.epoch = 3, .value = 6.8}});
    plot.refreshNow();
    const QCPAxis& axis = *inside(plot).xAxis;
    QCOMPARE(axis.tickVectorLabels(), (QVector<QString>{"0", "1", "2", "3"}));
    QVERIFY(axis.range().upper > 3.0);
    QVERIFY(axis.range().upper < 3.1);
    // A view within one epoch has ticks of its own.
    plot.zoomTo({1.2, 1.7, 6, 8});
    plot.refreshNow();
    QVERIFY(axis.tickVectorLabels().size() > 1);
    QVERIFY(axis.tickVectorLabels().front().contains('.'));
  }

  void theLegendGivesWayToTheWidth() {
    CurvePlot plot("loss", "");
    for (const char* name : {"step loss", "epoch loss", "as displayed", "val_loss", "mean label"})
      plot.setPoints(plot.addPoints(name), {{.step = 1.0, .value = 0.5}});
    plot.resize(900, 400);
    plot.refreshNow();
    QCOMPARE(inside(plot).legend->columnCount(), 5);
    QVERIFY(plot.minimumSizeHint().width() < 320);
    plot.resize(320, 400);
    plot.refreshNow();
    QVERIFY(inside(plot).legend->columnCount() < 4);
    QVERIFY(inside(plot).legend->rowCount() > 1);
    int named = 0;  // a cell of the last row may be empty
    for (int i = 0; i < inside(plot).legend->itemCount(); ++i)
      named += inside(plot).legend->item(i) != nullptr;
    QCOMPARE(named, 5);
    QVERIFY(inside(plot).legend->outerRect().right() <= 320);
  }

  void aLongLegendLeavesHalfOfTheHeightToTheCurves_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("curves");
    for (const int width : {320, 560, 1100})
      for (const int height : {240, 300, 480})
        for (const int curves : {9, 40})
          QTest::addRow("%d curves in %d x %d", curves, width, height)
              << QSize(width, height) << curves;
  }
  void aLongLegendLeavesHalfOfTheHeightToTheCurves() {
    QFETCH(const QSize, size);
    QFETCH(const int, curves);
    CurvePlot plot("loss", "");
    QStringList names;
    for (int i = 1; i <= curves; ++i) {
      names << QStringLiteral("val_loss: mean of ten seeds, curve %1").arg(i);
      plot.setPoints(plot.addPoints(names.back()), {{.step = 1.0 * i, .value = 0.5}});
    }
    plot.resize(size);
    plot.refreshNow();
    const QCustomPlot& drawn = inside(plot);
    QVERIFY2(2 * drawn.axisRect()->height() >= size.height(),
             qPrintable(QString::number(drawn.axisRect()->height())));
    QVERIFY(drawn.legend->outerRect().right() <= size.width());
    // Every name is there, or is counted, and the tooltip has all of them.
    int named = 0, counted = 0;
    for (int i = 0; i < drawn.legend->elementCount(); ++i) {
      named += drawn.legend->item(i) != nullptr;
      if (const auto* rest = qobject_cast<QCPTextElement*>(drawn.legend->elementAt(i)))
        counted = rest->text().section(' ', 1, 1).toInt();
    }
    QCOMPARE(named + counted, curves);
    plot.show();
    QHelpEvent help(QEvent::ToolTip, drawn.legend->outerRect().center(), {});
    QCoreApplication::sendEvent(&inside(plot), &help);
    QCOMPARE(QToolTip::text(), names.join('\n'));
    QToolTip::hideText();
  }

  void noTwoTicksOfAnAxisReadTheSame_data() {
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("size");
    for (const double from : {0.0, 0.5, 1.0, 1234.0})
      for (const double size :
           {2.0e-7, 0.003, 0.3, 1.0, 1.2, 2.0, 2.6, 5.0, 6.2, 11.0, 13.0, 900.0})
        QTest::addRow("%g and %g more", from, size) << from << size;
  }
  void noTwoTicksOfAnAxisReadTheSame() {
    QFETCH(const double, from);
    QFETCH(const double, size);
    CurvePlot plot("loss", "");
    plot.appendSteps(plot.addSteps("train"), test::steps(1, 10));
    for (const XAxis axis : {XAxis::kStep, XAxis::kEpoch, XAxis::kSeconds})
      for (const int width : {240, 500, 1400}) {
        plot.setXAxis(axis);
        plot.resize(width, 400);
        plot.zoomTo({from, from + size, from, from + size});
        plot.refreshNow();
        for (const QCPAxis* each : {inside(plot).xAxis, inside(plot).yAxis}) {
          QStringList labels = each->tickVectorLabels();
          QVERIFY2(labels.removeDuplicates() == 0,
                   qPrintable(QStringList(each->tickVectorLabels()).join(' ')));
        }
        // A number is where its tick is.
        const QCPAxis& y = *inside(plot).yAxis;
        for (qsizetype i = 0; i < y.tickVector().size(); ++i)
          QVERIFY(std::abs(y.tickVectorLabels()[i].toDouble() - y.tickVector()[i]) <= 0.01 * size);
      }
  }

  void whatAPersonChoosesIsDrawnInTheNextTurn() {
    CurvePlot plot("loss", "");
    plot.resize(800, 500);
    const int train = plot.addSteps("train");
    plot.setStepsPerEpoch(train, 1000);
    plot.appendSteps(train, test::steps(1, 100'000));
    plot.show();
    QTRY_VERIFY(!plot.dirty());
    QVERIFY(plot.view().right > 90'000.0);
    plot.setXAxis(XAxis::kEpoch);
    QCoreApplication::processEvents();
    QVERIFY(!plot.dirty());
    QVERIFY(plot.view().right < 110.0);
    // Data wait for their time.
    plot.appendSteps(train, test::steps(100'001, 100'002));
    QVERIFY(plot.dirty());
    plot.hide();
    plot.appendSteps(train, test::steps(100'003, 200'000));
    plot.show();
    QCoreApplication::processEvents();
    QVERIFY(!plot.dirty());
    QVERIFY(plot.view().right > 190.0);
  }

  void linkedPlotsZoomAndPointTogether() {
    CurvePlot loss("loss", ""), recall("recall@10", "");
    ChartLink link;
    link.add(&loss);
    link.add(&recall);
    const int train = loss.addSteps("train"), values = recall.addPoints("recall@10");
    loss.appendSteps(train, test::steps(1, 100));
    recall.setPoints(values, {{.step = 10, .value = 0.1},
                              {.step = 20, .value = 0.2},
                              {.step = 30, .value = 0.3},
                              {.step = 90, .value = 0.9}});
    for (CurvePlot* plot : {&loss, &recall}) plot->resize(600, 300);
    loss.zoomTo({15, 25, 0, 1});
    recall.refreshNow();
    QCOMPARE(recall.view().left, 15.0);
    QCOMPARE(recall.view().right, 25.0);
    // The curve has a y range of its own, over its points and the neighbours that the line comes from.
    QVERIFY(recall.view().top < 0.4);
    QVERIFY(!recall.zoomHistory().canGoBack());
    emit loss.pointedAt(20.0);
    QCOMPARE(recall.crosshair().value_or(-1.0), 20.0);
    emit loss.pointerLeft();
    QVERIFY(!recall.crosshair());
    // The other way round, and back to everything.
    recall.zoomTo({5, 60, 0, 1});
    QVERIFY(loss.zoomedX() == std::pair(5.0, 60.0));
    loss.zoomReset();
    recall.refreshNow();
    QVERIFY(!recall.zoomedX());
    QCOMPARE(recall.view().right, 1.01 * 90.0);  // all of it, and a margin
    // One that comes late shows what the others show.
    recall.zoomTo({5, 60, 0, 1});
    CurvePlot late("ndcg@10", "");
    link.add(&late);
    QVERIFY(late.zoomedX() == std::pair(5.0, 60.0));
  }

  void reducesManyPointsToThePixels() {
    CurvePlot plot("recall@10", "");
    plot.resize(400, 300);
    const int values = plot.addPoints("recall@10");
    for (int epoch = 1; epoch <= 20'000; ++epoch)
      plot.appendPoint(values, {.step = double(epoch), .value = epoch == 7777 ? 9.0 : 0.1});
    plot.refreshNow();
    const DrawnCurve& drawn = plot.drawn(values);
    QVERIFY(drawn.x.size() <= 2 * static_cast<std::size_t>(plot.pixelWidth()) + 2);
    QCOMPARE(std::ranges::max(drawn.y), 9.0);
    QVERIFY(std::ranges::is_sorted(drawn.x));
  }

  void feedsAtMostTwiceTheWidth() {
    CurvePlot plot("loss", "");
    plot.resize(900, 500);
    const int train = plot.addSteps("train");
    plot.appendSteps(train, test::steps(1, 1000000));
    plot.show();
    QTRY_VERIFY(!plot.dirty());
    const int width = inside(plot).axisRect()->width();
    for (int i = 0; i < inside(plot).graphCount(); ++i) {
      const int fed = inside(plot).graph(i)->dataCount();
      QVERIFY2(fed > width / 3 && fed <= 2 * width, qPrintable(QString::number(fed)));
    }
  }

  void staysDirtyWhileHidden() {
    CurvePlot plot("loss", "");
    const int train = plot.addSteps("train");
    plot.appendSteps(train, test::steps(1, 10));
    // A plot that is shown and got its data later has been drawn.
    CurvePlot shown("loss", "");
    shown.show();
    shown.appendSteps(shown.addSteps("train"), test::steps(1, 10));
    QTRY_VERIFY(!shown.dirty());
    QVERIFY(plot.dirty());
    QCOMPARE(plot.drawn(train).x.size(), 0u);
    plot.show();
    QTRY_VERIFY(!plot.dirty());
    QCOMPARE(plot.drawn(train).x.size(), 10u);
  }

  void zoomsByDragAndWalksBack() {
    CurvePlot plot("loss", "");
    plot.resize(800, 500);
    plot.appendSteps(plot.addSteps("train"), test::steps(1, 5000));
    plot.show();
    QTRY_VERIFY(!plot.dirty());
    const PlotView all = plot.view();
    const QRect area = inside(plot).axisRect()->rect();
    const QPoint from = area.topLeft() + QPoint(area.width() / 4, 20), to = area.center();
    QTest::mousePress(&inside(plot), Qt::LeftButton, {}, from);
    QTest::mouseMove(&inside(plot), from + QPoint(30, 30));
    QTest::mouseMove(&inside(plot), to);
    QTest::mouseRelease(&inside(plot), Qt::LeftButton, {}, to);
    QVERIFY(plot.zoomHistory().canGoBack());
    QTRY_VERIFY(!plot.dirty());
    const PlotView near = plot.view();
    QVERIFY(std::abs(near.left - 1250.0) < 20.0 && std::abs(near.right - 2500.0) < 20.0);
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Plus);
    QTRY_VERIFY(!plot.dirty());
    QVERIFY(plot.view().right - plot.view().left < near.right - near.left);
    plot.zoomBack();
    QTRY_VERIFY(!plot.dirty());
    QCOMPARE(plot.view(), near);
    plot.zoomReset();
    QTRY_VERIFY(!plot.dirty());
    QCOMPARE(plot.view(), all);
  }

  void marksNonFiniteValues() {
    CurvePlot plot("loss", "");
    const int train = plot.addSteps("train");
    std::vector<experiment::StepBucket> all = test::steps(1, 100000);
    all[49999] = test::nanStep(50000);
    plot.appendSteps(train, all);
    plot.refreshNow();
    QCOMPARE(plot.drawn(train).nonFiniteX.size(), 1u);
    QVERIFY(std::abs(plot.drawn(train).nonFiniteX[0] - 50000.0) < 1000.0);
  }

  void followsThePalette() {
    CurvePlot plot("loss", "");
    plot.addSteps("train");
    const QRgb lightLine = inside(plot).graph(2)->pen().color().rgb();
    QPalette dark = plot.palette();
    dark.setColor(QPalette::Base, QColor(30, 30, 30));
    dark.setColor(QPalette::Text, Qt::white);
    plot.setPalette(dark);
    plot.resize(400, 300);
    QCOMPARE(inside(plot).xAxis->labelColor(), QColor(Qt::white));
    QCOMPARE(inside(plot).legend->textColor(), QColor(Qt::white));
    QVERIFY(inside(plot).graph(2)->pen().color().rgb() != lightLine);
    QCOMPARE(plot.grab().toImage().pixelColor(2, 2), QColor(30, 30, 30));
  }

  void exportsWhatItHolds() {
    QTemporaryDir folder;
    CurvePlot plot("loss", "nats");
    plot.resize(400, 300);
    plot.appendSteps(plot.addSteps("train"), test::steps(1, 3000));
    plot.zoomTo({10, 20, 0, 10});
    const QString csv = folder.filePath("a.csv");
    QVERIFY(plot.exportTo(csv).ok());
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    file.readLine();
    for (std::int64_t step = 1; step <= 3000; ++step) {
      const QList<QByteArray> cells = file.readLine().split(',');
      QCOMPARE(cells[1].toLongLong(), step);
      QCOMPARE(cells[7].toDouble(), test::lossAt(step));
    }
    QVERIFY(file.atEnd());
    for (const char* ending : {"png", "pdf", "svg", "json"}) {
      const QString path = folder.filePath(QString("a.") + ending);
      QVERIFY2(plot.exportTo(path).ok(), ending);
      QVERIFY(QFile(path).size() > 500);
    }
    QCOMPARE(plot.exportTo(csv).value(), std::string());
    plot.appendSteps(plot.addSteps("=run()"), test::steps(1, 2));
    QVERIFY(plot.exportTo(csv).value().find("a spreadsheet would take 2 cells") == 0);
    QString told;
    connect(&plot, &CurvePlot::failed, this,
            [&told](const Error& note) { told = QString::fromStdString(note.message); });
    plot.copyData();
    QVERIFY2(told.startsWith("a spreadsheet would take 2 cells"), qPrintable(told));
    QVERIFY(!plot.exportTo(folder.filePath("a.gif")).ok());
    QVERIFY(!plot.exportTo("/nonexistent/a.png").ok());
    QVERIFY(!plot.exportTo("/nonexistent/a.csv").ok());
  }

  void mirrorsItsDataIntoATable() {
    CurveTableModel table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    CurvePlot plot("loss", "");
    const int train = plot.addSteps("train");
    plot.appendSteps(train, test::steps(1, 50));
    plot.setTable(&table);
    plot.addLevel("constant", 2.0);
    plot.appendSteps(train, test::steps(51, 60));
    QCOMPARE(table.rowCount(), 61);
    plot.truncateAfter(train, 10);
    QCOMPARE(table.rowCount(), 11);
  }
};

QTEST_MAIN(CurvePlotTest)
#include "curve_plot_test.moc"
