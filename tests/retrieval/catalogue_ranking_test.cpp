// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/catalogue_ranking.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/list_metrics.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;

namespace {

using Values = std::map<std::string, double>;

Values valuesOf(const std::vector<experiment::Metric>& metrics) {
  return {metrics.begin(), metrics.end()};
}

}  // namespace

class CatalogueRankingTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  data::Split split_;
  std::unique_ptr<Interactions> interactions_;

  [[nodiscard]] const data::Vocabulary& items() const { return dataset_->vocabularyOf("item"); }
  [[nodiscard]] CatalogueRanking ranking(SeenItems seen = SeenItems::kExcludeTrain) const {
    return {items(), *interactions_, SplitPart::kValidation, {{3, 10}, seen, std::nullopt}};
  }
  /// Vectors of width 1: every user scores items by `scores`.
  CatalogueRanking::Measured measure(CatalogueRanking& of, const std::vector<float>& scores) const {
    const std::vector<float> queries(static_cast<std::size_t>(interactions_->users()), 1.0f);
    Workers workers(1);
    return of.measure(queries, scores, 1, workers);
  }
  [[nodiscard]] std::vector<float> popularity() const {
    const auto counts = interactions_->popularity();
    return {counts.begin(), counts.end()};
  }

 private slots:
  void initTestCase() {
    experiment::Dataset spec;
    spec.source = "generated";
    spec.generator.emplace();
    spec.generator->users = 40;
    spec.generator->items = 60;
    spec.generator->events = 900;
    spec.label.scale = {1.0, 5.0};
    spec.vocabularies.resize(2);
    spec.vocabularies[0].name = "user";
    spec.vocabularies[1].name = "item";
    auto report = data::importDataset(spec, folder_.path().toStdString(), {}, data::makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
    split_ = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
    interactions_ = std::make_unique<Interactions>(*dataset_, "user", "item", split_);
  }

  void aModelThatScoresByPopularityIsTheBaseline() {
    CatalogueRanking of = ranking();
    const auto measured = measure(of, popularity());
    const auto baselines = of.baselines();
    QCOMPARE(QString::fromStdString(baselines[0].first), QString("most_popular"));
    QCOMPARE(measured.metrics, baselines[0].second);
    for (const experiment::PairedDifference& paired : measured.fromMostPopular) {
      QVERIFY(std::abs(paired.mean) < 1e-7);  // values of the baseline are kept as f32
      QVERIFY(paired.standardError < 1e-7);
    }
  }

  void theDifferenceIsPairedByUser() {
    CatalogueRanking of = ranking();
    std::vector<float> scores = popularity();
    std::ranges::transform(scores, scores.begin(), std::negate{});
    const auto measured = measure(of, scores);
    const auto popular = of.baselines()[0].second;
    QCOMPARE(measured.fromMostPopular.size(), measured.metrics.size());
    for (std::size_t i = 0; i < popular.size(); ++i) {
      const experiment::PairedDifference& paired = measured.fromMostPopular[i];
      QVERIFY(std::abs(paired.mean - (measured.metrics[i].second - popular[i].second)) < 1e-6);
      QVERIFY(paired.pairs > 20 && paired.pairs < 40);
      QVERIFY(paired.standardError > 0.0);
    }
  }

  void aRandomOrderFindsAShareOfTheCandidates() {
    CatalogueRanking of = ranking(SeenItems::kKeep);
    const Values random = valuesOf(of.baselines()[1].second);
    QCOMPARE(random.at("recall@10"), 10.0 / static_cast<double>(candidateCount(items())));
    QVERIFY(valuesOf(ranking().baselines()[1].second).at("recall@10") > random.at("recall@10"));
  }

  // One key, one definition: the catalogue is a list of rows with labels 0 and 1.
  void aListOfTheWholeCatalogueHasTheValuesOfRows() {
    const std::vector<std::int64_t> ks{1, 3, 10};
    RankingMetrics catalogue(ks);
    ListMetrics rows({ks, 1.0f});
    std::vector<float> scores;
    for (std::int64_t row = 0; row < 30; ++row)
      scores.push_back(static_cast<float>((row * 7) % 30));
    for (const std::vector<std::int32_t>& relevant :
         {std::vector<std::int32_t>{4, 9, 17}, {2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}) {
      std::vector<Scored> list;
      std::vector<float> labels(scores.size(), 0.0f);
      for (std::int32_t row = 0; row < 30; ++row)
        list.push_back({row, scores[static_cast<std::size_t>(row)]});
      std::ranges::sort(list, isBetter);
      for (const std::int32_t row : relevant) labels[static_cast<std::size_t>(row)] = 1.0f;
      catalogue.add(list, relevant);
      rows.add(0, scores, labels, {});
    }
    const Values ofRows = valuesOf(rows.values());
    for (const auto& [key, value] : catalogue.values())
      if (!key.starts_with("hit") && key != "mrr")
        QVERIFY2(std::abs(ofRows.at(key) - value) < 1e-12, key.c_str());
  }

  void aPartWithoutRowsHasNoValues() {
    CatalogueRanking of(items(), *interactions_, SplitPart::kUnused, {{3}, SeenItems::kKeep, 99.0});
    QVERIFY(measure(of, popularity()).metrics.empty());
    for (const auto& [name, metrics] : of.baselines()) QVERIFY2(metrics.empty(), name.c_str());
  }
};

QTEST_GUILESS_MAIN(CatalogueRankingTest)
#include "catalogue_ranking_test.moc"
