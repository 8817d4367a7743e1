// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_plot.h"

#include <QSignalSpy>
#include <QTest>

#include "ui/bridge/pause.h"

using namespace parapet::ui;

class ZoomHistoryTest : public QObject {
  Q_OBJECT

 private slots:
  void walksBackAndForward() {
    ZoomHistory zoom;
    const PlotView a{0, 10, 0, 1}, b{2, 3, 0, 1}, c{4, 5, 0, 1};
    QVERIFY(!zoom.canGoBack() && !zoom.current());
    zoom.push(a);
    zoom.push(b);
    zoom.back();
    QCOMPARE(*zoom.current(), a);
    zoom.forward();
    QCOMPARE(*zoom.current(), b);
    zoom.back();
    zoom.push(c);
    QVERIFY(!zoom.canGoForward());
    zoom.replace(b);
    zoom.back();
    QCOMPARE(*zoom.current(), a);
    zoom.back();
    QVERIFY(!zoom.current() && !zoom.canGoBack());
  }

  void keepsEverythingAsTheFirstEntry() {
    ZoomHistory zoom;
    for (int i = 0; i < 500; ++i) zoom.push({static_cast<double>(i), i + 1.0, 0, 1});
    std::size_t depth = 0;
    for (; zoom.canGoBack(); ++depth) zoom.back();
    QCOMPARE(depth, ZoomHistory::kDepth - 1);
    QVERIFY(!zoom.current());
  }

  void coalescesRequestsAndBacksOff() {
    ReplotTimer timer;
    QSignalSpy due(&timer, &ReplotTimer::due);
    for (int i = 0; i < 100; ++i) timer.request();
    QVERIFY(due.wait(2000));
    QVERIFY(!timer.pending());
    QCOMPARE(due.size(), 1);
    timer.setCost(0.5);
    QCOMPARE(timer.intervalMs(), 40);
    timer.setCost(10.0);
    QCOMPARE(timer.intervalMs(), 500);  // 10 ms of drawing in 510: below 2 % of a core
    // A refresh that a person asks for comes in the next turn, together with the one that was waiting.
    timer.setCost(1000.0);
    due.clear();
    timer.request();
    timer.requestNow();
    QCoreApplication::processEvents();
    QCOMPARE(due.size(), 1);
    QVERIFY(!timer.pending());
  }
};

QTEST_GUILESS_MAIN(ZoomHistoryTest)
#include "zoom_history_test.moc"
