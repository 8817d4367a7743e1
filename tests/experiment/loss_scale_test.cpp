// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/metric_key.h"

#include <QtTest>

#include "tests/experiment/sample_document.h"

using namespace parapet::experiment;

/// Settings that make losses which cannot be compared.
class LossScaleTest : public QObject {
  Q_OBJECT

  static std::string scaleWith(const nlohmann::json& patch) {
    nlohmann::json document = test::recipeJson("sample");
    document.merge_patch(patch);
    return lossScale(test::parsedDocument(document));
  }

 private Q_SLOTS:
  void settingsOfTheLossScaleIt_data() {
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<bool>("scales");
    const auto row = [](const char* name, const char* patch, bool scales) {
      QTest::newRow(name) << QByteArray(patch) << scales;
    };
    row("batch", R"({"dataset": {"batch": {"size": 50}}})", true);
    row("temperature", R"({"loss": {"temperature": 0.1}})", true);
    row("correction", R"({"loss": {"log_q": "off"}})", true);
    row("negatives", R"({"loss": {"hard_negatives": 5}})", true);
    row("kind", R"({"loss": {"kind": "bpr", "log_q": null}})", true);
    row("labels", R"({"dataset": {"label": {"scale": [0, 5]}}})", true);
    row("rate", R"({"optimizer": {"learning_rate": 0.3}})", false);
    row("seed", R"({"training": {"seed": 7}})", false);
    row("devices", R"({"mesh": {"devices": ["cpu*4"]}})", false);
    row("lists", R"({"evaluation": {"k": [5]}})", false);
  }
  void settingsOfTheLossScaleIt() {
    QFETCH(QByteArray, patch);
    QFETCH(bool, scales);
    const auto change = nlohmann::json::parse(patch.toStdString());
    QCOMPARE(scaleWith(change) != scaleWith(nlohmann::json::object()), scales);
  }

  // The mean of a squared error is the same over batches of any size; a sum is not.
  void theBatchScalesNegativesAndSums() {
    const auto differ = [](const nlohmann::json& loss) {
      nlohmann::json document = test::recipeJson("sample");
      document["loss"] = loss;
      document["dataset"]["batch"]["size"] = 50;
      const std::string small = lossScale(test::parsedDocument(document));
      document["dataset"]["batch"]["size"] = 200;
      return small != lossScale(test::parsedDocument(document));
    };
    QVERIFY(!differ({{"kind", "mse"}, {"reduction", "mean"}}));
    QVERIFY(differ({{"kind", "mse"}, {"reduction", "sum"}}));
    QVERIFY(differ({{"kind", "bpr"}}));
  }

  void errorsOfScaledLabelsSaySo() {
    const auto note = [](const char* recipe,
                         const nlohmann::json& patch = nlohmann::json::object()) {
      nlohmann::json document = test::recipeJson(recipe);
      document.merge_patch(patch);
      return scaledErrorsNote(test::parsedDocument(document));
    };
    const std::string scaled =
        "rmse and mae are errors of labels scaled from 1–5 to 0–1; in units of rating they are 4 "
        "times as "
        "large.\n";
    QCOMPARE(note("movielens-ranking"), scaled);
    QCOMPARE(note("movielens-multitask"), scaled);  // of a head
    QCOMPARE(note("movielens-ranking", {{"dataset", {{"label", {{"scale", nullptr}}}}}}),
             std::string());
    QCOMPARE(note("movielens-ranking", {{"loss", {{"kind", "bce"}}}}), std::string());
    QCOMPARE(note("sample"), std::string());
  }

  void theSettingsThatScaleAreNamed() {
    QCOMPARE(scalingSettings({"/optimizer/learning_rate", "/dataset/batch/size"}),
             std::vector<std::string>{"/dataset/batch/size"});
    QCOMPARE(scalingSettings({"/elsewhere"}), std::vector<std::string>{"/elsewhere"});
  }
};

QTEST_GUILESS_MAIN(LossScaleTest)
#include "loss_scale_test.moc"
