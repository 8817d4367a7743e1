// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>

#include "engine/experiment/published_run.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {
constexpr const char* kNorm = R"json(
{"parapet": 1, "name": "movielens-retrieval",
 "dataset": {"source": "movielens", "path": null, "label": {"column": "rating", "scale": [1, 5]}, "weight": null,
  "vocabularies": [{"name": "user", "kind": "direct", "size": "max+1"}, {"name": "item", "kind": "direct", "size": "catalogue+1"}],
  "split": {"kind": "random", "train": 80000, "validation": 20000, "test": 0, "seed": null},
  "batch": {"size": 1000, "per_device": null, "drop_remainder": false, "shuffle": "once", "cache": true}},
 "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 32, "initializer": {"kind": "uniform", "min": -0.05, "max": 0.05}, "optimizer": null, "combiner": "mean", "placement": "auto", "trainable": true},
            {"name": "item", "vocabulary": "item", "embedding_dim": 32, "initializer": {"kind": "uniform", "min": -0.05, "max": 0.05}, "optimizer": null, "combiner": "mean", "placement": "auto", "trainable": true}],
 "features": [{"name": "user", "column": "user", "table": "user", "tower": "query"}, {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
 "model": {"kind": "retrieval", "query": [], "candidate": [], "score": "dot"}, "loss": {"kind": "mse", "reduction": "mean"},
 "optimizer": {"kind": "adagrad", "learning_rate": 0.2, "initial_accumulator": 0.1, "epsilon": 1e-7, "epsilon_inside_root": true}, "schedule": {"kind": "constant"},
 "mesh": {"devices": ["cpu*1"], "shape": null, "axes": ["data"]}, "layout": {},
 "training": {"epochs": 50, "validate_every": 5, "seed": 42, "precision": "fp32", "checkpoints": {"every": null, "keep": 3, "best": "val_loss"}}, "reference": {"curve": "keras-data-parallel-retrieval"}}
)json";
}  // namespace

class RecipesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void movielensRecipeIsTheNorm() {
    const auto found = nlohmann::ordered_json::parse(findRecipe("movielens-retrieval")->text);
    const auto norm = nlohmann::ordered_json::parse(kNorm);
    // As text, so that the order of keys counts.
    QCOMPARE(QString::fromStdString(found.dump(1)), QString::fromStdString(norm.dump(1)));
  }

  void recipesHaveNoFindings_data() {
    QTest::addColumn<QString>("name");
    for (const Recipe& recipe : recipes())
      QTest::newRow(recipe.name.c_str()) << QString::fromStdString(recipe.name);
  }
  void recipesHaveNoFindings() {
    QFETCH(QString, name);
    const auto recipe = findRecipe(name.toStdString());
    const Parsed parsed = parse(parseJson(recipe->text).value());
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.problems)), QString());
    QCOMPARE(QString::fromStdString(test::textOf(parsed.findings.warnings)), QString());
    QCOMPARE(parsed.experiment.name, recipe->name);
    QCOMPARE(recipe->needsData, parsed.experiment.dataset.source != SourceKind::kGenerated);
    QVERIFY(!recipe->title.empty());
  }

  void recipesAreReadBackAsTheyWere_data() { recipesHaveNoFindings_data(); }
  void recipesAreReadBackAsTheyWere() {
    QFETCH(QString, name);
    const Experiment experiment = parse(test::recipeJson(name.toStdString())).experiment;
    const std::string written = toJson(experiment).dump();
    const Parsed again = parse(parseJson(written).value());
    QCOMPARE(QString::fromStdString(test::textOf(again.findings.problems)), QString());
    QCOMPARE(toJson(again.experiment).dump(), written);
    QCOMPARE(fingerprint(again.experiment), fingerprint(experiment));
  }

  void unknownRecipesAreNotFound() {
    const auto recipe = findRecipe("sampel");
    QVERIFY(!recipe.ok());
    QCOMPARE(recipe.error().code, ErrorCode::kNotFound);
    QVERIFY(recipe.error().message.find("did you mean \"sample\"?") != std::string::npos);
  }

  void referenceCurveHoldsThePublishedNumbers() {
    const auto curve = findReferenceCurve("keras-data-parallel-retrieval");
    QVERIFY(curve.ok());
    QCOMPARE(curve->lossAsDisplayed.size(), std::size_t{50});
    QCOMPARE(curve->lossAsDisplayed.front().value, 0.4772);
    QCOMPARE(curve->lossAsDisplayed.back().value, 0.1544);
    for (std::size_t index = 0; index < 50; ++index)
      QCOMPARE(curve->lossAsDisplayed[index].epoch, static_cast<std::int64_t>(index + 1));
    QCOMPARE(curve->valLoss.size(), std::size_t{10});
    QCOMPARE(curve->valLoss.front().epoch, std::int64_t{5});
    QCOMPARE(curve->valLoss.front().value, 0.4836);
    QCOMPARE(curve->valLoss.back().epoch, std::int64_t{50});
    QCOMPARE(curve->valLoss.back().value, 0.1586);
    QCOMPARE(findReferenceCurve("seed-00").error().code, ErrorCode::kNotFound);

    const auto ranking = findReferenceCurve("keras-distributed-embedding");
    QCOMPARE(ranking->lossAsDisplayed.size(), std::size_t{5});
    QCOMPARE(ranking->lossAsDisplayed.front().value, 0.2746);
    QCOMPARE(ranking->lossAsDisplayed.back().value, 0.0919);
    QCOMPARE(ranking->valLoss.back().epoch, std::int64_t{5});
    QCOMPARE(ranking->valLoss.back().value, 0.0972);
    const auto root = publishedPoints(*ranking, "rmse_as_displayed");
    QCOMPARE(root.size(), std::size_t{5});
    QCOMPARE(root.front().value, 0.52);
    QCOMPARE(root.back().value, 0.3031);
    // Values that the bar of its evaluation showed, and those that the evaluation returned.
    QCOMPARE(publishedPoints(*ranking, "val_loss_as_displayed").front().value, 0.0964);
    QCOMPARE(publishedPoints(*ranking, "val_rmse_as_displayed").front().value, 0.3105);
    QCOMPARE(publishedPoints(*ranking, "val_rmse").front().value, 0.3118);
    QCOMPARE(publishedPoints(*ranking, "val_loss").front().value, 0.0972);
    QVERIFY(publishedPoints(*ranking, "accuracy").empty());

    // Where runs of its recipe lie; the published ones do, within two standard deviations.
    const PublishedBand band = publishedBand(*ranking, "loss_as_displayed");
    QCOMPARE(band.seeds, std::int64_t{20});
    QCOMPARE(band.points.size(), std::size_t{5});
    for (std::size_t at = 0; at < band.points.size(); ++at) {
      QCOMPARE(band.points[at].epoch, ranking->lossAsDisplayed[at].epoch);
      QVERIFY(std::abs(ranking->lossAsDisplayed[at].value - band.points[at].mean) <
              2.0 * band.points[at].deviation);
    }
    QVERIFY(publishedBand(*ranking, "accuracy").points.empty());

    // Within 0.0002 of ln 8192.
    const auto context = findReferenceCurve("keras-context-retrieval");
    QCOMPARE(context->lossAsDisplayed.size(), std::size_t{5});
    QCOMPARE(context->lossAsDisplayed.back().value, 9.0107);
    QCOMPARE(context->valLoss.back().value, 9.0107);
    for (const auto& published : {*curve, *ranking, *context})
      QVERIFY(!published.note.empty() && !published.source.empty() && !published.title.empty());
  }
};

QTEST_GUILESS_MAIN(RecipesTest)
#include "recipes_test.moc"
