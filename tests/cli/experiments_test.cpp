// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QtTest>
#include <algorithm>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Experiments of the workspace, from the terminal.
class ExperimentsCliTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Cli> cli_;

  json list(const QStringList& options = {}) {
    return cli_->ask(QStringList{"experiments"} + options).json();
  }
  void make(const QString& name) {
    const CliResult made =
        cli_->ask({"experiments", "new", "sample", "--name", name, "--epochs", "1"});
    QVERIFY2(made.code == 0, made.err.constData());
    QCOMPARE(made.json()["name"], json(name.toStdString()));
  }

 private Q_SLOTS:
  void init() { cli_ = std::make_unique<Cli>(); }

  void anEmptyWorkspaceSaysHowToBegin() {
    QCOMPARE(list(), json::array());
    QVERIFY(cli_->run({"experiments"}).out.contains("experiments new sample"));
  }

  void trainsByName() {
    make("first");
    const CliResult trained = cli_->ask({"train", "first"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    QCOMPARE(trained.json()["epochs"].size(), std::size_t{1});
    const json run = cli_->ask({"runs"}).json().at(0);
    QCOMPARE(run["name"], json("first"));
    QCOMPARE(run["experiment"], json("first"));
    QCOMPARE(run["recipe"], json("sample"));
    QCOMPARE(run["data"], json("generated movies"));
    QCOMPARE(run["model"], json("retrieval"));
    QCOMPARE(run["loss"], json("in_batch_softmax"));
    QCOMPARE(run["differs"], json::array());
    const json shown = cli_->ask({"experiments", "show", "first"}).json();
    QCOMPARE(shown["runs"], json(1));
    QCOMPARE(shown["run_ids"], json::array({run["run_id"]}));
    QCOMPARE(shown["document"]["training"]["epochs"], json(1));
    QCOMPARE(shown["problems"], json::array());
    QCOMPARE(cli_->ask({"runs", "--experiment", "first"}).json().size(), std::size_t{1});
    make("second");
    QCOMPARE(cli_->ask({"runs", "--experiment", "second"}).json(), json::array());
  }

  void aTitleIsAnyTextAndCommandsTakeIt() {
    const CliResult made = cli_->ask({"experiments", "new", "sample", "--epochs", "1", "--name",
                                      QStringLiteral("Möbel 2026 🙂")});
    QVERIFY2(made.code == 0, made.err.constData());
    QCOMPARE(made.json()["name"], json("Moebel-2026"));
    QCOMPARE(made.json()["title"], json("Möbel 2026 🙂"));
    QCOMPARE(cli_->ask({"train", QStringLiteral("Möbel 2026 🙂")}).code, 0);
    QCOMPARE(cli_->ask({"train", "Moebel-2026"}).code, 0);
    for (const json& run : cli_->ask({"runs", "--experiment", "Moebel-2026"}).json())
      QCOMPARE(run["name"], json("Möbel 2026 🙂"));
    for (const QString& bad : {QString(121, 'x'), QStringLiteral("a\u202eb"),
                               QStringLiteral("a\tb"), QStringLiteral("sample")})
      QCOMPARE(cli_->ask({"experiments", "rename", "Moebel-2026", bad}).code, 2);
    // The title stands for it in whatever is said of it.
    const QByteArray shown = QStringLiteral("Möbel 2026 🙂 (Moebel-2026)").toUtf8();
    const QByteArray deleted = cli_->run({"experiments", "delete", "Moebel-2026"}).out;
    QVERIFY2(deleted.contains(shown) && deleted.contains("restore Moebel-2026"), deleted);
    const QByteArray erased = cli_->run({"experiments", "erase", "Moebel-2026"}).out;
    QVERIFY2(erased.contains(shown), erased);
  }

  void aFileGivesItsNameWhereTheDocumentHasNone() {
    const QByteArray recipe = cli_->run({"recipe", "sample"}).out;
    const QString mine = cli_->write("mine.json", recipe);
    QCOMPARE(cli_->ask({"experiments", "new", mine}).json()["name"], json("mine"));
    QCOMPARE(cli_->ask({"experiments", "new", mine}).json()["name"], json("mine-2"));
    const QString own = cli_->write(
        "own.json", QByteArray(recipe).replace("\"name\": \"sample\"", "\"name\": \"clicks\""));
    QCOMPARE(cli_->ask({"experiments", "new", own}).json()["name"], json("clicks"));
  }

  void everyCommandThatTakesADocumentTakesAName() {
    make("first");
    for (const QStringList& call : {QStringList{"validate", "first"}, QStringList{"plan", "first"},
                                    QStringList{"import", "first"}, QStringList{"preview", "first"},
                                    QStringList{"verify", "first", "--steps", "1"},
                                    QStringList{"train", "first", "--set", "/training/seed=3"}}) {
      const CliResult result = cli_->ask(call);
      QVERIFY2(result.code == 0, result.err.constData());
    }
    // A setting of the command line is one of its run.
    QVERIFY(list().at(0)["revision"] == 1);
  }

  void runsOfOneNameAreToldApart() {
    make("first");
    QCOMPARE(cli_->ask({"train", "first", "--seed", "1"}).code, 0);
    QCOMPARE(cli_->ask({"train", "first", "--seed", "2"}).code, 0);
    const json runs = cli_->ask({"runs"}).json();
    QCOMPARE(runs.at(0)["differs"], json::array({{{"pointer", "/training/seed"}, {"value", 2}}}));
    const QByteArray text = cli_->run({"runs"}).out;
    QVERIFY(text.contains("seed 1") && text.contains("seed 2"));
    QVERIFY(text.contains("retrieval / in-batch softmax"));
  }

  void anUnknownNameSaysWhatWasMeant() {
    make("first");
    for (const QStringList& call :
         {QStringList{"train", "frist"}, QStringList{"validate", "frist"},
          QStringList{"experiments", "show", "frist"}, QStringList{"runs", "--experiment", "frist"},
          QStringList{"experiments", "delete", "frist"}}) {
      const CliResult result = cli_->ask(call);
      QCOMPARE(result.code, 3);
      QVERIFY2(result.err.contains("did you mean \"first\""), result.err.constData());
    }
    QVERIFY(cli_->ask({"train", "sampel"}).err.contains("did you mean \"sample\""));
  }

  void aVerbThatIsNoneSaysWhatWasMeant() {
    const CliResult result = cli_->ask({"experiments", "shwo", "first"});
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("did you mean \"show\""), result.err.constData());
  }

  void aFileComesBeforeANameAndSaysSo() {
    make("first");
    const QString folder = cli_->folder("here");
    QVERIFY(QDir().mkpath(folder));
    QFile file(folder + "/first");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(cli_->run({"recipe", "dlrm"}).out);
    file.close();
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(folder));
    const CliResult result = cli_->ask({"validate", "first"});
    QDir::setCurrent(before);
    QCOMPARE(result.code, 0);
    QVERIFY2(result.err.contains("experiments rename first"), result.err.constData());
    const json tables = result.json()["estimates"]["tables"];
    QVERIFY(
        std::ranges::any_of(tables, [](const json& table) { return table["name"] == "device"; }));
  }

  void namesThatMeanSomethingElseAreRefused() {
    for (const char* name : {"sample", "latest", "a\tb", " x", "0123456789ab", "x.json"}) {
      const CliResult result = cli_->ask({"experiments", "new", "sample", "--name", name});
      QCOMPARE(result.code, 2);
      QCOMPARE(result.json()["error"]["pointer"], json("/name"));
    }
    make("first");
    QCOMPARE(cli_->ask({"experiments", "new", "sample", "--name", "first"}).code, 2);
    QCOMPARE(cli_->ask({"experiments", "rename", "first", "dlrm"}).code, 2);
    QCOMPARE(list().size(), std::size_t{1});
  }

  void withoutANameItGetsThatOfItsDocument() {
    QCOMPARE(cli_->ask({"experiments", "new", "sample"}).json()["name"], json("sample-1"));
    QCOMPARE(cli_->ask({"experiments", "new", "sample"}).json()["name"], json("sample-2"));
    QCOMPARE(cli_->ask({"experiments", "new", "sample-2"}).json()["name"], json("sample-3"));
  }

  void renamesDuplicatesAndPrints() {
    make("first");
    QCOMPARE(cli_->ask({"experiments", "rename", "first", "views"}).json()["name"], json("views"));
    QCOMPARE(cli_->ask({"experiments", "duplicate", "views"}).json()["name"], json("views-2"));
    const CliResult printed = cli_->run({"experiments", "document", "views-2"});
    const json document = json::parse(printed.out.toStdString());
    QCOMPARE(document["name"], json("views-2"));
    QCOMPARE(cli_->ask({"validate", cli_->write("printed.json", printed.out)}).code, 0);
  }

  void deletingCanBeUndone() {
    make("first");
    QCOMPARE(cli_->ask({"experiments", "erase", "first"}).code, 2);
    const CliResult deleted = cli_->run({"experiments", "delete", "first"});
    QVERIFY(deleted.out.contains("experiments restore first"));
    QCOMPARE(list(), json::array());
    QCOMPARE(list({"--trash"}).at(0)["name"], json("first"));
    QCOMPARE(cli_->ask({"train", "first"}).code, 3);
    QCOMPARE(cli_->ask({"experiments", "restore", "first"}).json()["name"], json("first"));
    QCOMPARE(cli_->ask({"experiments", "delete", "first"}).code, 0);
    QCOMPARE(cli_->ask({"experiments", "erase", "first"}).code, 0);
    QCOMPARE(list({"--trash"}), json::array());
    QCOMPARE(cli_->ask({"experiments", "restore", "first"}).code, 3);
  }

  void aMissingWorkspaceIsNotMadeByAskingForAName() {
    QCOMPARE(cli_->ask({"train", "nothing"}).code, 3);
    QVERIFY(!QDir(cli_->workspace()).exists());
  }
};

QTEST_GUILESS_MAIN(ExperimentsCliTest)
#include "experiments_test.moc"
