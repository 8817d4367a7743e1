// SPDX-License-Identifier: Apache-2.0
// Models that read the history of a user: what enters it, in training, in evaluation and in queries.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/experiment/query_context.h"
#include "engine/retrieval/recommender.h"
#include "engine/train/batch_inspector.h"
#include "engine/train/column_ids.h"
#include "engine/train/evaluator.h"
#include "engine/train/forward_runners.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using retrieval::EncoderQuery;
using Items = std::vector<std::int32_t>;

namespace {

/// 30 users and 40 items; the query tower is the mean of the last 6 items of the table of
/// candidates.
Experiment historyDocument() {
  Experiment document = testing::ratingsDocument();
  document.features[0] = {.name = "history", .column = "item", .table = "item"};
  document.features[0].history = experiment::History{.length = 6};
  document.tables.erase(document.tables.begin());
  document.loss.kind = experiment::LossKind::kInBatchSoftmax;
  return document;
}

/// A split of the same rows: held-out rows by (row·7 mod 10) < 3.
data::Split someRows(std::int64_t rows) {
  std::vector<std::int64_t> train, validation, test;
  for (std::int64_t row = 0; row < rows; ++row)
    (row * 7 % 10 < 2 ? validation : row * 7 % 10 < 3 ? test : train).push_back(row);
  data::Split split;
  split.train = data::RowSet(train);
  split.validation = data::RowSet(validation);
  split.test = data::RowSet(test);
  return split;
}

std::vector<Items> bagsOf(const data::FeatureIds& feature, std::int64_t rows) {
  std::vector<Items> bags;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
    bags.emplace_back(feature.ids.begin() + feature.offsets[row],
                      feature.ids.begin() + feature.offsets[row + 1]);
  return bags;
}

}  // namespace

class HistoryTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  Experiment document_ = historyDocument();
  std::shared_ptr<const data::Dataset> dataset_ = training_.dataset(document_);
  data::Split split_ = someRows(dataset_->rows());

  [[nodiscard]] std::unique_ptr<train::Session> session(const Experiment& document) const {
    auto made = training_.session(document);
    made->useHistory(split_.train);
    return made;
  }
  /// The items that every row of a part reads as its history, by (user, item, row).
  [[nodiscard]] std::map<std::int64_t, Items> historiesOf(const Experiment& document,
                                                          const data::RowSet& rows) const {
    const auto made = session(document);
    const data::RowSet ascending = rows.ascending();
    const auto loader = made->loader(ascending);
    loader->begin(1);
    std::map<std::int64_t, Items> found;
    std::int64_t position = 0;
    while (const data::Batch* batch = loader->next())
      for (Items& items : bagsOf(batch->features[0], batch->rows))
        found[ascending.at(position++)] = std::move(items);
    return found;
  }
  /// Rows of the training set that come before a row, oldest first; every row is looked at.
  [[nodiscard]] Items naive(std::int64_t row, const data::RowSet& counted,
                            std::size_t length) const {
    const auto users = dataset_->ids("user"), items = dataset_->ids("item");
    const auto times = dataset_->times();
    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    std::vector<std::pair<std::int64_t, std::int64_t>> before;
    counted.forEach([&](std::int64_t other) {
      if (users[at(other)] == users[at(row)] && times[at(other)] < times[at(row)])
        before.emplace_back(times[at(other)], other);
    });
    std::ranges::sort(before);
    Items found;
    for (std::size_t i = before.size() - std::min(length, before.size()); i < before.size(); ++i)
      found.push_back(items[at(before[i].second)]);
    return found;
  }
  [[nodiscard]] std::shared_ptr<const retrieval::Recommender> recommender(
      train::Session& of) const {
    return std::make_shared<const retrieval::Recommender>(
        std::make_shared<const retrieval::ModelSnapshot>(of.snapshot().value()), dataset_,
        std::make_shared<const retrieval::Interactions>(*dataset_, "user", "item", split_), "user",
        "item");
  }
  [[nodiscard]] std::string idOf(const char* column, std::int32_t row) const {
    return std::string(dataset_->vocabularyOf(column).rawId(row));
  }

 private Q_SLOTS:
  void everyPartReadsTrainingRowsBeforeItsOwn() {
    for (const data::RowSet& part : {split_.train, split_.validation, split_.test}) {
      const auto found = historiesOf(document_, part);
      QCOMPARE(static_cast<std::int64_t>(found.size()), part.size());
      for (const auto& [row, items] : found) QCOMPARE(items, naive(row, split_.train, 6));
    }
  }

  // The data rate an item once: the item that is to be found is in no history.
  void noExampleReadsItsOwnItem() {
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t row = 0; row < static_cast<std::size_t>(dataset_->rows()); ++row)
      QVERIFY(pairs.insert({dataset_->ids("user")[row], dataset_->ids("item")[row]}).second);
    Experiment all = document_;
    all.features[0].history->rows = experiment::HistoryRows::kAll;
    all.features[0].history->length = 1000;
    const data::RowSet every = data::RowSet::all(dataset_->rows());
    for (const auto& [row, items] : historiesOf(all, every)) {
      QCOMPARE(std::ranges::count(items, dataset_->ids("item")[static_cast<std::size_t>(row)]), 0);
      QCOMPARE(items, naive(row, every, 1000));
    }
  }

  // Other held-out rows, in any order and with any items, leave every input as it was.
  void heldOutRowsEnterNoHistory() {
    const auto before = historiesOf(document_, split_.train);
    const auto evaluated = historiesOf(document_, split_.validation);
    Experiment all = document_;
    all.features[0].history->rows = experiment::HistoryRows::kAll;
    QVERIFY(historiesOf(all, split_.train) != before);
    // Held-out rows of both parts change places, and half of them are gone.
    std::vector<std::int64_t> held;
    split_.validation.forEach([&](std::int64_t row) { held.push_back(row); });
    split_.test.forEach([&](std::int64_t row) { held.push_back(row); });
    const data::Split original = split_;
    const auto half = held.begin() + static_cast<std::ptrdiff_t>(held.size() / 2);
    split_.validation = data::RowSet(std::vector<std::int64_t>(held.rbegin(), held.rend()));
    split_.test = data::RowSet(std::vector<std::int64_t>(held.begin(), half));
    QVERIFY(historiesOf(document_, split_.train) == before);
    const auto permuted = historiesOf(document_, split_.validation);
    for (const auto& [row, items] : evaluated) QCOMPARE(permuted.at(row), items);
    split_ = original;
  }

  void aHistoryOfTheDataGoesByRow() {
    Experiment document = document_;
    document.features[0].history->order = experiment::EventOrder::kData;
    for (const auto& [row, items] : historiesOf(document, split_.validation)) {
      Items expected;
      for (std::int64_t other = 0; other < row; ++other) {
        const auto at = static_cast<std::size_t>(other);
        if (other * 7 % 10 >= 3 &&
            dataset_->ids("user")[at] == dataset_->ids("user")[static_cast<std::size_t>(row)])
          expected.push_back(dataset_->ids("item")[at]);
      }
      if (expected.size() > 6) expected.erase(expected.begin(), expected.end() - 6);
      QCOMPARE(items, expected);
    }
  }

  void aQueryOfARowIsThatOfItsExample() {
    const auto made = session(document_);
    const auto snapshot = made->snapshot().value();
    QVERIFY(snapshot.encoder && snapshot.encoder->readsHistory() && snapshot.queries.empty());
    const data::RowSet rows = split_.validation.ascending();
    const auto loader = made->loader(rows);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    const auto vectors = made->queryVectors(*batch).value();
    const auto width = static_cast<std::size_t>(snapshot.dim);
    for (std::int64_t i = 0; i < batch->rows; ++i) {
      EncoderQuery query;
      query.user = dataset_->ids("user")[static_cast<std::size_t>(rows.at(i))];
      query.row = rows.at(i);
      QCOMPARE(snapshot.encoder->historyOf(query), naive(rows.at(i), split_.train, 6));
      std::vector<float> own(width), given(width);
      snapshot.encoder->encode({&query, 1}, own);
      EncoderQuery same{.history = naive(rows.at(i), split_.train, 6)};
      snapshot.encoder->encode({&same, 1}, given);
      QCOMPARE(given, own);
      for (std::size_t d = 0; d < width; ++d)
        QVERIFY(std::abs(own[d] - vectors[static_cast<std::size_t>(i) * width + d]) < 1e-6f);
    }
  }

  void combinersActOnHistories() {
    for (const auto combiner :
         {experiment::Combiner::kMean, experiment::Combiner::kSum, experiment::Combiner::kSqrtn}) {
      Experiment document = document_;
      document.tables[0].combiner = combiner;
      const auto made = session(document);
      const auto snapshot = made->snapshot().value();
      const Items items{3, 5, 9, 5};
      const EncoderQuery query{.history = items};
      std::vector<float> vector(4);
      snapshot.encoder->encode({&query, 1}, vector);
      const auto vectorOf = [&](std::int32_t row) {
        const data::ItemIndex& index = dataset_->itemIndex("item");
        return static_cast<std::size_t>(index.vectorOf(index.ofEntry(row)));
      };
      const float factor = combiner == experiment::Combiner::kMean  ? 0.25f
                           : combiner == experiment::Combiner::kSum ? 1.0f
                                                                    : 0.5f;
      for (std::size_t d = 0; d < 4; ++d) {
        float sum = 0.0f;
        for (const std::int32_t item : items) sum += snapshot.candidates[vectorOf(item) * 4 + d];
        QVERIFY(std::abs(vector[d] - factor * sum) < 1e-6f);
      }
    }
  }

  // Trained, saved, loaded: nothing but weights is stored, and lists are the same.
  void aTrainedModelAnswersAfterItsCheckpoint() {
    testing::EventList events;
    const auto outcome = training_.train(document_, "history", events);
    QCOMPARE(outcome.result.state, experiment::RunState::kFinished);
    const data::Split split = testing::SmallTraining::split(document_, *outcome.session);
    const auto lists = [&](train::Session& of) {
      const auto asked = std::make_shared<const retrieval::Recommender>(
          std::make_shared<const retrieval::ModelSnapshot>(of.snapshot().value()), dataset_,
          std::make_shared<const retrieval::Interactions>(*dataset_, "user", "item", split), "user",
          "item");
      std::vector<std::pair<std::string, float>> all;
      for (std::int32_t user = 1; user <= 30; ++user) {
        const auto found =
            asked->recommend(std::vector{idOf("user", user)}, 5, retrieval::SeenItems::kKeep)
                .value();
        for (const auto& item : found[0].items) all.emplace_back(item.id, item.score);
      }
      return all;
    };
    const auto loaded = training_.session(document_);
    loaded->useHistory(split.train);
    const auto checkpoint = checkpoint::open(outcome.result.checkpoint);
    QVERIFY(checkpoint.ok());
    QVERIFY(loaded->load(*checkpoint).ok());
    QVERIFY(lists(*loaded) == lists(*outcome.session));
  }

  void resumesToTheSameBits() {
    Experiment document = document_;
    testing::EventList events;
    const auto whole = training_.train(document, "whole", events);
    const auto part = training_.train(document, "part", events, 9);
    const auto checkpoint = checkpoint::open(part.result.checkpoint);
    QVERIFY(checkpoint.ok());
    const auto rest = training_.train(document, "part", events, 0, *checkpoint);
    const auto expected = whole.session->parameters()[0].whole().weight.host();
    const auto found = rest.session->parameters()[0].whole().weight.host();
    QVERIFY(std::ranges::equal(expected, found));
  }

  // Placements and devices change sums by rounding alone.
  void devicesAndPlacementsAgree_data() {
    QTest::addColumn<QString>("devices");
    QTest::addColumn<int>("placement");
    using enum experiment::Placement;
    for (const auto& [name, placement] : {std::pair{"row", kRow},
                                          {"row block", kRowBlock},
                                          {"column", kColumn},
                                          {"table", kTable},
                                          {"replicated", kReplicated}})
      for (const char* devices : {"cpu*2", "cpu*3"})
        QTest::addRow("%s on %s", name, devices) << devices << static_cast<int>(placement);
  }
  void devicesAndPlacementsAgree() {
    QFETCH(QString, devices);
    QFETCH(int, placement);
    const auto weightsOf = [&](const Experiment& document) {
      const auto made = session(document);
      const auto loader = made->loader(split_, experiment::SplitPart::kTrain);
      std::int64_t step = 0;
      for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
        loader->begin(epoch);
        while (const data::Batch* batch = loader->next())
          if (const Status done = made->train(*batch, ++step, loader->peek()); !done)
            throw InternalError(done.error().message);
      }
      std::vector<float> weights(static_cast<std::size_t>(made->parameters()[0].size()));
      nn::gatherRows(made->parameters()[0], -1, weights);
      return weights;
    };
    Experiment sharded = document_;
    sharded.mesh.devices = {devices.toStdString()};
    sharded.mesh.spaces = experiment::MemorySpaces::kSeparate;
    sharded.tables[0].placement = static_cast<experiment::Placement>(placement);
    const auto one = weightsOf(document_), many = weightsOf(sharded);
    for (std::size_t i = 0; i < one.size(); ++i)
      QVERIFY(std::abs(one[i] - many[i]) <= 1e-5f * std::max(1.0f, std::abs(one[i])));
  }

  void extraNegativesKeepTheHistoriesOfTheirQueries() {
    Experiment document = document_;
    document.loss.extraNegatives = experiment::ExtraNegatives{.count = 100};
    const auto made = session(document);
    const auto loader = made->loader(split_, experiment::SplitPart::kTrain);
    loader->begin(1);
    for (std::int64_t step = 1; step <= 3; ++step) QVERIFY(made->train(*loader->next(), step).ok());
    QVERIFY(std::isfinite(made->loss()));
  }

  void evaluationAsksEveryRowWithItsOwnHistory() {
    const auto made = session(document_);
    const retrieval::Interactions interactions(*dataset_, "user", "item", split_);
    train::Evaluator evaluator(*made, document_, split_, &interactions,
                               experiment::SplitPart::kValidation);
    QCOMPARE(evaluator.lists()->ranking().protocol().unit, experiment::EvaluationUnit::kExample);
    const auto measured = evaluator.measure("", 1).value();
    QCOMPARE(measured.catalogue.queries, split_.validation.size());
    const auto snapshot = made->snapshot().value();
    const auto mask = retrieval::candidateMask(interactions, snapshot.cold);
    double hits = 0.0;
    split_.validation.forEach([&](std::int64_t row) {
      EncoderQuery query;
      query.user = dataset_->ids("user")[static_cast<std::size_t>(row)];
      query.row = row;
      std::vector<float> vector(4);
      snapshot.encoder->encode({&query, 1}, vector);
      const auto scoreOf = [&](std::int64_t item) {
        double score = 0.0;
        for (std::size_t d = 0; d < 4; ++d)
          score += static_cast<double>(vector[d]) *
                   static_cast<double>(snapshot.candidates[static_cast<std::size_t>(item) * 4 + d]);
        return score;
      };
      const std::int64_t wanted = interactions.item(row);
      std::int64_t better = 0;
      for (std::int64_t item = 1; item < interactions.index().size(); ++item)
        if (mask[static_cast<std::size_t>(item)])
          better += scoreOf(item) > scoreOf(wanted) ||
                    (scoreOf(item) == scoreOf(wanted) && item < wanted);
      hits += better < 5 ? 1.0 : 0.0;
    });
    const auto found =
        std::ranges::find(measured.metrics, std::string("hit@5"), &experiment::Metric::first);
    QVERIFY(found != measured.metrics.end());
    // A tie by rounding may fall either way.
    QVERIFY(std::abs(found->second * static_cast<double>(split_.validation.size()) - hits) < 1.5);
  }

  void aGivenHistoryReplacesTheUsersOwn() {
    const auto made = session(document_);
    const auto of = recommender(*made);
    QVERIFY(of->readsHistory());
    const std::string user = idOf("user", 4);
    retrieval::Query own(user), given(user);
    given.history = {idOf("item", 3), idOf("item", 9)};
    const std::vector<retrieval::Query> queries{own, given};
    const auto lists = of->recommend(queries, 8, retrieval::SeenItems::kKeep).value();
    QVERIFY(lists[0].history && !lists[0].history->given && lists[0].warnings.empty());
    Items last;
    EncoderQuery atEnd;
    atEnd.user = 4;
    for (const std::int32_t item : of->model().encoder->historyOf(atEnd)) last.push_back(item);
    QCOMPARE(lists[0].history->items.size(), last.size());
    for (std::size_t i = 0; i < last.size(); ++i)
      QCOMPARE(lists[0].history->items[i], idOf("item", last[i]));
    QCOMPARE(*lists[1].history, (retrieval::QueryHistory{*given.history, true}));
    QVERIFY(lists[0].items[0].score != lists[1].items[0].score);
    for (const auto& item : lists[1].items) {
      const auto rank = of->rankOf(given, item.id, 8, retrieval::SeenItems::kKeep).value();
      QCOMPARE(rank.rank, item.rank);
      const auto why = of->explain(given, item.id, 5).value();
      QVERIFY(std::abs(why.score - item.score) < 1e-5f);
      QVERIFY(why.nearestHistory.size() <= 2);
      // The history is all that the query side reads, and taken out it is a zero vector.
      QCOMPARE(why.features.size(), std::size_t{1});
      QCOMPARE(why.features[0].feature, std::string("history"));
      QVERIFY(why.featuresAddUp && why.withoutAll == 0.0f);
      for (const auto& near : why.nearestHistory)
        QVERIFY(std::ranges::count(*given.history, near.id) == 1);
    }
  }

  void anItemOfTheHistoryIsNoHeldOutHit() {
    Experiment all = document_;
    all.features[0].history->rows = experiment::HistoryRows::kAll;
    all.features[0].history->length = 1000;
    const auto made = session(all);
    const auto of = recommender(*made);
    int heldOut = 0;
    for (std::int32_t user = 1; user <= 30; ++user) {
      const std::vector users{idOf("user", user)};
      const auto few = of->recommend(users, 1, retrieval::SeenItems::kKeep).value();
      const auto list =
          of->recommend(users, few[0].candidates, retrieval::SeenItems::kKeep).value()[0];
      for (const auto& item : list.items) {
        QCOMPARE(item.inHistory, std::ranges::count(list.history->items, item.id) > 0);
        QVERIFY2(!item.heldOutHit, "every row that is held out is in the history");
        heldOut += item.inHistory && !item.seen ? 1 : 0;
      }
    }
    QVERIFY(heldOut > 0);
  }

  void theHistoryOfAUserEndsWithItsLastTrainingRows() {
    const auto made = session(document_);
    const auto of = recommender(*made);
    for (std::int32_t user = 1; user <= 30; ++user) {
      std::vector<std::pair<std::int64_t, std::int64_t>> rows;
      split_.train.forEach([&](std::int64_t row) {
        if (const auto at = static_cast<std::size_t>(row); dataset_->ids("user")[at] == user)
          rows.emplace_back(dataset_->times()[at], row);
      });
      std::ranges::sort(rows);
      Items expected;
      for (std::size_t i = rows.size() - std::min<std::size_t>(6, rows.size()); i < rows.size();
           ++i)
        expected.push_back(dataset_->ids("item")[static_cast<std::size_t>(rows[i].second)]);
      EncoderQuery query;
      query.user = user;
      QCOMPARE(of->model().encoder->historyOf(query), expected);
    }
  }

  void whatAListDoesNotRestOnIsSaid() {
    const auto made = session(document_);
    const auto of = recommender(*made);
    const auto warningsOf = [&](const retrieval::Query& query) {
      const auto lists = of->recommend({&query, 1}, 3, retrieval::SeenItems::kKeep);
      if (!lists) return "refused: " + lists.error().message;
      std::string all;
      for (const std::string& warning : lists->front().warnings) all += warning + "\n";
      return all;
    };
    const auto says = [&](const retrieval::Query& query, const char* part) {
      const std::string found = warningsOf(query);
      return found.find(part) != std::string::npos ? std::string() : found;
    };
    const std::string user = idOf("user", 2);
    retrieval::Query query(user);
    query.history.emplace();
    QCOMPARE(says(query, "the given history has no item"), std::string());
    query.history = {idOf("item", 3), "no such item", "nor this"};
    QCOMPARE(says(query, "\"no such item\", \"nor this\" are not in the catalogue"), std::string());
    query.history = std::vector<std::string>(9, idOf("item", 3));
    QCOMPARE(says(query, "the last 6 of 9 items"), std::string());
    retrieval::Query nobody("nobody");
    QCOMPARE(says(nobody, "refused: user \"nobody\" is not in the data"), std::string());
    nobody.history = {idOf("item", 3)};
    QCOMPARE(says(nobody, "rests on the given history"), std::string());
    // Without a training row a user is answered, from an empty history.
    data::Split without = split_;
    std::vector<std::int64_t> others;
    split_.train.forEach([&](std::int64_t row) {
      if (dataset_->ids("user")[static_cast<std::size_t>(row)] != 2) others.push_back(row);
    });
    std::swap(split_, without);
    split_ = without;
    split_.train = data::RowSet(others);
    const auto cold = session(document_);
    const auto coldly = recommender(*cold);
    const auto lists = coldly->recommend(std::vector{user}, 3, retrieval::SeenItems::kKeep).value();
    QCOMPARE(lists[0].items.size(), std::size_t{3});
    QVERIFY(lists[0].warnings.at(0).find("rests on an empty history") != std::string::npos);
    split_ = someRows(dataset_->rows());
  }

  void aModelWithoutAHistoryRefusesOne() {
    const Experiment plain = testing::ratingsDocument();
    const auto made = training_.session(plain);
    made->useHistory(split_.train);
    const auto of = recommender(*made);
    QVERIFY(!of->readsHistory());
    retrieval::Query query(idOf("user", 2));
    query.history = {idOf("item", 3)};
    const auto refused = of->recommend({&query, 1}, 3, retrieval::SeenItems::kKeep);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kInvalidDocument);
    QVERIFY(refused.error().message.find("reads no history") != std::string::npos);
  }

  void rankingModelsTakeHistories() {
    Experiment document = document_;
    document.model.kind = experiment::ModelKind::kRanking;
    document.model.layers = {{.units = 8, .activation = experiment::Activation::kRelu},
                             {.units = 1}};
    document.loss = {};
    const auto made = session(document);
    const auto scorer = made->snapshot().value().scorer;
    QVERIFY(scorer && scorer->readsHistory());
    const data::RowSet rows = split_.validation.ascending();
    const auto loader = made->loader(rows);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(batch && made->evaluate(*batch).ok());
    for (std::int64_t i = 0; i < batch->rows; ++i) {
      EncoderQuery query;
      query.row = rows.at(i);
      query.user = dataset_->ids("user")[static_cast<std::size_t>(rows.at(i))];
      const std::int32_t item = dataset_->ids("item")[static_cast<std::size_t>(rows.at(i))];
      float score = 0.0f;
      scorer->score(query, {&item, 1}, {&score, 1});
      QVERIFY(std::abs(score - made->predictions(0)[static_cast<std::size_t>(i)]) < 1e-6f);
    }
    retrieval::Query query(idOf("user", 4));
    query.history = {idOf("item", 3), idOf("item", 9)};
    const auto lists = recommender(*made)->recommend({&query, 1}, 4, retrieval::SeenItems::kKeep);
    QVERIFY(lists.ok() && lists->front().history->given);
  }

  void aReportOfABatchShowsHistories() {
    const auto made = session(document_);
    train::BatchInspector inspector(*made, document_);
    const auto loader = made->loader(split_, experiment::SplitPart::kTrain);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(inspector.look(*batch, 1).ok());
    QVERIFY(made->train(*batch, 1).ok());
    const experiment::BatchReport report = inspector.report(*batch, 1, 1);
    QCOMPARE(report.columns[0], std::string("history"));
    QCOMPARE(report.features[0].name, std::string("history"));
    QCOMPARE(report.features[0].ids, static_cast<std::int64_t>(batch->features[0].offsets.back()));
    const auto bags = bagsOf(batch->features[0], batch->rows);
    for (std::size_t row = 0; row < report.contents.size(); ++row) {
      std::string text;
      for (const std::int32_t item : bags[row])
        text += (text.empty() ? "" : ", ") + idOf("item", item);
      QCOMPARE(report.contents[row][0], text);
    }
  }

  void thePlanCountsTheItemsOfHistories() {
    const auto columns = train::measureColumns(document_, *dataset_, 64);
    const auto& ids = columns.at(experiment::batchColumn(document_.features[0]));
    QCOMPARE(ids.maxIds, std::int64_t{6});
    std::map<std::int32_t, std::int64_t> rows;
    std::int64_t items = 0;
    for (const std::int32_t user : dataset_->ids("user"))
      items += std::min<std::int64_t>(6, rows[user]++);
    QVERIFY(std::abs(ids.idsPerExample -
                     static_cast<double>(items) / static_cast<double>(dataset_->rows())) < 1e-9);
    QCOMPARE(columns.at("item").idsPerExample, 1.0);
  }

  // Two features may look back differently; each has its own part of a given history.
  void featuresHaveHistoriesOfTheirOwn() {
    Experiment document = document_;
    document.features.push_back(document.features[0]);
    document.features.back().name = "recent";
    document.features.back().history = experiment::History{.length = 2};
    document.model.query = {{.units = 4}};
    const auto made = session(document);
    const auto of = recommender(*made);
    const auto vectorOf = [&](Items items) {
      const EncoderQuery query{.history = std::move(items)};
      std::vector<float> vector(4);
      of->model().encoder->encode({&query, 1}, vector);
      return vector;
    };
    QCOMPARE(vectorOf({1, 2, 3, 4}), vectorOf({2, 1, 3, 4}));
    QVERIFY(vectorOf({1, 2, 3, 4}) != vectorOf({3, 4, 1, 2}));
    QCOMPARE(vectorOf({9, 1, 2, 3, 4, 5, 6}), vectorOf({1, 2, 3, 4, 5, 6}));
  }
};

QTEST_GUILESS_MAIN(HistoryTest)
#include "history_test.moc"
