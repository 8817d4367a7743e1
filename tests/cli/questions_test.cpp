// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QtTest>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Questions to a trained model: recommend, evaluate, export.
class QuestionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const CliResult result = cli_.ask({"train", "sample", "--epochs", "2"});
    QVERIFY2(result.code == 0, result.err.constData());
  }

  void answersOneUserWithAnObject() {
    const json answer = recommend({"--user", "1"});
    QVERIFY(answer.is_object());
    QCOMPARE(answer["user"].get<std::string>(), std::string("1"));
    QVERIFY(answer["context"].is_null());
    QCOMPARE(answer["items"].size(), std::size_t{10});
  }

  void ranksFromOneByDescendingScore() {
    const json items = recommend({"--user", "2", "-k", "5"})["items"];
    QCOMPARE(items.size(), std::size_t{5});
    for (std::size_t i = 0; i < items.size(); ++i) {
      QCOMPARE(items[i]["rank"].get<std::size_t>(), i + 1);
      QVERIFY(items[i]["id"].is_string() && items[i].contains("title"));
      if (i > 0) QVERIFY(items[i]["score"].get<double>() <= items[i - 1]["score"].get<double>());
    }
  }

  void answersSeveralUsersInTheOrderAsked() {
    const json answer = recommend({"--user", "3,1,2", "-k", "1"});
    QVERIFY(answer.is_array());
    QCOMPARE(usersOf(answer), (std::vector<std::string>{"3", "1", "2"}));
  }

  void readsUsersFromAFile() {
    const QString file = cli_.write("users.txt",
                                    "\xEF\xBB\xBF"
                                    "2\r\n\n1\n");
    const json answer = recommend({"--users-file", file, "-k", "1"});
    QCOMPARE(usersOf(answer), (std::vector<std::string>{"2", "1"}));
  }

  void readsAndWritesJsonLines() {
    const CliResult result = cli_.ask({"recommend", "latest", "--stdin", "-k", "2"},
                                      "\xEF\xBB\xBF{\"user\": \"1\", \"k\": 3}\n2\n");
    QCOMPARE(result.code, 0);
    const QList<QByteArray> lines = result.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(json::parse(lines[0].toStdString())["items"].size(), std::size_t{3});
    QCOMPARE(json::parse(lines[1].toStdString())["items"].size(), std::size_t{2});
  }

  void aBadLineDoesNotEndTheOthers() {
    const CliResult result = cli_.ask(
        {"recommend", "latest", "--stdin", "--fallback", "none", "-k", "1"}, "nobody\n1\n");
    QCOMPARE(result.code, 0);
    const QList<QByteArray> lines = result.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(json::parse(lines[0].toStdString())["error"]["code"].get<std::string>(),
             std::string("not_found"));
    QCOMPARE(json::parse(lines[1].toStdString())["user"].get<std::string>(), std::string("1"));
  }

  void leavesOutWhatTheUserHasSeen() {
    // A user trained on 80 % of 50 ratings has some of them among the best 20.
    const std::set<std::string> all = itemsOf(recommend({"--user", "1", "-k", "20"}));
    const std::set<std::string> unseen =
        itemsOf(recommend({"--user", "1", "-k", "20", "--exclude-seen"}));
    const std::set<std::string> never =
        itemsOf(recommend({"--user", "1", "-k", "20", "--exclude-seen=all"}));
    QCOMPARE(unseen.size(), all.size());
    QCOMPARE(never.size(), all.size());
    QVERIFY(unseen != all);
  }

  void acceptsCheckpoints() {
    QVERIFY(recommend({"--user", "1", "--checkpoint", "last"}).is_object());
    QVERIFY(recommend({"--user", "1", "--checkpoint", "best"}).is_object());
    const json run = cli_.ask({"show", "latest"}).json();
    const int step = run["checkpoints"][0]["step"].get<int>();
    QVERIFY(recommend({"--user", "1", "--checkpoint", QString::number(step)}).is_object());
  }

  void contextNeedsAModelWithContext() {
    const CliResult result =
        cli_.ask({"recommend", "latest", "--user", "1", "--context", "is_organic=1"});
    QCOMPARE(result.code, 2);
    QVERIFY(result.err.contains("has no context features"));
  }

  void listsOfAModelWithContextsSayWhichOneTheyAnswer() {
    const QString folder = cli_.folder("contexts");
    const CliResult trained = cli_.ask({"train", "dlrm", "--epochs", "1", "--workspace", folder,
                                        "--set", "/dataset/generator/events=2000"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    const json answer =
        cli_.ask({"recommend", "latest", "--user", "1", "--workspace", folder}).json();
    QVERIFY(answer["given"].is_array() && answer["given"].empty());
    QVERIFY(answer["context"].contains("device") && answer["context"]["device"].is_string());
    const std::string usual = answer["context"]["device"].get<std::string>();
    const auto ask = [&](QStringList more, const QByteArray& input = {}) {
      return cli_.ask(QStringList{"recommend", "latest", "-k", "2", "--workspace", folder} + more,
                      input);
    };
    const QString value = QString::fromStdString(usual);
    const json two = ask({"--user", "1,2", "--context", "device=" + value + ",never-seen"}).json();
    QCOMPARE(two.size(), std::size_t{4});
    QCOMPARE(two[0]["given"], json::array({"device"}));
    // The text of a user without rows speaks of no last row.
    const auto text = [&](const QStringList& more) {
      return cli_.run(QStringList{"recommend", "latest", "-k", "2", "--workspace", folder} + more)
          .out;
    };
    QVERIFY(text({"--user", "1"}).contains("(as in the last row)"));
    const QByteArray nobody = text({"--user", "nobody", "--context", "device=" + value});
    QVERIFY2(nobody.startsWith("User nobody, "), nobody.constData());
    QVERIFY2(nobody.contains(", device " + value.toUtf8() + ":"), nobody.constData());
    QVERIFY2(!nobody.contains("last row"), nobody.constData());
    QCOMPARE(two[0]["items"], ask({"--user", "1"}).json()["items"]);
    QVERIFY(two[1]["warnings"].back().get<std::string>().find("no row has") != std::string::npos);
    const CliResult lines = ask({"--stdin", "--context", "device=" + value},
                                "{\"user\": 1, \"context\": {\"device\": \"never-seen\"}}\n2\n"
                                "{\"user\": 1, \"context\": {\"devise\": 1}}\n"
                                "{\"user\": 1, \"context\": {\"device\": 1, \"device\": 2}}\n");
    QCOMPARE(lines.code, 0);
    const QList<QByteArray> answers = lines.out.trimmed().split('\n');
    QCOMPARE(answers.size(), 4);
    QCOMPARE(json::parse(answers[0].toStdString())["context"]["device"].get<std::string>(),
             std::string("never-seen"));
    QCOMPARE(json::parse(answers[1].toStdString())["context"]["device"].get<std::string>(), usual);
    QVERIFY2(answers[2].contains("did you mean"), answers[2].constData());
    QVERIFY2(answers[3].contains("given twice"), answers[3].constData());
  }

  void aHistoryIsReadReplacedAndSaid() {
    const QString folder = cli_.folder("histories");
    const CliResult trained =
        cli_.ask({"train", "sample", "--epochs", "1", "--workspace", folder, "--set",
                  "/features/0={\"name\": \"history\", \"column\": \"item\", \"table\": \"item\","
                  "\"history\": {\"length\": 3}}"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    const auto ask = [&](QStringList more, const QByteArray& input = {}) {
      return cli_.ask(QStringList{"recommend", "latest", "-k", "2", "--workspace", folder} + more,
                      input);
    };
    const json own = ask({"--user", "1"}).json();
    QCOMPARE(own["history"].size(), std::size_t{3});
    QCOMPARE(own["given"], json::array());
    const json given = ask({"--user", "1,2", "--history", "5, 7,no-such"}).json();
    for (const json& list : given) {
      QCOMPARE(list["history"], json::array({"5", "7"}));
      QCOMPARE(list["given"], json::array({"history"}));
      QVERIFY(list["warnings"][0].get<std::string>().find("\"no-such\"") != std::string::npos);
      QCOMPARE(list["items"], given[0]["items"]);
    }
    QVERIFY(given[0]["items"] != own["items"]);
    // Nobody in particular has it, too.
    const json nobody = ask({"--history", "5,7"}).json();
    QCOMPARE(nobody["items"], given[0]["items"]);
    QVERIFY(nobody["user"].is_null());
    QCOMPARE(nobody["warnings"], json::array());
    const CliResult alone =
        ask({"--stdin"}, "{\"user\": null, \"history\": [5, 7, 9, 11]}\n{\"k\": 2}\n");
    QCOMPARE(alone.code, 0);
    const json longer = json::parse(alone.out.split('\n').front().toStdString());
    QCOMPARE(longer["history"], json::array({"7", "9", "11"}));
    QVERIFY(longer["warnings"][0].get<std::string>().find("the last 3 of 4 items") !=
            std::string::npos);
    QCOMPARE(ask({}).code, 2);
    const CliResult lines = ask({"--stdin", "--history", "5"},
                                "{\"user\": 1, \"history\": [\"5\", 7]}\n1\n"
                                "{\"user\": \"nobody\", \"history\": [5]}\n"
                                "{\"user\": 1, \"history\": \"5\"}\n"
                                "{\"user\": 1, \"history\": [[5]]}\n");
    QCOMPARE(lines.code, 0);
    const QList<QByteArray> answers = lines.out.trimmed().split('\n');
    QCOMPARE(answers.size(), 5);
    const auto answer = [&](int line) { return json::parse(answers[line].toStdString()); };
    QCOMPARE(answer(0)["items"], given[0]["items"]);
    QCOMPARE(answer(1)["history"], json::array({"5"}));
    QVERIFY2(answers[2].contains("rests on the given history"), answers[2].constData());
    QCOMPARE(answer(2)["items"].size(), std::size_t{2});
    for (const int wrong : {3, 4}) {
      QVERIFY(answer(wrong)["items"].is_null());
      QCOMPARE(answer(wrong)["user"].get<std::string>(), std::string("1"));
    }
    // As an answer without a history says it.
    const CliResult none = ask({"--stdin"}, "{\"user\": 1, \"history\": null}\n");
    QVERIFY2(none.code == 0, none.err.constData());
    QCOMPARE(none.json()["items"], own["items"]);
    QCOMPARE(ask({"--user", "1", "--history", "5,,7"}).code, 2);
    const CliResult refused = cli_.ask({"recommend", "latest", "--user", "1", "--history", "5"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("reads no history"), refused.err.constData());
    QVERIFY(recommend({"--user", "1"})["history"].is_null());
  }

  void drawsUsers() {
    const json drawn = recommend({"--random", "5", "--seed", "3", "-k", "1"});
    const auto users = usersOf(drawn);
    QCOMPARE(std::set<std::string>(users.begin(), users.end()).size(), std::size_t{5});
    QCOMPARE(usersOf(recommend({"--random", "5", "--seed", "3", "-k", "1"})), users);
    QVERIFY(usersOf(recommend({"--random", "5", "-k", "1"})) != users);
    QCOMPARE(cli_.ask({"recommend", "latest", "--user", "1", "--random", "2"}).code, 2);
    QCOMPARE(cli_.ask({"recommend", "latest", "--user", "1", "--seed", "2"}).code, 2);
  }

  void contextsAreForRecommendationsAlone() {
    const CliResult result = cli_.ask({"export", "latest", "--what", "tables", "--format", "npy",
                                       "--out", cli_.folder("t"), "--context", "device=1"});
    QCOMPARE(result.code, 2);
    QVERIFY(result.err.contains("--context is for --what recommendations"));
  }

  /// An item that --exclude-seen keeps although the model has read it in the history.
  void marksItemsOfHeldOutRowsInTheHistory() {
    const Cli cli;  // `latest` of the others stays
    json document = json::parse(cli.run({"recipe", "sample"}).out.toStdString());
    for (json& feature : document["features"])
      if (feature["tower"] == "query") feature["name"] = "query/user";
    document["features"].push_back({{"name", "query/history"},
                                    {"column", "item"},
                                    {"table", "item"},
                                    {"tower", "query"},
                                    {"history", {{"length", 50}, {"rows", "all"}}}});
    document["model"]["query"] = {{{"kind", "add"}, {"inputs", {"query"}}}};
    const QString file = cli.write("history.json", QByteArray::fromStdString(document.dump()));
    const CliResult trained = cli.ask({"train", file, "--epochs", "1"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    const QString run = QString::fromStdString(trained.json()["run_id"].get<std::string>());
    const auto marks = [&](const QStringList& options) {
      const QByteArray out =
          cli.run(QStringList{"recommend", run, "--user", "1", "-k", "200"} + options).out;
      const auto heldOut = out.count("  in the history by a held-out row\n");
      return std::pair(out.count("  in the history\n"), heldOut);
    };
    const auto [seen, heldOut] = marks({});
    QVERIFY(seen > 0 && heldOut > 0);
    QCOMPARE(marks({"--exclude-seen"}).first, 0);
    QVERIFY(marks({"--exclude-seen"}).second >= heldOut);
    QCOMPARE(marks({"--exclude-seen=all"}), (std::pair<qsizetype, qsizetype>(0, 0)));
    QCOMPARE(marks({"--history", "5,6"}).second, 0);
  }

  /// Filters of an export are those of `recommend`.
  void exportsListsOfTheItemsThatAreAsked() {
    const QStringList filter{"--where", "genres=Drama,Comedy", "--exclude", "50,23",
                             "--exclude-seen"};
    const QString out = cli_.folder("filtered.json");
    const CliResult result = cli_.ask(QStringList{"export", "latest", "--what", "recommendations",
                                                  "--format", "json", "--out", out} +
                                      filter);
    QVERIFY2(result.code == 0, result.err.constData());
    QFile file(out);
    QVERIFY(file.open(QFile::ReadOnly));
    const json lists = json::parse(file.readAll().toStdString(), nullptr, false);
    const json expected = recommend(QStringList{"--user", "7"} + filter);
    QVERIFY(!expected["items"].empty());
    const auto list =
        std::ranges::find_if(lists, [](const json& each) { return each["user"] == "7"; });
    QCOMPARE(itemsOf(*list), itemsOf(expected));
  }

  void refusesOptionsThatAnExportWouldIgnore_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QStringList& options, int code, const char* says) {
      QTest::newRow(name) << options << code << QByteArray(says);
    };
    row("filter of tables", {"--what", "tables", "--where", "genres=Drama"}, 2,
        "--items, --exclude or --where is for --what recommendations; --what is tables");
    row("length of curves", {"--what", "curves", "-k", "5"}, 2, "-k is for --what recommendations");
    row("seen items of a model", {"--what", "model", "--exclude-seen"}, 2, "--exclude-seen is for");
    row("licence of tables", {"--what", "tables", "--licence", "MIT"}, 2,
        "--licence is for --what model");
    row("no condition", {"--what", "recommendations", "--where", "genres"}, 2, "NAME=VALUE");
    row("no attribute", {"--what", "recommendations", "--where", "genre=Drama"}, 2,
        "did you mean \"genres\"");
    row("both", {"--what", "recommendations", "--items", "1", "--items-file", "x"}, 2,
        "one of them");
    row("no file", {"--what", "recommendations", "--exclude-file", "/nowhere.txt"}, 3,
        "/nowhere.txt");
  }
  void refusesOptionsThatAnExportWouldIgnore() {
    QFETCH(QStringList, options);
    QFETCH(int, code);
    QFETCH(QByteArray, says);
    const QString out = cli_.folder("refused");
    const CliResult result = cli_.ask(QStringList{"export", "latest", "--out", out} + options);
    QCOMPARE(result.code, code);
    QVERIFY2(result.err.contains(says), result.err.constData());
    QVERIFY(!QFileInfo::exists(out));
  }

  void parquetWithoutItsPluginNamesThePackage() {
    qputenv("PARAPET_PLUGIN_PATH", cli_.folder("no plugins").toUtf8());
    const QString out = cli_.folder("lists.parquet");
    const CliResult result = cli_.ask(
        {"export", "latest", "--what", "recommendations", "--format", "parquet", "--out", out});
    qunsetenv("PARAPET_PLUGIN_PATH");
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("parapet-parquet"), result.err.constData());
    QVERIFY(!QFileInfo::exists(out));
  }

  void metricsHaveStandardErrorsAndBaselines() {
    const json answer = cli_.ask({"evaluate", "latest", "--k", "10"}).json();
    QCOMPARE(answer["unit"].get<std::string>(), std::string("user"));
    QVERIFY(answer["queries"].get<int>() > 0);
    QVERIFY(answer["standard_errors"]["recall@10"].get<double>() > 0.0);
    // The settings that were chosen are told.
    QCOMPARE(answer["notes"].size(), std::size_t{2});
    QVERIFY(cli_.run({"evaluate", "latest"}).out.contains("\nease has λ "));
    for (const char* name : {"random", "most_popular", "markov", "item_knn", "ease"}) {
      QVERIFY2(answer["baselines"][name].contains("recall@10"), name);
      // Each is a rival, with the noise of the paired difference.
      const auto of = std::ranges::find_if(
          answer["verdicts"], [&](const json& each) { return each["baseline"] == name; });
      QVERIFY2(of != answer["verdicts"].end(), name);
      QCOMPARE((*of)["metric"].get<std::string>(), std::string("recall@10"));
      QVERIFY((*of)["standard_error"].get<double>() > 0.0);
      QVERIFY(std::abs((*of)["reference"].get<double>() -
                       answer["baselines"][name]["recall@10"].get<double>()) < 1e-6);
    }
    QCOMPARE(answer["verdict"]["metric"].get<std::string>(), std::string("recall@10"));
  }

  void evaluatesAtTheLengthsAsked() {
    const CliResult result = cli_.ask({"evaluate", "latest", "--k", "20,5,5"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    for (const char* key : {"run_id", "step", "unit", "metrics", "standard_errors", "baselines",
                            "segments", "notes", "warnings", "verdicts"})
      QVERIFY(answer.contains(key));
    QVERIFY(answer["metrics"].contains("loss"));
    QVERIFY(answer["metrics"].contains("recall@5") && answer["metrics"].contains("recall@20"));
  }

  void exports_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("format");
    for (const char* what : {"checkpoint", "tables"})
      for (const char* format : {"safetensors", "npy"})
        QTest::addRow("%s as %s", what, format) << what << format;
    for (const char* what : {"curves", "recommendations"})
      for (const char* format : {"csv", "json"})
        QTest::addRow("%s as %s", what, format) << what << format;
  }
  void exports() {
    QFETCH(QString, what);
    QFETCH(QString, format);
    const CliResult result = cli_.ask({"export", "latest", "--what", what, "--format", format,
                                       "--out", cli_.folder("new/" + what + "/x." + format)});
    QVERIFY2(result.code == 0, result.err.constData());
    const json files = result.json()["files"];
    QVERIFY(!files.empty());
    for (const json& path : files) {
      QFile file(QString::fromStdString(path.get<std::string>()));
      QVERIFY(file.size() > 0);
      if (format != "json" || file.fileName().endsWith(".manifest.json")) continue;
      QVERIFY(file.open(QFile::ReadOnly));
      QVERIFY(json::parse(file.readAll().toStdString(), nullptr, false).is_array());
    }
  }

  void anExportTellsWhichFilesItReplaces() {
    for (const QStringList& what : {QStringList{"--what", "tables", "--format", "npy"},
                                    {"--what", "recommendations", "--format", "csv"}}) {
      const QStringList asked =
          QStringList{"export", "latest", "--out", cli_.folder("again-" + what[1])} + what;
      const CliResult first = cli_.ask(asked);
      QVERIFY2(first.code == 0 && !first.err.contains("replaced"), first.err.constData());
      const CliResult again = cli_.ask(asked);
      QVERIFY2(again.code == 0 && again.err.contains("replaced"), again.err.constData());
      QCOMPARE(again.json()["files"], first.json()["files"]);
    }
  }

  void exportedCurvesHaveEpochsAndSteps() {
    const CliResult result = cli_.ask({"export", "latest", "--what", "curves", "--format", "json",
                                       "--out", cli_.folder("run.curves.json")});
    QCOMPARE(result.json()["files"].size(), std::size_t{2});
    const auto read = [&](const char* name) {
      QFile file(cli_.folder(name));
      return file.open(QFile::ReadOnly) ? json::parse(file.readAll().toStdString(), nullptr, false)
                                        : json();
    };
    const json epochs = read("run.curves.json"), steps = read("run.curves.steps.json");
    QVERIFY(epochs.is_array() && !epochs.empty());
    QVERIFY(steps.is_array() && !steps.empty());
    std::int64_t next = 1;
    for (const json& step : steps) {
      QCOMPARE(step["first_step"].get<std::int64_t>(), next);
      QVERIFY(step["loss_last"].is_number());
      next = step["last_step"].get<std::int64_t>() + 1;
    }
    QCOMPARE(next - 1, epochs.back()["step"].get<std::int64_t>());
  }

 private:
  [[nodiscard]] json recommend(const QStringList& options) const {
    const CliResult result = cli_.ask(QStringList{"recommend", "latest"} + options);
    if (result.code != 0) qWarning("%s", result.err.constData());
    return result.json();
  }
  static std::vector<std::string> usersOf(const json& lists) {
    std::vector<std::string> users;
    for (const json& list : lists) users.push_back(list["user"].get<std::string>());
    return users;
  }
  static std::set<std::string> itemsOf(const json& list) {
    std::set<std::string> ids;
    for (const json& item : list["items"]) ids.insert(item["id"].get<std::string>());
    return ids;
  }

  Cli cli_;
};

QTEST_GUILESS_MAIN(QuestionsTest)
#include "questions_test.moc"
