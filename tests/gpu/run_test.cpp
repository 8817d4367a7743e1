// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

// The tests of a GPU, on the emulated device.
class GpuRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const char* needed : {"bash", "awk", "timeout"})
      if (QStandardPaths::findExecutable(needed).isEmpty())
        QSKIP(qPrintable(QString("%1 is not installed").arg(needed)));
    // As a bundle looks to it.
    QVERIFY(QDir(folder_.path()).mkpath("bundle/licences"));
    QVERIFY(QFile::link(PARAPET_CLI, bundle() + "/parapet-cli"));
    QFile text(bundle() + "/licences/texts.txt");
    QVERIFY(text.open(QIODevice::WriteOnly));
    for (int line = 0; line < 120; ++line)
      text.write(
          QString("Line %1 tells of the words that a reader learns one by one, and of %2 more.\n")
              .arg(line)
              .arg(line % 7)
              .toUtf8());
  }

  void everyPartPassesOnTheEmulatedDevice_data() {
    QTest::addColumn<int>("part");
    QTest::addColumn<QStringList>("steps");
    QTest::newRow("self-test") << 1 << QStringList{"devices", "selftest"};
    QTest::newRow("recipes") << 2
                             << QStringList{"curve of sample", "curve of sasrec",
                                            "curve of bert-tiny-mlm", "curve of frappe-context",
                                            "curve of dlrm"};
    QTest::newRow("ranks and checkpoints")
        << 3
        << QStringList{"verify against cpu:0",
                       "verify two ranks of emu:0 by local, replicated",
                       "verify two ranks of emu:0 by local, row",
                       "verify two ranks of emu:0 by local, column",
                       "verify two ranks of emu:0 by local, table",
                       "verify two ranks",
                       "checkpoint moved to emu:0,emu:1",
                       "checkpoint moved to cpu:0",
                       "evaluate what came back"};
    QTest::newRow("speed") << 4 << QStringList{"speed of dlrm on emu:0", "speed of dlrm on cpu:0"};
  }
  void everyPartPassesOnTheEmulatedDevice() {
    QFETCH(int, part);
    QFETCH(QStringList, steps);
    // The last one as a pass runs it.
    const QStringList which =
        part == 4 ? QStringList{"--pass", "fast"} : QStringList{"--part", QString::number(part)};
    const int code = run(which + QStringList{"--device", "emu:0", "--quick"});
    QVERIFY2(code == 0, error_ + QJsonDocument(report_["steps"].toArray()).toJson());
    QCOMPARE(report_["part"].toInt(), part);
    QCOMPARE(report_["failed"].toInt(), 0);
    for (const QString& name : steps) QVERIFY2(outcomeOf(name) == "passed", qPrintable(name));
    QVERIFY(bytes_ <= 1 << 20);
    if (part != 2) return;
    for (const QJsonValue& step : report_["steps"].toArray())
      if (step["outcome"] == "skipped" || step["name"].toString().startsWith("curve of"))
        recipes_ << step["name"].toString();
  }

  // After part 2, whose report it reads.
  void everyRecipeIsTrainedOrSaysWhyNot() {
    QProcess recipes;
    recipes.start(PARAPET_CLI, {"recipes", "--json"});
    QVERIFY(recipes.waitForFinished());
    const QJsonArray all = QJsonDocument::fromJson(recipes.readAllStandardOutput()).array();
    QVERIFY(!all.isEmpty());
    for (const QJsonValue& recipe : all) {
      const QString name = recipe["name"].toString();
      QVERIFY2(recipes_.contains("curve of " + name) || recipes_.contains("train " + name),
               qPrintable(name));
    }
  }

  void aDeviceThatIsNotThereIsSkippedWithItsReason() {
    QCOMPARE(run({"--part", "1", "--device", "tpu:0", "--quick"}), 77);
    QCOMPARE(report_["skipped"].toInt(), 1);
    QVERIFY(report_["steps"][0]["reason"].toString().contains("there is no tpu:0"));
  }

  void aPassWithoutItsDeviceIsSkipped() {
    QCOMPARE(run({"--pass", "right", "--device", "tpu:0", "--quick"}), 77);
  }

  void aFailedStepIsInTheReportAndInTheExitCode() {
    // A device that trains nothing against a reference that is not there.
    QCOMPARE(run({"--part", "3", "--device", "cpu:0", "--against", "tpu:0", "--quick"}), 1);
    QVERIFY(report_["failed"].toInt() > 0);
    QCOMPARE(outcomeOf("verify against tpu:0"), QString("failed"));
  }

  void refusesWrongArguments_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("part") << QStringList{"--part", "5"};
    QTest::newRow("no part") << QStringList{};
    QTest::newRow("option") << QStringList{"--part", "1", "--fast"};
    QTest::newRow("bundle") << QStringList{"--part", "1", "--bundle", "/nowhere"};
    QTest::newRow("archive") << QStringList{"--part", "1", "--bundle",
                                            bundle() + "/licences/texts.txt"};
    QTest::newRow("pass") << QStringList{"--pass", "slow"};
    QTest::newRow("pass and part") << QStringList{"--pass", "right", "--part", "1"};
    QTest::newRow("seconds") << QStringList{"--part", "1", "--seconds", "soon"};
    QTest::newRow("value") << QStringList{"--part"};
  }
  void refusesWrongArguments() {
    QFETCH(QStringList, arguments);
    QCOMPARE(run(arguments), 2);
  }

 private:
  [[nodiscard]] QString bundle() const { return folder_.filePath("bundle"); }

  // The exit code; the report is left in report_.
  int run(const QStringList& arguments) {
    const bool isPass = arguments.contains("--pass");
    const QString out = folder_.filePath(isPass ? "pass" : "report.json");
    const QString report = isPass ? out + "/part-4.json" : out;
    QFile::remove(report);
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PARAPET_PLUGIN_PATH", PARAPET_PLUGINS ":" PARAPET_EMULATED);
    process.setProcessEnvironment(environment);
    process.start(PARAPET_GPU_RUN, QStringList{"--bundle", bundle(), "--out", out} + arguments);
    if (!process.waitForFinished(280'000)) {
      process.kill();
      return -1;
    }
    QFile file(report);
    report_ = {};
    if (file.open(QIODevice::ReadOnly)) {
      bytes_ = file.size();
      report_ = QJsonDocument::fromJson(file.readAll()).object();
    }
    error_ = process.readAllStandardError();
    return process.exitCode();
  }

  [[nodiscard]] QString outcomeOf(const QString& name) const {
    for (const QJsonValue& step : report_["steps"].toArray())
      if (step["name"].toString() == name) return step["outcome"].toString();
    return {};
  }

  QTemporaryDir folder_;
  QJsonObject report_;
  QByteArray error_;
  QStringList recipes_;
  qint64 bytes_ = 0;
};

QTEST_GUILESS_MAIN(GpuRunTest)
#include "run_test.moc"
