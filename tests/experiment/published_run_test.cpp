// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/published_run.h"

#include <QTest>
#include <functional>

#include "engine/experiment/experiment.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

Experiment recipe(std::string_view name) {
  return parse(parseJson(findRecipe(name).value().text).value()).experiment;
}

}  // namespace

using Change = std::function<void(Experiment&)>;

class PublishedRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRecipeWithACurveIsThatOfItsPublishedRun() {
    int curves = 0;
    for (const Recipe& each : recipes()) {
      const Experiment experiment = recipe(each.name);
      QVERIFY2(!differenceFromPublished(experiment), each.name.c_str());
      curves += experiment.reference.curve ? 1 : 0;
    }
    QVERIFY(curves > 0);
  }

  void whatDecidesTheCurveIsNamed_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("difference");
    const auto row = [](const char* name, const Change& change, const char* difference) {
      QTest::newRow(name) << change << QString(difference);
    };
    row(
        "folder", [](auto& e) { e.dataset.path = "/data/ml-100k"; }, "");
    row(
        "devices", [](auto& e) { e.mesh.devices = {"cpu*4"}; }, "");
    row(
        "epochs", [](auto& e) { e.training.epochs = 3; }, "");
    row(
        "rate", [](auto& e) { e.optimizer.learningRate = 0.01; }, "");
    row(
        "filter", [](auto& e) { e.dataset.filter = "rating > 3"; }, "the data");
    row(
        "split",
        [](auto& e) {
          e.dataset.split.train = {0.9, true};
        },
        "the data");
    row(
        "vocabulary", [](auto& e) { e.dataset.vocabularies[1].kind = VocabularyKind::kCompressed; },
        "the data");
    row(
        "loss", [](auto& e) { e.loss.kind = LossKind::kInBatchSoftmax; }, "the loss");
    row(
        "width", [](auto& e) { e.tables[0].embeddingDim = 8; }, "the model");
    row(
        "layer", [](auto& e) { e.model.query.emplace_back(); }, "the model");
  }
  void whatDecidesTheCurveIsNamed() {
    QFETCH(Change, change);
    QFETCH(QString, difference);
    const Experiment before = recipe("movielens-retrieval");
    Experiment changed = before;
    change(changed);
    QCOMPARE(QString::fromStdString(differenceFromPublished(changed).value_or("")), difference);
    QCOMPARE(QString::fromStdString(leavePublishedRun(before, changed).value_or("")), difference);
    QCOMPARE(changed.reference.curve.has_value(), difference.isEmpty());
  }

  /// Texts need the path of a vocabulary, and the published run began with weights that users have.
  void filesOfTextsDoNotCount() {
    const Experiment before = recipe("bert-tiny-mlm-as-published");
    Experiment changed = before;
    changed.dataset.path = "/data/wikitext-2";
    changed.dataset.text->vocabulary = "/data/bert/vocab.txt";
    changed.model.weights = "/data/bert/model.safetensors";
    QVERIFY(!leavePublishedRun(before, changed));
    QVERIFY(changed.reference.curve);
    changed.dataset.text->minBytes = 1;
    QCOMPARE(leavePublishedRun(before, changed).value_or(""), std::string("the data"));
  }

  void aCurveThatWasNamedOnPurposeStays() {
    Experiment before = recipe("sample");
    before.reference.curve = "keras-data-parallel-retrieval";
    Experiment changed = before;
    changed.loss.kind = LossKind::kInBatchSoftmax;
    QVERIFY(differenceFromPublished(before));
    QVERIFY(!leavePublishedRun(before, changed));
    QVERIFY(changed.reference.curve);
  }
};

QTEST_APPLESS_MAIN(PublishedRunTest)
#include "published_run_test.moc"
