// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Whatever can be named where a document is expected.
class DocumentFilesTest : public QObject {
  Q_OBJECT

  Cli cli_;
  QByteArray document_;

  [[nodiscard]] QByteArray fifo() const {
    const QByteArray path = cli_.folder("fifo").toUtf8();
    ::mkfifo(path.constData(), 0600);
    return path;
  }
  [[nodiscard]] static QString error(const CliResult& result) {
    const json answer = result.json();
    return answer.is_object() && answer.contains("error")
               ? QString::fromStdString(answer["error"]["message"].get<std::string>())
               : QString();
  }

 private Q_SLOTS:
  void initTestCase() {
    const CliResult printed = cli_.run({"recipe", "sample"});
    QCOMPARE(printed.code, 0);
    document_ = printed.out;
  }

  void aPipeIsRead() {
    for (const char* path : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
      const CliResult result = cli_.ask({"validate", path}, document_);
      QVERIFY2(result.code == 0, result.err.constData());
    }
  }

  void anEmptyPipeIsAnEmptyDocument() {
    const CliResult result = cli_.ask({"validate", "/dev/stdin"}, "");
    QCOMPARE(result.code, 2);
    QVERIFY2(error(result).contains("/dev/stdin"), result.out.constData());
  }

  void dataLeadToTheCommandThatMakesADocument() {
    const QString path = cli_.folder("ratings.csv");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("user,item,rating\n1,2,3\n");
    file.close();
    const CliResult result = cli_.run({"train", path, "--json"});
    QCOMPARE(result.code, 2);
    QVERIFY2(error(result).contains("`parapet-cli init " + path + "`"), result.out.constData());
  }

  void aFifoWithAWriterIsRead() {
    const QByteArray path = fifo();
    const auto process = cli_.start({"validate", QString(path), "--json", "--quiet"});
    QFile writer(path);
    QVERIFY(writer.open(QIODevice::WriteOnly));  // waits for the reader
    writer.write(document_);
    writer.close();
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 0, result.err.constData());
  }

  void aFifoThatNobodyWritesToIsRefusedAndNamesWhatIsAccepted() {
    const CliResult result = cli_.ask({"validate", QString(fifo())});
    QCOMPARE(result.code, 2);
    QVERIFY2(error(result).contains("accepted: a file, or a pipe"), result.out.constData());
  }

  void aSignalEndsTheWait_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
  }
  void aSignalEndsTheWait() {
    QFETCH(int, signal);
    const auto process = cli_.start({"validate", QString(fifo()), "--json", "--quiet"});
    const int writer = ::open(fifo().constData(), O_WRONLY | O_CLOEXEC);  // waits for the reader
    QVERIFY(writer >= 0);
    ::kill(static_cast<pid_t>(process->processId()), signal);
    const CliResult result = Cli::finish(*process);
    ::close(writer);
    QCOMPARE(result.code, 4);
    QCOMPARE(result.json()["error"]["code"], json("cancelled"));
  }

  void whatIsNoDocumentIsRefused_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("endless") << "/dev/zero" << 2 << "larger than";
    QTest::newRow("empty device") << "/dev/null" << 2 << "/dev/null";
    QTest::newRow("folder") << "/tmp" << 3 << "folder";
    QTest::newRow("no descriptor") << "/dev/fd/987" << 3 << "no such file";
  }
  void whatIsNoDocumentIsRefused() {
    QFETCH(QString, path);
    QFETCH(int, code);
    QFETCH(QString, says);
    for (const char* command : {"validate", "train", "plan", "import", "verify"}) {
      const CliResult result = cli_.ask({command, path});
      QVERIFY2(result.code == code, (command + result.err).constData());
      QVERIFY2(QString::fromUtf8(result.err).contains(says), (command + result.err).constData());
    }
  }

  void aNulIsRefusedWithItsPosition() {
    QByteArray broken = document_;
    broken.insert(broken.indexOf("\"name\""), '\0');
    const QString path = cli_.write("nul.json", broken);
    const CliResult result = cli_.ask({"validate", path});
    QCOMPARE(result.code, 2);
    QVERIFY(result.json()["error"]["line"].is_number());
  }

  void aNulInAPathCutsNothingOff() {
    json document = json::parse(document_);
    document["dataset"]["source"] = "csv";
    document["dataset"]["path"] = std::string("/tmp\0/secret", 12);
    const QString path = cli_.write("path.json", QByteArray::fromStdString(document.dump()));
    const CliResult result = cli_.ask({"validate", path});
    QVERIFY2(result.code == 2, result.out.constData());
    bool found = false;
    const json answer = result.json();
    for (const json& problem : answer["problems"])
      found = found || problem["pointer"] == "/dataset/path";
    QVERIFY2(found, result.out.constData());
  }

  void aProfileIsAFile() {
    const CliResult result = cli_.ask({"plan", "sample", "--profile", QString(fifo())});
    QVERIFY2(result.code == 1, result.err.constData());
    QVERIFY2(error(result).contains("pipe, socket or device"), result.out.constData());
  }
};

QTEST_GUILESS_MAIN(DocumentFilesTest)
#include "document_files_test.moc"
