// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// The queue of a workspace, from the terminal.
class QueueCliTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Cli> cli_;

  QString enqueue(const char* name, const QStringList& more = {"--epochs", "1"}) {
    const CliResult queued =
        cli_->ask(QStringList{"train", "sample", "--queue", "--set",
                              QStringLiteral("/name=\"%1\"").arg(QLatin1String(name))} +
                  more);
    if (queued.code != 0 || queued.json()["state"] != json("Queued")) return {};
    return QString::fromStdString(queued.json()["run_id"].get<std::string>());
  }
  json states() {
    json found = json::object();
    for (const json& run : cli_->ask({"runs"}).json()) found[run["name"]] = run["state"];
    return found;
  }
  json order() {
    json names = json::array();
    for (const json& run : cli_->ask({"queue"}).json()) names.push_back(run["name"]);
    return names;
  }

 private Q_SLOTS:
  void init() { cli_ = std::make_unique<Cli>(); }

  void anEmptyQueueSaysHowToBegin() {
    QVERIFY(cli_->run({"queue"}).out.contains("--queue"));
    QCOMPARE(cli_->ask({"queue"}).json(), json::array());
    QCOMPARE(cli_->ask({"queue", "run"}).json()["runs"], json::array());
  }

  void runsAreListedMovedAndTakenOut() {
    const QString a = enqueue("a"), b = enqueue("b"), c = enqueue("c");
    QVERIFY(!a.isEmpty() && !b.isEmpty() && !c.isEmpty());
    QCOMPARE(order(), json({"a", "b", "c"}));
    QCOMPARE(cli_->ask({"queue", "up", c}).json()["position"], json(2));
    QCOMPARE(cli_->ask({"queue", "down", a}).json()["position"], json(2));
    QCOMPARE(order(), json({"c", "a", "b"}));
    QCOMPARE(cli_->ask({"queue", "remove", a}).json()["state"], json("Stopped"));
    QCOMPARE(cli_->ask({"stop", b}).json()["state"], json("Stopped"));
    QCOMPARE(order(), json({"c"}));
    QCOMPARE(cli_->ask({"queue", "remove", a}).code, 1);
    QCOMPARE(cli_->ask({"queue", "up", "0123456789ab"}).code, 3);
    QCOMPARE(cli_->ask({"train", "--resume", c}).code, 1);
  }

  void trainLeavesThemAndQueueRunTrainsThem() {
    QVERIFY(!enqueue("a").isEmpty() && !enqueue("b", {"--epochs", "2"}).isEmpty());
    QCOMPARE(cli_->ask({"train", "sample", "--epochs", "1"}).code, 0);
    QCOMPARE(order(), json({"a", "b"}));
    const CliResult done = cli_->ask({"queue", "run"});
    QVERIFY2(done.code == 0, done.err.constData());
    const json runs = done.json()["runs"];
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs[0]["epochs"].size(), std::size_t{1});
    QCOMPARE(runs[1]["epochs"].size(), std::size_t{2});
    QCOMPARE(states()["b"], json("Finished"));
  }

  void dataThatAreGoneFailOneAndNotTheNext() {
    const QString rows = cli_->write("rows.csv", [] {
      QByteArray text = "user,item\n";
      for (int row = 0; row < 400; ++row)
        text += QByteArray::number(row % 40) + ',' + QByteArray::number((row * 7) % 60) + '\n';
      return text;
    }());
    const QString document = cli_->folder("gone.json");
    QVERIFY(cli_->run({"init", rows, "--out", document}).code == 0);
    QCOMPARE(cli_->ask({"train", document, "--queue", "--epochs", "1"}).code, 0);
    QVERIFY(!enqueue("next").isEmpty());
    QVERIFY(QFile::remove(rows));
    const CliResult done = cli_->ask({"queue", "run"});
    QVERIFY(done.code != 0);
    QVERIFY2(done.err.contains("rows.csv"), done.err.constData());
    QCOMPARE(states()["rows"], json("Failed"));
    QCOMPARE(states()["next"], json("Finished"));
  }

  void whatCannotBeQueuedIsRefused() {
    QCOMPARE(cli_->ask({"train", "sample", "--queue", "--threads", "2"}).code, 2);
    QCOMPARE(cli_->ask({"train", "--resume", "latest", "--queue"}).code, 2);
    QCOMPARE(cli_->ask({"train", "sample", "--queue", "--set", "/training/epochs=-1"}).code, 2);
    QCOMPARE(cli_->ask({"train", "movielens-retrieval", "--queue"}).code, 2);
    QCOMPARE(cli_->ask({"queue"}).json(), json::array());
  }

  void aRunOfAnotherProcessIsStopped() {
    const auto other = cli_->start({"train", "sample", "--epochs", "1000000", "--quiet"});
    QTRY_VERIFY_WITH_TIMEOUT(states().value("sample", "") == "Running", 30000);
    const CliResult stopped = cli_->ask({"stop", "latest"});
    QVERIFY2(stopped.code == 0, stopped.err.constData());
    QCOMPARE(stopped.json()["state"], json("Stopped"));
    QCOMPARE(Cli::finish(*other).code, 4);
    QCOMPARE(cli_->ask({"stop", "latest"}).code, 1);
  }

  void aProcessThatIsKilledLeavesTheQueue() {
    const QString killed = enqueue("killed", {"--epochs", "1000000"});
    QVERIFY(!enqueue("next").isEmpty());
    const auto other = cli_->start({"queue", "run", "--quiet"});
    QTRY_VERIFY_WITH_TIMEOUT(states().value("killed", "") == "Running", 30000);
    other->kill();
    QVERIFY(other->waitForFinished());
    QCOMPARE(states()["killed"], json("Crashed"));
    QCOMPARE(order(), json({"next"}));
    QCOMPARE(cli_->ask({"queue", "run"}).code, 0);
    QCOMPARE(states()["next"], json("Finished"));
  }
};

QTEST_GUILESS_MAIN(QueueCliTest)
#include "queue_test.moc"
