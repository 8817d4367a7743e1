// SPDX-License-Identifier: Apache-2.0
// What a session takes from its data set besides batches: inputs of entities, statistics of columns
// and the raw ids for checkpoints.
#include <QtTest>
#include <cmath>

#include "engine/train/column_ids.h"
#include "engine/train/entity_inputs.h"
#include "engine/train/vocabulary_tensors.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;

class InputsTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;
  Experiment document_ = testing::ratingsDocument();
  std::shared_ptr<const data::Dataset> dataset_;
  std::unique_ptr<train::Session> session_;
  data::Split split_;

  [[nodiscard]] train::EntityInputs inputs() const {
    return {dataset_, session_->model(), document_, split_.train};
  }

 private Q_SLOTS:
  void initTestCase() {
    dataset_ = training_.dataset(document_);
    session_ = training_.session(document_);
    split_ = testing::SmallTraining::split(document_, *session_);
  }

  void aPairHasTheIdsOfItsUserAndItem() {
    train::EntityInputs of = inputs();
    const std::vector<std::int32_t> items{5, 6};
    const auto features = of.ofPairs({2, {}}, items);
    QVERIFY(std::ranges::equal(features[0].ids, std::vector<std::int32_t>{2, 2}));
    QVERIFY(std::ranges::equal(features[1].ids, items));
  }

  void aSideThatIsLeftOutIsNobody() {
    train::EntityInputs of = inputs();
    const std::vector<retrieval::EncoderQuery> queries{{1, {}}, {2, {}}};
    const auto features = of.ofQueries(queries);
    QVERIFY(std::ranges::equal(features[0].ids, std::vector<std::int32_t>{1, 2}));
    QVERIFY(std::ranges::equal(features[1].ids, std::vector<std::int32_t>{0, 0}));
  }

  void columnsThatTablesReadAreMeasured() {
    const auto columns = train::measureColumns(document_, *dataset_, 64);
    QCOMPARE(columns.size(), std::size_t{2});
    QCOMPARE(columns.at("user").idsPerExample, 1.0);
    QVERIFY(columns.at("item").maxIds <= 1);
    Experiment without = document_;
    without.features[1].table.clear();
    QVERIFY(!train::measureColumns(without, *dataset_, 64).contains("item"));
  }

  // vocab/<v>/ids and offsets: what a reader without the data set needs.
  void rawIdsCanBeReadBackFromTheTensors() {
    const train::VocabularyTensors vocabularies(*dataset_);
    std::vector<checkpoint::TensorView> tensors;
    vocabularies.appendTo(tensors);
    QCOMPARE(tensors.size(), std::size_t{4});
    QCOMPARE(QString::fromStdString(tensors[0].name), QString("vocab/user/ids"));
    const std::string_view text(reinterpret_cast<const char*>(tensors[0].bytes.data()),
                                tensors[0].bytes.size());
    const auto* offsets = reinterpret_cast<const std::int64_t*>(tensors[1].bytes.data());
    const data::Vocabulary& users = dataset_->vocabularyOf("user");
    QCOMPARE(tensors[1].shape, (std::vector<std::int64_t>{users.size() + 1}));
    for (std::int64_t row = 0; row < users.size(); ++row)
      QCOMPARE(text.substr(static_cast<std::size_t>(offsets[row]),
                           static_cast<std::size_t>(offsets[row + 1] - offsets[row])),
               users.rawId(row));
  }
};

QTEST_GUILESS_MAIN(InputsTest)
#include "inputs_test.moc"
