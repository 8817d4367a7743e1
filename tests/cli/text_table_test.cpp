// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_table.h"

#include <QtTest>
#include <limits>

#include "engine/base/result.h"

using namespace parapet::cli;

class TextTableTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsColumnsNotBytes() {
    QCOMPARE(displayWidth("Amélie"), std::size_t{6});
    QCOMPARE(displayWidth("七人の侍"), std::size_t{8});
    QCOMPARE(displayWidth("e\u0301"), std::size_t{1});
    QCOMPARE(displayWidth("\xff!"), std::size_t{2});
  }

  void alignsUnderWideTitles() {
    TextTable table({{"title"}, {"n", Align::kRight}});
    table.add({"Amélie", "1"});
    table.add({"Heat", "12"});
    QCOMPARE(table.text(), std::string("title    n\nAmélie   1\nHeat    12\n"));
  }

  void titlesAndCellsAreOneHarmlessLine() {
    TextTable table({{"a\x1b"}, {"b"}});
    table.add({"x\ny", "\xC2\x9B"});
    QCOMPARE(table.text(), std::string("a\\x1b   b\nx\\x0ay  \\u009b\n"));
  }

  void refusesARowOfAnotherLength() {
    TextTable table({{"a"}, {"b"}});
    QVERIFY_EXCEPTION_THROWN(table.add({"one"}), parapet::InvalidArgument);
  }

  void showsUnknownNumbersAsADash() {
    QCOMPARE(shortNumber(std::numeric_limits<double>::quiet_NaN()), std::string("–"));
    QCOMPARE(shortNumber(0.12345), std::string("0.1235"));
  }

  void countsAreWholeNumbersOfAnySize() {
    QCOMPARE(metricText("masked_hits", 7146.0), std::string("7,146"));
    QCOMPARE(metricText("masked_hits", 121762.0), std::string("121,762"));
    QCOMPARE(metricText("val_recall@10", 1.0), std::string("1.0000"));
    QCOMPARE(metricText("masked_hits", std::numeric_limits<double>::quiet_NaN()), std::string("–"));
  }
};

QTEST_GUILESS_MAIN(TextTableTest)
#include "text_table_test.moc"
