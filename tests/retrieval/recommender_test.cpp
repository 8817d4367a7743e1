// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/recommender.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/random.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/interactions.h"
#include "tests/retrieval/sample_ratings.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::SplitPart;

class RecommenderTest : public QObject {
  Q_OBJECT

  static constexpr std::int64_t kDim = 3;

  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  std::shared_ptr<const Interactions> interactions_;
  std::shared_ptr<ModelSnapshot> model_ = std::make_shared<ModelSnapshot>();

  [[nodiscard]] Recommender recommender() const {
    return {model_, dataset_, interactions_, "user", "item"};
  }
  [[nodiscard]] float score(std::int64_t user, std::int64_t item) const {
    return std::inner_product(model_->queries.begin() + user * kDim,
                              model_->queries.begin() + (user + 1) * kDim,
                              model_->candidates.begin() + item * kDim, 0.0f);
  }
  [[nodiscard]] Recommendation listOf(const std::string& user, std::int64_t k,
                                      SeenItems seen) const {
    return recommender().recommend(std::vector{user}, k, seen).value().front();
  }
  [[nodiscard]] std::int32_t rowOf(const std::string& user) const {
    return recommender().userRow(user).value();
  }

 private Q_SLOTS:
  void initTestCase() {
    auto report = testing::importRatings(folder_, 20, 30, 300);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
    const data::Split split = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
    interactions_ = std::make_shared<const Interactions>(*dataset_, "user", "item", split);
    model_->step = 7;
    model_->dim = kDim;
    model_->queryRows = dataset_->vocabularyOf("user").size();
    model_->candidateRows = dataset_->vocabularyOf("item").size();
    const Random random(1, RandomPurpose::kSampling);
    std::uint64_t draw = 0;
    for (std::int64_t i = 0; i < model_->queryRows * kDim; ++i)
      model_->queries.push_back(random.uniform(draw++) - 0.5f);
    for (std::int64_t i = 0; i < model_->candidateRows * kDim; ++i)
      model_->candidates.push_back(random.uniform(draw++) - 0.5f);
  }

  void listsTheBestScoresInOrder() {
    const Recommendation list = listOf("1", 10, SeenItems::kKeep);
    QCOMPARE(list.step, 7);
    QCOMPARE(list.items.size(), std::size_t{10});
    const std::int32_t user = rowOf("1");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      QCOMPARE(list.items[i].rank, static_cast<std::int64_t>(i) + 1);
      QCOMPARE(list.items[i].score, score(user, list.items[i].item));
      if (i > 0) QVERIFY(list.items[i].score <= list.items[i - 1].score);
    }
    // The list's scores may be fused multiply-adds, which round otherwise than `score`.
    const float last = score(user, list.items.back().item);
    const auto mask = candidateMask(*interactions_, ColdItems::kCandidates);
    std::int64_t better = 0;
    for (std::int32_t item = 1; item < interactions_->index().size(); ++item)
      if (mask[static_cast<std::size_t>(item)]) better += score(user, item) > last;
    QCOMPARE(better, 9);
  }

  void seenItemsAreLeftOutAsAsked() {
    const std::int32_t user = rowOf("1");
    const auto has = [](std::span<const std::int32_t> items, std::int32_t row) {
      return std::ranges::binary_search(items, row);
    };
    for (const auto& item : listOf("1", 5, SeenItems::kExcludeTrain).items)
      QVERIFY(!has(interactions_->items(SplitPart::kTrain, user), item.item));
    for (const auto& item : listOf("1", 5, SeenItems::kExcludeAll).items)
      QVERIFY(!has(interactions_->allItems(user), item.item));
    bool marksSeen = false;
    for (const auto& item : listOf("1", 25, SeenItems::kKeep).items) {
      QCOMPARE(item.seen, has(interactions_->items(SplitPart::kTrain, user), item.item));
      marksSeen = marksSeen || item.seen;
    }
    QVERIFY(marksSeen);
  }

  /// A model that lists what a user has had already: the figure says what the evaluation would say.
  void recallIsMeasuredAsTheEvaluationDoes() {
    const auto recallOf = [&](const RecallRule& rule, const std::string& user) {
      const Recommender asked(model_, dataset_, interactions_, "user", "item", 1, rule);
      return asked.userSummary(user).value().recall;
    };
    const auto expected = [&](const RecallRule& rule, const std::string& user) {
      const std::int32_t row = rowOf(user);
      std::set<std::int32_t> wanted;
      for (const SplitPart part : {SplitPart::kValidation, SplitPart::kTest})
        for (const std::int32_t item : interactions_->relevant(part, row, rule.relevantFrom))
          if (rule.pairs == experiment::SeenPairs::kKeep ||
              !std::ranges::binary_search(interactions_->items(SplitPart::kTrain, row), item))
            wanted.insert(item);
      double hits = 0.0;
      for (const auto& item : listOf(user, 10, rule.seen).items)
        hits += static_cast<double>(wanted.count(item.item));
      return hits / static_cast<double>(wanted.size());
    };
    const RecallRule left{}, kept{.seen = SeenItems::kKeep},
        dropped{.seen = SeenItems::kKeep, .pairs = experiment::SeenPairs::kDrop},
        liked{.seen = SeenItems::kKeep, .relevantFrom = 4.0};
    int differ = 0;
    for (int user = 1; user <= 20; ++user) {
      const std::string id = std::to_string(user);
      for (const RecallRule& rule : {left, kept, dropped, liked})
        if (const double wanted = expected(rule, id); !std::isnan(wanted))
          QCOMPARE(recallOf(rule, id), wanted);
      differ += std::isfinite(recallOf(left, id)) && recallOf(left, id) != recallOf(kept, id);
    }
    QVERIFY(differ > 0);
  }

  void theRankOfAnItemIsItsPositionInTheFullList() {
    const Recommendation list = listOf("2", 30, SeenItems::kKeep);
    for (const RecommendedItem& item : list.items) {
      const ItemRank rank = recommender().rankOf("2", item.id, 10, SeenItems::kKeep).value();
      QCOMPARE(rank.rank, item.rank);
      QCOMPARE(rank.kthScore, list.items[9].score);
      QCOMPARE(rank.gapToKth, item.score - list.items[9].score);
      QVERIFY(!rank.excluded);
    }
    const std::string seen = std::string(
        interactions_->index().id(interactions_->items(SplitPart::kTrain, rowOf("2")).front()));
    QVERIFY(recommender().rankOf("2", seen, 10, SeenItems::kExcludeTrain).value().excluded);
  }

  void termsOfAnExplanationAddUpToTheScore() {
    const Recommendation list = listOf("3", 1, SeenItems::kKeep);
    const Explanation why = recommender().explain("3", list.items[0].id, 4).value();
    QVERIFY(std::abs(std::accumulate(why.terms.begin(), why.terms.end(), 0.0f) - why.score) <
            1e-6f);
    QVERIFY(why.nearestHistory.size() <= 4);
    QVERIFY(std::ranges::is_sorted(why.nearestHistory, std::greater{}, &SimilarItem::cosine));
  }

  void withoutAContextThereIsNothingToBeSensitiveTo() {
    const std::vector<std::int32_t> users{1, 2};
    const auto found = recommender().contextSensitivity(users, {}).value();
    QCOMPARE(found.size(), users.size());
    for (const double value : found) QVERIFY(std::isnan(value));
    QVERIFY(recommender().contextDomains(5).empty() && recommender().usualContext().empty());
    QVERIFY(recommender().explain("3", "4", 1)->features.empty());
  }

  void oneUserIsSummedUpAsInASearch() {
    const UserSummary one = recommender().userSummary("3").value();
    for (const UserSummary& user : recommender().findUsers("3", UserOrder::kById, 20))
      if (user.id == "3") {
        QCOMPARE(one.row, user.row);
        QCOMPARE(one.trainRows, user.trainRows);
      }
    QCOMPARE(one.id, std::string("3"));
    QVERIFY(!recommender().userSummary("nobody").ok());
    QVERIFY(recommender().hasTrainingRows("3") && !recommender().hasTrainingRows("nobody"));
  }

  void anItemIsNotSimilarToItself() {
    const auto similar = recommender().similarItems("3", 10);
    QVERIFY(similar.ok());
    for (const SimilarItem& item : *similar) QVERIFY(item.id != "3");
  }

  void historyKnowsThePartOfEveryRow() {
    const auto history = recommender().history("1").value();
    QCOMPARE(history.size(), interactions_->rows(rowOf("1")).size());
    std::set<SplitPart> parts;
    for (const HistoryItem& item : history) parts.insert(item.part);
    QVERIFY(parts.contains(SplitPart::kTrain));
  }

  void usersAreFoundByTheirIdInTheOrderAsked() {
    const auto most = recommender().findUsers("", UserOrder::kActivityDescending, 5);
    QCOMPARE(most.size(), std::size_t{5});
    QVERIFY(std::ranges::is_sorted(most, std::greater{}, &UserSummary::trainRows));
    QVERIFY(std::ranges::is_sorted(recommender().findUsers("", UserOrder::kActivityAscending, 5),
                                   {}, &UserSummary::trainRows));
    QCOMPARE(recommender().randomUsers(1, 2), recommender().randomUsers(1, 2));
  }

  void whatIsNotThereIsNotFound() {
    const Recommender of = recommender();
    const auto codeOf = [](const auto& result) {
      return result.ok() ? ErrorCode::kInternal : result.error().code;
    };
    QCOMPARE(codeOf(of.userRow("nobody")), ErrorCode::kNotFound);
    QCOMPARE(codeOf(of.item("nothing")), ErrorCode::kNotFound);
    QCOMPARE(codeOf(of.rankOf("1", "nothing", 10, SeenItems::kKeep)), ErrorCode::kNotFound);
    for (const std::int64_t k : {0, 31})
      QCOMPARE(codeOf(of.recommend(std::vector<std::string>{"1"}, k, SeenItems::kKeep)),
               ErrorCode::kInvalidDocument);
  }

  void aModelOfAnotherDataSetIsRefused() {
    auto other = std::make_shared<ModelSnapshot>(*model_);
    ++other->queryRows;
    QVERIFY_EXCEPTION_THROWN(Recommender(other, dataset_, interactions_, "user", "item"),
                             InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(RecommenderTest)
#include "recommender_test.moc"
