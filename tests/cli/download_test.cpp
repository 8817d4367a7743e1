// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QCryptographicHash>
#include <QFile>
#include <QStandardPaths>
#include <QtTest>

#include "tests/cli/cli_process.h"
#include "tests/data/ingest/file_server.h"

using parapet::test::Cli;
using parapet::test::CliResult;
using parapet::test::FileServer;

/// `parapet-cli download` against a server on 127.0.0.1.
class DownloadTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    cli_ = std::make_unique<Cli>();
    server_ = std::make_unique<FileServer>();
    server_->serve("/ratings.csv", {body_.toStdString()});
  }

  void listsWhatItKnows() {
    const CliResult result = cli_->ask({"download"});
    QCOMPARE(result.code, 0);
    const auto list = result.json();
    QVERIFY(list.is_array());
    QCOMPARE(list[0]["name"].get<std::string>(), std::string("ml-100k"));
    QCOMPARE(list[0]["checksum"].get<std::string>(),
             std::string("md5:0e33842e24a9c977be4e0107933c0723"));
    for (const auto& set : list)
      for (const char* key : {"name", "title", "url", "bytes", "licence", "licence_url"})
        QVERIFY2(set.contains(key), key);
    QVERIFY(cli_->run({"download"}).out.contains("ml-25m"));
  }

  void nothingIsFetchedBeforeTheLicenceIsAccepted() {
    const CliResult result = cli_->run({"download", "ml-100k"});
    QCOMPARE(result.code, 2);
    QVERIFY(result.err.contains("No commercial"));
    QVERIFY(result.err.contains("ml-100k-README.txt"));
    QVERIFY(result.err.contains("parapet-cli download ml-100k --accept-licence"));
    QVERIFY(!QFile::exists(cli_->folder("workspace/downloads")));
  }

  void textsAndTheirVocabularyHaveLicencesToo() {
    for (const char* name : {"wikitext-2", "bert-vocabulary"}) {
      const CliResult result = cli_->run({"download", name});
      QCOMPARE(result.code, 2);
      QVERIFY2(result.err.contains("Licence: "), result.err.constData());
      QVERIFY(result.err.contains("--accept-licence"));
    }
    QVERIFY(!QFile::exists(cli_->folder("workspace/downloads")));
  }

  void asksOnATerminal() {
    const QString script = QStandardPaths::findExecutable("script");
    if (script.isEmpty()) QSKIP("script (util-linux), which makes a terminal, is not installed");
    QProcess terminal;
    terminal.start(
        script,
        {"-qec",
         QString("'%1' --workspace '%2' download ml-100k").arg(PARAPET_CLI, cli_->workspace()),
         "/dev/null"});
    QVERIFY(terminal.waitForStarted());
    terminal.write("n\n");
    const CliResult result = Cli::finish(terminal);
    QVERIFY2(result.code == 4, result.out.constData());
    QVERIFY(result.out.contains("Do you accept it? y/N"));
    QVERIFY(result.out.contains("not accepted"));
  }

  void downloadsIntoTheWorkspace() {
    const CliResult result = cli_->ask({"download", url("/ratings.csv"), "--checksum", md5()});
    QVERIFY2(result.code == 0, result.err.constData());
    const auto json = result.json();
    const QString path = cli_->folder("workspace/downloads/ratings.csv");
    QCOMPARE(QString::fromStdString(json["path"]), path);
    QCOMPARE(json["bytes"].get<qint64>(), body_.size());
    QCOMPARE(json["resumed"].get<bool>(), false);
    QCOMPARE(QString::fromStdString(json["checksum"]), md5());
    QVERIFY(json["seconds"].is_number());
    QCOMPARE(content(path), body_);
    QVERIFY(cli_->ask({"download", url("/ratings.csv"), "--checksum", md5()})
                .json()["already_there"]
                .get<bool>());
  }

  void writesWhereItIsTold() {
    const QString file = cli_->folder("mine.csv");
    const CliResult text = cli_->run({"download", url("/ratings.csv"), "--out", file});
    QVERIFY2(text.code == 0, text.err.constData());
    QVERIFY(text.out.contains("--data " + file.toUtf8()));
    QCOMPARE(content(file), body_);
    QCOMPARE(cli_->ask({"download", url("/ratings.csv"), "--out", cli_->folder("")}).code, 0);
    QCOMPARE(content(cli_->folder("ratings.csv")), body_);
  }

  void refusesWrongArguments_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("message");
    QTest::addRow("name") << QStringList{"ml-100"} << 3 << "did you mean \"ml-100k\"";
    QTest::addRow("scheme") << QStringList{"file:///etc/passwd"} << 2 << "accepted: an address";
    QTest::addRow("no file") << QStringList{"http://127.0.0.1:1/"} << 2 << "--out FILE";
    QTest::addRow("checksum") << QStringList{"http://127.0.0.1:1/a", "--checksum", "md5:1"} << 2
                              << "32 hex digits";
    QTest::addRow("limit") << QStringList{"http://127.0.0.1:1/a", "--max-bytes", "0"} << 2
                           << "--max-bytes";
  }
  void refusesWrongArguments() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, message);
    const CliResult result = cli_->ask(QStringList{"download"} + arguments);
    QCOMPARE(result.code, code);
    QVERIFY2(result.err.contains(message.toUtf8()), result.err.constData());
    QVERIFY(result.json().contains("error"));
  }

  void failuresAreOneJsonValue() {
    const QStringList large{"download", url("/ratings.csv"), "--max-bytes", "10"};
    const QStringList missing{"download", url("/none.csv")};
    const QStringList wrong{"download", url("/ratings.csv"), "--checksum",
                            "md5:00000000000000000000000000000000"};
    for (const QStringList& arguments : {large, missing, wrong}) {
      const CliResult result = cli_->ask(arguments);
      QCOMPARE(result.code, 1);
      QVERIFY2(result.json().contains("error"), result.out.constData());
      QCOMPARE(result.json()["partial_bytes"].get<int>(), 0);
    }
  }

  void ctrlCKeepsThePartAndTheNextGoesOn() {
    server_->serve("/ratings.csv",
                   {.body = body_.toStdString(), .stopAfter = 100'000, .stall = true});
    const auto process = cli_->start({"download", url("/ratings.csv"), "--json"});
    const QString part = cli_->folder("workspace/downloads/ratings.csv.part");
    QVERIFY(QTest::qWaitFor([&] { return QFile(part).size() == 100'000; }, 60'000));
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const CliResult stopped = Cli::finish(*process);
    QVERIFY2(stopped.code == 4, stopped.err.constData());
    QCOMPARE(stopped.json()["partial_bytes"].get<int>(), 100'000);
    server_->serve("/ratings.csv", {body_.toStdString()});
    const CliResult again = cli_->ask({"download", url("/ratings.csv"), "--checksum", md5()});
    QVERIFY2(again.code == 0, again.err.constData());
    QCOMPARE(again.json()["resumed"].get<bool>(), true);
    QVERIFY(!QFile::exists(part));
  }

 private:
  [[nodiscard]] QString url(const std::string& path) const {
    return QString::fromStdString(server_->url(path));
  }
  [[nodiscard]] QString md5() const {
    return "md5:" + QCryptographicHash::hash(body_, QCryptographicHash::Md5).toHex();
  }
  static QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
  }

  std::unique_ptr<Cli> cli_;
  std::unique_ptr<FileServer> server_;
  const QByteArray body_ = QByteArray("user,item,rating\n").repeated(20'000);
};

QTEST_GUILESS_MAIN(DownloadTest)
#include "download_test.moc"
