// SPDX-License-Identifier: Apache-2.0
// Models that read the history of a user as a sequence: training, queries and lists see its order.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "engine/retrieval/interactions.h"
#include "engine/retrieval/recommender.h"
#include "engine/train/forward_runners.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::LayerKind;
using retrieval::EncoderQuery;

namespace {

/// The last 6 items through a causal transformer; the newest of them stands for the query.
Experiment sequenceDocument() {
  Experiment document = testing::ratingsDocument();
  document.features[0] = {.name = "history", .column = "item", .table = "item"};
  document.features[0].history = experiment::History{.length = 6};
  document.features[0].sequence = true;
  document.tables.erase(document.tables.begin());
  document.loss.kind = experiment::LossKind::kInBatchSoftmax;
  document.model.query = {{.kind = LayerKind::kPosition},
                          {.kind = LayerKind::kTransformerBlock,
                           .units = 8,
                           .activation = experiment::Activation::kGelu,
                           .rate = 0.1,
                           .epsilon = 1e-6,
                           .causal = true},
                          {.kind = LayerKind::kPool, .by = experiment::PoolKind::kLast}};
  return document;
}

}  // namespace

class SequenceHistoryTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  Experiment document_ = sequenceDocument();
  std::shared_ptr<const data::Dataset> dataset_ = training_.dataset(document_);

  [[nodiscard]] std::unique_ptr<train::Session> session(const Experiment& document) const {
    auto made = training_.session(document);
    made->useHistory(testing::SmallTraining::split(document, *made).train);
    return made;
  }
  static std::vector<float> vectorOf(const retrieval::ModelSnapshot& snapshot,
                                     const std::vector<std::int32_t>& history) {
    const EncoderQuery query{.history = history};
    std::vector<float> vector(static_cast<std::size_t>(snapshot.dim));
    snapshot.encoder->encode({&query, 1}, vector);
    return vector;
  }

 private Q_SLOTS:
  void aQueryOfARowIsThatOfItsExample() {
    const auto made = session(document_);
    const auto snapshot = made->snapshot().value();
    const data::Split split = testing::SmallTraining::split(document_, *made);
    const data::RowSet rows = split.validation.ascending();
    const auto loader = made->loader(rows);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    const auto vectors = made->queryVectors(*batch).value();
    const auto width = static_cast<std::size_t>(snapshot.dim);
    for (std::int64_t i = 0; i < batch->rows; ++i) {
      EncoderQuery query;
      query.user = dataset_->ids("user")[static_cast<std::size_t>(rows.at(i))];
      query.row = rows.at(i);
      std::vector<float> own(width);
      snapshot.encoder->encode({&query, 1}, own);
      for (std::size_t d = 0; d < width; ++d)
        QVERIFY(std::abs(own[d] - vectors[static_cast<std::size_t>(i) * width + d]) < 1e-5f);
    }
  }

  void theOrderOfAHistoryCounts() {
    const auto snapshot = session(document_)->snapshot().value();
    QVERIFY(vectorOf(snapshot, {3, 9, 5}) != vectorOf(snapshot, {5, 9, 3}));
    QVERIFY(vectorOf(snapshot, {3, 9}) != vectorOf(snapshot, {9}));
    for (const float element : vectorOf(snapshot, {})) QCOMPARE(element, 0.0f);
  }

  // The newest items of a history count that is longer than the model was built for.
  void aLongHistoryKeepsItsNewestItems() {
    const auto snapshot = session(document_)->snapshot().value();
    QCOMPARE(vectorOf(snapshot, {1, 2, 3, 4, 5, 6, 7, 8}), vectorOf(snapshot, {3, 4, 5, 6, 7, 8}));
  }

  void devicesAgree_data() { testing::addDeviceRows(); }
  void devicesAgree() {
    QFETCH(QString, devices);
    QFETCH(bool, separate);
    const auto weightsOf = [&](const Experiment& document) {
      const auto made = session(document);
      const data::Split split = testing::SmallTraining::split(document, *made);
      const auto loader = made->loader(split, experiment::SplitPart::kTrain);
      std::int64_t step = 0;
      loader->begin(1);
      while (const data::Batch* batch = loader->next())
        if (const Status done = made->train(*batch, ++step, loader->peek()); !done)
          throw InternalError(done.error().message);
      return testing::weightsOf(*made);
    };
    Experiment several = document_;
    several.mesh.devices = {devices.toStdString()};
    if (separate) several.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto one = weightsOf(document_), many = weightsOf(several);
    for (std::size_t p = 0; p < one.size(); ++p)
      for (std::size_t i = 0; i < one[p].size(); ++i)
        QVERIFY(std::abs(one[p][i] - many[p][i]) <= 1e-4f * std::max(1.0f, std::abs(one[p][i])));
  }

  void resumesToTheSameBits() {
    testing::EventList events;
    const auto whole = training_.train(document_, "whole", events);
    const auto part = training_.train(document_, "part", events, 9);
    const auto checkpoint = checkpoint::open(part.result.checkpoint);
    QVERIFY(checkpoint.ok());
    const auto rest = training_.train(document_, "part", events, 0, *checkpoint);
    for (std::size_t p = 0; p < whole.session->parameters().size(); ++p)
      QVERIFY(std::ranges::equal(whole.session->parameters()[p].whole().weight.host(),
                                 rest.session->parameters()[p].whole().weight.host()));
  }

  void listsAnswerAHistory() {
    const auto made = session(document_);
    const data::Split split = testing::SmallTraining::split(document_, *made);
    const retrieval::Recommender of(
        std::make_shared<const retrieval::ModelSnapshot>(made->snapshot().value()), dataset_,
        std::make_shared<const retrieval::Interactions>(*dataset_, "user", "item", split), "user",
        "item");
    const auto idOf = [&](const char* column, std::int32_t row) {
      return std::string(dataset_->vocabularyOf(column).rawId(row));
    };
    retrieval::Query own(idOf("user", 4)), given(idOf("user", 4));
    given.history = {idOf("item", 3), idOf("item", 9)};
    const std::vector<retrieval::Query> queries{own, given};
    const auto lists = of.recommend(queries, 8, retrieval::SeenItems::kKeep).value();
    QVERIFY(lists[0].items[0].score != lists[1].items[0].score);
    for (const auto& item : lists[1].items) {
      const auto why = of.explain(given, item.id, 5).value();
      QVERIFY(std::abs(why.score - item.score) < 1e-5f);
      QCOMPARE(why.withoutAll, 0.0f);
    }
  }
};

QTEST_GUILESS_MAIN(SequenceHistoryTest)
#include "sequence_history_test.moc"
