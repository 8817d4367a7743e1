// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment_name.h"

#include <QtTest>
#include <algorithm>
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
    // A name that is made is in ASCII.
    if (std::ranges::all_of(name, [](char c) { return c > 0; }))
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
    QCOMPARE(experimentNameFrom("Möbel 2026 🙂"), std::string("Moebel-2026"));
    QCOMPARE(experimentNameFrom("Mo\xCC\x88"
                                "bel"),
             std::string("Moebel"));
    QCOMPARE(experimentNameFrom("Łódź, façade & Straße"), std::string("Lodz-facade-Strasse"));
    QCOMPARE(experimentNameFrom("ſ×Àž"), std::string("sxAz"));
    QCOMPARE(experimentNameFrom("映画"), std::string("experiment"));
    QCOMPARE(experimentNameFrom("映画 2"), std::string("2"));
    QCOMPARE(experimentNameFrom("a\xFF"
                                "b"),
             std::string("a-b"));
    QCOMPARE(experimentNameFrom("sample"), std::string("sample-1"));
    QVERIFY(experimentNameFrom(std::string(500, 'x')).size() <= kMaxExperimentNameBytes);
    QVERIFY(checkExperimentName(experimentNameFrom(QString(90, QChar(0x6620)).toStdString())).ok());
  }

  void takesAnyTextForATitle_data() {
    QTest::addColumn<QByteArray>("title");
    for (const char* title : {"a", "Möbel 2026 🙂", "映画", "-x", "a/b; $HOME",
                              "👩‍👩‍👧", "naïve \"quotes\""})
      QTest::newRow(QByteArray(title).toPercentEncoding()) << QByteArray(title);
    QTest::newRow("120") << QString(120, QChar(0x6620)).toUtf8();
  }
  void takesAnyTextForATitle() {
    QFETCH(QByteArray, title);
    QVERIFY(checkExperimentTitle(title.toStdString()).ok());
    QCOMPARE(experimentTitleFrom(title.toStdString()), title.toStdString());
    QVERIFY(checkExperimentName(experimentNameFrom(title.toStdString())).ok());
  }

  void refusesTitlesThatHideSomething_data() {
    QTest::addColumn<QByteArray>("title");
    QTest::addColumn<QString>("why");
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("spaces") << QByteArray("  ") << "empty";
    QTest::newRow("line end") << QByteArray("a\nb") << "U+000A, a control character";
    QTest::newRow("escape") << QByteArray("a\x1b[2J") << "U+001B, a control character";
    QTest::newRow("C1") << QByteArray("a\xC2\x85z") << "U+0085, a control character";
    QTest::newRow("right to left") << QByteArray("a\xE2\x80\xAEz") << "U+202E";
    QTest::newRow("isolate") << QByteArray("a\xE2\x81\xA7z") << "U+2067";
    QTest::newRow("zero width") << QByteArray("a\xE2\x80\x8Bz") << "U+200B";
    QTest::newRow("not UTF-8") << QByteArray("a\xFFz") << "not UTF-8";
    QTest::newRow("121") << QByteArray(121, 'x') << "121 characters";
    QTest::newRow("space") << QByteArray(" a") << "space";
    QTest::newRow("recipe") << QByteArray("sample") << "recipe";
    QTest::newRow("latest") << QByteArray("latest") << "run";
    QTest::newRow("run") << QByteArray("0123456789ab") << "run";
    QTest::newRow("file") << QByteArray("mine.json") << "file";
  }
  void refusesTitlesThatHideSomething() {
    QFETCH(QByteArray, title);
    QFETCH(QString, why);
    const Status checked = checkExperimentTitle(title.toStdString());
    QVERIFY(!checked.ok());
    QCOMPARE(checked.error().pointer, std::string("/name"));
    QVERIFY2(QString::fromStdString(checked.error().message).contains(why),
             checked.error().message.c_str());
    const auto free =
        freeExperimentTitle(title.toStdString(), [](std::string_view) { return false; });
    QVERIFY2(checkExperimentTitle(free).ok(), free.c_str());
  }

  void titlesInNfcAndNfdAreOne() {
    const std::string composed =
        "M\xC3\xB6"
        "bel \xEA\xB0\x81";
    const std::string decomposed =
        "Mo\xCC\x88"
        "bel \xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8";
    QCOMPARE(normalizedTitle(decomposed), composed);
    QCOMPARE(normalizedTitle(composed), composed);
    QCOMPARE(experimentTitleFrom(decomposed), composed);
    QCOMPARE(experimentNameFrom("Mo\xCC\x88"
                                "bel"),
             std::string("Moebel"));
    QCOMPARE(normalizedTitle(""), std::string());
    QCOMPARE(normalizedTitle("a\xFF"), std::string("a\xFF"));
  }

  void numbersTitlesThatAreTaken() {
    std::set<std::string, std::less<>> taken;
    const auto next = [&taken](std::string_view wanted) {
      std::string title = freeExperimentTitle(
          wanted, [&](std::string_view candidate) { return taken.contains(candidate); });
      taken.insert(title);
      return title;
    };
    QCOMPARE(next("Möbel"), std::string("Möbel"));
    QCOMPARE(next("Möbel"), std::string("Möbel 2"));
    QCOMPARE(next("Möbel"), std::string("Möbel 3"));
    QCOMPARE(next("clicks"), std::string("clicks"));
    QCOMPARE(next("clicks"), std::string("clicks-2"));
    QCOMPARE(next("sample"), std::string("sample-1"));
    const std::string longest = QString(120, QChar(0x6620)).toStdString();
    QCOMPARE(next(longest), longest);
    QVERIFY(checkExperimentTitle(next(longest)).ok());
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
