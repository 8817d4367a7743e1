// SPDX-License-Identifier: GPL-3.0-or-later
// The tour of the window: six steps, each with its page and a frame around what it speaks of.
#include <QPushButton>
#include <QTest>

#include "app/parapet/parts.h"
#include "tests/ui/test_bench.h"
#include "tests/ui/window_look.h"
#include "ui/pages/frame/tour.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;
using window::Parts;

namespace {

constexpr int kLongMs = 60'000;

}  // namespace

class TourTest : public QObject {
  Q_OBJECT

  TestBench bench_;
  std::unique_ptr<Parts> parts_;

  MainWindow& window() { return parts_->window(); }
  Tour& tour() { return *window().findChild<Tour*>("tour"); }
  QPushButton& button(const char* name) { return *tour().findChild<QPushButton*>(name); }
  std::unique_ptr<Parts> open() {
    auto made = Parts::make((bench_.folder.path() + "/own").toStdString(),
                            (bench_.folder.path() + "/config").toStdString());
    if (!made) return nullptr;
    auto parts = std::move(made).value();
    parts->window().restore();
    parts->window().beginWith("sample");
    parts->window().show();
    return parts;
  }

 private slots:
  void initTestCase() {
    applyTheme(Theme::kLight);
    parts_ = open();
    QVERIFY(parts_);
  }
  void cleanupTestCase() { parts_.reset(); }

  void eachStepShowsItsPageAndFramesWhatItSpeaksOf() {
    QVERIFY(tour().isHidden());
    window().offerTour();
    const std::vector<std::pair<QString, QString>> steps{{"home", "dataCard"},
                                                         {"experiment", "dataSteps"},
                                                         {"experiment", "run.run.button"},
                                                         {"train", "headline"},
                                                         {"browse", ""},
                                                         {"experiment", "commandBar"}};
    for (const QSize size : {QSize(1280, 800), QSize(960, 540)}) {
      window().resize(size);
      tour().begin();
      for (const auto& [page, target] : steps) {
        QVERIFY(comesToRest(window(), kLongMs));
        QVERIFY(tour().isVisible());
        QCOMPARE(window().currentPage(), page);
        const auto* mark = window().findChild<QWidget*>("tourMark");
        const auto* framed = target.isEmpty() ? nullptr : window().findChild<QWidget*>(target);
        QCOMPARE(mark->isVisible(), framed && !framed->visibleRegion().isEmpty());
        if (mark->isVisible()) {
          const QRect inside = mark->geometry().marginsRemoved({4, 4, 4, 4});
          QVERIFY(inside.contains(shownRect(*framed, window())));
          QVERIFY(QRect(framed->mapTo(&window(), QPoint()), framed->size()).contains(inside));
        }
        for (const QString& fault : faultsOf(tour())) QFAIL(qPrintable(fault));
        QVERIFY(button("tourNext").hasFocus());
        if (&steps.back() != &*std::ranges::find(steps, std::pair{page, target}))
          QTest::keyClick(&button("tourNext"), Qt::Key_Space);
      }
      QVERIFY(!button("tourSkip").isVisible());
      QTest::mouseClick(&button("tourBack"), Qt::LeftButton);
      QCOMPARE(window().currentPage(), QString("browse"));
    }
    QTest::mouseClick(&button("tourNext"), Qt::LeftButton);
    QTest::mouseClick(&button("tourNext"), Qt::LeftButton);
    QVERIFY(tour().isHidden());
    QVERIFY(!window().findChild<QWidget*>("tourMark")->isVisible());
  }

  void aTourThatWasSeenIsNotOfferedAgain() {
    QVERIFY(parts_->settings().tourSeen());
    parts_.reset();
    parts_ = open();
    QVERIFY(parts_);
    window().offerTour();
    QVERIFY(tour().isHidden());
    for (QAction* action : window().allActions())
      if (action->objectName() == "help.tour") action->trigger();
    QVERIFY(tour().isVisible());
    QTest::keyClick(&button("tourNext"), Qt::Key_Escape);
    QVERIFY(tour().isHidden());
    QVERIFY(comesToRest(window(), kLongMs));
  }
};

QTEST_MAIN(TourTest)
#include "tour_test.moc"
