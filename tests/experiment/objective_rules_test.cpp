// SPDX-License-Identifier: Apache-2.0
// Rules of training the next item at every position of a sequence.
#include <QtTest>

#include "engine/experiment/query_context.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

class ObjectiveRulesTest : public QObject {
  Q_OBJECT

  static nlohmann::json document() {
    nlohmann::json document = test::recipeJson("sample");
    const auto set = [&](const char* place, const char* text) {
      document[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(text);
    };
    set("/features/0", R"({"name": "history", "column": "item", "table": "item",
                           "history": {"length": 20}, "sequence": true})");
    set("/model", R"({"kind": "retrieval",
                      "query": [{"kind": "position", "count_from": "end"},
                                {"kind": "transformer_block", "heads": 2, "causal": true},
                                {"kind": "pool", "by": "last"}]})");
    set("/loss", R"({"kind": "sampled_softmax", "extra_negatives": {"count": 8}})");
    set("/training/objective", R"("all_positions")");
    document["tables"].erase(0);
    return document;
  }

 private Q_SLOTS:
  void acceptsWindowsOfAHistory() {
    const auto read = parse(document());
    QCOMPARE(QString::fromStdString(test::textOf(read.findings.problems)), QString());
    const auto windows = sequenceWindows(read.experiment);
    QVERIFY(windows && windows->length == 20 && windows->stride == 20);
    nlohmann::json overlapping = document();
    overlapping["training"]["stride"] = 5;
    QCOMPARE(sequenceWindows(parse(overlapping).experiment)->stride, 5);
    overlapping["training"]["objective"] = "each_row";
    const auto each = parse(overlapping);
    QVERIFY(!sequenceWindows(each.experiment));
    QVERIFY(test::names(each.findings.warnings, "/training/stride", "a history of its own"));
  }

  void acceptsNegativesOfTheBatch() {
    for (const char* loss :
         {R"({"kind": "in_batch_softmax"})", R"({"kind": "bpr", "negatives": "device"})",
          R"({"kind": "in_batch_softmax", "extra_negatives": {"count": 8}})"}) {
      nlohmann::json changed = document();
      changed["loss"] = nlohmann::json::parse(loss);
      QCOMPARE(QString::fromStdString(test::textOf(parse(changed).findings.problems)), QString());
    }
  }

  void problems_data() {
    for (const char* column : {"pointer", "value", "where", "part"})
      QTest::addColumn<QByteArray>(column);
    const auto row = [](const char* name, const char* pointer, const char* value, const char* part,
                        const char* where = nullptr) {
      QTest::newRow(name) << QByteArray(pointer) << QByteArray(value)
                          << QByteArray(where ? where : pointer) << QByteArray(part);
    };
    row("unknown objective", "/training/objective", "\"every_position\"", "all_positions");
    row("no sequence", "/features/0/sequence", "false", "no feature is one", "/training/objective");
    row("a window longer than the history", "/training/stride", "21", "history of 20");
    row("a window of nothing", "/training/stride", "0", "0");
    row("a sequence within seconds", "/features/0/history",
        R"({"length": 20, "within_seconds": 9})", "however long ago",
        "/features/0/history/within_seconds");
    row("attention to what comes", "/model/query/1/causal", "false", "that it is to predict");
    row("a mean of positions", "/model/query/2/by", "\"mean\"", "the last one before it");
    row("a loss of labels", "/loss", R"({"kind": "mse"})", "with others", "/loss/kind");
    row("no negatives at all", "/loss", R"({"kind": "bpr", "negatives": "none"})", "there are none",
        "/loss/extra_negatives");
    row("groups", "/dataset/batch/group_size", "5", "whole sequences");
    row("a split by batches", "/dataset/split",
        R"({"kind": "batches", "train": 0.8, "validation": 0.1, "test": 0.1})", "one of batches",
        "/dataset/split/kind");
    row("a ranking model", "/model", R"({"kind": "ranking", "layers": [{"units": 1}]})",
        "reads both together", "/training/objective");
    row("another sequence", "/features/2", R"({"name": "short", "column": "item", "table": "item",
        "history": {"length": 5}, "sequence": true})",
        "the length 20", "/features/2/history");
  }
  void problems() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, where);
    QFETCH(QByteArray, part);
    nlohmann::json changed = document();
    changed[nlohmann::json::json_pointer(pointer.toStdString())] =
        nlohmann::json::parse(value.toStdString());
    const Findings findings = parse(changed).findings;
    QVERIFY2(test::names(findings.problems, where.toStdString(), part.toStdString()),
             test::textOf(findings.problems).c_str());
  }
};

QTEST_GUILESS_MAIN(ObjectiveRulesTest)
#include "objective_rules_test.moc"
