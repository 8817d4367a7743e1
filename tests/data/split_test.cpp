// SPDX-License-Identifier: Apache-2.0
#include "engine/data/shape/split.h"

#include <QTest>
#include <set>

using namespace parapet;
using namespace parapet::data;
using experiment::SplitAmount;

namespace {

experiment::Split parts(SplitAmount train, SplitAmount validation, SplitAmount test) {
  experiment::Split spec;
  spec.train = train;
  spec.validation = validation;
  spec.test = test;
  return spec;
}
constexpr SplitAmount rowsOf(double count) {
  return {count, false};
}
constexpr SplitAmount share(double ratio) {
  return {ratio, true};
}

}  // namespace

class SplitTest : public QObject {
  Q_OBJECT

 private slots:
  void cutsExactly_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<QList<double>>("amounts");  // < 1: a share
    QTest::addColumn<QList<int>>("expected");
    QTest::newRow("counts") << 100 << QList<double>{60, 30, 5} << QList<int>{60, 30, 5};
    QTest::newRow("all of them") << 100 << QList<double>{80, 20, 0} << QList<int>{80, 20, 0};
    QTest::newRow("shares, rounded down")
        << 101 << QList<double>{.5, .25, 0} << QList<int>{50, 25, 0};
    QTest::newRow("whole, remainder to validation")
        << 7 << QList<double>{.8, .2, 0} << QList<int>{5, 2, 0};
    QTest::newRow("whole, remainder to test")
        << 11 << QList<double>{.8, .1, .1} << QList<int>{8, 1, 2};
    QTest::newRow("29 % of 100 is 29") << 100 << QList<double>{.29, 0, 0} << QList<int>{29, 0, 0};
    QTest::newRow("mixed") << 10 << QList<double>{.5, 3, 0} << QList<int>{5, 3, 0};
  }
  void cutsExactly() {
    QFETCH(int, rows);
    QFETCH(QList<double>, amounts);
    QFETCH(QList<int>, expected);
    const auto amount = [&](int i) {
      return amounts[i] > 0 && amounts[i] < 1 ? share(amounts[i]) : rowsOf(amounts[i]);
    };
    const auto split = makeSplit(rows, parts(amount(0), amount(1), amount(2)), 1);
    QVERIFY(split.ok());
    QCOMPARE(int(split->train.size()), expected[0]);
    QCOMPARE(int(split->validation.size()), expected[1]);
    QCOMPARE(int(split->test.size()), expected[2]);
    std::set<std::int64_t> seen;
    for (const auto* part : {&split->train, &split->validation, &split->test})
      for (const std::int64_t row : *part) {
        QVERIFY(row >= 0 && row < rows);
        QVERIFY2(seen.insert(row).second, "a row is in two parts");
      }
  }

  void isAFunctionOfTheSeed() {
    const auto spec = parts(rowsOf(50), rowsOf(50), rowsOf(0));
    const auto first = makeSplit(100, spec, 1).value();
    QCOMPARE(makeSplit(100, spec, 1)->train, first.train);
    QVERIFY(makeSplit(100, spec, 2)->train != first.train);
    auto fixed = spec;
    fixed.seed = 1;
    QCOMPARE(makeSplit(100, fixed, 2)->train, first.train);
  }

  // More validation rows do not move the training rows.
  void trainDoesNotDependOnTheRest() {
    const auto few = makeSplit(100, parts(rowsOf(50), rowsOf(1), rowsOf(0)), 3).value();
    const auto many = makeSplit(100, parts(rowsOf(50), rowsOf(25), rowsOf(25)), 3).value();
    QCOMPARE(few.train, many.train);
  }

  void refusesWhatCannotBeCut_data() {
    QTest::addColumn<double>("train");
    QTest::addColumn<double>("validation");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("too many") << 80. << 21. << "/dataset/split";
    QTest::newRow("enormous") << 1e300 << 0. << "/dataset/split";
    QTest::newRow("no train") << 0. << 10. << "/dataset/split";
    QTest::newRow("negative") << 10. << -1. << "/dataset/split/validation";
    QTest::newRow("broken") << 10.5 << 1. << "/dataset/split/train";
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN() << 1.
                         << "/dataset/split/train";
  }
  void refusesWhatCannotBeCut() {
    QFETCH(double, train);
    QFETCH(double, validation);
    QFETCH(QString, pointer);
    const auto split = makeSplit(100, parts(rowsOf(train), rowsOf(validation), rowsOf(0)), 1);
    QVERIFY(!split);
    QVERIFY(split.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(split.error().pointer), pointer);
  }
};

QTEST_GUILESS_MAIN(SplitTest)
#include "split_test.moc"
