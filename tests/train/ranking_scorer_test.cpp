// SPDX-License-Identifier: Apache-2.0
#include "engine/train/forward_runners.h"

#include <QtTest>
#include <bit>
#include <cmath>
#include <thread>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;

class RankingScorerTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  Experiment document_ = testing::ratingsDocument();
  std::unique_ptr<train::Session> session_;
  data::Split split_;

 private Q_SLOTS:
  void initTestCase() {
    document_.model.kind = experiment::ModelKind::kRanking;
    document_.model.layers.resize(1);
    document_.model.layers[0].units = 1;
    session_ = training_.session(document_);
    split_ = testing::SmallTraining::split(document_, *session_);
    session_->useHistory(split_.train);
  }

  void scoresAreThePredictionsOfTheModel() {
    const auto scorer = session_->snapshot().value().scorer;
    QVERIFY(scorer);
    const auto loader = session_->loader(split_, experiment::SplitPart::kValidation);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(batch && session_->evaluate(*batch).ok());
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch->rows); ++row) {
      const std::int32_t user = batch->features[0].ids[row], item = batch->features[1].ids[row];
      float score = 0.0f;
      scorer->score({user, {}}, {&item, 1}, {&score, 1});
      QVERIFY(std::abs(score - session_->predictions(0)[row]) < 1e-6f);
    }
  }

  // More pairs than are scored at a time.
  void manyItemsScoreAsOneByOne() {
    const auto scorer = session_->snapshot().value().scorer;
    std::vector<std::int32_t> items(2500);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int32_t>(i % 40);
    std::vector<float> all(items.size());
    scorer->score({3, {}}, items, all);
    for (const std::size_t i :
         {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, std::size_t{2499}}) {
      float one = 0.0f;
      scorer->score({3, {}}, {&items[i], 1}, {&one, 1});
      QCOMPARE(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(all[i]));
    }
    for (std::size_t count = 1; count < 80; ++count) {
      std::vector<float> some(count);
      scorer->score({3, {}}, std::span(items).subspan(7, count), some);
      for (std::size_t i = 0; i < count; ++i)
        QCOMPARE(std::bit_cast<std::uint32_t>(some[i]), std::bit_cast<std::uint32_t>(all[7 + i]));
    }
  }

  void laterTrainingDoesNotChangeASnapshot() {
    const auto scorer = session_->snapshot().value().scorer;
    const std::int32_t item = 5;
    float before = 0.0f, after = 0.0f;
    scorer->score({1, {}}, {&item, 1}, {&before, 1});
    for (nn::Parameter& parameter : session_->parameters())
      for (float& weight : parameter.whole().weight.host()) weight += 1.0f;
    scorer->score({1, {}}, {&item, 1}, {&after, 1});
    QCOMPARE(after, before);
    float fresh = 0.0f;
    session_->snapshot().value().scorer->score({1, {}}, {&item, 1}, {&fresh, 1});
    QVERIFY(fresh != before);
  }
};

QTEST_GUILESS_MAIN(RankingScorerTest)
#include "ranking_scorer_test.moc"
