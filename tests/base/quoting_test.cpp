// SPDX-License-Identifier: Apache-2.0
#include "engine/base/quoting.h"

#include <QProcess>
#include <QtTest>

using namespace parapet;

class QuotingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quotesCsvCellsThatNeedIt_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("field");
    QTest::newRow("empty") << QByteArray("") << QByteArray("");
    QTest::newRow("plain") << QByteArray("Heat 1995") << QByteArray("Heat 1995");
    QTest::newRow("comma") << QByteArray("Heat, The") << QByteArray("\"Heat, The\"");
    QTest::newRow("quote") << QByteArray("a\"b") << QByteArray("\"a\"\"b\"");
    QTest::newRow("line end") << QByteArray("a\nb") << QByteArray("\"a\nb\"");
    QTest::newRow("carriage return") << QByteArray("a\r") << QByteArray("\"a\r\"");
  }
  void quotesCsvCellsThatNeedIt() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, field);
    QCOMPARE(QByteArray::fromStdString(csvField(text.toStdString())), field);
    std::string line = "x,";
    appendCsvField(line, text.toStdString());
    QCOMPARE(QByteArray::fromStdString(line), "x," + field);
  }

  void formulasAreCountedAndTheFirstIsNamed() {
    FormulaCount none;
    for (const char* cell : {"", "Heat", "-1", "+2.5", "-1e3", "a=b", "Me & You"}) none.look(cell);
    QCOMPARE(none.note(), std::string());
    FormulaCount some;
    for (const char* cell : {"1", "=HYPERLINK(\"http://x\")", "@sum", " +cmd", "-a"})
      some.look(cell);
    QVERIFY2(some.note().find("4 cells") != std::string::npos, some.note().c_str());
    QVERIFY2(some.note().find("=HYPERLINK") != std::string::npos, some.note().c_str());
    QVERIFY2(some.note().find("formula") != std::string::npos, some.note().c_str());
  }

  void formulasOfAFileAreFoundInItsCells() {
    QCOMPARE(formulaNote("user,score\na=b,-1.5\n\"x, =y\",+2\n"), std::string());
    const std::string note = formulaNote("id,title\n1,\"=A(\"\"x\"\",2)\"\n2,ok\n@3,Heat");
    QVERIFY2(note.find("2 cells") != std::string::npos, note.c_str());
    QVERIFY2(note.find("=A(x,2)") != std::string::npos, note.c_str());
  }

  void aShellReadsItsWordsBack_data() {
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<bool>("plain");
    QTest::newRow("path") << QByteArray("/data/ml-100k/u.data") << true;
    QTest::newRow("setting") << QByteArray("/optimizer/learning_rate=0.1") << true;
    QTest::newRow("empty") << QByteArray("") << false;
    QTest::newRow("space") << QByteArray("my data") << false;
    QTest::newRow("pattern") << QByteArray("*") << false;
    QTest::newRow("quote") << QByteArray("it's \"so\"") << false;
    QTest::newRow("json") << QByteArray("/loss={\"kind\":\"mse\"}") << false;
    QTest::newRow("expansion") << QByteArray("$HOME `x` \\ ~") << false;
    QTest::newRow("line end") << QByteArray("a\nb") << false;
  }
  void aShellReadsItsWordsBack() {
    QFETCH(QByteArray, word);
    QFETCH(bool, plain);
    QCOMPARE(isPlainShellWord(word.toStdString()), plain);
    const QString quoted = QString::fromStdString(shellWord(word.toStdString()));
    if (plain) QCOMPARE(quoted.toUtf8(), word);
    QProcess shell;
    shell.start("/bin/sh", {"-c", "printf %s " + quoted});
    QVERIFY(shell.waitForFinished());
    QCOMPARE(shell.readAllStandardOutput(), word);
  }
};

QTEST_GUILESS_MAIN(QuotingTest)
#include "quoting_test.moc"
