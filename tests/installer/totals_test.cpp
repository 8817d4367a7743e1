// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

namespace {

struct Outcome {
  int exitCode = -1;
  QStringList lines;
};

// The result of installer/totals.awk on the output of `ctest --verbose`.
Outcome totalsOf(const QString& log, const QString& totalsFile = {},
                 const QString& expectedSkips = {}) {
  QProcess awk;
  awk.start("awk", {"-v", "totals=" + totalsFile, "-v", "expected=" + expectedSkips, "-f",
                    PARAPET_TOTALS_SCRIPT});
  awk.write(log.toUtf8());
  awk.closeWriteChannel();
  if (!awk.waitForFinished()) return {};
  return {awk.exitCode(),
          QString::fromUtf8(awk.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts)};
}

const QString kPassing = R"(UpdateCTestConfiguration  from :/tmp/DartConfiguration.tcl
test 1
    Start 1: base/text
1: Test command: /tmp/test_base_text
1: PASS   : TextTest::initTestCase()
1: Totals: 27 passed, 0 failed, 0 skipped, 0 blacklisted, 3ms
1/2 Test #1: base/text ........................   Passed    0.01 sec
)";

}  // namespace

class TotalsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (QStandardPaths::findExecutable("awk").isEmpty()) QSKIP("awk is not installed");
  }

  void sumsTheCasesOfProgramsThatRunTogether() {
    const Outcome outcome = totalsOf(R"(
1: Totals: 27 passed, 0 failed, 0 skipped, 0 blacklisted, 3ms
2: Totals: 3 passed, 0 failed, 2 skipped, 1 blacklisted, 3ms
2: Totals: 4 passed, 0 failed, 0 skipped, 0 blacklisted, 3ms
1/2 Test  #2: data/split .......   Passed    0.02 sec
2/2 Test  #1: base/text ........   Passed    0.01 sec
)");
    QCOMPARE(outcome.lines.last(), "34 passed, 0 failed, 3 skipped");
    QCOMPARE(outcome.exitCode, 0);
  }

  void failedCasesMakeTheStatusNonZero() {
    const Outcome outcome = totalsOf(kPassing + R"(
2: FAIL!  : SplitTest::keepsEveryRow() Compared values are not the same
2: Totals: 3 passed, 2 failed, 0 skipped, 0 blacklisted, 3ms
2/2 Test  #2: data/split .......***Failed    0.02 sec
)");
    QCOMPARE(outcome.lines.last(), "30 passed, 2 failed, 0 skipped");
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY(outcome.lines.contains(
        "FAIL!  : SplitTest::keepsEveryRow() Compared values are not the same"));
  }

  void countsWhatEndsWithoutTotals_data() {
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QString>("totals");
    QTest::newRow("crash") << "***Exception: SegFault  0.31 sec"
                           << "27 passed, 1 failed, 0 skipped";
    QTest::newRow("time-out") << "***Timeout 120.01 sec"
                              << "27 passed, 1 failed, 0 skipped";
    QTest::newRow("abort") << "Subprocess aborted***Exception:   0.10 sec"
                           << "27 passed, 1 failed, 0 skipped";
    QTest::newRow("no program") << "***Not Run   0.00 sec"
                                << "27 passed, 1 failed, 0 skipped";
    QTest::newRow("other kind") << "   Passed    0.01 sec"
                                << "28 passed, 0 failed, 0 skipped";
    QTest::newRow("skip code") << "***Skipped   0.01 sec"
                               << "27 passed, 0 failed, 1 skipped";
  }
  void countsWhatEndsWithoutTotals() {
    QFETCH(QString, ending);
    QFETCH(QString, totals);
    const Outcome outcome =
        totalsOf(kPassing + " 2/2 Test #22: store/run_store .........." + ending + "\n");
    QCOMPARE(outcome.lines.last(), totals);
    QCOMPARE(outcome.exitCode, totals.contains(" 0 failed") ? 0 : 1);
  }

  void aReportAfterPassedCasesIsAFailure() {
    const Outcome outcome = totalsOf(R"(
1: Totals: 5 passed, 0 failed, 0 skipped, 0 blacklisted, 3ms
1: ==77==ERROR: LeakSanitizer: detected memory leaks
1/1 Test #1: base/text ........***Failed    0.01 sec
)");
    QCOMPARE(outcome.lines.last(), "5 passed, 1 failed, 0 skipped");
  }

  void showsTheReasonOfEverySkip() {
    const Outcome outcome = totalsOf(R"(
1: SKIP   : RealDataTest::imports() PARAPET_DATA_DIR is not set
1: Totals: 2 passed, 0 failed, 1 skipped, 0 blacklisted, 3ms
1/1 Test #1: realdata/import ....   Passed    0.01 sec
)");
    QVERIFY(
        outcome.lines.contains("  skipped  RealDataTest::imports() PARAPET_DATA_DIR is not set"));
  }

  void aSkipWithoutAnExpectedReasonIsAFailure() {
    const QTemporaryDir folder;
    QFile expected(folder.filePath("expected"));
    QVERIFY(expected.open(QIODevice::WriteOnly));
    expected.write("# why\nno GPU\n^$|DATA_DIR is not set\n");
    expected.close();
    const QString log = R"(
1: SKIP   : CudaTest::adds() no GPU in this machine
1: SKIP   : RealDataTest::imports() PARAPET_DATA_DIR is not set
1: SKIP   : ExportsTest::hidesTheRest() nm is not installed
1: Totals: 2 passed, 0 failed, 3 skipped, 0 blacklisted, 3ms
1/1 Test #1: plugins/all ....   Passed    0.01 sec
)";
    const Outcome outcome = totalsOf(log, {}, expected.fileName());
    QCOMPARE(outcome.lines.last(), "2 passed, 1 failed, 2 skipped");
    QCOMPARE(outcome.exitCode, 1);
    QVERIFY(outcome.lines.contains(
        "  skipped without an expected reason  ExportsTest::hidesTheRest() nm is not installed"));
    QCOMPARE(totalsOf(log).lines.last(), "2 passed, 0 failed, 3 skipped");
  }

  void noTestAtAllIsAFailure() {
    const Outcome outcome = totalsOf("No tests were found!!!\n");
    QCOMPARE(outcome.lines.last(), "0 passed, 1 failed, 0 skipped");
    QCOMPARE(outcome.exitCode, 1);
  }

  void leavesTheNumbersInAFile() {
    const QTemporaryDir folder;
    QFile totals(folder.filePath("totals"));
    QCOMPARE(totalsOf(kPassing, totals.fileName()).exitCode, 0);
    QVERIFY(totals.open(QIODevice::ReadOnly));
    QCOMPARE(totals.readAll(), QByteArray("27 0 0\n"));
  }
};

QTEST_GUILESS_MAIN(TotalsTest)
#include "totals_test.moc"
