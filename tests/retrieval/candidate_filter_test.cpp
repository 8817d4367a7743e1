// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/candidate_filter.h"

#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/data/split/split.h"
#include "engine/retrieval/recommender.h"
#include "tests/retrieval/sample_ratings.h"

using namespace parapet;
using namespace parapet::retrieval;

namespace {

constexpr std::int64_t kDim = 20;
constexpr std::int64_t kUsers = 20;
// Items fill more than two tiles of a scan, and the last one in part.
constexpr std::int64_t kItems = 700;

using Ids = std::vector<std::string>;

std::vector<float> vectorsOf(std::int64_t rows, std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSampling);
  std::vector<float> values(static_cast<std::size_t>(rows * kDim));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.uniform(i) - 0.5f;
  return values;
}

/// A user in one of two contexts has a vector of its own.
class Encoder final : public QueryEncoder {
 public:
  [[nodiscard]] std::span<const ContextColumn> contexts() const override { return contexts_; }
  [[nodiscard]] std::vector<ContextCell> lastContext(std::int32_t) const override {
    return {{0, 1.5f}};
  }
  void encode(std::span<const EncoderQuery> queries, std::span<float> vectors) const override {
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (std::size_t d = 0; d < kDim; ++d)
        vectors[q * kDim + d] =
            std::sin(static_cast<float>(queries[q].user + 1) * static_cast<float>(d + 1)) +
            queries[q].context[0].number;
  }

 private:
  std::vector<ContextColumn> contexts_{{"hour", true}};
};

/// Few scores, so that ties abound; counts the pairs.
class Scorer final : public PairScorer {
 public:
  [[nodiscard]] std::span<const ContextColumn> contexts() const override { return {}; }
  [[nodiscard]] std::vector<ContextCell> lastContext(std::int32_t) const override { return {}; }
  void score(const EncoderQuery& query, std::span<const std::int32_t> items,
             std::span<float> scores) const override {
    for (std::size_t i = 0; i < items.size(); ++i)
      scores[i] = static_cast<float>((items[i] * 7 + query.user * 3) % 11);
    pairs += static_cast<std::int64_t>(items.size());
  }
  mutable std::int64_t pairs = 0;
};

enum class Kind { kDot, kTies, kEncoder, kScorer };

}  // namespace

class CandidateFilterTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_, hashed_;
  std::shared_ptr<const data::Dataset> dataset_;
  std::shared_ptr<const Interactions> interactions_;

  [[nodiscard]] std::shared_ptr<ModelSnapshot> model(Kind kind) const {
    auto model = std::make_shared<ModelSnapshot>();
    model->dim = kDim;
    model->cold = ColdItems::kLeftOut;
    model->queryRows = dataset_->vocabularyOf("user").size();
    model->candidateRows = dataset_->vocabularyOf("item").size();
    model->queries = vectorsOf(model->queryRows, 1);
    const auto layout = dataset_->itemIndex("item").layout();
    model->candidates = vectorsOf(std::ssize(layout), 2);
    if (kind == Kind::kTies)
      for (std::size_t i = 7 * kDim; i < model->candidates.size(); ++i)
        model->candidates[i] = model->candidates[i - 7 * kDim];
    if (kind == Kind::kEncoder) model->encoder = std::make_shared<Encoder>();
    if (kind == Kind::kScorer) model->scorer = std::make_shared<Scorer>();
    return model;
  }
  [[nodiscard]] Recommender recommender(Kind kind = Kind::kDot) const {
    return {model(kind), dataset_, interactions_, "user", "item", 2};
  }
  [[nodiscard]] Recommendation listOf(const CandidateFilter& filter, std::int64_t k = 5,
                                      SeenItems seen = SeenItems::kKeep) const {
    const Recommender of = recommender();
    Query query("1");
    query.candidates = of.candidatesOf(filter).value();
    return of.recommend(std::vector{query}, k, seen).value().front();
  }
  static Ids idsOf(const Recommendation& list) {
    Ids ids;
    for (const RecommendedItem& item : list.items) ids.push_back(item.id);
    return ids;
  }
  static bool warns(const Recommendation& list, std::string_view text) {
    return std::ranges::any_of(list.warnings, [&](const std::string& warning) {
      return warning.find(text) != std::string::npos;
    });
  }
  void use(std::shared_ptr<const data::Dataset> dataset) {
    dataset_ = std::move(dataset);
    const data::Split split = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
    interactions_ = std::make_shared<const Interactions>(*dataset_, "user", "item", split);
  }

 private Q_SLOTS:
  void init() {
    auto report = testing::importRatings(folder_, kUsers, kItems, 3000);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    use(report->dataset);
  }

  void aListIsTheWholeListWithoutTheOthers_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("sharesRows");
    for (const bool sharesRows : {false, true}) {
      const char* rows = sharesRows ? "shared rows" : "own rows";
      QTest::addRow("dot, %s", rows) << static_cast<int>(Kind::kDot) << sharesRows;
      QTest::addRow("ties, %s", rows) << static_cast<int>(Kind::kTies) << sharesRows;
      QTest::addRow("encoder, %s", rows) << static_cast<int>(Kind::kEncoder) << sharesRows;
      QTest::addRow("scorer, %s", rows) << static_cast<int>(Kind::kScorer) << sharesRows;
    }
  }
  void aListIsTheWholeListWithoutTheOthers() {
    QFETCH(int, kind);
    QFETCH(bool, sharesRows);
    if (sharesRows) {
      auto report = testing::importRatings(hashed_, kUsers, kItems, 3000, 300);
      QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
      use(report->dataset);
      QVERIFY(dataset_->itemIndex("item").sharesRows());
    }
    const Recommender of = recommender(static_cast<Kind>(kind));
    const data::ItemIndex& index = dataset_->itemIndex("item");
    const Random random(5, RandomPurpose::kSampling);
    std::uint64_t draw = 0;
    std::vector<Query> whole;
    for (std::int64_t user = 1; user <= kUsers; ++user) whole.emplace_back(std::to_string(user));
    for (const auto seen : {SeenItems::kKeep, SeenItems::kExcludeTrain}) {
      const auto all = of.recommend(whole, of.candidates(), seen).value();
      for (const std::uint64_t share : {1, 3, 20, 100, 400}) {
        CandidateFilter filter;
        std::set<std::string> listed;
        for (std::int32_t item = 1; item < index.size(); ++item)
          (random.below(draw++, 400) < share ? *listed.insert(std::string(index.id(item))).first
                                             : filter.exclude.emplace_back(index.id(item)));
        if (share < 100) {
          filter.items.emplace(listed.begin(), listed.end());
          filter.exclude.clear();
        }
        std::vector<Query> queries = whole;
        const auto set = of.candidatesOf(filter).value();
        for (Query& query : queries) query.candidates = set;
        const auto some = of.recommend(queries, 10, seen).value();
        for (std::size_t user = 0; user < queries.size(); ++user) {
          std::vector<RecommendedItem> expected;
          for (const RecommendedItem& item : all[user].items)
            if (!filter.limits() || listed.contains(item.id)) expected.push_back(item);
          QCOMPARE(some[user].candidates, std::ssize(expected));
          QCOMPARE(some[user].items.size(), std::min<std::size_t>(10, expected.size()));
          for (std::size_t i = 0; i < some[user].items.size(); ++i) {
            QCOMPARE(some[user].items[i].id, expected[i].id);
            QCOMPARE(std::bit_cast<std::uint32_t>(some[user].items[i].score),
                     std::bit_cast<std::uint32_t>(expected[i].score));
          }
        }
      }
    }
  }

  void fewCandidatesAreFewPairs() {
    const auto scored = model(Kind::kScorer);
    const Recommender of(scored, dataset_, interactions_, "user", "item");
    Query query("1");
    query.candidates = of.candidatesOf({.items = Ids{"1", "2", "3"}}).value();
    QVERIFY(of.recommend(std::vector{query}, 2, SeenItems::kKeep).ok());
    QVERIFY(dynamic_cast<const Scorer&>(*scored->scorer).pairs <= 3);
  }

  void aRankIsAmongTheCandidatesOfTheQuery() {
    const Recommender of = recommender();
    const Ids all = idsOf(of.recommend(Ids{"2"}, 20, SeenItems::kKeep).value().front());
    Query query("2");
    query.candidates = of.candidatesOf({.items = Ids{all[3], all[9], all[17]}}).value();
    const ItemRank rank = of.rankOf(query, all[9], 10, SeenItems::kKeep).value();
    QCOMPARE(rank.rank, 2);
    QCOMPARE(rank.candidates, 3);
    QVERIFY(!rank.filteredOut);
    QVERIFY(of.rankOf(query, all[0], 10, SeenItems::kKeep).value().filteredOut);
  }

  void idsOfNoItemAreCountedAndNamed() {
    const Ids best = idsOf(listOf({}, 6));
    const Recommendation list =
        listOf({.items = Ids{best[4], "nothing", best[1], best[4], "none"}, .exclude = {"never"}});
    QCOMPARE(idsOf(list), (Ids{best[1], best[4]}));
    QVERIFY(warns(list, "items: 2 ids are not in the catalogue, the first of them \"nothing\""));
    QVERIFY(warns(list, "exclude: id \"never\" is not in the catalogue"));
    QVERIFY(warns(list, "the list has 2 of the 5 items asked for"));
    // An item that is both is left out.
    QCOMPARE(idsOf(listOf({.items = Ids{best[2], best[0]}, .exclude = {best[0]}})), Ids{best[2]});
  }

  void anEmptyListSaysWhy() {
    const auto why = [&](const CandidateFilter& filter, std::string_view text) {
      const Recommendation list = listOf(filter);
      return list.items.empty() && list.candidates == 0 && warns(list, text);
    };
    QVERIFY(why({.items = Ids{}}, "\"items\" is empty"));
    QVERIFY(why({.items = Ids{"nothing"}}, "none of \"items\" can be listed"));
    QVERIFY(why({.where = {{"genres", {"Nonsense"}}}}, "has genres \"Nonsense\""));
    QVERIFY(why({.items = Ids{"1"}, .exclude = {"1"}}, "\"exclude\" leaves none"));
    const auto seen =
        interactions_->seen(SeenItems::kExcludeTrain, recommender().userRow("1").value());
    const std::string had(dataset_->itemIndex("item").id(seen.front()));
    const Recommendation list = listOf({.items = Ids{had}}, 5, SeenItems::kExcludeTrain);
    QVERIFY(list.items.empty() && warns(list, "the user has had all of the 1 that are left"));
  }

  void aMillionExclusionsLeaveTheOthers() {
    CandidateFilter filter;
    for (int i = 0; i < 1'000'000; ++i) filter.exclude.push_back("x" + std::to_string(i));
    const Ids best = idsOf(listOf({}, 6));
    filter.exclude.push_back(best[0]);
    QCOMPARE(idsOf(listOf(filter)), Ids(best.begin() + 1, best.end()));
  }

  void conditionsHoldAllAndAnyValueOfEachDoes() {
    const Recommender of = recommender();
    const data::Vocabulary& vocabulary = dataset_->vocabularyOf("item");
    const data::ItemIndex& index = dataset_->itemIndex("item");
    const auto genresOf = [&](const std::string& id) {
      std::set<std::string> genres;
      for (const auto part :
           splitFields(vocabulary.attribute(0, index.entry(index.find(id).value())), '|'))
        genres.emplace(part);
      return genres;
    };
    const auto values = of.attributeValues("genres").value();
    QVERIFY(values.size() > 3);
    QVERIFY(std::ranges::is_sorted(values, std::greater(), &AttributeValue::items));
    const std::string a = values[0].value, b = values[1].value, c = values[2].value;
    QVERIFY(a.find('|') == std::string::npos);
    const auto all = of.recommend(Ids{"1"}, of.candidates(), SeenItems::kKeep).value().front();
    Ids either, both;
    std::int64_t having = 0;
    for (const std::string& id : idsOf(all)) {
      const auto genres = genresOf(id);
      having += genres.contains(a);
      if (genres.contains(a) || genres.contains(b)) either.push_back(id);
      if (genres.contains(a) && genres.contains(c)) both.push_back(id);
    }
    QCOMPARE(having, values[0].items);
    QVERIFY(!both.empty());
    QCOMPARE(idsOf(listOf({.where = {{"genres", {a, b}}}}, 500)), either);
    QCOMPARE(idsOf(listOf({.where = {{"genres", {a}}, {"genres", {c}}}}, 500)), both);
    // As the catalogue has it, and by title.
    const std::string first = both.front();
    const std::string whole(vocabulary.attribute(0, index.entry(*index.find(first))));
    QVERIFY(std::ranges::count(idsOf(listOf({.where = {{"genres", {whole}}}}, 500)), first) == 1);
    const std::string title(index.title(*index.find(first)));
    QVERIFY(std::ranges::count(idsOf(listOf({.where = {{"title", {title}}}})), first) == 1);
  }

  void anUnknownAttributeNamesThoseThatThereAre() {
    const auto refused = recommender().candidatesOf({.where = {{"genre", {"Drama"}}}});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kInvalidDocument);
    for (const char* part : {"genre", "did you mean", "title", "genres", "released"})
      QVERIFY2(refused.error().message.find(part) != std::string::npos,
               refused.error().message.c_str());
  }

  void nobodyGetsTheMostPopularItems() {
    const Recommender of = recommender();
    const std::vector<Query> nobody{Query("nobody"), Query("1")};
    QVERIFY(!of.recommend(nobody, 10, SeenItems::kExcludeTrain).ok());
    const auto lists =
        of.recommend(nobody, 10, SeenItems::kExcludeTrain, UnknownUsers::kPopular).value();
    QVERIFY(lists[0].isMostPopular && !lists[1].isMostPopular);
    QVERIFY(warns(lists[0], "user \"nobody\" is not in the data: most popular items"));
    std::vector<std::int32_t> expected;
    const auto popularity = interactions_->popularity();
    for (std::int32_t item = 1; item < dataset_->itemIndex("item").size(); ++item)
      if (popularity[static_cast<std::size_t>(item)] > 0) expected.push_back(item);
    std::ranges::stable_sort(expected, std::greater(),
                             [&](auto item) { return popularity[static_cast<std::size_t>(item)]; });
    QCOMPARE(itemsOf(lists[0].items),
             std::vector<std::int32_t>(expected.begin(), expected.begin() + 10));
    for (const RecommendedItem& item : lists[0].items) {
      QVERIFY(std::isnan(item.score));
      QCOMPARE(item.popularity, popularity[static_cast<std::size_t>(item.item)]);
    }
    QCOMPARE(idsOf(lists[1]), idsOf(of.recommend(Ids{"1"}, 10, SeenItems::kExcludeTrain)->front()));
    // Among the candidates of the query, too.
    const data::ItemIndex& index = dataset_->itemIndex("item");
    Query some("nobody");
    some.candidates = of.candidatesOf({.items = Ids{std::string(index.id(expected[40])),
                                                    std::string(index.id(expected[3]))}})
                          .value();
    const auto few = of.recommend(std::vector{some}, 10, SeenItems::kKeep, UnknownUsers::kPopular)
                         .value()
                         .front();
    QCOMPARE(itemsOf(few.items), (std::vector{expected[3], expected[40]}));
    QCOMPARE(few.candidates, 2);
  }

  void aContextIsAnswerEnough() {
    const Recommender of = recommender(Kind::kEncoder);
    const std::vector<Query> query{Query("nobody", {{"hour", "2"}})};
    const auto list =
        of.recommend(query, 5, SeenItems::kKeep, UnknownUsers::kPopular).value().front();
    QVERIFY(!list.isMostPopular && !std::isnan(list.items[0].score));
    QVERIFY(warns(list, "rests on the context"));
  }

  void candidatesOfAnotherRecommenderAreRefused() {
    Query query("1");
    query.candidates = std::make_shared<CandidateSet>(dataset_->itemIndex("item"),
                                                      std::vector<std::uint8_t>(3, 1));
    QVERIFY_EXCEPTION_THROWN((void)recommender().recommend(std::vector{query}, 1, SeenItems::kKeep),
                             InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(CandidateFilterTest)
#include "candidate_filter_test.moc"
