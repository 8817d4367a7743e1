// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/renamed_keys.h"

#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

using Pointer = nlohmann::json::json_pointer;

/// The pointer with the first entry of every list.
std::string firstOf(std::string pattern) {
  for (std::size_t star = pattern.find('*'); star != std::string::npos; star = pattern.find('*'))
    pattern[star] = '0';
  return pattern;
}

}  // namespace

class RenamedKeysTest : public QObject {
  Q_OBJECT

 private:
  static void eachKey() {
    QTest::addColumn<QByteArray>("object");
    QTest::addColumn<QByteArray>("oldKey");
    QTest::addColumn<QByteArray>("newKey");
    for (const RenamedKey& key : renamedKeys())
      QTest::addRow("%s/%s", key.object, key.oldKey)
          << QByteArray(key.object) << QByteArray(key.oldKey) << QByteArray(key.newKey);
  }

 private Q_SLOTS:
  void isRefusedWithItsNewName_data() { eachKey(); }
  void isRefusedWithItsNewName() {
    QFETCH(QByteArray, object);
    QFETCH(QByteArray, oldKey);
    QFETCH(QByteArray, newKey);
    const std::string at = firstOf(object.toStdString());
    nlohmann::json document = test::recipeJson("sample");
    document[Pointer(at)][oldKey.toStdString()] = 1;
    const auto problems = parse(document).findings.problems;
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, at + "/" + oldKey.toStdString());
    QVERIFY2(problems[0].message.find("is now called \"" + newKey.toStdString() + "\"") !=
                 std::string::npos,
             problems[0].message.c_str());
  }

  void isRefusedBySettings_data() { eachKey(); }
  void isRefusedBySettings() {
    QFETCH(QByteArray, object);
    QFETCH(QByteArray, oldKey);
    QFETCH(QByteArray, newKey);
    const std::string at = firstOf(object.toStdString());
    nlohmann::json document = test::recipeJson("sample");
    const Status set = setPointer(document, at + "/" + oldKey.toStdString(), "1");
    QVERIFY(!set.ok());
    const std::string current =
        "is now called \"" + newKey.toStdString() + "\": " + at + "/" + newKey.toStdString();
    QVERIFY2(set.error().message.find(current) != std::string::npos, set.error().message.c_str());
    QVERIFY(setPointer(document, at + "/" + newKey.toStdString(), "1").ok());
  }

  void isAKeyOfTheSchema_data() { eachKey(); }
  void isAKeyOfTheSchema() {
    QFETCH(QByteArray, object);
    QFETCH(QByteArray, oldKey);
    QFETCH(QByteArray, newKey);
    const auto full = toJson(parse(test::recipeJson("movielens-listwise")).experiment);
    const auto& node = full.at(nlohmann::ordered_json::json_pointer(firstOf(object.toStdString())));
    QVERIFY(node.contains(newKey.toStdString()));
    QVERIFY(!node.contains(oldKey.toStdString()));
  }

  void storedDocumentsGetCurrentNames() {
    nlohmann::json document = test::recipeJson("sample");
    document["dataset"]["max_bad_share"] = 0.25;
    document["dataset"]["batch"]["replay"] = 2;
    document["dataset"]["batch"]["list_length"] = 5;
    document["features"][0]["keep"] = "first";
    document["features"][1]["keep"] = "last";
    document["evaluation"].erase("relevance_threshold");
    document["evaluation"]["relevant_from"] = 3;
    document["reference"]["curve"] = "seed-000";
    const auto stored = parseStoredJson(document.dump());
    QVERIFY(stored.ok());
    const Parsed parsed = parse(*stored);
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    const Experiment& read = parsed.experiment;
    QCOMPARE(read.dataset.maxRejectedShare, 0.25);
    QCOMPARE(read.dataset.batch.replayBatches.value_or(0), std::int64_t{2});
    QCOMPARE(read.dataset.batch.groupSize.value_or(0), std::int64_t{5});
    QVERIFY(read.features[0].truncationSide == TruncationSide::kEnd);
    QVERIFY(read.features[1].truncationSide == TruncationSide::kStart);
    QCOMPARE(read.evaluation.relevanceThreshold.value_or(0), 3.0);
    QCOMPARE(read.reference.curve.value_or(""), std::string("keras-data-parallel-retrieval"));
  }

  void aDocumentWithoutAVersionIsOfTheFirst() {
    nlohmann::json document = test::recipeJson("sample");
    document.erase("parapet");
    document["dataset"]["max_bad_share"] = 0.25;
    const Parsed parsed = parse(parseStoredJson(document.dump()).value());
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    QCOMPARE(parsed.experiment.parapet, std::int64_t{1});
    QCOMPARE(parsed.experiment.dataset.maxRejectedShare, 0.25);
  }

  // Unknown keys and values may be right in a newer version: its number is what is wrong.
  void aNewerVersionIsRefusedByNameAlone() {
    nlohmann::json document = test::recipeJson("sample");
    document["parapet"] = kDocumentVersion + 1;
    document["surprise"] = true;
    document["optimizer"] = {{"kind", "of tomorrow"}};
    document["dataset"]["max_bad_share"] = 0.25;
    const nlohmann::json before = document;
    useCurrentNames(document);
    QCOMPARE(document, before);
    const Findings findings = parse(document).findings;
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, std::string("/parapet"));
    QVERIFY2(findings.problems[0].message.ends_with("document version " +
                                                    std::to_string(kDocumentVersion + 1)),
             findings.problems[0].message.c_str());
    QVERIFY(findings.warnings.empty());
  }

  void currentDocumentsStayAsTheyAre() {
    for (const Recipe& recipe : recipes()) {
      nlohmann::json document = test::recipeJson(recipe.name);
      const nlohmann::json before = document;
      useCurrentNames(document);
      QCOMPARE(document, before);
    }
    for (const char* text : {"null", "3", "[]", R"({"features": 3, "dataset": []})"}) {
      nlohmann::json document = nlohmann::json::parse(text);
      useCurrentNames(document);
      QCOMPARE(document, nlohmann::json::parse(text));
    }
  }

  void oldNamesOfPublishedCurvesAreAcceptedAndNamed_data() {
    QTest::addColumn<QByteArray>("oldName");
    QTest::addColumn<QByteArray>("newName");
    QTest::newRow("000") << QByteArray("seed-000") << QByteArray("keras-data-parallel-retrieval");
    QTest::newRow("002") << QByteArray("seed-002") << QByteArray("keras-distributed-embedding");
    QTest::newRow("003") << QByteArray("seed-003") << QByteArray("keras-context-retrieval");
    QTest::newRow("004") << QByteArray("seed-004") << QByteArray("keras-bert-mlm");
  }
  void oldNamesOfPublishedCurvesAreAcceptedAndNamed() {
    QFETCH(QByteArray, oldName);
    QFETCH(QByteArray, newName);
    nlohmann::json document = test::recipeJson("sample");
    document["reference"]["curve"] = oldName.toStdString();
    const Parsed parsed = parse(document);
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    QVERIFY2(test::names(parsed.findings.warnings, "/reference/curve",
                         "is now called \"" + newName.toStdString() + "\""),
             test::textOf(parsed.findings.warnings).c_str());
    QCOMPARE(parsed.experiment.reference.curve.value_or(""), newName.toStdString());
  }
};

QTEST_GUILESS_MAIN(RenamedKeysTest)
#include "renamed_keys_test.moc"
