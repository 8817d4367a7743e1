// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment_name.h"

#include <QtTest>
#include <set>

using namespace parapet;
using namespace parapet::experiment;

class ExperimentNameTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void takesWordsOfACommandLine_data() {
    QTest::addColumn<QByteArray>("name");
    for (const char* name : {"a", "clicks-2", "ml_100k.v2", "7days", "_x", "müsli", "映画"})
      QTest::newRow(name) << QByteArray(name);
    QTest::newRow("64 bytes") << QByteArray(64, 'x');
  }
  void takesWordsOfACommandLine() {
    QFETCH(QByteArray, name);
    QVERIFY(checkExperimentName(name.toStdString()).ok());
    QCOMPARE(experimentNameFrom(name.toStdString()).substr(0, 60),
             name.toStdString().substr(0, 60));
  }

  void refusesWhatMeansSomethingElse_data() {
    QTest::addColumn<QByteArray>("name");
    for (const char* name :
         {"", "-x", ".hidden", "a b", "a/b", "a;b", "$HOME", "a'b", "latest", "0123456789ab",
          "sample", "mine.json", "a\nb", "a\x1b[2J", "a\xC2\xA0g", "a\xE2\x80\xAEg", "a\xFFg"})
      QTest::newRow(QByteArray(name).toPercentEncoding()) << QByteArray(name);
    QTest::newRow("65 bytes") << QByteArray(65, 'x');
  }
  void refusesWhatMeansSomethingElse() {
    QFETCH(QByteArray, name);
    const Status checked = checkExperimentName(name.toStdString());
    QVERIFY(!checked.ok());
    QCOMPARE(checked.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(checked.error().pointer, std::string("/name"));
    QVERIFY(checkExperimentName(experimentNameFrom(name.toStdString())).ok());
  }

  void makesNamesOfOtherTexts() {
    QCOMPARE(experimentNameFrom("My clicks"), std::string("My-clicks"));
    QCOMPARE(experimentNameFrom("--a / b--"), std::string("a-b"));
    QCOMPARE(experimentNameFrom("mine.json"), std::string("mine"));
    QCOMPARE(experimentNameFrom("  "), std::string("experiment"));
    QCOMPARE(experimentNameFrom("sample"), std::string("sample-1"));
    QVERIFY(experimentNameFrom(std::string(500, 'x')).size() <= kMaxExperimentNameBytes);
    QVERIFY(checkExperimentName(experimentNameFrom(QString(90, QChar(0x6620)).toStdString())).ok());
  }

  void numbersNamesThatAreTaken() {
    std::set<std::string, std::less<>> taken;
    const auto next = [&taken](std::string_view wanted) {
      std::string name = freeExperimentName(
          wanted, [&](std::string_view candidate) { return taken.contains(candidate); });
      taken.insert(name);
      return name;
    };
    QCOMPARE(next("clicks"), std::string("clicks"));
    QCOMPARE(next("clicks"), std::string("clicks-2"));
    QCOMPARE(next("clicks"), std::string("clicks-3"));
    QCOMPARE(next("clicks-2"), std::string("clicks-4"));
    QCOMPARE(next("sample"), std::string("sample-1"));
    QCOMPARE(next("sample"), std::string("sample-2"));
    QCOMPARE(next("year-2024"), std::string("year-2024"));
    QCOMPARE(next("year-2024"), std::string("year-2024-2"));
    QCOMPARE(next(std::string(64, 'x')), std::string(64, 'x'));
    QCOMPARE(next(std::string(64, 'x')), std::string(60, 'x') + "-2");
  }
};

QTEST_GUILESS_MAIN(ExperimentNameTest)
#include "experiment_name_test.moc"
