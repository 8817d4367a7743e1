// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/experiment/experiment.h"
#include "engine/experiment/text_data.h"

using namespace parapet;
using nlohmann::json;

namespace {

json documentOf(json dataset = json::object(), json more = json::object()) {
  json document{
      {"parapet", 1}, {"name", "texts"}, {"tables", json::array()}, {"features", json::array()}};
  document["dataset"] = {{"source", "text"},
                         {"path", "corpus"},
                         {"text", {{"vocabulary", "pieces.txt"}}},
                         {"batch", {{"size", 8}}}};
  document["dataset"].update(dataset, true);
  document.update(more, true);
  return document;
}

std::vector<std::string> pointersOf(const json& document) {
  std::vector<std::string> pointers;
  for (const auto& problem : experiment::parse(document).findings.problems)
    if (problem.pointer != "/model/kind") pointers.push_back(problem.pointer);
  return pointers;
}

}  // namespace

/// Documents of texts.
class TextsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void haveOneColumnAndNoLabel() {
    const auto parsed = experiment::parse(documentOf());
    const experiment::Dataset& dataset = parsed.experiment.dataset;
    QVERIFY(dataset.isText());
    QCOMPARE(dataset.idColumns(), std::vector<std::string>{"tokens"});
    QCOMPARE(*dataset.vocabularyOf("tokens"), std::string("tokens"));
    QVERIFY(!dataset.label.column);
    QVERIFY(dataset.split.kind == experiment::SplitKind::kFiles);
    QCOMPARE(dataset.text->maxLength, std::int64_t{128});
    QVERIFY(pointersOf(documentOf()).empty());
  }

  void comeBackAsTheyWereWritten() {
    const auto parsed = experiment::parse(documentOf());
    const nlohmann::ordered_json written = experiment::toJson(parsed.experiment);
    const auto again = experiment::parse(json(written));
    QCOMPARE(again.findings.problems.size(), parsed.findings.problems.size());
    QCOMPARE(experiment::toJson(again.experiment), written);
    QVERIFY(!written["dataset"].contains("label"));
  }

  void needAModelThatReadsThem() {
    const auto problems = experiment::parse(documentOf()).findings.problems;
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/model/kind"));
  }

  void wrongSettingsAreToldWhereTheyAre_data() {
    QTest::addColumn<QByteArray>("dataset");
    QTest::addColumn<QByteArray>("pointer");
    const auto add = [](const char* dataset, const char* pointer) {
      QTest::newRow(dataset) << QByteArray(dataset) << QByteArray(pointer);
    };
    add(R"({"text": {"vocabulary": ""}})", "/dataset/text/vocabulary");
    add(R"({"text": {"max_length": 2}})", "/dataset/text/max_length");
    add(R"({"text": {"min_bytes": -1}})", "/dataset/text/min_bytes");
    add(R"({"columns": []})", "/dataset/columns");
    add(R"({"vocabularies": [{"name": "tokens", "kind": "hash", "size": 9}]})",
        "/dataset/vocabularies");
    add(R"({"label": {"column": null}})", "/dataset/label");
    add(R"({"k_core": {"user": 2}})", "/dataset/k_core");
    add(R"({"catalogues": []})", "/dataset/catalogues");
    add(R"({"split": {"kind": "leave_last"}})", "/dataset/split/kind");
    add(R"({"split": {"kind": "files", "test": "a.txt"}})", "/dataset/split/train");
    add(R"({"split": {"kind": "files", "train": "a.txt", "test": "a.txt"}})",
        "/dataset/split/test");
    add(R"({"split": {"kind": "files", "cold_users": "drop"}})", "/dataset/split/cold_users");
    add(R"({"batch": {"group_size": 4}})", "/dataset/batch/group_size");
  }
  void wrongSettingsAreToldWhereTheyAre() {
    QFETCH(QByteArray, dataset);
    QFETCH(QByteArray, pointer);
    const auto pointers = pointersOf(documentOf(json::parse(dataset.toStdString())));
    QVERIFY2(std::ranges::find(pointers, pointer.toStdString()) != pointers.end(),
             json(pointers).dump().c_str());
  }

  void masksHaveShares_data() {
    QTest::addColumn<QByteArray>("masking");
    QTest::addColumn<QByteArray>("pointer");
    const auto add = [](const char* masking, const char* pointer) {
      QTest::newRow(masking) << QByteArray(masking) << QByteArray(pointer);
    };
    add(R"({})", "");
    add(R"({"rate": 0.3, "method": "exact"})", "");
    add(R"({"mask": 0.6, "random": 0.4})", "");
    add(R"({"rate": 0})", "/model/masking/rate");
    add(R"({"rate": 1})", "/model/masking/rate");
    add(R"({"max_selections": 0})", "/model/masking/max_selections");
    add(R"({"mask": 0.8, "random": 0.3})", "/model/masking/random");
    add(R"({"method": "all"})", "/model/masking/method");
  }
  void masksHaveShares() {
    QFETCH(QByteArray, masking);
    QFETCH(QByteArray, pointer);
    const auto pointers = pointersOf(
        documentOf(json::object(), {{"model", {{"masking", json::parse(masking.toStdString())}}}}));
    const std::vector<std::string> expected =
        pointer.isEmpty() ? std::vector<std::string>{} : std::vector{pointer.toStdString()};
    QCOMPARE(pointers, expected);
  }
};

QTEST_APPLESS_MAIN(TextsTest)
#include "texts_test.moc"
