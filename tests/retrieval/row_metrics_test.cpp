// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_metrics.h"

#include <QTemporaryDir>
#include <QtTest>
#include <map>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/retrieval/row_baselines.h"
#include "tests/experiment/metric_values.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;
using experiment::test::Values;
using experiment::test::valuesOf;

namespace {

using Floats = std::vector<float>;
using Groups = std::vector<std::int32_t>;

bool isNear(double found, double expected) {
  return std::abs(found - expected) < 1e-12 * (1.0 + std::abs(expected));
}

#define COMPARE_NEAR(found, expected) \
  QVERIFY2(isNear(found, expected), qPrintable(QString::number(found, 'g', 17)))

const double kSecond = 1.0 / std::log2(3.0), kThird = 1.0 / std::log2(4.0);

ListMetrics::Options upTo(std::vector<std::int64_t> ks) {
  return {std::move(ks), 1.0f};
}

/// Rows with few different scores, labels 0 and 1, and weights.
Predictions randomRows(std::size_t count, std::int32_t groups) {
  Predictions rows;
  const Random random(5, RandomPurpose::kSampling);
  for (std::size_t row = 0; row < count; ++row) {
    rows.prediction.push_back(static_cast<float>(random.below(4 * row, 9)) - 4.0f);
    rows.label.push_back(static_cast<float>(random.below(4 * row + 1, 2)));
    rows.weight.push_back(random.uniform(4 * row + 2));
    rows.group.push_back(static_cast<std::int32_t>(random.below(4 * row + 3, groups)));
  }
  return rows;
}

}  // namespace

class RowMetricsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void errorsAreWeightedMeansThatAddUp() {
    const Floats prediction{1, 2, 4}, label{1, 4, 0}, weight{1, 2, 1};
    PredictionErrors errors, parts;
    errors.add({prediction, label, weight, {}});
    const Values found = valuesOf(errors.values());
    COMPARE_NEAR(found.at("rmse"), std::sqrt(24.0 / 4.0));
    COMPARE_NEAR(found.at("mae"), 2.0);
    for (std::size_t row = 0; row < 3; ++row)
      parts.add({{&prediction[row], 1}, {&label[row], 1}, {&weight[row], 1}, {}});
    QCOMPARE(parts.values(), errors.values());
    QVERIFY(PredictionErrors().values().empty());
  }

  void theAreaUnderTheCurveIsTheShareOfPairsWon() {
    const Floats label{0, 0, 1, 1};
    QCOMPARE(*areaUnderCurve({Floats{.1f, .4f, .35f, .8f}, label, {}, {}}), 0.75);
    QCOMPARE(*areaUnderCurve({Floats{2, 2, 2, 2}, label, {}, {}}), 0.5);
    QCOMPARE(*areaUnderCurve({Floats{1, 2, 2, 3}, label, {}, {}}), 0.875);
    QVERIFY(!areaUnderCurve({Floats{1, 2}, Floats{1, 1}, {}, {}}));
    QVERIFY(areaUnderCurve({Floats{NAN, 2, NAN, 1}, label, {}, {}}));
  }

  void theAreaAgreesWithCountingAllPairs() {
    const Predictions rows = randomRows(300, 1);
    double won = 0.0, pairs = 0.0;
    for (std::size_t i = 0; i < 300; ++i)
      for (std::size_t j = 0; j < 300; ++j) {
        if (rows.label[i] <= rows.label[j]) continue;
        const double weight =
            static_cast<double>(rows.weight[i]) * static_cast<double>(rows.weight[j]);
        pairs += weight;
        if (rows.prediction[i] > rows.prediction[j]) won += weight;
        if (rows.prediction[i] == rows.prediction[j]) won += 0.5 * weight;
      }
    COMPARE_NEAR(*areaUnderCurve(rows.all()), won / pairs);
  }

  // User 7 is ranked right with 2 rows, user 3 wrong with 3; user 5 likes all.
  void usersCountByTheirRowsUnlessTheyHaveOneClass() {
    const GroupedArea area = groupedAreaUnderCurve({Floats{1, 9, 5, 5, 0, 8, 3},
                                                    Floats{0, 0, 1, 1, 1, 0, 1},
                                                    {},
                                                    Groups{7, 3, 5, 5, 3, 3, 7}});
    COMPARE_NEAR(area.value, 2.0 / 5.0);
    QCOMPARE(area.groups, 2);
    QCOMPARE(area.oneClass, 1);
  }

  void predictingTheMeanHasANormalizedEntropyOfOne() {
    const float logit = static_cast<float>(std::log(1.0 / 3.0));
    const Floats same(4, logit);
    const Values found =
        valuesOf(classificationMetrics({same, Floats{0, 1, 0, 0}, {}, Groups{1, 1, 1, 1}}));
    QVERIFY(std::abs(found.at("ne") - 1.0) < 1e-7);
    QVERIFY(std::abs(found.at("calibration") - 1.0) < 1e-7);
    QCOMPARE(found.at("accuracy"), 0.75);
    QCOMPARE(found.at("auc"), 0.5);
    QVERIFY(std::abs(found.at("logloss") - (-0.25 * std::log(0.25) - 0.75 * std::log(0.75))) <
            1e-7);
  }

  void logitsOfAnySizeHaveAFiniteLoss() {
    const Values found = valuesOf(classificationMetrics(
        {Floats{1000, -1000, 1000}, Floats{1, 0, 0}, Floats{1, 1, 2}, Groups{1, 1, 1}}));
    COMPARE_NEAR(found.at("logloss"), 2000.0 / 4.0);
    COMPARE_NEAR(found.at("accuracy"), 0.5);
    COMPARE_NEAR(found.at("calibration"), 3.0);
  }

  void whatHasNoValueIsLeftOut() {
    const Values found =
        valuesOf(classificationMetrics({Floats{1, 2}, Floats{0, 0}, {}, Groups{1, 1}}));
    for (const char* key : {"auc", "gauc", "ne", "calibration"})
      QVERIFY2(!found.contains(key), key);
    QVERIFY(found.contains("logloss"));
    QVERIFY(classificationMetrics({Floats{1}, Floats{0}, Floats{0}, Groups{1}}).empty());
  }

  void aListIsMeasuredByItsRanks() {
    ListMetrics metrics(upTo({2, 3, 10}));
    metrics.add(1, Floats{1, 3, 2}, Floats{1, 0, 1}, {});
    const Values found = valuesOf(metrics.values());
    COMPARE_NEAR(found.at("mrr"), 1.0 / 2.0);
    COMPARE_NEAR(found.at("precision@2"), 1.0 / 2.0);
    COMPARE_NEAR(found.at("precision@10"), 2.0 / 3.0);
    COMPARE_NEAR(found.at("recall@2"), 1.0 / 2.0);
    COMPARE_NEAR(found.at("map@2"), (1.0 / 2.0) / 2.0);
    COMPARE_NEAR(found.at("map@3"), (1.0 / 2.0 + 2.0 / 3.0) / 2.0);
    COMPARE_NEAR(found.at("dcg@3"), kSecond + kThird);
    COMPARE_NEAR(found.at("ndcg@2"), kSecond / (1.0 + kSecond));
    COMPARE_NEAR(found.at("ndcg@3"), (kSecond + kThird) / (1.0 + kSecond));
  }

  void gainsGrowWithTheLabel() {
    ListMetrics metrics(upTo({2}));
    metrics.add(1, Floats{2, 1}, Floats{1, 2}, {});  // gains 1 and 3
    const Values found = valuesOf(metrics.values());
    COMPARE_NEAR(found.at("dcg@2"), 1.0 + 3.0 * kSecond);
    COMPARE_NEAR(found.at("ndcg@2"), (1.0 + 3.0 * kSecond) / (3.0 + kSecond));
  }

  void relevanceBeginsWhereItIsSaid() {
    ListMetrics metrics({{1}, 0.75f});
    metrics.add(1, Floats{3, 2}, Floats{0.5f, 0.75f}, {});
    COMPARE_NEAR(valuesOf(metrics.values()).at("mrr"), 0.5);
  }

  // Weights of the lists: 2, 1, and without relevance the mean of these.
  void aListCountsByTheWeightOfWhatIsRelevant() {
    ListMetrics metrics(upTo({2}));
    metrics.add(1, Floats{2, 1}, Floats{1, 0}, Floats{2, 1});
    metrics.add(2, Floats{2, 1}, Floats{0, 1}, Floats{1, 1});
    COMPARE_NEAR(valuesOf(metrics.values()).at("mrr"), (2.0 * 1.0 + 1.0 * 0.5) / 3.0);
    COMPARE_NEAR(valuesOf(metrics.values()).at("dcg@2"), (2.0 * 1.0 + kSecond) / 3.0);
    metrics.add(3, Floats{2, 1}, Floats{0, 0}, Floats{9, 9});
    COMPARE_NEAR(valuesOf(metrics.values()).at("mrr"), 2.5 / 4.5);
    QCOMPARE(metrics.lists(), 3);
  }

  void whatNoListCouldFindIsNotMeasured() {
    ListMetrics metrics({{1}, 3.0f});
    metrics.add(1, Floats{2, 1}, Floats{1, 2}, {});
    const Values found = valuesOf(metrics.values());
    COMPARE_NEAR(found.at("ndcg@1"), 1.0 / 3.0);
    QVERIFY(!found.contains("mrr") && !found.contains("recall@1"));
    ListMetrics nothing(upTo({1}));
    nothing.add(1, Floats{2, 1}, Floats{0, 0}, {});
    QVERIFY(nothing.values().empty());
    QCOMPARE(nothing.lists(), 1);
  }

  void rowsWithoutLabelOrWeightTakeNoPart() {
    ListMetrics with(upTo({1, 2})), without(upTo({1, 2}));
    with.add(1, Floats{9, 3, 8, 2}, Floats{-1, 0, 1, 1}, Floats{1, 1, 0, 1});
    with.add(2, Floats{1, 2}, Floats{-1, -1}, {});
    without.add(1, Floats{3, 2}, Floats{0, 1}, {});
    QCOMPARE(with.values(), without.values());
    QCOMPARE(with.lists(), 1);
    QVERIFY(ListMetrics(upTo({1})).values().empty());
  }

  void tiesAreInTheOrderOfTheRowsOrDrawnFromASeed() {
    ListMetrics byRow(upTo({1})), drawn({{1}, 1.0f, 3}), again({{1}, 1.0f, 3});
    for (std::int64_t list = 0; list < 1000; ++list)
      for (ListMetrics* metrics : {&byRow, &drawn, &again})
        metrics->add(list, Floats{1, 1}, Floats{0, 1}, {});
    COMPARE_NEAR(valuesOf(byRow.values()).at("mrr"), 0.5);
    QVERIFY(std::abs(valuesOf(drawn.values()).at("mrr") - 0.75) < 0.03);
    QCOMPARE(again.values(), drawn.values());
  }

  void partsMergeToTheWhole() {
    const Predictions rows = randomRows(400, 23);
    ListMetrics whole(upTo({1, 5})), even(upTo({1, 5})), odd(upTo({1, 5}));
    for (std::int32_t group = 0; group < 23; ++group) {
      Floats scores, labels, weights;
      for (std::size_t row = 0; row < 400; ++row)
        if (rows.group[row] == group) {
          scores.push_back(rows.prediction[row]);
          labels.push_back(rows.label[row]);
          weights.push_back(rows.weight[row]);
        }
      whole.add(group, scores, labels, weights);
      (group % 2 == 0 ? even : odd).add(group, scores, labels, weights);
    }
    even.merge(odd);
    const Values merged = valuesOf(even.values());
    for (const auto& [key, value] : whole.values()) COMPARE_NEAR(merged.at(key), value);
    QCOMPARE(listMetrics(rows.all(), upTo({1, 5})), whole.values());
    QVERIFY_EXCEPTION_THROWN(even.merge(ListMetrics(upTo({2}))), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(ListMetrics(upTo({5, 5})), InvalidArgument);
  }

  void blocksGiveWhatAllRowsGive() {
    const Predictions rows = randomRows(100, 7);
    const PredictionBlock all = rows.all();
    using experiment::LossKind;
    for (const LossKind kind : {LossKind::kMse, LossKind::kBce, LossKind::kListMle}) {
      RowMetrics whole({.kind = kind}, upTo({3})), blocks({.kind = kind}, upTo({3}));
      whole.add(all);
      for (const auto& [first, count] : {std::pair{0, 40}, std::pair{40, 60}}) {
        const auto from = static_cast<std::size_t>(first), size = static_cast<std::size_t>(count);
        blocks.add({all.prediction.subspan(from, size), all.label.subspan(from, size),
                    all.weight.subspan(from, size), all.group.subspan(from, size)});
      }
      QVERIFY(!whole.values().empty());
      QCOMPARE(blocks.values(), whole.values());
      QCOMPARE(blocks.loss(), whole.loss());
    }
    RowMetrics softmax({.kind = LossKind::kInBatchSoftmax}, upTo({3}));
    softmax.add(all);
    QVERIFY(softmax.values().empty() && !softmax.loss());
  }

  void theLossHasTheDenominatorOfItsReduction() {
    const Floats prediction{1, 2}, label{0, 0}, weight{1, 3};
    const auto lossWith = [&](experiment::Reduction reduction) {
      RowMetrics metrics({.reduction = reduction}, upTo({1}));
      metrics.add({prediction, label, weight, Groups{1, 1}});
      return metrics.loss();
    };
    COMPARE_NEAR(*lossWith(experiment::Reduction::kMean), 13.0 / 2.0);
    COMPARE_NEAR(*lossWith(experiment::Reduction::kWeightedMean), 13.0 / 4.0);
    QVERIFY(!lossWith(experiment::Reduction::kSum));
    RowMetrics weightless({.reduction = experiment::Reduction::kMean}, upTo({1}));
    weightless.add({prediction, label, Floats{0, 0}, Groups{1, 1}});
    QVERIFY(!weightless.loss());
  }

  void baselinesPredictMeansOfTheTrainingRows() {
    QTemporaryDir folder;
    experiment::Dataset spec;
    spec.source = experiment::SourceKind::kGenerated;
    spec.generator.emplace();
    spec.generator->users = 30;
    spec.generator->items = 40;
    spec.generator->events = 600;
    spec.label.scale = {1.0, 5.0};
    spec.vocabularies.resize(2);
    spec.vocabularies[0].name = "user";
    spec.vocabularies[1].name = "item";
    const auto report =
        data::importDataset(spec, folder.path().toStdString(), {}, data::makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    const data::Dataset& dataset = *report->dataset;
    data::SplitSettings settings{.seed = 3};
    const data::Split split = data::makeSplit(data::EventColumns(dataset), settings).value();

    const auto labels = dataset.labels();
    const auto items = dataset.ids("item");
    double sum = 0.0;
    std::map<std::int32_t, std::pair<double, double>> ofItem;
    split.train.forEach([&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      sum += static_cast<double>(labels[at]);
      ofItem[items[at]].first += static_cast<double>(labels[at]);
      ofItem[items[at]].second += 1.0;
    });
    const double mean = sum / static_cast<double>(split.train.size());
    double constant = 0.0, byItem = 0.0, crossEntropy = 0.0;
    split.validation.forEach([&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      const auto [total, count] = ofItem[items[at]];
      const double label = static_cast<double>(labels[at]);
      constant += std::pow(label - mean, 2);
      crossEntropy -= label * std::log(mean) + (1.0 - label) * std::log(1.0 - mean);
      byItem += std::pow(label - (total + mean) / (count + 1.0), 2);
    });
    const auto rmse = [&](double squared) {
      return std::sqrt(squared / static_cast<double>(split.validation.size()));
    };
    const auto measured = [&](RowBaseline baseline, experiment::LossKind kind) {
      return measureRowBaseline(baseline, dataset, split, SplitPart::kValidation,
                                {labels, {.kind = kind}, upTo({5})});
    };
    const auto found = [&](RowBaseline baseline) {
      return valuesOf(measured(baseline, experiment::LossKind::kMse).metrics).at("rmse");
    };
    QVERIFY(std::abs(found(RowBaseline::kConstant) - rmse(constant)) < 1e-6);
    QVERIFY(std::abs(found(RowBaseline::kItemMean) - rmse(byItem)) < 1e-6);
    QVERIFY(found(RowBaseline::kUserMean) != found(RowBaseline::kConstant));
    // Under bce the mean is a probability.
    const auto click = measured(RowBaseline::kConstant, experiment::LossKind::kBce);
    QVERIFY(std::abs(valuesOf(click.metrics).at("auc") - 0.5) < 1e-12);
    crossEntropy /= static_cast<double>(split.validation.size());
    QVERIFY(click.loss && std::abs(*click.loss - crossEntropy) < 1e-6);
    QVERIFY(measured(RowBaseline::kRandom, experiment::LossKind::kListMle).metrics.size() > 5);
  }
};

QTEST_GUILESS_MAIN(RowMetricsTest)
#include "row_metrics_test.moc"
