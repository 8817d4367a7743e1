// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

class SetPointerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void setsValues_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("json");
    QTest::newRow("number") << "/training/epochs"
                            << "3"
                            << "3";
    QTest::newRow("word") << "/tables/0/placement"
                          << "replicated"
                          << "\"replicated\"";
    QTest::newRow("quoted word") << "/name"
                                 << "\"x\""
                                 << "\"x\"";
    QTest::newRow("null") << "/training/checkpoints/best"
                          << "null"
                          << "null";
    QTest::newRow("object") << "/tables/0/optimizer"
                            << "{\"kind\": \"sgd\"}"
                            << "{\"kind\": \"sgd\"}";
    QTest::newRow("list") << "/evaluation/k"
                          << "[5, 10]"
                          << "[5, 10]";
    QTest::newRow("left out object") << "/training/early_stopping/patience"
                                     << "2"
                                     << "2";
    QTest::newRow("left out table optimizer") << "/tables/1/optimizer/kind"
                                              << "sgd"
                                              << "\"sgd\"";
    QTest::newRow("text that is no JSON") << "/dataset/path"
                                          << "/data/ml 100k"
                                          << "\"/data/ml 100k\"";
    QTest::newRow("empty") << "/dataset/path"
                           << ""
                           << "\"\"";
  }
  void setsValues() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, json);
    nlohmann::json document = test::recipeJson("sample");
    const Status set = setPointer(document, pointer.toStdString(), value.toStdString());
    QVERIFY2(set.ok(), set.ok() ? "" : set.error().text().c_str());
    const auto found = document.at(nlohmann::json::json_pointer(pointer.toStdString()));
    QCOMPARE(found, nlohmann::json::parse(json.toStdString()));
  }

  /// A stored document has every default written out: those of the old kind would be refused.
  void anotherKindTakesTheDefaultsOfTheOldOneAway_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"adagrad", "rowwise_adagrad", "sgd", "ftrl", "adamw"})
      QTest::addRow("/optimizer/kind=%s", kind) << "/optimizer/kind" << kind;
    for (const char* kind : {"mse", "sampled_softmax"})
      QTest::addRow("/loss/kind=%s", kind) << "/loss/kind" << kind;
    for (const char* kind : {"constant", "exponential", "inverse_time"})
      QTest::addRow("/schedule/kind=%s", kind) << "/schedule/kind" << kind;
    QTest::newRow("initializer") << "/tables/0/initializer/kind"
                                 << "normal";
  }
  void anotherKindTakesTheDefaultsOfTheOldOneAway() {
    QFETCH(QString, pointer);
    QFETCH(QString, kind);
    nlohmann::json recipe = test::recipeJson("sample");
    recipe["optimizer"] = {{"kind", "adam"}, {"learning_rate", 0.05}};
    recipe["loss"] = {{"kind", "in_batch_softmax"}};
    recipe["schedule"] = {{"kind", "cosine"}, {"decay_steps", 70}};
    nlohmann::json stored(toJson(parse(recipe).experiment));
    stored["loss"]["extra_negatives"] = {{"count", 10}};
    QVERIFY(parse(stored).findings.problems.empty());
    const nlohmann::json before = stored;
    Status set = setPointer(stored, pointer.toStdString(), kind.toStdString());
    // Chosen settings that the new kind has not are refused by name, with the way to do without them.
    if (kind == "mse" || kind == "constant") {
      QVERIFY(!set.ok());
      QCOMPARE(set.error().pointer, pointer.toStdString());
      const std::string text = set.error().text();
      const char* lost = kind == "mse" ? "has no extra_negatives, which the document sets for "
                                         "\"in_batch_softmax\"; accepted, without these: "
                                       : "has no decay_steps, which ";
      QVERIFY2(text.find(lost) != std::string::npos, text.c_str());
      QCOMPARE(stored, before);
      const QString object = pointer.chopped(5);
      const std::string way =
          fmt::format("'{}={{\"kind\":\"{}\"}}'", object.toStdString(), kind.toStdString());
      QVERIFY2(text.find(way) != std::string::npos, text.c_str());
      set = setPointer(stored, object.toStdString(),
                       fmt::format("{{\"kind\":\"{}\"}}", kind.toStdString()));
    }
    QVERIFY2(set.ok(), set.ok() ? "" : set.error().text().c_str());
    const auto problems = parse(stored).findings.problems;
    QVERIFY2(problems.empty(), problems.empty() ? "" : problems[0].message.c_str());
    // Settings that both kinds have stay as they were chosen.
    QCOMPARE(stored["optimizer"]["learning_rate"], nlohmann::json(0.05));
  }

  void aKindThatIsTheSameChangesNothing() {
    const nlohmann::json before(toJson(parse(test::recipeJson("sample")).experiment));
    nlohmann::json document = before;
    QVERIFY(setPointer(document, "/optimizer/kind", "adagrad").ok());
    QCOMPARE(document, before);
  }

  void fillsInDefaultsOnTheWay() {
    nlohmann::json document = test::recipeJson("movielens-retrieval");
    QVERIFY(!document.contains("evaluation"));
    QVERIFY(setPointer(document, "/evaluation/k/1", "20").ok());
    QCOMPARE(document["evaluation"]["k"], nlohmann::json({10, 20, 100}));
    document["mesh"].erase("devices");
    QVERIFY(setPointer(document, "/mesh/devices/0", "cpu*4").ok());
    QCOMPARE(document["mesh"]["devices"], nlohmann::json({"cpu*4"}));
    QVERIFY(parse(document).findings.problems.empty());
  }

  void oneOfSeveralCapacitiesIsSet() {
    nlohmann::json document = test::recipeJson("sample");
    QVERIFY(setPointer(document, "/mesh/devices", R"(["cpu*2"])").ok());
    QVERIFY(!setPointer(document, "/mesh/capacity_bytes/1", "4000").ok());
    QVERIFY(setPointer(document, "/mesh/capacity_bytes", "[1000, 2000]").ok());
    QVERIFY(setPointer(document, "/mesh/capacity_bytes/1", "4000").ok());
    QCOMPARE(document["mesh"]["capacity_bytes"], nlohmann::json({1000, 4000}));
    QVERIFY(parse(document).findings.problems.empty());
  }

  void refusesUnknownPointers_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("nearest");
    QTest::newRow("typo") << "/tables/0/placemnt"
                          << "/tables/0/placement";
    QTest::newRow("typo at the top") << "/trainig/epochs"
                                     << "/training";
    QTest::newRow("key of elsewhere") << "/epochs"
                                      << "/training/epochs";
    QTest::newRow("index beyond") << "/tables/2/name"
                                  << "/tables/1";
    QTest::newRow("append") << "/tables/-"
                            << "/tables/1";
    QTest::newRow("leading zero") << "/tables/00/name"
                                  << "/tables/1";
    QTest::newRow("negative") << "/tables/-1/name"
                              << "/tables/1";
    QTest::newRow("below a leaf") << "/name/x"
                                  << "/name";
    QTest::newRow("no slash") << "training/epochs"
                              << "/training/epochs";
    QTest::newRow("root") << ""
                          << "/training/epochs";
    QTest::newRow("bad escape") << "/a~2b"
                                << "/training/epochs";
    QTest::newRow("nothing alike") << "/qqqqqqqqqqqqqqqqqqqqqqqqqqqq"
                                   << "the document has the keys parapet, name, dataset";
    QTest::newRow("nothing alike below") << "/training/checkpoints/qqqqqqqqqqqqqqqqqqqqqqqq"
                                         << "/training/checkpoints has the keys every, keep, best";
    QTest::newRow("key of elsewhere below an object")
        << "/training/checkpoints/path"
        << "/training/checkpoints has the keys every, keep, best";
    QTest::newRow("into a list by key") << "/mesh/axes/data"
                                        << "/mesh/axes/0";
  }
  void refusesUnknownPointers() {
    QFETCH(QString, pointer);
    QFETCH(QString, nearest);
    nlohmann::json document = test::recipeJson("sample");
    const nlohmann::json before = document;
    const Status set = setPointer(document, pointer.toStdString(), "1");
    QVERIFY(!set.ok());
    QCOMPARE(set.error().code, ErrorCode::kInvalidDocument);
    QVERIFY2(set.error().message.find(nearest.toStdString()) != std::string::npos,
             set.error().message.c_str());
    QCOMPARE(document, before);
    QCOMPARE(set.error().pointer, pointer.toStdString());
    QVERIFY(pointer.size() < 2 || !set.error().message.starts_with(pointer.toStdString()));
  }

  void understandsEscapes() {
    nlohmann::json document = test::recipeJson("sample");
    const Status set = setPointer(document, "/dataset/pa~1th", "1");
    QVERIFY(!set.ok());
    QVERIFY(set.error().message.find("/dataset/path") != std::string::npos);
  }

  void survivesDocumentsThatAreNone() {
    for (const char* text : {"[]", "3", "null", R"({"tables": 3})", R"({"training": []})"}) {
      nlohmann::json document = nlohmann::json::parse(text);
      for (const char* pointer : {"/tables/0/name", "/training/epochs", "/name"})
        (void)setPointer(document, pointer, "1").ok();
    }
  }
};

QTEST_GUILESS_MAIN(SetPointerTest)
#include "set_pointer_test.moc"
