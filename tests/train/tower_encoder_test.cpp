// SPDX-License-Identifier: Apache-2.0
// Queries in a context: their vectors, their lists, and their evaluation.
#include "engine/train/forward_runners.h"

#include <QtTest>
#include <cmath>
#include <map>
#include <thread>

#include "engine/retrieval/list_comparison.h"
#include "engine/retrieval/recommender.h"
#include "engine/train/evaluator.h"
#include "tests/experiment/sample_document.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using retrieval::EncoderQuery;

namespace {

/// 20 users listen to 40 items, in two contexts: by themselves or not, and some part of the day.
Experiment eventsDocument() {
  constexpr const char* kDocument = R"({"parapet": 1, "name": "events",
    "dataset": {"source": "generated",
      "generator": {"kind": "events", "users": 20, "items": 40, "events": 900, "seed": 7},
      "label": {"column": null},
      "derived": [{"name": "part_of_day", "kind": "time_of_day", "from": "timestamp"}],
      "columns": [{"name": "user", "role": "user", "from": "uid"},
                  {"name": "item", "role": "item", "from": "item_id"},
                  {"name": "is_organic", "role": "context"},
                  {"name": "part_of_day", "role": "context"},
                  {"name": "time", "role": "time", "from": "timestamp"}],
      "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"},
                       {"name": "is_organic", "kind": "compressed"},
                       {"name": "part_of_day", "kind": "compressed"}],
      "split": {"kind": "random", "train": 0.7, "validation": 0.3, "test": 0},
      "batch": {"size": 64}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
               {"name": "item", "vocabulary": "item", "embedding_dim": 4},
               {"name": "is_organic", "vocabulary": "is_organic", "embedding_dim": 4},
               {"name": "part_of_day", "vocabulary": "part_of_day", "embedding_dim": 4}],
    "features": [{"name": "user", "column": "user", "table": "user"},
                 {"name": "is_organic", "column": "is_organic", "table": "is_organic"},
                 {"name": "part_of_day", "column": "part_of_day", "table": "part_of_day"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
    "model": {"kind": "retrieval", "query": [{"kind": "dense", "units": 4}]},
    "loss": {"kind": "in_batch_softmax"},
    "optimizer": {"kind": "adagrad", "learning_rate": 0.2},
    "training": {"epochs": 3, "validate_every": 1, "seed": 5,
                 "checkpoints": {"every": null, "keep": 3, "best": null}},
    "evaluation": {"k": [3, 10]}})";
  return experiment::test::parsedDocument(experiment::parseJson(kDocument).value());
}

}  // namespace

class TowerEncoderTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  Experiment document_ = eventsDocument();
  testing::EventList events_;
  std::unique_ptr<train::Session> session_;
  data::Split split_;
  retrieval::ModelSnapshot snapshot_;
  std::shared_ptr<const data::Dataset> dataset_;

  /// A held-out row as a query.
  [[nodiscard]] EncoderQuery queryOf(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return {dataset_->ids("user")[at],
            {{dataset_->ids("is_organic")[at], 0.0f}, {dataset_->ids("part_of_day")[at], 0.0f}}};
  }
  [[nodiscard]] std::vector<float> vectorOf(const EncoderQuery& query) const {
    std::vector<float> vector(static_cast<std::size_t>(snapshot_.dim));
    snapshot_.encoder->encode({&query, 1}, vector);
    return vector;
  }
  [[nodiscard]] std::shared_ptr<const retrieval::Recommender> recommender() const {
    return std::make_shared<const retrieval::Recommender>(
        std::make_shared<const retrieval::ModelSnapshot>(snapshot_), dataset_,
        std::make_shared<const retrieval::Interactions>(*dataset_, "user", "item", split_), "user",
        "item");
  }
  [[nodiscard]] std::string userId(std::int32_t row) const {
    return std::string(dataset_->vocabularyOf("user").rawId(row));
  }

 private Q_SLOTS:
  void initTestCase() {
    session_ = std::move(training_.train(document_, "events", events_).session);
    dataset_ = training_.dataset(document_);
    split_ = testing::SmallTraining::split(document_, *session_);
    session_->useHistory(split_.train);
    snapshot_ = session_->snapshot().value();
  }

  // No vector of a user alone: whose context would it have?
  void aContextModelHasAnEncoderInPlaceOfVectors() {
    QVERIFY(snapshot_.encoder && snapshot_.queries.empty());
    QCOMPARE(snapshot_.encoder->contexts().size(), std::size_t{2});
    EncoderQuery without;
    without.user = 1;
    QVERIFY_EXCEPTION_THROWN((void)vectorOf(without), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)session_->queryVectors(std::vector<std::int32_t>{1}),
                             InvalidArgument);
  }

  void vectorsAreThoseOfTheModel() {
    const data::RowSet rows = split_.validation.ascending();
    const auto loader = session_->loader(rows);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    const auto vectors = session_->queryVectors(*batch).value();
    for (std::int64_t i = 0; i < batch->rows; ++i) {
      const auto vector = vectorOf(queryOf(rows.at(i)));
      for (std::size_t d = 0; d < vector.size(); ++d)
        QVERIFY(std::abs(vector[d] - vectors[static_cast<std::size_t>(i) * vector.size() + d]) <
                1e-6f);
    }
  }

  void anotherContextIsAnotherVector() {
    EncoderQuery query = queryOf(0);
    const auto vector = vectorOf(query);
    query.context[0].row = 3 - query.context[0].row;
    QVERIFY(vectorOf(query) != vector);
  }

  void threadsComputeSideBySide() {
    std::vector<EncoderQuery> queries;
    for (std::int64_t row = 0; row < 300; ++row) queries.push_back(queryOf(row));
    const std::size_t size = queries.size() * static_cast<std::size_t>(snapshot_.dim);
    std::vector<float> expected(size);
    snapshot_.encoder->encode(queries, expected);
    std::vector<std::vector<float>> found(4, std::vector<float>(size));
    {
      std::vector<std::jthread> threads;
      for (std::vector<float>& of : found)
        threads.emplace_back([&] {
          for (int i = 0; i < 20; ++i) snapshot_.encoder->encode(queries, of);
        });
    }
    for (const std::vector<float>& of : found) QCOMPARE(of, expected);
    const auto& encoder = dynamic_cast<const train::TowerEncoder&>(*snapshot_.encoder);
    QVERIFY(encoder.runners().runners() <= 5);
  }

  void whatIsNotGivenIsAsInTheLastTrainingRow() {
    std::map<std::int32_t, std::int64_t> last;
    const auto times = dataset_->times();
    split_.train.ascending().forEach([&](std::int64_t row) {
      const std::int32_t user = dataset_->ids("user")[static_cast<std::size_t>(row)];
      const auto at = last.try_emplace(user, row).first;
      if (times[static_cast<std::size_t>(row)] >= times[static_cast<std::size_t>(at->second)])
        at->second = row;
    });
    for (const auto& [user, row] : last) {
      if (user == 0) continue;
      QCOMPARE(snapshot_.encoder->lastContext(user), queryOf(row).context);
      const auto context = recommender()->defaultContext(userId(user)).value();
      QVERIFY(!context[0].given && !context[1].given);
    }
  }

  void listsAnswerTheContextTheyAreAskedIn() {
    const auto of = recommender();
    const std::string user = userId(2);
    const std::vector<retrieval::Query> queries{
        {user, {{"is_organic", "1"}, {"part_of_day", "evening"}}},
        {user, {{"part_of_day", "night"}, {"is_organic", "0"}}},
        {user, {{"is_organic", "1"}}}};
    const auto lists = of->recommend(queries, 5, retrieval::SeenItems::kKeep).value();
    QCOMPARE(lists[0].context[1].value, std::string("evening"));
    QCOMPARE(lists[1].context[0].value, std::string("0"));
    QVERIFY(lists[2].context[0].given && !lists[2].context[1].given);
    QVERIFY(lists[0].items[0].score != lists[1].items[0].score);
    for (std::size_t i = 0; i < 2; ++i)
      for (const auto& item : lists[i].items) {
        const auto rank = of->rankOf(queries[i], item.id, 5, retrieval::SeenItems::kKeep).value();
        QCOMPARE(rank.rank, item.rank);
        const auto why = of->explain(queries[i], item.id, 2).value();
        QVERIFY(std::abs(why.score - item.score) < 1e-5f);
        QCOMPARE(why.context, lists[i].context);
      }
  }

  void whatCannotBeAskedIsRefused() {
    const auto of = recommender();
    const auto refused = [&](const retrieval::Query& query) {
      const auto answer = of->recommend({&query, 1}, 3, retrieval::SeenItems::kKeep);
      return answer ? std::string() : answer.error().message;
    };
    const std::string user = userId(1);
    QVERIFY(refused({user, {{"is_organc", "1"}}}).find("did you mean \"is_organic\"") !=
            std::string::npos);
    QVERIFY(refused({user, {{"is_organic", "1"}, {"is_organic", "0"}}}).find("twice") !=
            std::string::npos);
    QVERIFY(refused({"nobody", {}}).find("not in the data") != std::string::npos);
  }

  // A user that nobody knows is answered from the context, a value that no row has as unknown.
  void whatIsUnknownIsSaid() {
    const auto of = recommender();
    const std::vector<retrieval::Query> queries{{"nobody", {{"is_organic", "1"}}},
                                                {userId(1), {{"part_of_day", "teatime"}}}};
    const auto lists = of->recommend(queries, 3, retrieval::SeenItems::kExcludeTrain).value();
    QCOMPARE(lists[0].items.size(), std::size_t{3});
    QVERIFY(lists[0].warnings.at(0).find("rests on the context") != std::string::npos);
    QVERIFY(lists[1].warnings.at(0).find("\"teatime\"") != std::string::npos);
    QCOMPARE(lists[1].context[1].value, std::string("teatime"));
    // A context that is not given is that of the last training row only where there is one.
    QVERIFY(!lists[0].fromLastRow && !lists[0].context[1].given);
    QVERIFY(lists[1].fromLastRow && !lists[1].context[0].given);
  }

  void nobodyHasTheUsualContext() {
    const auto usual = recommender()->usualContext();
    QCOMPARE(usual.size(), std::size_t{2});
    QCOMPARE(usual[0].name, std::string("is_organic"));
    QVERIFY(!usual[0].given && !usual[0].value.empty());
    // Given in words, it answers somebody whom nobody knows.
    auto given = usual;
    for (auto& value : given) value.given = true;
    const retrieval::Query query{"nobody", given};
    const auto list = recommender()->recommend({&query, 1}, 3, retrieval::SeenItems::kKeep);
    QCOMPARE(list->front().items.size(), std::size_t{3});
  }

  // By training rows: how often a value is held out must not tell.
  void valuesOfAContextComeByFrequency() {
    const auto domains = recommender()->contextDomains(3);
    QCOMPARE(domains.size(), std::size_t{2});
    QCOMPARE(domains[0].name, std::string("is_organic"));
    QCOMPARE(domains[0].distinct, std::int64_t{2});
    QVERIFY(!domains[0].isScale && !domains[0].isNumeric);
    QCOMPARE(domains[1].distinct, std::int64_t{4});
    QCOMPARE(domains[1].values.size(), std::size_t{3});
    std::map<std::int32_t, std::int64_t> counts;
    split_.train.forEach([&](std::int64_t row) {
      ++counts[dataset_->ids("part_of_day")[static_cast<std::size_t>(row)]];
    });
    std::int64_t before = dataset_->rows();
    for (const auto& option : domains[1].values) {
      const auto row = dataset_->vocabularyOf("part_of_day").row(option.value);
      QVERIFY(row && option.rows <= before);
      QCOMPARE(option.rows, counts[*row]);
      before = option.rows;
    }
  }

  // The tower is linear, so each feature gives the same whatever the others are.
  void aFeatureThatIsTakenOutIsAZeroVector() {
    const auto features = snapshot_.encoder->features();
    QCOMPARE(features.size(), std::size_t{3});
    QCOMPARE(features[1], (retrieval::QueryFeature{"is_organic", "is_organic"}));
    const EncoderQuery whole = queryOf(0);
    const auto without = [&](std::uint64_t bits) {
      EncoderQuery query = whole;
      query.without = bits;
      return vectorOf(query);
    };
    const auto all = without(0), none = without(7), user = without(1), organic = without(2),
               both = without(3);
    for (std::size_t d = 0; d < all.size(); ++d) {
      QVERIFY(all[d] != user[d] && all[d] != organic[d] && all[d] != none[d]);
      QVERIFY(std::abs((all[d] - user[d]) - (organic[d] - both[d])) < 1e-5f);
    }
    // Whoever and whenever it was.
    EncoderQuery other = queryOf(1);
    other.without = 7;
    QCOMPARE(vectorOf(other), none);
  }

  void sharesOfFeaturesSumToTheScore() {
    const auto of = recommender();
    const retrieval::Query query{userId(3), {{"part_of_day", "night"}}};
    const auto list = of->recommend({&query, 1}, 4, retrieval::SeenItems::kKeep)->front();
    for (const auto& item : list.items) {
      const auto why = of->explain(query, item.id, 2).value();
      QCOMPARE(why.features.size(), std::size_t{3});
      QCOMPARE(why.features[0].value, userId(3));
      QCOMPARE(why.features[2].value, std::string("night"));
      QVERIFY(why.featuresAddUp);
      float sum = why.withoutAll;
      for (const auto& feature : why.features) {
        QCOMPARE(feature.share, why.score - feature.without);
        sum += feature.share;
      }
      QVERIFY(std::abs(sum - why.score) < 1e-5f);
    }
  }

  void layersThatMixFeaturesAreSaid() {
    Experiment document = document_;
    document.model.query = {{.kind = experiment::LayerKind::kDense,
                             .units = 4,
                             .activation = experiment::Activation::kRelu}};
    testing::EventList events;
    auto session = std::move(training_.train(document, "relu", events).session);
    session->useHistory(split_.train);
    const retrieval::Recommender of(
        std::make_shared<const retrieval::ModelSnapshot>(session->snapshot().value()), dataset_,
        std::make_shared<const retrieval::Interactions>(*dataset_, "user", "item", split_), "user",
        "item");
    int mixed = 0;
    const std::string item(dataset_->vocabularyOf("item").rawId(1));
    for (std::int32_t user = 1; user < 8; ++user) {
      const auto why = of.explain(userId(user), item, 1);
      QVERIFY2(why.ok(), why.ok() ? "" : why.error().message.c_str());
      mixed += why->featuresAddUp ? 0 : 1;
    }
    QVERIFY(mixed > 0);
  }

  void sensitivityIsTheShareOfItemsThatAContextChanges() {
    const auto of = recommender();
    const std::vector<std::int32_t> users{2, 5};
    const auto found = of->contextSensitivity(users, {}).value();
    for (std::size_t i = 0; i < users.size(); ++i) {
      const std::string user = userId(users[i]);
      const auto rowsIn = [&](const retrieval::Query& query) {
        return retrieval::itemsOf(
            of->recommend({&query, 1}, 10, retrieval::SeenItems::kExcludeTrain)->front().items);
      };
      const auto own = rowsIn(user);
      const auto defaults = of->defaultContext(user).value();
      double sum = 0.0;
      int others = 0;
      for (const auto& domain : of->contextDomains(8))
        for (const auto& option : domain.values) {
          const auto current =
              std::ranges::find(defaults, domain.name, &retrieval::ContextValue::name);
          if (current->value == option.value) continue;
          sum += 1.0 - retrieval::overlap(own, rowsIn({user, {{domain.name, option.value}}})).share;
          ++others;
        }
      QCOMPARE(others, 4);
      QVERIFY(std::abs(found[i] - sum / others) < 1e-12);
    }
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(of->contextSensitivity(users, {.progress = {}, .stop = stop.get_token()}).error().code,
             ErrorCode::kCancelled);
  }

  void evaluationAsksEveryRowInItsOwnContext() {
    const retrieval::Interactions interactions(*dataset_, "user", "item", split_);
    train::Evaluator evaluator(*session_, document_, split_, &interactions,
                               experiment::SplitPart::kValidation);
    const auto measured = evaluator.measure("", 1).value();
    QCOMPARE(measured.catalogue.queries, split_.validation.size());
    const auto mask = retrieval::candidateMask(interactions, snapshot_.cold);
    double hits = 0.0;
    split_.validation.forEach([&](std::int64_t row) {
      const auto q = vectorOf(queryOf(row));
      const auto scoreOf = [&](std::int64_t item) {
        double score = 0.0;
        for (std::size_t d = 0; d < q.size(); ++d)
          score += static_cast<double>(q[d]) *
                   static_cast<double>(
                       snapshot_.candidates[static_cast<std::size_t>(item) * q.size() + d]);
        return score;
      };
      const std::int64_t wanted = interactions.item(row);
      std::int64_t better = 0;
      for (std::int64_t item = 1; item < interactions.index().size(); ++item)
        if (mask[static_cast<std::size_t>(item)]) better += scoreOf(item) > scoreOf(wanted);
      hits += better < 10 ? 1.0 : 0.0;
    });
    const auto found =
        std::ranges::find(measured.metrics, std::string("hit@10"), &experiment::Metric::first);
    QVERIFY(found != measured.metrics.end());
    // A tie by rounding may fall either way.
    QVERIFY(std::abs(found->second * static_cast<double>(split_.validation.size()) - hits) < 1.5);
    QCOMPARE(measured.catalogue.standardErrors.size(), std::size_t{7});
    bool inContext = false;
    for (const auto& verdict : measured.verdicts)
      inContext = inContext || verdict.baseline == "most_popular_in_context";
    QVERIFY(inContext);
  }

  void listsAreMeasuredWhenTheDocumentSaysSo() {
    const auto epochsWithLists = [&](experiment::CatalogueTime when, const char* run) {
      Experiment document = document_;
      document.evaluation.catalogue = when;
      testing::EventList events;
      (void)training_.train(document, run, events);
      std::vector<std::int64_t> epochs;
      for (const auto& ended : events.all<experiment::EpochEnded>())
        for (const auto& [key, value] : ended.summary.metrics)
          if (key == "val_hit@10") epochs.push_back(ended.summary.epoch);
      return epochs;
    };
    using enum experiment::CatalogueTime;
    QCOMPARE(epochsWithLists(kValidation, "always"), (std::vector<std::int64_t>{1, 2, 3}));
    QCOMPARE(epochsWithLists(kEnd, "end"), std::vector<std::int64_t>{3});
    QVERIFY(epochsWithLists(kNever, "never").empty());
  }
};

QTEST_GUILESS_MAIN(TowerEncoderTest)
#include "tower_encoder_test.moc"
