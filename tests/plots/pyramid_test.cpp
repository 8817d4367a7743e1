// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/pyramid.h"

#include <QTest>

#include "engine/base/result.h"
#include "tests/plots/steps.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::StepBucket;

namespace {

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool same(const std::vector<StepBucket>& a, const std::vector<StepBucket>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].firstStep != b[i].firstStep || a[i].lastStep != b[i].lastStep ||
        a[i].epoch != b[i].epoch || !same(a[i].min, b[i].min) || !same(a[i].max, b[i].max) ||
        !same(a[i].last, b[i].last) || a[i].seconds != b[i].seconds ||
        a[i].nonFinite != b[i].nonFinite)
      return false;
  return true;
}

Pyramid built(const std::vector<StepBucket>& buckets) {
  Pyramid pyramid;
  pyramid.append(buckets);
  return pyramid;
}

}  // namespace

class PyramidTest : public QObject {
  Q_OBJECT

 private slots:
  void keepsEveryExtreme_data() {
    QTest::addColumn<int>("spike");
    for (const int step : {1, 2, 7, 8, 4095, 4096, 9999, 10000})
      QTest::newRow(qPrintable(QString::number(step))) << step;
  }
  void keepsEveryExtreme() {
    QFETCH(int, spike);
    std::vector<StepBucket> all = test::steps(1, 10000);
    all[static_cast<std::size_t>(spike - 1)] = test::stepOf(spike, 1000.0);
    const Pyramid pyramid = built(all);
    for (const std::size_t count : {1u, 2u, 3u, 10u, 100u, 777u, 5000u, 20000u}) {
      double most = 0.0;
      for (const StepBucket& bucket : pyramid.query({1, 10000}, count))
        most = std::max(most, bucket.max);
      QCOMPARE(most, 1000.0);
    }
  }

  void mergesToClosedForm() {
    std::vector<StepBucket> all;
    for (std::int64_t step = 1; step <= 63; ++step)
      all.push_back(test::stepOf(step, static_cast<double>(step)));
    const auto blocks = built(all).query({1, 63}, 4);
    QCOMPARE(blocks.size(), 4u);  // [0,16) [16,32) [32,48) [48,64)
    for (std::size_t b = 0; b < 4; ++b) {
      QCOMPARE(blocks[b].firstStep, b == 0 ? 1 : static_cast<std::int64_t>(16 * b));
      QCOMPARE(blocks[b].lastStep, static_cast<std::int64_t>(16 * b + 15));
      QCOMPARE(blocks[b].min, static_cast<double>(blocks[b].firstStep));
      QCOMPARE(blocks[b].last, static_cast<double>(blocks[b].lastStep));
    }
  }

  void neverExceedsTheQueryBound() {
    const Pyramid pyramid = built(test::steps(1, 20000));
    for (std::int64_t first = 1; first < 20000; first += 977)
      for (std::int64_t last = first; last <= 20000; last += 1201)
        for (const std::size_t count : {1u, 2u, 5u, 64u, 1000u}) {
          const auto found = pyramid.query({first, last}, count);
          QVERIFY(found.size() <= count);
          QVERIFY(found.front().firstStep <= first && found.back().lastStep >= last);
        }
  }

  void usesHalfTheBoundAtLeast() {
    // The finest level that fits: one level finer would not.
    QVERIFY(built(test::steps(1, 100000)).query({1, 100000}, 1000).size() > 500);
  }

  void looksTheSameHoweverItArrived() {
    const std::vector<StepBucket> all = test::steps(1, 5000);
    const Pyramid once = built(all);
    for (const std::size_t chunk : {1u, 3u, 64u, 999u}) {
      Pyramid live;
      for (std::size_t i = 0; i < all.size(); i += chunk)
        live.append(std::span(all).subspan(i, std::min(chunk, all.size() - i)));
      for (const std::size_t count : {1u, 7u, 100u, 1500u, 6000u})
        QVERIFY(same(once.query({17, 4711}, count), live.query({17, 4711}, count)));
    }
  }

  void looksTheSameFromMergedArrivals() {
    const std::vector<StepBucket> all = test::steps(1, 4096);
    std::vector<StepBucket> merged;
    for (const StepBucket& bucket : all) {
      if (!merged.empty() && merged.back().lastStep / 4 == bucket.lastStep / 4)
        experiment::joinBucket(merged.back(), bucket);
      else
        merged.push_back(bucket);
    }
    QVERIFY(merged.size() < all.size());
    for (const std::size_t count : {1u, 10u, 500u})
      QVERIFY(same(built(all).query({1, 4096}, count), built(merged).query({1, 4096}, count)));
  }

  void panningKeepsBlocksWhole() {
    const Pyramid pyramid = built(test::steps(1, 8000));
    const auto left = pyramid.query({1001, 3000}, 300), right = pyramid.query({1011, 3010}, 300);
    for (const StepBucket& bucket : right)
      if (bucket.lastStep <= left.back().lastStep)
        QVERIFY(std::any_of(left.begin(), left.end(), [&](const StepBucket& other) {
          return other.firstStep == bucket.firstStep && other.last == bucket.last;
        }));
  }

  void countsNonFiniteApart() {
    std::vector<StepBucket> all = test::steps(1, 100);
    all[49] = test::nanStep(50);
    const Pyramid pyramid = built(all);
    const StepBucket total = pyramid.total();
    QCOMPARE(total.nonFinite, 1);
    QVERIFY(std::isfinite(total.min) && std::isfinite(total.max));
    QCOMPARE(total.last, test::lossAt(100));
    const Pyramid none = built({test::nanStep(1), test::nanStep(2)});
    QVERIFY(std::isnan(none.total().min) && std::isnan(none.total().last));
    QCOMPARE(none.total().nonFinite, 2);
  }

  void truncatedAndResumedEqualsUninterrupted_data() {
    QTest::addColumn<int>("keep");
    for (const int keep : {0, 1, 7, 8, 63, 64, 512, 2999, 4000})
      QTest::newRow(qPrintable(QString::number(keep))) << keep;
  }
  void truncatedAndResumedEqualsUninterrupted() {
    QFETCH(int, keep);
    std::vector<StepBucket> wrong = test::steps(1, 3500);
    for (StepBucket& bucket : wrong)
      if (bucket.lastStep > keep) bucket = test::stepOf(bucket.lastStep, 99.0);
    Pyramid pyramid = built(wrong);
    pyramid.truncateAfter(keep);
    QCOMPARE(pyramid.lastStep(), keep == 0 ? -1 : std::min<std::int64_t>(keep, 3500));
    pyramid.append(test::steps(std::min(keep, 3500) + 1, 6000));
    if (keep > 3500) return;
    const Pyramid straight = built(test::steps(1, 6000));
    for (const std::size_t count : {1u, 9u, 300u, 7000u})
      QVERIFY(same(straight.query({1, 6000}, count), pyramid.query({1, 6000}, count)));
  }

  void refusesStepsOutOfOrder() {
    Pyramid pyramid = built(test::steps(1, 10));
    QVERIFY_EXCEPTION_THROWN(pyramid.append(test::steps(10, 11)), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)pyramid.query({1, 2}, 0), InvalidArgument);
  }

  void findsByStepEpochAndSeconds() {
    const Pyramid pyramid = built(test::steps(1, 800));
    QCOMPARE(pyramid.at(XAxis::kStep, 400.5, 80)->lastStep, 400);
    QCOMPARE(pyramid.at(XAxis::kEpoch, 2.0, 80)->lastStep, 160);
    QCOMPARE(pyramid.at(XAxis::kSeconds, 1.005, 80)->lastStep, 100);
    QCOMPARE(pyramid.at(XAxis::kStep, 0.5, 80), nullptr);
    const StepRange range = pyramid.stepsBetween(XAxis::kEpoch, 1.0, 2.0, 80);
    QCOMPARE(range.first, 79);
    QCOMPARE(range.last, 161);
  }

  void storesLinearly() {
    const Pyramid pyramid = built(test::steps(1, 65536));
    QVERIFY(pyramid.storedBuckets() < 65536u * 12 / 10);
  }
};

QTEST_GUILESS_MAIN(PyramidTest)
#include "pyramid_test.moc"
