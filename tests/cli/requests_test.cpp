// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Questions of a service: lists of some candidates, of users that are unknown, and rows one by one.
class RequestsTest : public QObject {
  Q_OBJECT

  using Ids = std::vector<std::string>;

 private Q_SLOTS:
  void initTestCase() {
    const CliResult result = cli_.ask({"train", "sample", "--epochs", "2"});
    QVERIFY2(result.code == 0, result.err.constData());
    whole_ = idsOf(recommend({"--user", "1", "-k", "60"}));
  }

  void listsTheItemsAskedForInTheOrderOfTheWholeList() {
    const json list = recommend({"--user", "1", "-k", "3", "--items",
                                 QString::fromStdString(whole_[40] + "," + whole_[2] + ", " +
                                                        whole_[2] + "," + whole_[17])});
    QCOMPARE(idsOf(list), (Ids{whole_[2], whole_[17], whole_[40]}));
    QCOMPARE(list["candidates"], 3);
    QVERIFY(list["fallback"].is_null());
    const QString file = cli_.write(
        "items.txt", QByteArray::fromStdString(whole_[9] + "\r\n\n" + whole_[5] + "\nno-such\n"));
    const json some = recommend({"--user", "1", "--items-file", file, "--exclude",
                                 QString::fromStdString(whole_[5] + ",9999")});
    QCOMPARE(idsOf(some), Ids{whole_[9]});
    QVERIFY(warns(some, "items: id \"no-such\" is not in the catalogue"));
    QVERIFY(warns(some, "exclude: id \"9999\" is not in the catalogue"));
    QVERIFY(warns(some, "the list has 1 of the 10 items asked for"));
  }

  void leavesItemsOut() {
    const QString file =
        cli_.write("out.txt", QByteArray::fromStdString(whole_[0] + "\n" + whole_[3] + "\n"));
    QCOMPARE(idsOf(recommend({"--user", "1", "-k", "3", "--exclude-file", file})),
             (Ids{whole_[1], whole_[2], whole_[4]}));
  }

  void listsItemsWithAnAttribute() {
    const json list = recommend({"--user", "1", "--where", "genres=Drama,Comedy", "-k", "5"});
    const json both = recommend(
        {"--user", "1", "--where", "genres=Drama", "--where", "genres=Comedy", "-k", "5"});
    QVERIFY(list["candidates"].get<int>() > both["candidates"].get<int>());
    Ids expected;
    const json all = recommend({"--user", "1", "--where", "genres=Drama,Comedy", "-k", "200"});
    const Ids having = idsOf(all);
    for (const std::string& id : whole_)
      if (std::ranges::find(having, id) != having.end()) expected.push_back(id);
    QVERIFY(expected.size() >= 5);
    QCOMPARE(idsOf(list), Ids(expected.begin(), expected.begin() + 5));
    const json title =
        lines({}, "{\"user\": 1, \"where\": {\"title\": " +
                      json(recommend({"--user", "1"})["items"][4]["title"]).dump() + "}}\n")[0];
    QVERIFY(std::ranges::count(idsOf(title), whole_[4]) == 1);
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const QStringList& options, int code, const char* says) {
      QTest::newRow(name) << options << code << QString(says);
    };
    row("no =", {"--where", "genres"}, 2, "NAME=VALUE");
    row("no value", {"--where", "genres=Drama,"}, 2, "NAME=VALUE");
    row("no attribute", {"--where", "genre=Drama"}, 2, "did you mean \"genres\"");
    row("an empty id", {"--items", "1,,2"}, 2, "an id is empty");
    row("items twice", {"--items", "1", "--items-file", "x"}, 2, "accepted: one of them");
    row("no such file", {"--exclude-file", "/nowhere.txt"}, 3, "/nowhere.txt");
    row("another fallback", {"--fallback", "any"}, 2, "accepted: popular, none");
  }
  void refuses() {
    QFETCH(QStringList, options);
    QFETCH(int, code);
    QFETCH(QString, says);
    const CliResult result = cli_.ask(QStringList{"recommend", "latest", "--user", "1"} + options);
    QCOMPARE(result.code, code);
    QVERIFY2(QString::fromUtf8(result.err).contains(says), result.err.constData());
  }

  void linesHaveCandidatesOfTheirOwn() {
    const auto answers = lines({"-k", "2", "--exclude", QString::fromStdString(whole_[0])},
                               "1\n"
                               "{\"user\": 1, \"exclude\": []}\n"
                               "{\"user\": 1, \"exclude\": null, \"items\": [\"" +
                                   whole_[0] + "\", " + whole_[6] +
                                   ", 424242]}\n"
                                   "{\"user\": 1, \"items\": []}\n"
                                   "{\"user\": 1, \"where\": {\"genres\": [\"Nonsense\"]}}\n");
    QCOMPARE(idsOf(answers[0]), (Ids{whole_[1], whole_[2]}));
    QCOMPARE(idsOf(answers[1]), (Ids{whole_[0], whole_[1]}));
    QCOMPARE(idsOf(answers[2]), Ids{whole_[6]});
    QVERIFY(warns(answers[2], "\"424242\""));
    QVERIFY(answers[3]["items"].empty() && warns(answers[3], "\"items\" is empty"));
    QVERIFY(answers[4]["items"].empty() && warns(answers[4], "genres \"Nonsense\""));
  }

  void aWrongLineIsAnErrorAndTheOthersAreAnswered() {
    const std::vector<QByteArray> wrong{"{\"user\": 1, \"items\": \"1\"}",
                                        "{\"user\": 1, \"items\": [[1]]}",
                                        "{\"user\": 1, \"items\": [1], \"items\": [2]}",
                                        "{\"user\": 1, \"where\": \"genres=Drama\"}",
                                        "{\"user\": 1, \"where\": {\"genres\": []}}",
                                        "{\"user\": 1, \"where\": {\"genre\": \"Drama\"}}",
                                        "{\"user\": 1, \"k\": 0}",
                                        "{\"user\": 1, \"k\": 1000000}",
                                        "{\"user\": 1, \"unknown\": 2}",
                                        "{\"user\": \"\xFF\"}",
                                        "{\"user\": 1"};
    QByteArray input;
    for (const QByteArray& line : wrong) input += line + "\n1\n";
    const CliResult result = cli_.ask({"recommend", "latest", "--stdin", "-k", "1"}, input);
    QCOMPARE(result.code, 0);
    const QList<QByteArray> answers = result.out.trimmed().split('\n');
    QCOMPARE(answers.size(), 2 * static_cast<qsizetype>(wrong.size()));
    for (qsizetype i = 0; i < answers.size(); ++i) {
      const json answer = json::parse(answers[i].toStdString());
      if (i % 2 == 1) {
        QCOMPARE(idsOf(answer), Ids{whole_[0]});
        continue;
      }
      QVERIFY2(answer["items"].is_null() && answer["candidates"].is_null(), answers[i].constData());
      QVERIFY2(answer["error"]["code"].get<std::string>() != "internal", answers[i].constData());
      QCOMPARE(answer["error"]["line"].get<qsizetype>(), i + 1);
    }
  }

  void aMillionExclusionsAreALine() {
    std::string line = "{\"user\": 1, \"k\": 2, \"exclude\": [" + whole_[0];
    for (int i = 0; i < 1'000'000; ++i) line += ",\"x" + std::to_string(i) + "\"";
    const auto answers = lines({}, line + "]}\n2\n");
    QCOMPARE(answers.size(), std::size_t{2});
    QCOMPARE(idsOf(answers[0]), (Ids{whole_[1], whole_[2]}));
    QVERIFY(warns(answers[0], "1,000,000 ids"));
  }

  void nobodyIsAnsweredWhereThatIsAskedFor() {
    QCOMPARE(cli_.ask({"recommend", "latest", "--user", "nobody"}).code, 3);
    const json list = recommend({"--user", "nobody", "--fallback", "popular", "-k", "3"});
    QCOMPARE(list["fallback"].get<std::string>(), std::string("most_popular"));
    QVERIFY(warns(list, "user \"nobody\" is not in the data: most popular items"));
    std::int64_t before = 1'000'000;
    for (const json& item : list["items"]) {
      QVERIFY(item["score"].is_null());
      QVERIFY(item["training_rows"].get<std::int64_t>() <= before);
      before = item["training_rows"].get<std::int64_t>();
    }
    const QByteArray text =
        cli_.run({"recommend", "latest", "--user", "nobody", "--fallback", "popular"}).out;
    QVERIFY2(text.contains("most popular 10 of") && text.contains("training rows"),
             text.constData());
    const auto answers = lines({"-k", "3"},
                               "nobody\n{\"user\": \"n\", \"where\": {\"genres\": "
                               "\"Drama\"}}\n\xFF\n");
    QCOMPARE(answers[0]["items"], list["items"]);
    QVERIFY(answers[1]["candidates"].get<int>() < list["candidates"].get<int>());
    QCOMPARE(answers[2]["items"], list["items"]);
    const auto refused = lines({"--fallback", "none"}, "nobody\n");
    QCOMPARE(refused[0]["error"]["code"].get<std::string>(), std::string("not_found"));
  }

  void rowsOnStdinHaveTheScoresOfAFile() {
    QByteArray rows;
    for (int i = 0; i < 70; ++i)
      rows += "{\"user\": " + QByteArray::number(1 + i % 50) + ", \"item\": \"" +
              QByteArray::number(1 + i * 3) + "\"}\n";
    const QString file = cli_.write("rows.jsonl", rows);
    const json of = cli_.ask({"predict", "latest", "--input", file}).json();
    const CliResult result = cli_.ask({"predict", "latest", "--stdin"}, rows);
    QVERIFY2(result.code == 0, result.err.constData());
    const QList<QByteArray> answers = result.out.trimmed().split('\n');
    QCOMPARE(answers.size(), 70);
    for (qsizetype i = 0; i < 70; ++i) {
      const json answer = json::parse(answers[i].toStdString());
      const json& expected = of[static_cast<std::size_t>(i)];
      QCOMPARE(answer["row"], expected["row"]);
      QCOMPARE(answer["score"].dump(), expected["score"].dump());
      QCOMPARE(answer["step"], expected["step"]);
    }
  }

  void aWrongRowIsAnErrorAndTheOthersAreScored() {
    const CliResult result = cli_.ask({"predict", "latest", "--stdin"},
                                      "{\"user\": 1, \"item\": 2}\n"
                                      "{\"user\": 1}\n"
                                      "{\"user\": 1, \"item\": null}\n"
                                      "{\"user\": 1, \"item\": 2, \"item\": 3}\n"
                                      "[1, 2]\n"
                                      "\n"
                                      "{\"user\": \"\xFF\", \"item\": 2}\n"
                                      "{\"user\": \"nobody\", \"item\": 2}\n"
                                      "{\"item\": 2, \"other\": [1, \"x\"], \"user\": 1}\n");
    QCOMPARE(result.code, 0);
    std::vector<json> answers;
    for (const QByteArray& line : result.out.trimmed().split('\n'))
      answers.push_back(json::parse(line.toStdString()));
    QCOMPARE(answers.size(), std::size_t{8});
    for (std::size_t i = 0; i < answers.size(); ++i)
      QCOMPARE(answers[i]["row"].get<std::size_t>(), i);
    for (const std::size_t wrong : {1, 2, 3, 4, 5}) {
      QVERIFY2(answers[wrong]["score"].is_null() && answers[wrong].contains("error"),
               answers[wrong].dump().c_str());
      QVERIFY(answers[wrong].dump().find("/tmp") == std::string::npos);
    }
    QVERIFY2(answers[1]["error"]["message"].get<std::string>().find("item") != std::string::npos,
             answers[1].dump().c_str());
    QVERIFY2(answers[6]["warnings"].dump().find("nobody") != std::string::npos,
             answers[6].dump().c_str());
    QCOMPARE(answers[7]["score"], answers[0]["score"]);
    QVERIFY(answers[7]["warnings"].empty());
    QCOMPARE(cli_.ask({"predict", "latest", "--stdin", "--out", "x.csv"}).code, 2);
    QCOMPARE(cli_.ask({"predict", "latest", "--stdin", "--text", "x"}).code, 2);
    QCOMPARE(cli_.ask({"predict", "nothing", "--stdin"}).code, 3);
  }

 private:
  [[nodiscard]] json recommend(const QStringList& options) const {
    const CliResult result = cli_.ask(QStringList{"recommend", "latest"} + options);
    if (result.code != 0) qWarning("%s", result.err.constData());
    return result.json();
  }
  /// Answers of lines; none where the program fails.
  [[nodiscard]] std::vector<json> lines(const QStringList& options,
                                        const std::string& input) const {
    const CliResult result = cli_.ask(QStringList{"recommend", "latest", "--stdin"} + options,
                                      QByteArray::fromStdString(input));
    std::vector<json> answers;
    if (result.code != 0) qWarning("%s", result.err.constData());
    for (const QByteArray& line : result.out.trimmed().split('\n'))
      answers.push_back(json::parse(line.toStdString(), nullptr, false));
    return answers;
  }
  static Ids idsOf(const json& list) {
    Ids ids;
    for (const json& item : list["items"]) ids.push_back(item["id"].get<std::string>());
    return ids;
  }
  static bool warns(const json& list, const std::string& text) {
    return std::ranges::any_of(list["warnings"], [&](const json& warning) {
      return warning.get<std::string>().find(text) != std::string::npos;
    });
  }

  Cli cli_;
  Ids whole_;
};

QTEST_GUILESS_MAIN(RequestsTest)
#include "requests_test.moc"
