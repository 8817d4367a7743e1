// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

class RoundTripTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsWhatItWrites_data() {
    QTest::addColumn<QByteArray>("patch");
    QTest::newRow("as it is") << QByteArray("[]");
    for (const char* optimizer :
         {R"({"kind": "sgd", "momentum": 0.9, "sparse_update": "lazy"})",
          R"({"kind": "adam", "epsilon_mode": "corrected", "beta2": 0.99})",
          R"({"kind": "adagrad", "epsilon_inside_root": false})",
          R"({"kind": "rowwise_adagrad", "initial_accumulator": 0, "clip_value": 2})",
          R"({"kind": "adamw", "weight_decay": 0.1, "global_clip_norm": 1})",
          R"({"kind": "ftrl", "l1": 0.1, "l2": 0.2, "beta": 1, "clip_norm": 3})"})
      QTest::newRow(optimizer)
          << QByteArray(R"([{"op": "add", "path": "/tables/0/optimizer", "value": )") + optimizer +
                 "}]";
    for (const char* initializer :
         {R"({"kind": "normal", "stddev": 0.1})", R"({"kind": "truncated_normal"})",
          R"({"kind": "variance_scaling", "mode": "fan_avg", "distribution": "uniform"})",
          R"({"kind": "glorot_uniform"})", R"({"kind": "constant", "value": 2})",
          R"({"kind": "file", "path": "item.npy"})"})
      QTest::newRow(initializer)
          << QByteArray(R"([{"op": "add", "path": "/tables/1/initializer", "value": )") +
                 initializer + "}]";
    QTest::newRow("layers") << QByteArray(
        R"([{"op": "add", "path": "/model/query", "value": [{"kind": "dense", "units": 16, "activation": "relu", "use_bias": false}]}])");
    for (const char* schedule :
         {R"({"kind": "polynomial", "decay_steps": 90, "end": 0, "power": 2, "cycle": true})",
          R"({"kind": "exponential", "rate": 0.5, "staircase": true, "warmup_steps": 10})",
          R"({"kind": "cosine", "alpha": 0.1, "warmup_steps": 9, "warmup_from": 0.5})",
          R"({"kind": "cosine_restarts", "factor": 1.5, "restart_decay": 0.9})",
          R"({"kind": "inverse_time", "rate": 2})",
          R"({"kind": "piecewise", "boundaries": [10, 20], "values": [0.3, 0.2, 0.1]})"})
      QTest::newRow(schedule) << QByteArray(R"([{"op": "add", "path": "/schedule", "value": )") +
                                     schedule + "}]";
    QTest::newRow("placements") << QByteArray(
        R"([{"op": "add", "path": "/mesh", "value": {"devices": ["cpu*4"], "shape": [2, 2], "axes": ["data", "model"], "capacity_bytes": 1000000, "stack_tables": false, "overlap": false}},
            {"op": "add", "path": "/tables/0/placement", "value": "row"},
            {"op": "add", "path": "/tables/0/axes", "value": ["model"]},
            {"op": "add", "path": "/layout", "value": {"tables/it*": ["", "model"]}}])");
    QTest::newRow("a capacity for each device") << QByteArray(
        R"([{"op": "add", "path": "/mesh", "value": {"devices": ["cpu*2"], "capacity_bytes": [1000000, 2000000]}}])");
    QTest::newRow("tf32") << QByteArray(
        R"([{"op": "add", "path": "/training/precision", "value": "tf32"}])");
    QTest::newRow("lists") << QByteArray(
        R"([{"op": "add", "path": "/dataset/batch/group_size", "value": 5}, {"op": "add", "path": "/dataset/batch/replay_batches", "value": 2}, {"op": "add", "path": "/loss", "value": {"kind": "pairwise_hinge", "reduction": "weighted_mean", "temperature": 0.5, "weight": 2}}])");
    QTest::newRow("early stopping") << QByteArray(
        R"([{"op": "add", "path": "/training/early_stopping", "value": {"metric": "val_recall@10"}}])");
    QTest::newRow("vocabulary") << QByteArray(
        R"([{"op": "add", "path": "/dataset/vocabularies/0", "value": {"name": "user", "kind": "compressed", "size": "auto", "min_count": 3}}, {"op": "remove", "path": "/dataset/vocabularies/1"}])");
    QTest::newRow("fixed size") << QByteArray(
        R"([{"op": "add", "path": "/dataset/vocabularies/0/size", "value": 500.0}])");
    QTest::newRow("generator null")
        << QByteArray(R"([{"op": "add", "path": "/dataset/generator", "value": null}])");
    QTest::newRow("large seed") << QByteArray(
        R"([{"op": "add", "path": "/training/seed", "value": 9223372036854775807}])");
    QTest::newRow("mesh") << QByteArray(
        R"([{"op": "add", "path": "/mesh", "value": {"devices": ["cpu*4"], "shape": [4], "axes": ["data"]}}])");
  }
  void readsWhatItWrites() {
    QFETCH(QByteArray, patch);
    const auto document =
        test::recipeJson("sample").patch(nlohmann::json::parse(patch.toStdString()));
    const Parsed first = parse(document);
    QCOMPARE(QString::fromStdString(test::textOf(first.findings.problems)), QString());
    const std::string written = toJson(first.experiment).dump();
    const Parsed second = parse(parseJson(written).value());
    QCOMPARE(QString::fromStdString(test::textOf(second.findings.problems)), QString());
    QCOMPARE(toJson(second.experiment).dump(), written);
    QCOMPARE(canonicalText(second.experiment), canonicalText(first.experiment));
  }

  void writesKeysOfTheKindInUseOnly() {
    const auto json = toJson(parse(test::recipeJson("movielens-retrieval")).experiment);
    QVERIFY(json["optimizer"].contains("initial_accumulator"));
    QVERIFY(!json["optimizer"].contains("beta1") && !json["optimizer"].contains("momentum"));
    QVERIFY(!json["dataset"].contains("generator"));
    QCOMPARE(json["dataset"]["split"]["train"].dump(), std::string("80000"));
  }

  void learningRateFollowsTheOptimizer() {
    for (const auto& [kind, rate] : {std::pair{"sgd", 0.01}, {"adagrad", 0.001}, {"adam", 0.001}}) {
      auto document = test::recipeJson("sample");
      document["optimizer"] = {{"kind", kind}};
      document["tables"][0]["optimizer"] = {{"kind", kind}};
      const Parsed parsed = parse(document);
      QCOMPARE(parsed.experiment.optimizer.learningRate, rate);
      QCOMPARE(parsed.experiment.tables[0].optimizer->learningRate, rate);
    }
  }

  // One number stays one, and a list one, also of a single device.
  void capacitiesKeepTheirForm_data() {
    QTest::addColumn<QByteArray>("capacity");
    for (const char* capacity : {"null", "1000", "[1000]"})
      QTest::newRow(capacity) << QByteArray(capacity);
  }
  void capacitiesKeepTheirForm() {
    QFETCH(QByteArray, capacity);
    auto document = test::recipeJson("sample");
    document["mesh"] = {{"devices", {"cpu*1"}},
                        {"capacity_bytes", nlohmann::json::parse(capacity.toStdString())}};
    const Parsed parsed = parse(document);
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    QCOMPARE(toJson(parsed.experiment)["mesh"]["capacity_bytes"].dump(), capacity.toStdString());
  }

  void fingerprintIgnoresWhatDoesNotMatter() {
    const auto document = test::recipeJson("sample");
    const std::string print = fingerprint(parse(document).experiment);
    QCOMPARE(print.size(), std::size_t{32});
    auto same = document;
    same["name"] = "other";
    same["dataset"]["path"] = "/elsewhere";
    same["mesh"] = {{"devices", {"cpu*4"}}, {"shape", {4}}, {"axes", {"batch"}}};
    same["tables"][0]["placement"] = "row";
    same["tables"][0]["axes"] = {"batch"};
    same["layout"] = {{"tables/item", {"", "batch"}}};
    same["training"]["epochs"] = document["training"]["epochs"].get<double>();
    same["dataset"].erase("weight");
    QCOMPARE(fingerprint(parse(same).experiment), print);
    auto other = document;
    other["training"]["seed"] = 43;
    QVERIFY(fingerprint(parse(other).experiment) != print);
    other = document;
    other["optimizer"]["learning_rate"] = 0.21;
    QVERIFY(fingerprint(parse(other).experiment) != print);
  }
};

QTEST_GUILESS_MAIN(RoundTripTest)
#include "round_trip_test.moc"
