// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

/// Any other symbol of a plugin could replace the program's own code, compiled for another processor.
class ExportsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void showsThreeSymbolsAndNothingElse_data() {
    QTest::addColumn<QString>("file");
    const QStringList files = QString(PARAPET_PLUGIN_FILES).split(':', Qt::SkipEmptyParts);
    for (const QString& file : files) QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
    if (files.isEmpty()) QTest::newRow("none") << QString();
  }
  void showsThreeSymbolsAndNothingElse() {
    QFETCH(QString, file);
    if (file.isEmpty()) QSKIP("this machine builds no plugin");
    const QString nm = QStandardPaths::findExecutable("nm");
    if (nm.isEmpty()) QSKIP("nm is not installed");
    QProcess process;
    process.start(nm, {"--dynamic", "--defined-only", "--format=just-symbols", file});
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 0);
    QStringList symbols =
        QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
    symbols.sort();
    QCOMPARE(symbols,
             (QStringList{"parapet_plugin", "parapet_plugin_abi", "parapet_plugin_build_tag"}));
  }
};

QTEST_GUILESS_MAIN(ExportsTest)
#include "exports_test.moc"
