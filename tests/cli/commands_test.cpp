// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtTest>
#include <algorithm>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

bool hasKeys(const json& value, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (!value.contains(key)) {
      qWarning("missing key %s in %s", key, value.dump().c_str());
      return false;
    }
  return true;
}

}  // namespace

/// Every command that neither asks a model nor fails.
class CommandsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const CliResult result = cli_.ask({"train", "sample", "--epochs", "2"});
    QVERIFY2(result.code == 0, result.err.constData());
    trained_ = result.json();
    QVERIFY(trained_.is_object());
  }

  void listsRecipes() {
    const json recipes = cli_.ask({"recipes"}).json();
    QVERIFY(recipes.is_array() && !recipes.empty());
    bool sample = false;
    for (const json& recipe : recipes) {
      QVERIFY(hasKeys(recipe, {"name", "title", "needs_data"}));
      if (recipe["name"] == "sample") sample = !recipe["needs_data"].get<bool>();
    }
    QVERIFY2(sample, "the sample needs no data");
  }

  void theDocumentsListEveryKey() {
    const CliResult page = cli_.run({"schema", "--format", "markdown"});
    QCOMPARE(page.code, 0);
    QFile written(PARAPET_DOCS "/keys.md");
    QVERIFY(written.open(QFile::ReadOnly));
    QVERIFY2(written.readAll() == page.out,
             "parapet-cli schema --format markdown > docs/keys.md writes it anew");
    QCOMPARE(cli_.run({"schema", "--format", "yaml"}).code, 2);
  }

  void printsRecipeAndSchemaAsJson() {
    for (const QStringList& call : {QStringList{"recipe", "sample"}, QStringList{"schema"}}) {
      const CliResult result = cli_.run(call);
      QCOMPARE(result.code, 0);
      QVERIFY(json::parse(result.out.toStdString(), nullptr, false).is_object());
      QVERIFY(cli_.ask(call).json().is_object());
    }
  }

  void validatesAPrintedRecipe() {
    const QString file = cli_.write("mine.json", cli_.run({"recipe", "sample"}).out);
    const CliResult result = cli_.ask({"validate", file});
    QCOMPARE(result.code, 0);
    const json answer = result.json();
    QVERIFY(hasKeys(answer, {"valid", "problems", "warnings"}));
    QCOMPARE(answer["valid"].get<bool>(), true);
    QVERIFY(answer["problems"].empty());
  }

  void printsARecipeWithTheEncoderOfAnotherBert() {
    const json document = cli_.ask({"recipe", "bert-tiny-mlm", "--encoder", "bert-mini"}).json();
    QCOMPARE(document["name"], json("bert-tiny-mlm-bert-mini"));
    QCOMPARE(document["tables"][0]["embedding_dim"], json(256));
    const auto isBlock = [](const json& layer) { return layer["kind"] == "transformer_block"; };
    QCOMPARE(std::ranges::count_if(document["model"]["layers"], isBlock), 4);
    const QString file = cli_.write("mini.json", QByteArray::fromStdString(document.dump()));
    for (const json& problem : cli_.ask({"validate", file}).json()["problems"])
      QCOMPARE(problem["pointer"], json("/dataset/path"));  // it needs texts, and nothing else
  }

  // Vocabularies that the data decide; their sizes tell, too, that the model will not learn.
  void whatWasImportedIsKnownToValidateAndPlan() {
    const QStringList document{"yambda-context",
                               "--set",
                               "/dataset/generator/users=50",
                               "--set",
                               "/dataset/generator/items=40",
                               "--set",
                               "/dataset/generator/events=4000",
                               "--set",
                               "/dataset/batch/size=64",
                               "--set",
                               R"(/optimizer={"kind": "sgd", "learning_rate": 1e-9})"};
    const auto forecasts = [](const CliResult& result) {
      return result.err.contains("ln B") && result.err.contains("some hundred times as large");
    };
    const CliResult before = cli_.ask(QStringList{"validate"} + document);
    QVERIFY2(before.code == 0, before.err.constData());
    QVERIFY(before.json()["estimates"]["tables"][0]["rows"].is_null() && !forecasts(before));
    const CliResult plan = cli_.ask(QStringList{"plan"} + document);  // imports
    QVERIFY2(plan.code == 0 && forecasts(plan), plan.err.constData());
    QCOMPARE(plan.json()["warnings"][0]["pointer"].get<std::string>(),
             std::string("/optimizer/learning_rate"));
    const CliResult after = cli_.ask(QStringList{"validate"} + document);
    QVERIFY2(after.code == 0 && forecasts(after), after.err.constData());
    QCOMPARE(after.json()["estimates"]["tables"][0]["rows"].get<int>(), 51);
  }

  void validateSaysWhatIsDataParallel() {
    const CliResult one = cli_.ask({"validate", "sample", "--devices", "cpu:0"});
    QVERIFY(one.json()["estimates"]["data_parallel"].get<std::string>().starts_with(
        "Nothing is data parallel: cpu:0 alone computes every batch of "));
    QVERIFY(cli_.run({"validate", "sample", "--devices", "cpu:0"})
                .out.contains("Nothing is data parallel"));
    QVERIFY(cli_.run({"validate", "sample", "--devices", "cpu*2"})
                .out.contains("Data parallel: 2 devices share every batch of "));
  }

  void validatePrintsFixesThatWork() {
    const QStringList broken{"validate", "sample", "--set", "/tables/0/embedding_dim=32"};
    const CliResult result = cli_.ask(broken);
    QCOMPARE(result.code, 2);
    const std::size_t offered = result.json()["problems"][0]["fixes"].size();
    QByteArrayList lines;
    for (const QByteArray& line : result.err.split('\n'))
      if (line.startsWith("  fix: ")) lines << line;
    QCOMPARE(std::size_t(lines.size()), offered);
    QVERIFY(offered > 0);
    for (const QByteArray& line : lines) {
      // As a person pastes it into a shell.
      QProcess shell;
      shell.start("/bin/sh", {"-c", "printf '%s\\n' " + line.mid(line.indexOf("--set"))});
      QVERIFY(shell.waitForFinished());
      QStringList command = broken;
      for (const QByteArray& word : shell.readAllStandardOutput().trimmed().split('\n'))
        command << QString::fromUtf8(word);
      const CliResult fixed = cli_.ask(command);
      QVERIFY2(fixed.code == 0, (line + fixed.err).constData());
    }
  }

  void validateSumsUpWarningsThatAreAlike() {
    json document = cli_.ask({"recipe", "sample"}).json();
    const json feature = document["features"][0];
    for (int copy = 0; copy < 300; ++copy) {
      document["features"].push_back(feature);
      document["features"].back()["name"] = "copy" + std::to_string(copy);
    }
    const QString path = cli_.write("alike.json", QByteArray::fromStdString(document.dump()));
    const QStringList asked{"validate", path, "--set",
                            R"(/model/query=[{"kind": "dense", "units": 16}])"};
    const CliResult text = cli_.run(asked);
    QVERIFY2(text.code == 0, text.err.constData());
    QCOMPARE(text.err.count("it is equal to \"user\""), 11);
    QVERIFY2(text.err.contains("290 more of: it is equal to"), text.err.constData());
    QCOMPARE(cli_.ask(asked).json()["warnings"].size(), std::size_t{300});
  }

  void validateTellsEveryProblemAtOnce() {
    const CliResult result = cli_.ask({"validate", "sample", "--set", "/tables/0/embedding_dim=0",
                                       "--set", "/training/epochs=0"});
    QCOMPARE(result.code, 2);
    const json answer = result.json();
    QCOMPARE(answer["valid"].get<bool>(), false);
    QVERIFY(answer["problems"].size() >= 2);
    QVERIFY(hasKeys(answer["problems"][0], {"pointer", "message", "accepted"}));
    QVERIFY(result.err.contains("error: /tables/0/embedding_dim"));
    QVERIFY(result.err.contains("error: /training/epochs"));
  }

  void dataWithGapsInTheirIdsTrainWithARecipe() {
    QByteArray ratings = "userId,movieId,rating,timestamp\n", movies = "movieId,title,genres\n";
    for (int i = 0; i < 3000; ++i)
      ratings += QString("%1,%2,%3,%4\n")
                     .arg(i % 40 + 1)
                     .arg(900 * (i * 7 % 30) + 1)
                     .arg(i % 5 + 0.5)
                     .arg(i)
                     .toUtf8();
    for (int i = 0; i < 30; ++i)
      movies += QString("%1,Movie %2 (1999),Drama\n").arg(900 * i + 1).arg(i).toUtf8();
    QVERIFY(QDir().mkpath(cli_.folder("latest")));
    cli_.write("latest/ratings.csv", ratings);
    cli_.write("latest/movies.csv", movies);
    const QStringList data{"movielens-retrieval", "--data", cli_.folder("latest")};
    const CliResult result = cli_.ask(QStringList{"train"} + data + QStringList{"--epochs", "1"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.err.contains("\"item\" is compressed"), result.err.constData());
    const QString vocabulary = R"({"name": "item", "kind": "direct", "size": "catalogue+1"})";
    const CliResult direct =
        cli_.ask(QStringList{"validate"} + data +
                 QStringList{"--set", "/dataset/vocabularies/1=" + vocabulary});
    QCOMPARE(direct.code, 2);
    QVERIFY2(direct.err.contains("/dataset/vocabularies/1/kind"), direct.err.constData());
  }

  void generatesTheSameBytesTwice() {
    for (const char* name : {"first", "second"}) {
      const CliResult result =
          cli_.ask({"generate", "movies", "--out", cli_.folder(name), "--users", "20", "--items",
                    "15", "--events", "200", "--seed", "3"});
      QVERIFY2(result.code == 0, result.err.constData());
      QVERIFY(hasKeys(result.json(), {"path", "rows", "bytes", "seconds"}));
      QCOMPARE(result.json()["rows"].get<int>(), 200);
    }
    QFile first(cli_.folder("first/u.data")), second(cli_.folder("second/u.data"));
    QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
    QCOMPARE(first.readAll(), second.readAll());
  }

  void generatesTablesThatAreReplacedWithForceOnly() {
    for (const char* kind : {"clicks", "events"}) {
      const QString path = cli_.folder(QString(kind) + ".csv");
      const QStringList call{"generate", kind, "--out", path, "--events", "500"};
      const CliResult result = cli_.ask(call);
      QVERIFY2(result.code == 0, result.err.constData());
      QVERIFY(hasKeys(result.json(), {"path", "rows", "bytes", "seconds"}));
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      QCOMPARE(text.count('\n'), 501);
      QCOMPARE(result.json()["bytes"].get<qint64>(), text.size());
      const CliResult again = cli_.ask(call);
      QCOMPARE(again.code, 2);
      QVERIFY(again.err.contains("--force"));
      QCOMPARE(cli_.ask(call + QStringList{"--force"}).code, 0);
    }
    const QString columns = cli_.folder("columns");
    QCOMPARE(cli_.ask({"generate", "events", "--out", columns, "--format", "columns"}).code, 0);
    QCOMPARE(QFileInfo(columns + "/uid.i32").size(), 4 * 20000);
  }

  void previewsAFileWithRolesAndCountsWhatPasses() {
    const QString file =
        cli_.write("seen.csv", "userId,movieId,rating\n1,7,5\n2,7,3\nbroken\n3,8,4\n");
    const auto answer =
        cli_.ask({"preview", file, "--rows", "2", "--filter", "rating >= 4"}).json();
    QCOMPARE(answer["rows"].size(), std::size_t{2});
    QVERIFY(answer["columns"][1]["role"] == "item");
    QCOMPARE(answer["rows_read"].get<int>(), 3);
    QCOMPARE(answer["rows_kept"].get<int>(), 2);
    QCOMPARE(answer["rejected"][0]["line"].get<int>(), 4);
    const CliResult wrong = cli_.run({"preview", file, "--filter", "ratnig >= 4"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("/dataset/filter") && wrong.err.contains('^'), wrong.err.data());
    QCOMPARE(cli_.run({"preview", cli_.folder("gone.csv")}).code, 3);
  }

  void previewNamesTheFileOfTitlesBesideTheData() {
    const QString file = cli_.write("beside.csv", "userId,bookId\n1,a7\n2,a7\n3,a8\n");
    cli_.write("books.csv", "bookId,title\na7,Seven\na8,Eight\na9,Nine\n");
    const auto beside = cli_.ask({"preview", file}).json()["catalogues_beside"];
    const auto books = std::ranges::find_if(
        beside, [](const auto& entry) { return entry["path"] == "books.csv"; });
    QVERIFY(books != beside.end());
    QVERIFY((*books)["of"] == "item" && (*books)["id"] == "bookId");
    QVERIFY((*books)["title"] == "title");
    const CliResult text = cli_.run({"preview", file});
    QVERIFY2(text.out.contains("books.csv in the same folder has titles of the items"),
             text.out.constData());
  }

  void importsWithoutTraining() {
    const CliResult result = cli_.ask({"import", "sample"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QVERIFY(hasKeys(answer, {"dataset", "rows", "quarantined", "vocabularies", "seconds",
                             "rows_per_second", "peak_rss_bytes"}));
    QVERIFY(answer["rows"].get<int>() > 0);
    QVERIFY(hasKeys(answer["vocabularies"][0], {"name", "size", "oov_share"}));
    const json again = cli_.ask({"import", "sample"}).json();
    QVERIFY(again["reused"].get<bool>());
    QVERIFY(again["rows_per_second"].is_null());  // nothing was read
    QCOMPARE(again["vocabularies"].size(), answer["vocabularies"].size());
  }

  void trainAnswersWithEveryField() {
    QVERIFY(hasKeys(trained_, {"run_id", "state", "epochs", "steps", "seconds", "train_seconds",
                               "examples_per_second", "peak_rss_bytes", "checkpoint", "baselines",
                               "verdicts", "verdict", "test", "leakage"}));
    QCOMPARE(trained_["state"].get<std::string>(), std::string("Finished"));
    QCOMPARE(trained_["epochs"].size(), std::size_t{2});
    QVERIFY(trained_["baselines"].contains("constant"));
    QVERIFY(!trained_["verdicts"].empty());
    for (const json& verdict : trained_["verdicts"])
      QVERIFY(hasKeys(verdict, {"baseline", "metric", "model", "reference", "difference",
                                "standard_error", "tolerance", "verdict", "outcome", "head"}));
    // Baselines that are fitted beside training are rivals of the last epoch, too.
    for (const char* rival : {"constant", "random", "most_popular", "markov", "item_knn", "ease"})
      QVERIFY2(std::ranges::any_of(trained_["verdicts"],
                                   [&](const json& of) { return of["baseline"] == rival; }),
               rival);
    const json& verdict = trained_["verdict"];
    QVERIFY(hasKeys(verdict, {"outcome", "of", "metric", "model", "most_popular", "best_rival",
                              "line", "sentence"}));
    for (const json& of : trained_["verdicts"])
      if (of["metric"] == verdict["metric"])
        QVERIFY(of["reference"].get<double>() <= verdict["best_rival"]["value"].get<double>());
    const CliResult shown = cli_.run({"show", id()});
    for (const char* text : {"line", "sentence"})
      QVERIFY2(shown.out.contains(QByteArray::fromStdString(verdict[text].get<std::string>())),
               shown.out.constData());
  }

  void everyEpochHasItsFields() {
    for (const json& epoch : trained_["epochs"]) {
      QVERIFY(hasKeys(epoch, {"epoch", "loss", "loss_as_displayed", "val_loss", "learning_rate",
                              "seconds", "ms_per_step"}));
      QVERIFY(epoch["loss"].get<double>() > 0.0);
      QVERIFY(hasKeys(epoch["time_use"], {"seconds", "compute", "exchange", "update", "input"}));
    }
    QCOMPARE(trained_["epochs"][0]["epoch"].get<int>(), 1);
  }

  // In a workspace that is not the default one, on data whose users have names.
  void theSummaryProposesCommandsThatWork() {
    QByteArray rows = "user,item,rating\n";
    for (int user = 0; user < 20; ++user)
      for (int item = 0; item < 10; ++item)
        rows += QString("u %1,i%2,%3\n").arg(user).arg(item).arg(1 + (user + item) % 5).toUtf8();
    rows += "anna,i1,3\n";
    const QString data = cli_.write("named.csv", rows);
    json document = cli_.ask({"recipe", "sample"}).json();
    document["dataset"] = {
        {"source", "csv"},
        {"path", data.toStdString()},
        {"label", {{"column", "rating"}, {"scale", {1, 5}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"split", {{"kind", "random"}, {"train", 0.8}, {"validation", 0.2}, {"test", 0.0}}},
        {"batch", {{"size", 20}}}};
    document["training"]["epochs"] = 1;
    const QString file = cli_.write("named.json", QByteArray::fromStdString(document.dump()));
    const CliResult trained = cli_.run({"train", file, "--quiet"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    QVERIFY2(trained.out.contains("after 1 epoch,"), trained.out.constData());
    const QStringList lines =
        QString::fromUtf8(trained.out).split("Next: ").last().trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    for (const QString& line : lines) {
      QStringList words = QProcess::splitCommand(line);
      QCOMPARE(words.takeFirst(), QString("parapet-cli"));
      QCOMPARE(words.mid(0, 2), (QStringList{"--workspace", cli_.workspace()}));
      words = words.mid(2);
      if (words[0] == "recommend") QCOMPARE(words.last(), QString("anna"));
      if (words[0] == "export") words.last() = cli_.folder("tables");
      const CliResult result = cli_.run(words);
      QVERIFY2(result.code == 0, result.err.constData());
    }
  }

  void valLossIsNullWhenNotValidated() {
    const CliResult result =
        cli_.ask({"train", "sample", "--epochs", "1", "--set", "/training/validate_every=0",
                  "--set", "/training/checkpoints/best=null"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY(result.json()["epochs"][0]["val_loss"].is_null());
  }

  void equalScoresHaveTheirNameWithoutValidation() {
    const CliResult result =
        cli_.run({"train", "sample", "--epochs", "1", "--set", "/training/validate_every=0"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.out.contains("\nequal scores "), result.out.constData());
    QVERIFY2(!result.out.contains("constant"), result.out.constData());
  }

  void theSameSeedGivesTheSameLosses() {
    const json again = cli_.ask({"train", "sample", "--epochs", "2", "--threads", "1"}).json();
    for (std::size_t e = 0; e < 2; ++e)
      QCOMPARE(again["epochs"][e]["loss"].get<double>(),
               trained_["epochs"][e]["loss"].get<double>());
  }

  void runsListsTheRun() {
    const json runs = cli_.ask({"runs"}).json();
    QVERIFY(runs.is_array() && !runs.empty());
    bool found = false;
    for (const json& run : runs) {
      QVERIFY(hasKeys(run, {"run_id", "name", "recipe", "state", "created", "epochs", "best"}));
      found = found || run["run_id"] == trained_["run_id"];
    }
    QVERIFY(found);
  }

  void runsTakesALimitAndTheMetricOfTheDocument() {
    const QString workspace = cli_.folder("limit");
    const QStringList best{"--set", "/training/checkpoints/best=val_recall@10"};
    QStringList train{"train", "sample", "--epochs", "3", "--workspace", workspace};
    QCOMPARE(cli_.ask(train).code, 0);
    QCOMPARE(cli_.ask(train + best).code, 0);
    const json runs = cli_.ask({"runs", "--limit", "1", "--workspace", workspace}).json();
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs[0]["best"]["metric"].get<std::string>(), std::string("val_recall@10"));
    double highest = 0.0;
    const json run = cli_.ask({"show", "latest", "--workspace", workspace}).json();
    for (const json& epoch : run["epochs"])
      highest = std::max(highest, epoch.value("val_recall@10", 0.0));
    QCOMPARE(runs[0]["best"]["value"].get<double>(), highest);
    QVERIFY(
        QDir(QString::fromStdString(run["checkpoints"][0]["path"].get<std::string>())).exists());
    for (const char* refused : {"0", "-1", "x"})
      QCOMPARE(cli_.ask({"runs", "--limit", refused, "--workspace", workspace}).code, 2);
  }

  void showTellsTheWholeRun() {
    const json run = cli_.ask({"show", id()}).json();
    QVERIFY(hasKeys(
        run, {"run_id", "name", "recipe", "state", "created", "epochs", "best", "checkpoints",
              "events", "document", "baselines", "verdicts", "verdict", "test"}));
    QVERIFY(run["verdicts"] == trained_["verdicts"]);
    QVERIFY(run["verdict"] == trained_["verdict"]);
    QCOMPARE(run["epochs"].size(), std::size_t{2});
    QCOMPARE(run["recipe"].get<std::string>(), std::string("sample"));
    QVERIFY(!run["checkpoints"].empty());
    QVERIFY(run["document"].is_object());
  }

  void findsARunByPrefix() {
    QCOMPARE(cli_.ask({"show", id().left(8)}).json()["run_id"], trained_["run_id"]);
  }

  void listsDevices() {
    const json devices = cli_.ask({"devices"}).json();
    QVERIFY(devices.is_array() && !devices.empty());
    for (const json& device : devices)
      QVERIFY(hasKeys(device, {"name", "kind", "plugin", "outcome", "reason", "memory_bytes"}));
  }

  void verifiesTheSameBits() {
    const CliResult result = cli_.ask({"verify", "sample", "--steps", "3"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QVERIFY(hasKeys(answer, {"passed", "identical", "tolerance", "max_abs_diff",
                             "loss_max_abs_diff", "tensors"}));
    QCOMPARE(answer["identical"].get<bool>(), true);
    QCOMPARE(answer["max_abs_diff"].get<double>(), 0.0);
  }

  void verifiesFourRanksAgainstOne() {
    const CliResult result =
        cli_.ask({"verify", "sample", "--steps", "3", "--devices", "cpu*4", "--against", "cpu:0"});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()["passed"].get<bool>(), true);
  }

  // At a rate that magnifies every rounding.
  void aVerificationThatDoesNotPassNamesTensors() {
    const CliResult result = cli_.ask(
        {"verify", "sample", "--devices", "cpu*4", "--against", "cpu:0", "--steps", "60", "--set",
         "/optimizer={\"kind\":\"sgd\",\"learning_rate\":200}", "--set", "/mesh/spaces=separate",
         "--set", "/model/query=[{\"kind\":\"dense\",\"units\":16,\"activation\":\"tanh\"}]",
         "--set", "/model/candidate=[{\"kind\":\"dense\",\"units\":16,\"activation\":\"tanh\"}]"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains(" of 6 tensors differ by more: "), result.err.constData());
    // Both are CPUs: the strict comparison is for other kinds.
    QVERIFY2(!result.err.contains("strict comparison"), result.err.constData());
  }

  void verifiesSplitTablesAgainstOneDevice() {
    const CliResult result = cli_.ask({"verify",    "sample",
                                       "--steps",   "3",
                                       "--set",     "/mesh/devices=[\"cpu*8\"]",
                                       "--set",     "/mesh/shape=[2, 4]",
                                       "--set",     "/mesh/axes=[\"data\", \"model\"]",
                                       "--set",     "/mesh/spaces=separate",
                                       "--set",     "/tables/0/placement=row",
                                       "--set",     "/tables/0/axes=[\"model\"]",
                                       "--set",     "/tables/1/placement=column",
                                       "--against", "cpu:0"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["passed"].get<bool>(), true);
    QVERIFY(answer["tolerance"].get<double>() > 0.0);
    const json tables = answer["first"]["tables"];
    QCOMPARE(tables[0]["placement"], "row");
    QCOMPARE(tables[0]["shards"], 4);
    QCOMPARE(tables[0]["groups"], 2);
    QCOMPARE(tables[1]["placement"], "column");
    QCOMPARE(tables[1]["shards"], 8);
    QCOMPARE(answer["second"]["devices"].size(), 1u);
  }

  void comparesTwoRuns() {
    const json other =
        cli_.ask({"train", "sample", "--epochs", "1", "--set", "/optimizer/learning_rate=0.2"})
            .json();
    const CliResult result =
        cli_.ask({"compare", id(), QString::fromStdString(other["run_id"].get<std::string>())});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QVERIFY(hasKeys(answer, {"settings", "metrics", "overlap"}));
    bool found = false;
    for (const json& setting : answer["settings"])
      found = found || setting["pointer"] == "/optimizer/learning_rate";
    QVERIFY(found);
    bool paired = false;
    for (const json& metric : answer["paired"])
      paired = paired || (metric["name"] == "recall@10" && metric["users"].get<int>() > 0 &&
                          metric["standard_error"].get<double>() > 0.0);
    QVERIFY(paired);
    QCOMPARE(answer["split"].get<std::string>(), std::string("validation"));
    QCOMPARE(answer["checkpoint"].get<std::string>(), std::string("last"));
    // A comparison over other rows, with other weights.
    const CliResult elsewhere =
        cli_.ask({"compare", id(), QString::fromStdString(other["run_id"].get<std::string>()),
                  "--split", "test", "--checkpoint", "best"});
    QVERIFY2(elsewhere.code == 0, elsewhere.err.constData());
    const json there = elsewhere.json();
    QCOMPARE(there["split"].get<std::string>(), std::string("test"));
    QCOMPARE(there["checkpoint"].get<std::string>(), std::string("best"));
    QVERIFY(!there["paired"].empty());
    for (const char* name : {"test_loss", "test_recall@10"}) {
      const auto row = std::ranges::find_if(
          there["metrics"], [&](const json& metric) { return metric["name"] == name; });
      QVERIFY2(row != there["metrics"].end(), name);
      QVERIFY((*row)["values"][0].is_number() && (*row)["values"][1].is_number());
    }
    // A run and itself differ in nothing.
    for (const json& metric : cli_.ask({"compare", id(), id()}).json()["paired"])
      QVERIFY(metric["difference"] == 0.0 && metric["significant"] == false);
  }

  void doctorFindsAHealthyWorkspace() {
    const CliResult result = cli_.ask({"doctor"});
    const json answer = result.json();
    QVERIFY(answer["checks"].size() >= 6);
    for (const json& check : answer["checks"])
      QVERIFY(hasKeys(check, {"name", "ok", "message", "fix"}));
  }

  void textAnswersComeToo_data() {
    QTest::addColumn<QStringList>("call");
    QTest::newRow("recipes") << QStringList{"recipes"};
    QTest::newRow("runs") << QStringList{"runs"};
    QTest::newRow("show") << QStringList{"show", "latest"};
    QTest::newRow("devices") << QStringList{"devices"};
    QTest::newRow("evaluate") << QStringList{"evaluate", "latest"};
    QTest::newRow("recommend") << QStringList{"recommend", "latest", "--user", "1"};
    QTest::newRow("version") << QStringList{"--version"};
    QTest::newRow("help") << QStringList{"--help"};
    QTest::newRow("help of train") << QStringList{"train", "--help"};
  }
  void textAnswersComeToo() {
    QFETCH(QStringList, call);
    const CliResult result = cli_.run(call);
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY(!result.out.isEmpty());
  }

  void trainTellsALinePerEpochAndWhatIsNext() {
    const CliResult result = cli_.run({"train", "sample", "--epochs", "2"});
    QCOMPARE(result.code, 0);
    QCOMPARE(result.err.count("epoch "), 2);
    QVERIFY(result.err.contains("ms/step") && result.err.contains("examples/s"));
    QVERIFY(result.out.contains("The model is "));
    QVERIFY(result.out.contains(
        QString("parapet-cli --workspace %1 recommend").arg(cli_.workspace()).toUtf8()));
  }

 private:
  [[nodiscard]] QString id() const {
    return QString::fromStdString(trained_["run_id"].get<std::string>());
  }

  Cli cli_;
  json trained_;
};

QTEST_GUILESS_MAIN(CommandsTest)
#include "commands_test.moc"
