// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/metric_key.h"

#include <QtTest>

using namespace parapet::experiment;

namespace {

using Keys = std::vector<std::string>;

Experiment measured(ModelKind kind, LossKind loss) {
  Experiment experiment;
  experiment.model.kind = kind;
  experiment.loss.kind = loss;
  experiment.evaluation.k = {5, 10};
  return experiment;
}

}  // namespace

class MetricKeyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aModelHasTheKeysOfItsKindAndLoss() {
    QCOMPARE(validationKeys(measured(ModelKind::kRanking, LossKind::kMse)),
             (Keys{"val_loss", "val_rmse", "val_mae"}));
    QCOMPARE(validationKeys(measured(ModelKind::kRanking, LossKind::kBce)),
             (Keys{"val_loss", "val_accuracy", "val_auc", "val_gauc", "val_logloss", "val_ne"}));
    QCOMPARE(validationKeys(measured(ModelKind::kRetrieval, LossKind::kInBatchSoftmax)),
             (Keys{"val_loss", "val_recall@5", "val_recall@10", "val_ndcg@5", "val_ndcg@10",
                   "val_hit@5", "val_hit@10", "val_mrr"}));
    const Keys lists = validationKeys(measured(ModelKind::kRanking, LossKind::kListMle));
    QVERIFY(std::ranges::find(lists, "val_precision@10") != lists.end());
    QVERIFY(std::ranges::find(lists, "val_hit@10") == lists.end());
  }

  void aCatalogueHasTheMetricsItIsAskedFor() {
    Experiment experiment = measured(ModelKind::kRetrieval, LossKind::kInBatchSoftmax);
    experiment.evaluation.metrics = {RankingMetric::kMrr, RankingMetric::kPrecision,
                                     RankingMetric::kGini};
    const Keys keys{"val_loss",         "val_mrr",    "val_precision@5",
                    "val_precision@10", "val_gini@5", "val_gini@10"};
    QCOMPARE(validationKeys(experiment), keys);
    QCOMPARE(headlineKey(keys), std::string("val_mrr"));
    experiment.evaluation.catalogue = CatalogueTime::kNever;
    QCOMPARE(validationKeys(experiment), Keys{"val_loss"});
  }

  // Both have a recall and a precision; a catalogue is judged by its recall.
  void aPrecisionDoesNotMakeACatalogueAGroup() {
    QCOMPARE(headlineKey({"val_recall@10", "val_ndcg@10", "val_precision@10"}),
             std::string("val_recall@10"));
    QCOMPARE(headlineKey({"val_recall@10", "val_ndcg@10", "val_dcg@10", "val_precision@10"}),
             std::string("val_ndcg@10"));
  }

  // Rankings of the catalogue and of rows would have the same keys.
  void noKeyComesTwice() {
    Keys keys = validationKeys(measured(ModelKind::kRetrieval, LossKind::kListMle));
    const std::size_t count = keys.size();
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    QCOMPARE(keys.size(), count);
  }

  void headsHaveKeysUnderTheirNames() {
    Experiment experiment = measured(ModelKind::kRanking, LossKind::kMse);
    Head head;
    head.name = "watched";
    head.loss.kind = LossKind::kBce;
    experiment.model.heads.push_back(head);
    const Keys keys = validationKeys(experiment);
    for (const char* key : {"val_score_loss", "val_watched_loss", "val_watched_auc"})
      QVERIFY2(std::ranges::find(keys, key) != keys.end(), key);
  }

  void onlyErrorsAreBetterWhenSmall() {
    for (const char* key : {"loss", "val_loss", "val_rating_rmse", "test_mae", "val_logloss",
                            "val_ne", "loss_as_displayed", "val_popularity@10", "gini@5"})
      QVERIFY2(smallerIsBetter(key), key);
    // "maestro" has "mae" in it, and "scene" ends as "ne".
    for (const char* key : {"val_maestro_auc", "val_scene_accuracy", "val_recall@10", "mrr", "gauc",
                            "val_precision@5"})
      QVERIFY2(!smallerIsBetter(key), key);
  }
};

QTEST_GUILESS_MAIN(MetricKeyTest)
#include "metric_key_test.moc"
