// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_series.h"

#include <QTest>
#include <set>

#include "engine/base/result.h"
#include "tests/plots/steps.h"
#include "ui/plots/curve_export.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

double luminance(const QColor& color) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

class CurveSeriesTest : public QObject {
  Q_OBJECT

 private slots:
  void smoothsAConstantToItself() {
    DebiasedEma ema(0.9);
    for (const auto& bucket : ema.smooth(std::vector{test::stepOf(1, 3.0), test::stepOf(2, 3.0)}))
      QVERIFY(std::abs(bucket.last - 3.0) < 1e-12);
  }

  void smoothsToClosedForm() {
    // w = 1/2 over 1, 3: m = 1/4 + 3/2 = 7/4, c = 3/4.
    DebiasedEma ema(0.5);
    const auto smooth = ema.smooth(std::vector{test::stepOf(1, 1.0), test::stepOf(2, 3.0)});
    QCOMPARE(smooth[0].last, 1.0);
    QVERIFY(std::abs(smooth[1].last - 7.0 / 3.0) < 1e-12);
  }

  void smoothsBeforeItReduces() {
    CurveSeries whole("a", CurveSeries::Kind::kSteps, SeriesRole::kTraining);
    whole.append(test::steps(1, 4000));
    whole.setSmoothing(0.9);
    const DrawnCurve coarse = whole.draw(XAxis::kStep, 0, 4000, 100, false);
    const DrawnCurve fine = whole.draw(XAxis::kStep, 0, 4000, 5000, false);
    QVERIFY(coarse.x.size() <= 100 && fine.x.size() == 4000);
    for (std::size_t i = 0; i < coarse.x.size(); ++i)
      QCOMPARE(coarse.y[i], fine.y[static_cast<std::size_t>(coarse.x[i]) - 1]);
  }

  void smoothsLiveAsAtOnce() {
    CurveSeries live("a", CurveSeries::Kind::kSteps, SeriesRole::kTraining), once = live;
    live.setSmoothing(0.8);
    for (std::int64_t step = 1; step <= 500; ++step) live.append(test::steps(step, step));
    live.truncateAfter(300);
    live.append(test::steps(301, 500));
    once.append(test::steps(1, 500));
    once.setSmoothing(0.8);
    QCOMPARE(live.draw(XAxis::kStep, 0, 500, 64, false).y,
             once.draw(XAxis::kStep, 0, 500, 64, false).y);
  }

  void refusesWeightsOutsideTheRange() {
    for (const double weight : {-0.1, 1.0, 1.5, static_cast<double>(NAN)})
      QVERIFY_EXCEPTION_THROWN(DebiasedEma{weight}, InvalidArgument);
  }

  void placesEpochPointsOnTheStepAxis() {
    CurveSeries points("v", CurveSeries::Kind::kPoints, SeriesRole::kValidation);
    points.append(CurvePoint{.epoch = 2.0, .value = 7.0});
    QVERIFY(points.draw(XAxis::kStep, 0, 200, 100, false).x.empty());
    points.setStepsPerEpoch(80);
    QCOMPARE(points.draw(XAxis::kStep, 0, 200, 100, false).x, std::vector{160.0});
  }

  void pointsHaveABandWhereTheyAreMeans() {
    CurveSeries points("v", CurveSeries::Kind::kPoints, SeriesRole::kReference);
    points.setPoints({{.step = 1, .value = 2.0}, {.step = 2, .value = 4.0}});
    QVERIFY(points.draw(XAxis::kStep, 0, 3, 100, false).lower.empty());
    points.setPoints(
        {{.step = 1, .value = 2.0, .low = 1.0, .high = 3.0}, {.step = 2, .value = 4.0}});
    const DrawnCurve drawn = points.draw(XAxis::kStep, 0, 3, 100, false);
    QCOMPARE(drawn.lower[0], 1.0);
    QCOMPARE(drawn.upper[0], 3.0);
    QVERIFY(std::isnan(drawn.lower[1]));
  }

  void hidesWhatALogarithmCannotShow() {
    CurveSeries points("v", CurveSeries::Kind::kPoints, SeriesRole::kValidation);
    points.setPoints({{.step = 1, .value = 0.0}, {.step = 2, .value = 4.0}});
    const DrawnCurve drawn = points.draw(XAxis::kStep, 0, 3, 100, true);
    QVERIFY(std::isnan(drawn.y[0]));
    QCOMPARE(drawn.y[1], 4.0);
  }

  void exportsEveryValueExactly() {
    CurveSeries train("a,\"b\"", CurveSeries::Kind::kSteps, SeriesRole::kTraining);
    train.append(std::vector{test::stepOf(1, 0.1), test::nanStep(2)});
    const CurveSeries* all[] = {&train};
    QCOMPARE(QString::fromStdString(curvesAsCsv(all)),
             QString("series,first_step,last_step,epoch,seconds,min,max,last,non_finite\n"
                     "\"a,\"\"b\"\"\",1,1,1,0.01,0.1,0.1,0.1,0\n"
                     "\"a,\"\"b\"\"\",2,2,1,0.02,,,,1\n"));
    QVERIFY(curvesAsJson(all).find("\"last\": null") != std::string::npos);
  }

  void givesEachCurveItsOwnLook() {
    std::set<std::pair<QRgb, int>> looks;
    for (int i = 0; i < 3 * kSeriesColors; ++i) {
      const SeriesStyle style = seriesStyle(i, SeriesRole::kTraining, false);
      looks.insert({style.color.rgb(), style.dashes});
    }
    QCOMPARE(looks.size(), std::size_t{3 * kSeriesColors});
  }

  void staysReadableOnItsBackground() {
    for (int i = 0; i < kSeriesColors; ++i) {
      QVERIFY(contrast(seriesStyle(i, SeriesRole::kTraining, false).color, Qt::white) >= 4.5);
      QVERIFY(contrast(seriesStyle(i, SeriesRole::kTraining, true).color, QColor(35, 35, 35)) >=
              4.5);
    }
  }
};

QTEST_GUILESS_MAIN(CurveSeriesTest)
#include "curve_series_test.moc"
