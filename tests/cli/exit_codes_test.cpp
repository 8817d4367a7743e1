// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Everything that goes wrong, and what the caller is told.
class ExitCodesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const CliResult result = cli_.ask({"train", "sample", "--epochs", "1"});
    QVERIFY2(result.code == 0, result.err.constData());
    cli_.write("broken.json", "{\n  \"parapet\": 1,\n  \"name\": \n}\n");
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("call");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");  // part of the line on stderr
    addArguments();
    addDocuments();
    addQuestions();
    addOrder();
  }
  void refuses() {
    QFETCH(QStringList, call);
    QFETCH(int, code);
    QFETCH(QString, says);
    call.replaceInStrings("BROKEN", cli_.folder("broken.json"));
    call.replaceInStrings("BELOW", cli_.folder("broken.json") + "/below");
    const CliResult result = cli_.ask(call);
    QVERIFY2(result.code == code, result.err.constData());
    QVERIFY2(result.err.contains("error: "), result.err.constData());
    QVERIFY2(QString::fromUtf8(result.err).contains(says), result.err.constData());
    const json error = result.json()["error"];
    for (const char* key : {"code", "message", "pointer", "path", "line"})
      QVERIFY(error.contains(key));
  }

  void aModelFolderRefusesToTrainBeforeAnythingElse() {
    const QString model = cli_.folder("model");
    QCOMPARE(cli_.ask({"export", "latest", "--what", "model", "--out", model}).code, 0);
    // The run in the folder has trained all of its epochs, and a fork of it would be refused as well.
    const CliResult fork = cli_.ask({"train", "--fork", "latest", "--workspace", model});
    QVERIFY2(fork.code != 0 && fork.err.contains("error: no run can be started: "),
             fork.err.constData());
    const CliResult document = cli_.ask({"train", "sample", "--workspace", model});
    QCOMPARE(fork.code, document.code);
  }

  void aFailedImportOfARunLeavesNoWorkspace() {
    const QString folder = cli_.folder("fresh");
    const QString archive = cli_.write("no-archive.zip", "PK but nothing more");
    const CliResult refused = cli_.ask({"runs", "import", archive, "--workspace", folder});
    QVERIFY(refused.code != 0);
    QVERIFY(!QFile::exists(folder));
    // A folder that was there before the import stays, with its files.
    QVERIFY(QDir().mkpath(folder));
    QFile other(folder + "/notes.txt");
    QVERIFY(other.open(QFile::WriteOnly));
    QVERIFY(cli_.ask({"runs", "import", archive, "--workspace", folder}).code != 0);
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList{"notes.txt"});
    QVERIFY(cli_.ask({"runs", "import", archive}).code != 0);
    QCOMPARE(cli_.ask({"show", "latest"}).code, 0);
  }

  void brokenJsonNamesLineAndFile() {
    const json error = cli_.ask({"train", cli_.folder("broken.json")}).json()["error"];
    QVERIFY(error["line"].is_number_integer());
    QVERIFY(error["path"].get<std::string>().ends_with("broken.json"));
  }

  void aFailedTrainingStillHasItsFields() {
    const json answer = cli_.ask({"train", "no-such-recipe"}).json();
    QVERIFY(answer["run_id"].is_null() && answer["state"].is_null());
    QVERIFY(answer["epochs"].is_array());
  }

  void noCommandPrintsHelp() {
    const CliResult result = cli_.run({});
    QCOMPARE(result.code, 2);
    QVERIFY(result.out.contains("train") && result.out.contains("recommend"));
  }

  void divergedTrainingIsFive() {
    const CliResult result =
        cli_.ask({"train", "sample", "--epochs", "3", "--set",
                  "/optimizer={\"kind\": \"sgd\", \"learning_rate\": 1e6}", "--set",
                  "/model/score=dot", "--set", "/loss={\"kind\": \"mse\"}"});
    QVERIFY2(result.code == 5, result.err.constData());
    QCOMPARE(result.json()["state"].get<std::string>(), std::string("Diverged"));
    QCOMPARE(result.json()["error"]["code"].get<std::string>(), std::string("diverged"));
  }

  void readOnlyWorkspaceIsOne() {
    if (::geteuid() == 0) QSKIP("root may write everywhere");
    const QString folder = cli_.folder("read-only");
    QVERIFY(QDir().mkpath(folder));
    QFile::setPermissions(folder, QFile::ReadOwner | QFile::ExeOwner);
    const CliResult result = cli_.ask({"--workspace", folder, "runs"});
    QFile::setPermissions(folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QCOMPARE(result.code, 1);
    QVERIFY(result.err.contains("read-only"));
  }

  void aMistypedWorkspaceIsNotMade_data() {
    QTest::addColumn<QStringList>("call");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const QStringList& call, int code) {
      QTest::newRow(name) << call << code;
    };
    row("runs", {"runs"}, 0);
    row("runs of an experiment", {"runs", "--experiment", "x"}, 3);
    row("show", {"show", "latest"}, 3);
    row("queue", {"queue"}, 0);
    row("queue run", {"queue", "run"}, 0);
    row("queue up", {"queue", "up", "0123"}, 3);
    row("queue remove", {"queue", "remove", "0123"}, 3);
    row("stop", {"stop", "latest"}, 3);
    row("resume", {"train", "--resume", "latest"}, 3);
    row("fork", {"train", "--fork", "latest"}, 3);
    row("train nothing", {"train", "mine"}, 3);
    row("evaluate", {"evaluate", "latest"}, 3);
    row("recommend", {"recommend", "latest", "--user", "1"}, 3);
    row("predict", {"predict", "latest", "--text", "a"}, 3);
    row("compare", {"compare", "latest", "0123"}, 3);
    row("export", {"export", "latest", "--what", "curves", "--format", "csv", "--out", "x"}, 3);
    row("verify a run", {"verify", "latest"}, 3);
    row("verify-checkpoint", {"verify-checkpoint", "latest"}, 3);
    row("experiments", {"experiments"}, 0);
    row("experiments show", {"experiments", "show", "mine"}, 3);
    row("experiments delete", {"experiments", "delete", "mine"}, 3);
    row("experiments restore", {"experiments", "restore", "mine"}, 3);
    row("experiments erase", {"experiments", "erase", "mine"}, 3);
    row("experiments rename", {"experiments", "rename", "mine", "other"}, 3);
    row("experiments duplicate", {"experiments", "duplicate", "mine"}, 3);
    row("validate", {"validate", "sample"}, 0);
    row("devices", {"devices"}, 0);
    row("doctor", {"doctor"}, 0);
  }
  void aMistypedWorkspaceIsNotMade() {
    QFETCH(QStringList, call);
    QFETCH(int, code);
    const QString folder = cli_.folder("mistyped/workspace");
    const CliResult result = cli_.ask(call + QStringList{"--workspace", folder});
    QVERIFY2(result.code == code, result.err + result.out);
    QVERIFY(!QFileInfo::exists(cli_.folder("mistyped")));
    // Whoever mistyped it is told.
    const bool isSaid = call.front() != "validate" && call.front() != "devices" &&
                        call != QStringList{"train", "mine"};
    if (isSaid) QVERIFY2((result.err + result.out).contains("mistyped/workspace"), result.err);
  }

  void workspaceBelowAFileIsOne() {
    const QString file = cli_.write("file", "not a folder");
    QCOMPARE(cli_.ask({"runs", "--workspace", file + "/below"}).code, 1);
  }

  void newerWorkspaceIsOne() {
    const QString folder = cli_.folder("newer");
    QCOMPARE(cli_.ask({"experiments", "new", "sample", "--workspace", folder}).code, 0);
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open((folder + "/parapet.db").toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "PRAGMA user_version = 1000000", nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
    const CliResult result = cli_.ask({"runs", "--workspace", folder});
    QVERIFY2(result.code == 1, result.err.constData());
    QVERIFY(result.err.contains("1000000"));
  }

  void doctorFindsAndRepairsADamagedDatabase() {
    const QString folder = cli_.folder("sick");
    const QStringList doctor{"doctor", "--workspace", folder};
    QCOMPARE(cli_.ask({"experiments", "new", "sample", "--workspace", folder}).code, 0);
    QCOMPARE(cli_.ask(doctor + QStringList{"--deep"}).code, 0);
    QFile file(folder + "/parapet.db");
    QVERIFY(file.open(QFile::ReadWrite));
    file.write(QByteArray(4096, '\x55'));
    file.close();
    const CliResult found = cli_.ask(doctor);
    QCOMPARE(found.code, 1);
    bool named = false;
    const json answer = found.json();
    for (const json& check : answer["checks"])
      named = named || (check["name"] == "database" && !check["ok"].get<bool>() &&
                        check["fix"].get<std::string>().find("--repair") != std::string::npos);
    QVERIFY(named);
    const CliResult repaired = cli_.ask(doctor + QStringList{"--repair"});
    QVERIFY2(repaired.code == 0, repaired.err.constData());
    QCOMPARE(cli_.ask(doctor).code, 0);
  }

  void doctorNamesTheFaultAndTheFix() {
    const QString file = cli_.write("file", "not a folder");
    const CliResult result = cli_.ask({"doctor", "--workspace", file + "/below"});
    QCOMPARE(result.code, 1);
    const json answer = result.json();
    for (const json& check : answer["checks"])
      if (!check["ok"].get<bool>()) QVERIFY(check["fix"].is_string());
  }

  void rejectedLinesOverTheShareAreOneWhateverIsWrong_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("label") << "1,1,much,5";
    QTest::newRow("time") << "1,1,1,noon";
    QTest::newRow("id") << ",1,1,5";
    QTest::newRow("field count") << "1,1";
  }
  void rejectedLinesOverTheShareAreOneWhateverIsWrong() {
    QFETCH(QString, line);
    QByteArray rows = "user,item,click,time\n";
    for (int row = 0; row < 100; ++row)
      rows += row % 2 == 0 ? QByteArray("1,2,1,") + QByteArray::number(row) + "\n"
                           : line.toUtf8() + "\n";
    json document{{"parapet", 1}, {"name", "rejected"}};
    document["dataset"] = {{"source", "csv"},
                           {"path", cli_.write("rejected.csv", rows).toStdString()},
                           {"label", {{"column", "click"}}},
                           {"columns",
                            {{{"name", "user"}, {"role", "user"}},
                             {{"name", "item"}, {"role", "item"}},
                             {{"name", "time"}, {"role", "time"}}}},
                           {"vocabularies", {{{"name", "user"}}, {{"name", "item"}}}},
                           {"split", {{"kind", "random"}, {"train", 0.8}, {"validation", 0.2}}},
                           {"batch", {{"size", 10}}}};
    const auto table = [](const char* name) {
      return json{{"name", name}, {"vocabulary", name}, {"embedding_dim", 4}};
    };
    document["tables"] = {table("user"), table("item")};
    document["features"] = {
        {{"name", "user"}, {"column", "user"}, {"table", "user"}, {"tower", "query"}},
        {{"name", "item"}, {"column", "item"}, {"table", "item"}, {"tower", "candidate"}}};
    document["model"] = {{"kind", "retrieval"}};
    document["loss"] = {{"kind", "mse"}};
    const QString path = cli_.write("rejected.json", QByteArray::fromStdString(document.dump()));
    for (const char* command : {"import", "train"}) {
      const CliResult result = cli_.ask({command, path});
      QVERIFY2(result.code == 1, (command + result.err).constData());
      QCOMPARE(result.json()["error"]["code"], json("data"));
    }
  }

  void withoutHomeTheProgramStillFindsItsFolder() {
    QProcess program;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.remove("HOME");
    environment.insert("XDG_DATA_HOME", "relative");
    program.setProcessEnvironment(environment);
    program.start(PARAPET_CLI, {"--help"});
    const CliResult help = Cli::finish(program);
    QCOMPARE(help.code, 0);
    QVERIFY2(!help.out.contains("relative/parapet"), help.out.constData());
  }

  // 3 for what the command line names, 1 for what a document names.
  void missingDataAreNotFoundWhereTheCommandNamesThem() {
    for (const char* command : {"train", "import", "plan", "validate"}) {
      const CliResult result =
          cli_.ask({command, "movielens-retrieval", "--data", "/nonexistent/ml-100k"});
      QVERIFY2(result.code == 3, command);
      QVERIFY(result.err.contains("/nonexistent/ml-100k"));
    }
    for (const char* command : {"import", "validate"}) {
      const CliResult named =
          cli_.ask({command, "movielens-retrieval", "--set", "/dataset/path=/nonexistent/ml-100k"});
      QVERIFY2(named.code == 1, command);
      QVERIFY(named.err.contains("/nonexistent/ml-100k does not exist"));
    }
    const json gone =
        cli_.ask({"validate", "movielens-retrieval", "--set", "/dataset/path=/nonexistent/ml-100k"})
            .json();
    QCOMPARE(gone["valid"], json(false));
    QCOMPARE(gone["problems"][0]["pointer"], json("/dataset/path"));
    QCOMPARE(gone["error"]["code"], json("data"));
    // Generated data do not read a path.
    const CliResult generated =
        cli_.ask({"validate", "sample", "--set", "/dataset/path=/nonexistent/ml-100k"});
    QVERIFY2(generated.code == 0, generated.err.constData());
    QCOMPARE(cli_.ask({"download", "no-such-set"}).code, 3);
  }

  void aPlaceThatCannotBeWrittenFailsWithOne() {
    QCOMPARE(cli_.ask({"train", "sample", "--epochs", "1"}).code, 0);
    const QString corpus =
        cli_.write("prose.txt", QByteArray("a few words of text\n").repeated(50));
    for (const QStringList& arguments :
         {QStringList{"download", "http://127.0.0.1:1/x", "--out", "/proc/x"},
          {"generate", "clicks", "--out", "/proc/x/y.csv"},
          {"export", "latest", "--what", "tables", "--format", "npy", "--out", "/proc/x/y"},
          {"export", "latest", "--what", "curves", "--format", "csv", "--out", "/proc/x"},
          {"vocabulary", corpus, "--out", "/proc/x"},
          {"train", "sample", "--epochs", "1", "--workspace", "/proc/x"}}) {
      const CliResult result = cli_.ask(arguments);
      QVERIFY2(result.code == 1, (arguments.join(' ').toUtf8() + result.err).constData());
    }
    // Not found comes before what fails.
    QCOMPARE(cli_.ask({"export", "zzzz", "--what", "tables", "--format", "npy", "--out", "/proc/x"})
                 .code,
             3);
  }

  void longArgumentsLoseTheirMiddle() {
    const QString word(20'000, 'a');
    for (const QStringList& arguments : {QStringList{"train", "sample", "--set", word},
                                         {word},
                                         {"train", "--" + word},
                                         {"init", word},
                                         {"evaluate", "latest", "--k", word},
                                         {"download", word}}) {
      const CliResult text = cli_.run(arguments);
      QVERIFY(text.code != 0);
      QVERIFY2(text.err.size() < 4000, text.err.constData());
      QVERIFY2(text.err.contains("bytes…]"), text.err.constData());
      QVERIFY(cli_.ask(arguments).json()["error"]["message"].get<std::string>().size() < 4000);
    }
  }

  // Folders are made for what is written, and go again if nothing is.
  void aCommandThatFailsLeavesNoFolders() {
    const QString folder = cli_.folder("made");
    QCOMPARE(cli_.ask({"download", "http://127.0.0.1:1/x", "--out", folder + "/a/b/x"}).code, 1);
    QVERIFY(!QDir(folder).exists());
    QCOMPARE(cli_.ask({"export", "zzzz", "--what", "tables", "--format", "npy", "--out",
                       folder + "/a/b"})
                 .code,
             3);
    QVERIFY(!QDir(folder).exists());
  }

  // Generated data in place of those that were asked for are no answer.
  void missingDataOfADocumentThatGeneratesItsOwnAreRefused() {
    const CliResult result = cli_.ask({"train", "sample", "--data", "/nonexistent/mine.csv"});
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("/nonexistent/mine.csv does not exist"), result.err.constData());
  }

  void aPipeAsDataIsRefusedWithoutWaiting() {
    const QString pipe = cli_.folder("pipe");
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    const CliResult read = cli_.ask({"train", "movielens-retrieval", "--data", pipe});
    QVERIFY2(read.code == 1 && read.err.contains("is a pipe"), read.err.constData());
    const CliResult generated = cli_.ask({"train", "sample", "--data", pipe});
    QVERIFY2(generated.code == 2 && generated.err.contains("is a pipe"), generated.err.constData());
  }

 private:
  void row(const char* name, const QStringList& call, int code, const char* says) {
    QTest::newRow(name) << call << code << QString::fromUtf8(says);
  }

  void addArguments() {
    row("unknown command", {"trian", "sample"}, 2, "did you mean \"train\"?");
    row("help as a command", {"help"}, 2, "see parapet-cli --help");
    row("unknown option", {"train", "sample", "--epoch", "2"}, 2, "did you mean \"--epochs\"?");
    row("unexpected argument", {"runs", "extra"}, 2, "extra");
    row("epochs 0", {"train", "sample", "--epochs", "0"}, 2, "whole number ≥ 1");
    row("epochs a word", {"train", "sample", "--epochs", "two"}, 2, "two");
    row("threads 0", {"train", "sample", "--threads", "0"}, 2, "from 1 to 1024");
    row("threads 100000", {"train", "sample", "--threads", "100000"}, 2, "from 1 to 1024");
    row("threads beyond an int", {"verify", "sample", "--threads", "4294967297"}, 2, "from 1 to");
    row("document of no threads", {"train", "sample", "--set", "/mesh/threads=0"}, 2,
        "/mesh/threads");
    row("more devices than rows", {"train", "sample", "--devices", "cpu*101"}, 2,
        "101 devices share a batch of 100 examples");
    row("verify on more devices than rows", {"verify", "sample", "--against", "cpu*101"}, 2,
        "101 devices share a batch of 100 examples");
    row("unknown device", {"train", "sample", "--devices", "gpu:0"}, 2, "gpu:0");
    row("shape of another product", {"train", "sample", "--set", "/mesh/shape=[2]"}, 2,
        "the shape has 2 devices, and 1 are named");
    row("negative seed", {"train", "sample", "--seed", "-1"}, 2, "whole number ≥ 0");
    row("resume with a document", {"train", "sample", "--resume", "latest"}, 2, "--resume");
    row("no document", {"train"}, 2, "DOC");
    row("generate what", {"generate", "movie", "--out", "x"}, 2, "did you mean \"movies\"?");
    row("generate as what", {"generate", "events", "--out", "x"}, 2, "--format csv");
    row("generate which format", {"generate", "events", "--out", "x", "--format", "cvs"}, 2,
        "did you mean \"csv\"?");
    row("generate which layout", {"generate", "movies", "--out", "x", "--layout", "1m"}, 2,
        "accepted: 100k");
    row("generate with too much strength",
        {"generate", "events", "--out", "x.csv", "--context-strength", "2"}, 2, "from 0 to 1");
    row("generate with an order of clicks",
        {"generate", "clicks", "--out", "x.csv", "--order-strength", "0.5"}, 2,
        "a setting of events");
    row("generate too few items", {"generate", "events", "--out", "x.csv", "--items", "3"}, 2,
        "16 to");
    row("export what", {"export", "latest", "--what", "table", "--format", "npy", "--out", "x"}, 2,
        "did you mean \"tables\"?");
    row("export format", {"export", "latest", "--what", "curves", "--format", "npy", "--out", "x"},
        2, "accepted: csv, json");
    row("compare one", {"compare", "latest"}, 2, "two runs");
    row("compare which split", {"compare", "latest", "latest", "--split", "train"}, 2,
        "accepted: validation, test");
    row("compare which checkpoint", {"compare", "latest", "latest", "--checkpoint", "7"}, 2,
        "accepted: last, best");
    row("wrong before missing", {"recommend", "no-such-run", "--user", "1", "-k", "0"}, 2, "≥ 1");
    row("empty devices", {"train", "sample", "--devices", ""}, 2, "--devices: the value is empty");
    row("empty user", {"recommend", "latest", "--user", ""}, 2, "--user: the value is empty");
    row("empty data", {"validate", "sample", "--data", ""}, 2, "--data: the value is empty");
    row("empty setting", {"train", "sample", "--set", ""}, 2, "--set: the value is empty");
    row("wrong --set before missing document", {"train", "no-such", "--set", "epochs"}, 2, "--set");
  }

  void addDocuments() {
    row("unknown recipe", {"train", "smaple"}, 3, "did you mean \"sample\"?");
    row("unknown recipe to print", {"recipe", "smaple"}, 3, "did you mean \"sample\"?");
    row("unknown encoder", {"recipe", "bert-tiny-mlm", "--encoder", "bert-minni"}, 2,
        "did you mean \"bert-mini\"?");
    row("encoder of no texts", {"recipe", "sample", "--encoder", "bert-mini"}, 2,
        "sample has no encoder of texts");
    row("no run", {"show"}, 2, "the run is missing; accepted is one of: RUN, --model DIR");
    row("a run and a model", {"show", "latest", "--model", "."}, 2,
        "RUN and --model are given; accepted is one of: RUN, --model DIR");
    row("nothing to predict", {"predict", "latest"}, 2,
        "what is to be predicted is missing; accepted is one of: --input FILE, --text TEXT, "
        "--stdin");
    row("a column without a name", {"train", "sample", "--set", "/features/0/column="}, 2,
        "/features/0/column: the text is empty; accepted: one of: user, item");
    row("missing file", {"train", "./no-such-file.json"}, 3, "no such file");
    row("broken JSON", {"validate", "BROKEN"}, 2, "line 4");
    row("unknown key", {"train", "sample", "--set", "/training/epoch=3"}, 2, "/training/epochs");
    row("unknown optimizer", {"train", "sample", "--set", "/optimizer/kind=adagard"}, 2, "adagrad");
    row("unknown device", {"train", "sample", "--devices", "gpu:0"}, 2, "gpu:0");
    row("dim 0", {"train", "sample", "--set", "/tables/0/embedding_dim=0"}, 2, "embedding_dim");
    row("learning rate NaN", {"train", "sample", "--set", "/optimizer/learning_rate=NaN"}, 2,
        "learning_rate");
    row("batch larger than the data", {"train", "sample", "--set", "/dataset/batch/size=100000000"},
        2, "batch");
    row("a table of petabytes",
        {"train", "sample", "--set", "/dataset/vocabularies/0/size=1000000000", "--set",
         "/tables/0/embedding_dim=1000000", "--set", "/tables/1/embedding_dim=1000000"},
        2, "iB");
  }

  void addQuestions() {
    row("k 0", {"recommend", "latest", "--user", "1", "-k", "0"}, 2, "≥ 1");
    row("k negative", {"recommend", "latest", "--user", "1", "-k", "-3"}, 2, "-3");
    row("k more than items", {"recommend", "latest", "--user", "1", "-k", "1000000"}, 2, "1000000");
    row("k more than items, unknown user", {"recommend", "latest", "--user", "x", "-k", "1000000"},
        2, "1000000");
    row("unknown user", {"recommend", "latest", "--user", "123456789"}, 3, "123456789");
    row("no user", {"recommend", "latest"}, 2, "exactly one");
    row("two sources", {"recommend", "latest", "--user", "1", "--stdin"}, 2, "exactly one");
    row("unknown run", {"recommend", "zzzz", "--user", "1"}, 3, "zzzz");
    row("unknown run to show", {"show", "zzzz"}, 3, "zzzz");
    row("unknown run to resume", {"train", "--resume", "zzzz"}, 3, "zzzz");
    row("unknown run or document", {"verify", "zzzz"}, 3, "zzzz");
    row("checkpoint a word", {"evaluate", "latest", "--checkpoint", "first"}, 2, "last, best");
    row("split a word", {"evaluate", "latest", "--split", "train"}, 2, "validation, test");
    row("k 0 of evaluate", {"evaluate", "latest", "--k", "10,0"}, 2, "≥ 1");
  }

  // An argument that is wrong by itself comes before one that names nothing, and that before a failure.
  void addOrder() {
    row("2 before 3: -k and an unknown run", {"recommend", "zzzz", "--user", "1", "-k", "0"}, 2,
        "≥ 1");
    row("2 before 3: a device and a missing file",
        {"train", "./no-such-file.json", "--devices", "gpu:0"}, 2, "gpu:0");
    row("2 before 1: a key and a workspace below a file",
        {"train", "sample", "--set", "/training/epoch=3", "--workspace", "BELOW"}, 2,
        "/training/epochs");
    row("2 before 1: broken JSON and a workspace below a file",
        {"train", "BROKEN", "--workspace", "BELOW"}, 2, "line 4");
    row("3 before 1: a missing file and a workspace below a file",
        {"train", "./no-such-file.json", "--workspace", "BELOW"}, 3, "no such file");
    row("3 before 1: a missing recipe and a workspace below a file",
        {"import", "smaple", "--workspace", "BELOW"}, 3, "did you mean \"sample\"?");
    row("1: a workspace below a file", {"train", "sample", "--workspace", "BELOW"}, 1, "below");
  }

  Cli cli_;
};

QTEST_GUILESS_MAIN(ExitCodesTest)
#include "exit_codes_test.moc"
