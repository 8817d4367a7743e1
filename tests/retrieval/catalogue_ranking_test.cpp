// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/catalogue_ranking.h"

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cmath>
#include <map>

#include "engine/base/random.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/candidates.h"
#include "engine/retrieval/row_metrics.h"
#include "tests/experiment/metric_values.h"
#include "tests/retrieval/sample_ratings.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;
using experiment::test::Values;
using experiment::test::valuesOf;

constexpr std::array kLambdas{1, 5, 20, 100, 500, 2000, 10'000};

class CatalogueRankingTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  data::Split split_;
  std::unique_ptr<Interactions> interactions_;

  [[nodiscard]] CatalogueRanking ranking(RankingProtocol protocol) const {
    return {*dataset_,          "user", *interactions_, SplitPart::kValidation, split_.validation,
            std::move(protocol)};
  }
  [[nodiscard]] CatalogueRanking ranking(SeenItems seen = SeenItems::kExcludeTrain) const {
    return ranking(RankingProtocol{.k = {3, 10}, .seen = seen});
  }
  /// Vectors of width 1: every user scores items by `scores`.
  CatalogueRanking::Measured measure(const CatalogueRanking& of,
                                     const std::vector<float>& scores) const {
    const std::vector<float> queries(static_cast<std::size_t>(interactions_->users()), 1.0f);
    Workers workers(1);
    return of.measure(queries, scores, 1, workers);
  }
  static experiment::PairedDifference differenceFrom(const CatalogueRanking::Measured& measured,
                                                     const std::string& baseline,
                                                     std::size_t metric) {
    for (const auto& from : measured.ranking->differences(*measured.sums, metric))
      if (from.baseline == baseline) return from.difference;
    throw InternalError("no difference from " + baseline);
  }
  [[nodiscard]] std::vector<float> popularity() const {
    const auto counts = interactions_->popularity();
    return {counts.begin(), counts.end()};
  }
  /// The λ in a sentence, by its index in the grid.
  static std::size_t lambdaOf(const std::string& sentence) {
    for (std::size_t at = 0; at < kLambdas.size(); ++at)
      if (QString::fromStdString(sentence).startsWith(QString("ease has λ %1,").arg(kLambdas[at])))
        return at;
    throw InternalError("no λ in: " + sentence);
  }
  [[nodiscard]] data::Split splitWith(double validation, double test) const {
    experiment::Split spec;
    spec.train = {1.0 - validation - test, true};
    spec.validation = {validation, true};
    spec.test = {test, true};
    return data::makeSplit(data::EventColumns(*dataset_), {.split = spec, .seed = 5}).value();
  }
  /// Sentences of a ranking of the test part.
  [[nodiscard]] std::vector<std::string> choicesOf(const data::Split& split, SplitPart part,
                                                   experiment::Baselines* fitted = nullptr) const {
    const Interactions interactions(*dataset_, "user", "item", split);
    const CatalogueRanking of(*dataset_, "user", interactions, part,
                              part == SplitPart::kTest ? split.test : split.validation,
                              {.k = {3, 10}, .seen = SeenItems::kExcludeTrain});
    experiment::Baselines found = of.fitted({}, nullptr);
    if (fitted) *fitted = std::move(found);
    return of.choices();
  }

 private Q_SLOTS:
  void initTestCase() {
    auto report = testing::importRatings(folder_);
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
    for (std::size_t i = 0; i < measured.standardErrors.size(); ++i) {
      const experiment::PairedDifference paired = differenceFrom(measured, "most_popular", i);
      QVERIFY(std::abs(paired.mean) < 1e-7);  // values of the baseline are kept as f32
      QVERIFY(paired.standardError < 1e-7);
    }
  }

  void theDifferenceIsPairedByUser() {
    CatalogueRanking of = ranking();
    std::vector<float> scores = popularity();
    std::ranges::transform(scores, scores.begin(), std::negate{});
    const auto measured = measure(of, scores);
    // Fitted baselines have their lists and sums once fitted() has ended.
    QCOMPARE(of.differences(*measured.sums, 0).size(), std::size_t{2});
    const experiment::Baselines baselines = of.baselines();
    QCOMPARE(of.differences(*measured.sums, 0).size(), std::size_t{4});
    for (const auto& [name, values] : baselines)
      for (std::size_t i = 0; i < measured.standardErrors.size(); ++i) {
        const experiment::PairedDifference paired = differenceFrom(measured, name, i);
        QVERIFY(std::abs(paired.mean - (measured.metrics[i].second - values[i].second)) < 1e-6);
        QVERIFY(paired.pairs > 20 && paired.pairs < 40);
        QVERIFY(paired.standardError > 0.0);
      }
  }

  // Nothing half is kept: who asks again is told again, and does not wait for the one before.
  void aStoppedPassLeavesNoQueries() {
    for (const auto unit :
         {experiment::EvaluationUnit::kUser, experiment::EvaluationUnit::kExample}) {
      std::stop_source stop;
      const Interactions stopped(*dataset_, "user", "item", split_, stop.get_token());
      const CatalogueRanking of(
          *dataset_, "user", stopped, SplitPart::kValidation, split_.validation,
          RankingProtocol{.k = {3}, .unit = unit, .seenPairs = experiment::SeenPairs::kDrop});
      stop.request_stop();
      for (int asked = 0; asked < 2; ++asked)
        QVERIFY_THROWS_EXCEPTION(data::PassStopped, (void)of.queries());
    }
  }

  void aRandomOrderFindsAShareOfTheCandidates() {
    CatalogueRanking of = ranking(SeenItems::kKeep);
    const Values random = valuesOf(of.baselines()[1].second);
    QCOMPARE(random.at("recall@10"),
             10.0 / static_cast<double>(candidateCount(*interactions_, ColdItems::kCandidates)));
    QVERIFY(valuesOf(ranking().baselines()[1].second).at("recall@10") > random.at("recall@10"));
  }

  void aRowIsAQueryOfItsOwnItem() {
    CatalogueRanking of = ranking({.k = {3, 10}, .unit = experiment::EvaluationUnit::kExample});
    QCOMPARE(of.queries().size(), static_cast<std::size_t>(split_.validation.size()));
    const std::vector<float> scores = popularity();
    const Values measured = valuesOf(measure(of, scores).metrics);
    double hits = 0.0;
    split_.validation.forEach([&](std::int64_t row) {
      const auto item = static_cast<std::size_t>(interactions_->item(row));
      std::int64_t better = 0;
      for (std::size_t other = 1; other < scores.size(); ++other)
        if (interactions_->index().hasRow(static_cast<std::int32_t>(other)))
          better += scores[other] > scores[item] || (scores[other] == scores[item] && other < item);
      hits += better < 10 ? 1.0 : 0.0;
    });
    QVERIFY(std::abs(measured.at("hit@10") - hits / static_cast<double>(split_.validation.size())) <
            1e-12);
    QCOMPARE(measured.at("recall@10"), measured.at("hit@10"));
  }

  void seenPairsAreDroppedWhenAskedTo() {
    CatalogueRanking of = ranking({.k = {3},
                                   .unit = experiment::EvaluationUnit::kExample,
                                   .seenPairs = experiment::SeenPairs::kDrop});
    for (const CatalogueRanking::RankedQuery& query : of.queries())
      QVERIFY(!std::ranges::binary_search(interactions_->items(SplitPart::kTrain, query.user),
                                          interactions_->item(query.row)));
    QVERIFY(!of.queries().empty());
  }

  /// Users and items without training rows take no part; held-out items without are misses.
  void aBenchmarkRanksWhatTrainingKnows() {
    CatalogueRanking of =
        ranking({.k = {3, 100}, .benchmark = experiment::EvaluationProtocol::kYambda});
    for (const CatalogueRanking::RankedQuery& query : of.queries())
      QVERIFY(!interactions_->items(SplitPart::kTrain, query.user).empty());
    // Recall of a list as long as the catalogue is the share of held-out items with training rows.
    const auto popularity = interactions_->popularity();
    double expected = 0.0;
    for (const CatalogueRanking::RankedQuery& query : of.queries()) {
      const auto items = interactions_->items(SplitPart::kValidation, query.user);
      const auto known = std::ranges::count_if(items, [&](std::int32_t item) {
        return item > 0 && popularity[static_cast<std::size_t>(item)] > 0;
      });
      expected += static_cast<double>(known) / static_cast<double>(items.size());
    }
    const auto values = valuesOf(measure(of, this->popularity()).metrics);
    QVERIFY(std::abs(values.at("recall@100") -
                     expected / static_cast<double>(of.queries().size())) < 1e-12);
    // The expected value of a random order has the same definition.
    const Values random = valuesOf(of.baselines(std::nullopt)[1].second);
    QVERIFY(std::abs(random.at("recall@100") - values.at("recall@100")) < 1e-9);
    QVERIFY(random.at("recall@3") < values.at("recall@3"));
  }

  void aSampleIsDrawnBySeed() {
    const auto drawn = [&](std::uint64_t seed) {
      CatalogueRanking of = ranking(
          {.k = {3}, .unit = experiment::EvaluationUnit::kExample, .sample = 50, .seed = seed});
      std::vector<std::int64_t> rows;
      for (const auto& query : of.queries()) rows.push_back(query.row);
      return rows;
    };
    QCOMPARE(drawn(1).size(), std::size_t{50});
    QCOMPARE(drawn(1), drawn(1));
    QVERIFY(drawn(1) != drawn(2));
  }

  // Means of lists in random orders, over many of them.
  void aRandomOrderHasTheExpectedValues() {
    using enum experiment::RankingMetric;
    RankingProtocol protocol{.k = {1, 5, 10},
                             .metrics = {kRecall, kNdcg, kHit, kMap, kPrecision, kMrr}};
    CatalogueRanking of = ranking(protocol);
    const Values expected = valuesOf(of.baselines()[1].second);
    Values means;
    constexpr int kOrders = 3000;
    const Random random(11, RandomPurpose::kSampling);
    std::vector<float> scores(static_cast<std::size_t>(interactions_->index().size()));
    for (int order = 0; order < kOrders; ++order) {
      for (std::size_t i = 0; i < scores.size(); ++i)
        scores[i] = random.uniform(static_cast<std::uint64_t>(order) * scores.size() + i);
      for (const auto& [key, value] : measure(of, scores).metrics) means[key] += value / kOrders;
    }
    QCOMPARE(means.size(), expected.size());
    for (const auto& [key, value] : expected)
      QVERIFY2(std::abs(means[key] - value) < 0.08 * value, key.c_str());
  }

  void whatIsListedIsCounted() {
    using enum experiment::RankingMetric;
    CatalogueRanking of =
        ranking({.k = {2}, .metrics = {kHit, kCoverage, kPopularity, kNovelty, kGini}});
    const Values values = valuesOf(measure(of, popularity()).metrics);
    // Everybody has the same list of two.
    const auto n = static_cast<double>(candidateCount(*interactions_, ColdItems::kCandidates));
    QVERIFY(std::abs(values.at("coverage@2") - 2.0 / n) < 1e-12);
    QVERIFY(std::abs(values.at("gini@2") - (n - 2.0) / n) < 1e-12);
    auto counts = popularity();
    std::ranges::sort(counts, std::greater{});
    QVERIFY(std::abs(values.at("popularity@2") - static_cast<double>(counts[0] + counts[1]) / 2.0) <
            1e-9);
    QVERIFY(values.at("novelty@2") > 0.0 && values.at("novelty@2") < std::log2(n * 20.0));
  }

  void segmentsAddUpToTheWhole() {
    CatalogueRanking of = ranking({.k = {10},
                                   .unit = experiment::EvaluationUnit::kExample,
                                   .segments = {"activity", "user"}});
    const auto measured = measure(of, popularity());
    std::map<std::string, double> hits, queries;
    for (const experiment::SegmentMetrics& segment : measured.segments) {
      QCOMPARE(segment.standardErrors.size(), segment.metrics.size());
      // The noise of one user alone is not known.
      for (const auto& [key, error] : segment.standardErrors)
        QCOMPARE(std::isnan(error), segment.segment == "user");
      hits[segment.segment] +=
          valuesOf(segment.metrics).at("hit@10") * static_cast<double>(segment.queries);
      queries[segment.segment] += static_cast<double>(segment.queries);
    }
    QCOMPARE(queries.size(), std::size_t{2});
    for (const auto& [name, count] : queries) {
      QCOMPARE(count, static_cast<double>(measured.queries));
      QVERIFY(std::abs(hits[name] / count - valuesOf(measured.metrics).at("hit@10")) < 1e-9);
    }
  }

  /// The standard error of a share of n users: √(p·(1 − p)/(n − 1)).
  void theErrorOfASegmentIsThatOfItsUsers() {
    CatalogueRanking of = ranking({.k = {10}, .segments = {"activity"}});
    int known = 0;
    for (const experiment::SegmentMetrics& segment : measure(of, popularity()).segments) {
      const double hit = valuesOf(segment.metrics).at("hit@10");
      const double error = valuesOf(segment.standardErrors).at("hit@10");
      if (segment.queries < 2) continue;
      ++known;
      QVERIFY(std::abs(error - std::sqrt(hit * (1.0 - hit) /
                                         static_cast<double>(segment.queries - 1))) < 1e-9);
    }
    QVERIFY(known > 0);
  }

  void baselinesMayBeFittedBesideAModel() {
    const CatalogueRanking of = ranking();
    experiment::Baselines fitted;
    std::jthread beside([&] { fitted = of.fitted({}, nullptr); });
    const auto measured = measure(of, popularity());
    beside.join();
    QCOMPARE(fitted.size(), std::size_t{2});
    Workers workers(3);
    QVERIFY(of.fitted({}, &workers) == fitted);
    QVERIFY(measured.queries > 0);
    std::stop_source stopped;
    stopped.request_stop();
    // Baselines that a stop leaves out are named.
    const experiment::Baselines none = of.fitted({}, nullptr, {{}, stopped.get_token()});
    QCOMPARE(namesOf(none), (QStringList{"item_knn", "ease"}));
    for (const auto& [name, metrics] : none) QVERIFY(metrics.empty());
  }

  void aStopLeavesOutWhatIsNotFitted() {
    const CatalogueRanking of = ranking();
    std::stop_source stop;
    const auto stopAtEase = [&](std::string_view stage, std::int64_t, std::int64_t) {
      if (stage == "fitting EASE") stop.request_stop();
    };
    const experiment::Baselines found = of.fitted({}, nullptr, {stopAtEase, stop.get_token()});
    QCOMPARE(namesOf(found), (QStringList{"item_knn", "ease"}));
    QVERIFY(!found[0].second.empty() && found[1].second.empty());
    QCOMPARE(of.choices().size(), std::size_t{1});
    QVERIFY(of.choices()[0].starts_with("item_knn has "));
  }

  // All fits of a baseline are one stage, which reaches its end once.
  void progressNeverFallsBack() {
    const CatalogueRanking of = ranking();
    std::vector<std::string> stages;
    double share = 0.0;
    const auto keep = [&](std::string_view stage, std::int64_t done, std::int64_t total) {
      const double now = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
      if (stages.empty() || stages.back() != stage) {
        QVERIFY2(std::ranges::count(stages, stage) == 0, std::string(stage).c_str());
        stages.emplace_back(stage);
      } else {
        QVERIFY2(now >= share && now <= 1.0, std::string(stage).c_str());
      }
      share = now;
    };
    QCOMPARE(of.baselines(FitLimits{}, nullptr, {keep, {}}).size(), std::size_t{4});
    QCOMPARE(stages,
             (std::vector<std::string>{"measuring most popular", "choosing rows for baselines",
                                       "fitting item-kNN", "fitting EASE"}));
    QVERIFY(share > 0.9);
  }

  static QStringList namesOf(const experiment::Baselines& baselines) {
    QStringList names;
    for (const auto& baseline : baselines) names << QString::fromStdString(baseline.first);
    return names;
  }

  // Only EASE is left out of a large catalogue; the reason says what takes too much memory.
  void costlyBaselinesAreLeftOutWithTheirReason() {
    const CatalogueRanking of = ranking();
    QCOMPARE(of.baselines(std::nullopt).size(), std::size_t{2});
    QCOMPARE(of.baselines().size(), std::size_t{4});
    QVERIFY(of.leftOut().empty());
    QCOMPARE(FitLimits{}.easeSide, 20'000);
    FitLimits few;
    few.easeSide = 10;
    QCOMPARE(namesOf(of.fitted(few, nullptr)), (QStringList{"item_knn", "svd"}));
    QVERIFY2(of.choices().back().starts_with("svd has rank "), of.choices().back().c_str());
    QCOMPARE(of.leftOut(few).size(), std::size_t{1});
    QVERIFY(of.leftOut(few)[0].starts_with("a baseline is left out: "));
    QVERIFY(of.leftOut(few)[0].find(" ease, ") != std::string::npos);
    FitLimits little;
    little.bytes = 100;
    QVERIFY(of.fitted(little, nullptr).empty());
    QCOMPARE(of.leftOut(little).size(), std::size_t{3});
    QVERIFY(of.leftOut(little)[2].starts_with("a baseline is left out: the vectors of svd take "));
    few.svdProducts = 1000;
    QCOMPARE(namesOf(of.fitted(few, nullptr)), QStringList{"item_knn"});
    QVERIFY(of.leftOut(few)[1].ends_with("; /evaluation/sample makes them fewer"));
    FitLimits pairs;
    pairs.knnPairs = 3;
    QCOMPARE(namesOf(of.fitted(pairs, nullptr)), QStringList{"ease"});
    QVERIFY(of.leftOut(pairs)[0].starts_with("a baseline is left out: item_knn "));
  }

  void validationRowsChooseSettings() {
    const data::Split split = splitWith(0.2, 0.2);
    experiment::Baselines fitted;
    const auto choices = choicesOf(split, SplitPart::kTest, &fitted);
    QCOMPARE(choices.size(), std::size_t{2});
    for (const std::string& sentence : choices)
      QVERIFY2(sentence.ends_with(", by ndcg@10 of the validation rows"), sentence.c_str());
    QVERIFY(choices[0].starts_with("item_knn has "));
    // By each λ: lists of those who have validation rows, without training items.
    const Interactions interactions(*dataset_, "user", "item", split);
    const auto eligible = candidateMask(interactions, ColdItems::kCandidates);
    const auto ndcgOf = [&](double lambda, SplitPart part) {
      const auto lists = ease(interactions, eligible, lambda);
      RankingMetrics metrics({10}, {experiment::RankingMetric::kNdcg}, {});
      for (std::int32_t user = 1; user < interactions.users(); ++user)
        if (const auto wanted = interactions.relevant(part, user, {}); !wanted.empty())
          metrics.add(lists->list(user, -1, 10, interactions.items(SplitPart::kTrain, user)),
                      wanted);
      return metrics.values().front().second;
    };
    const std::size_t chosen = lambdaOf(choices[1]);
    std::vector<double> values;
    for (const int lambda : kLambdas) values.push_back(ndcgOf(lambda, SplitPart::kValidation));
    // Nothing that a search may not miss is better.
    for (const std::size_t at : {1, 3, 5}) QVERIFY(values[chosen] >= values[at]);
    if (chosen > 0) QVERIFY(values[chosen] >= values[chosen - 1]);
    if (chosen + 1 < values.size()) QVERIFY(values[chosen] >= values[chosen + 1]);
    // The measured baseline is fitted to the training rows with it.
    QCOMPARE(valuesOf(fitted.back().second).at("ndcg@10"),
             ndcgOf(kLambdas[chosen], SplitPart::kTest));
    // Other test rows choose nothing else, nor does the part that is measured.
    data::Split less = split;
    less.test = data::RowSet(std::vector<std::int64_t>{split.test.at(0), split.test.at(1)});
    QCOMPARE(choicesOf(less, SplitPart::kTest), choices);
    QCOMPARE(choicesOf(split, SplitPart::kValidation), choices);
  }

  void withoutValidationRowsTrainingRowsChoose() {
    const data::Split split = splitWith(0.0, 0.3);
    const auto choices = choicesOf(split, SplitPart::kTest);
    QCOMPARE(choices.size(), std::size_t{2});
    for (const std::string& sentence : choices)
      QVERIFY2(sentence.ends_with(", by ndcg@10 of a tenth of the training rows, for there are no "
                                  "validation rows"),
               sentence.c_str());
    data::Split less = split;
    less.test = data::RowSet(std::vector<std::int64_t>{split.test.at(0), split.test.at(1)});
    QCOMPARE(choicesOf(less, SplitPart::kTest), choices);
    // Too few rows for a tenth.
    data::Split few = split;
    few.train = data::RowSet(std::vector<std::int64_t>{split.train.at(0)});
    for (const std::string& sentence : choicesOf(few, SplitPart::kTest))
      QVERIFY2(sentence.ends_with(", for no rows can choose: there are too few"), sentence.c_str());
  }

  void choosingCostsNoMoreThanTheLimit() {
    const CatalogueRanking of = ranking();
    std::int64_t pairs = 0;
    for (std::int32_t user = 1; user < interactions_->users(); ++user) {
      const auto items = std::ssize(interactions_->items(SplitPart::kTrain, user));
      pairs += items * items;
    }
    FitLimits limits;
    limits.knnPairs = pairs;
    QCOMPARE(of.fitted(limits, nullptr).size(), std::size_t{2});
    QVERIFY2(of.choices()[0] ==
                 "item_knn has 100 neighbours and shrinkage 10, for choosing would "
                 "compare too many pairs of items",
             of.choices()[0].c_str());
  }

  // One key, one definition: the catalogue is a list of rows with labels 0 and 1.
  void aListOfTheWholeCatalogueHasTheValuesOfRows() {
    const std::vector<std::int64_t> ks{1, 3, 10};
    using enum experiment::RankingMetric;
    RankingMetrics catalogue(ks, {kRecall, kNdcg, kMap, kPrecision});
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
      QVERIFY2(std::abs(ofRows.at(key) - value) < 1e-12, key.c_str());
  }

  void aPartWithoutRowsHasNoValues() {
    CatalogueRanking of(*dataset_, "user", *interactions_, SplitPart::kUnused, {},
                        {.k = {3}, .relevantFrom = 99.0});
    QVERIFY(measure(of, popularity()).metrics.empty());
    for (const auto& [name, metrics] : of.baselines()) QVERIFY2(metrics.empty(), name.c_str());
  }
};

QTEST_GUILESS_MAIN(CatalogueRankingTest)
#include "catalogue_ranking_test.moc"
