// SPDX-License-Identifier: Apache-2.0
#include "engine/train/session.h"

#include <QtTest>
#include <cmath>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::SplitPart;

class SessionTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  static checkpoint::Checkpoint saved(train::Session& session,
                                      const std::filesystem::path& folder) {
    checkpoint::Manifest manifest;
    manifest.step = 1;
    return checkpoint::open(checkpoint::write(folder, manifest, session.tensors()).value()).value();
  }

 private Q_SLOTS:
  void theGlobalBatchIsThatOfAllDevices() {
    experiment::Batch batch;
    batch.size = 64;
    QCOMPARE(train::globalBatchRows(batch, 8), 64);
    batch.size.reset();
    batch.perDevice = 16;
    QCOMPARE(train::globalBatchRows(batch, 8), 128);
  }

  void trainingReadsAllRowsOfThePartOnce() {
    const Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    for (const auto& [part, rows] : {std::pair{SplitPart::kTrain, split.train.size()},
                                     {SplitPart::kValidation, split.validation.size()}}) {
      const auto loader = session->loader(split, part);
      loader->begin(1);
      std::int64_t read = 0;
      while (const data::Batch* batch = loader->next()) read += batch->rows;
      QCOMPARE(read, rows);
    }
  }

  void aCheckpointOfAnotherShapeIsRefusedAndChangesNothing() {
    const Experiment document = testing::ratingsDocument();
    const auto small = training_.session(document);
    Experiment wider = document;
    for (experiment::Table& table : wider.tables) table.embeddingDim = 8;
    const auto wide = training_.session(wider);
    const auto checkpoint = saved(*small, training_.checkpoints("small"));
    const auto bytesOf = [](train::Session& session) {
      std::vector<std::byte> bytes;
      for (const checkpoint::TensorView& tensor : session.tensors())
        bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
      return bytes;
    };
    const auto before = bytesOf(*wide);
    const Status refused = wide->load(checkpoint);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kData);
    QVERIFY(refused.error().message.find("tables/user/weight") != std::string::npos ||
            refused.error().message.find("user") != std::string::npos);
    QVERIFY(bytesOf(*wide) == before);

    Experiment adam = document;
    adam.optimizer.kind = experiment::OptimizerKind::kAdam;
    const Status missing = training_.session(adam)->load(checkpoint);
    QVERIFY(!missing.ok());
    QVERIFY(missing.error().message.find("has no tensor") != std::string::npos);
  }

  void aSnapshotScoresAsTheModelPredicts() {
    const Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    session->useHistory(split.train);
    const retrieval::ModelSnapshot snapshot = session->snapshot().value();
    const auto loader = session->loader(split, SplitPart::kValidation);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(batch && session->evaluate(*batch).ok());
    for (std::int64_t row = 0; row < batch->rows; ++row) {
      const auto user = batch->features[0].ids[static_cast<std::size_t>(row)];
      const auto item = batch->features[1].ids[static_cast<std::size_t>(row)];
      float score = 0.0f;
      for (std::int64_t d = 0; d < snapshot.dim; ++d)
        score += snapshot.queries[static_cast<std::size_t>(user * snapshot.dim + d)] *
                 snapshot.candidates[static_cast<std::size_t>(item * snapshot.dim + d)];
      QVERIFY(std::abs(score - session->predictions(0)[row]) < 1e-6f);
    }
  }

  void notFiniteWeightsAreFound() {
    const auto session = training_.session(testing::ratingsDocument());
    QVERIFY(session->weightsFinite());
    session->parameters()[0].whole().weight.host()[3] = NAN;
    QVERIFY(!session->weightsFinite());
  }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
