// SPDX-License-Identifier: Apache-2.0
#include "engine/train/session.h"

#include <QtTest>
#include <cmath>

#include "engine/train/negative_inputs.h"
#include "engine/train/training_progress.h"
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

  // 32 examples and 8 drawn items a step, on 1 device as on 3; the count of masked hits and the
  // temperature reach the epoch.
  void lossesWithNegativesReportWhatTheyDid() {
    Experiment document = testing::ratingsDocument();
    document.dataset.batch.size = 32;
    document.loss.kind = experiment::LossKind::kInBatchSoftmax;
    document.loss.temperature = {0.5, true};
    document.loss.extraNegatives = {.count = 8, .from = experiment::NegativeSource::kMixed};
    document.model.score = experiment::Score::kCosine;
    document.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
    std::vector<double> losses;
    for (const char* devices : {"cpu*1", "cpu*3"}) {
      document.mesh.devices = {devices};
      testing::EventList events;
      const auto outcome = training_.train(document, devices, events);
      const auto& epochs = outcome.result.epochs;
      QVERIFY(train::metricOf(epochs[0].metrics, "masked_hits").value() > 0.0);
      const double temperature = train::metricOf(epochs[1].metrics, "temperature").value();
      QVERIFY(std::abs(temperature - 0.5) > 1e-3 && temperature > 0.0);
      QCOMPARE(temperature, outcome.session->temperature().value());
      losses.push_back(epochs[1].loss);
      // Lists rank by what the loss compares: vectors of length 1.
      const auto snapshot = outcome.session->snapshot().value();
      const std::int64_t items = outcome.session->dataset().itemIndex("item").size();
      for (std::int64_t item = 1; item < items; ++item) {
        double squares = 0.0;
        for (std::int64_t d = 0; d < snapshot.dim; ++d) {
          const auto value = static_cast<double>(
              snapshot.candidates[static_cast<std::size_t>(item * snapshot.dim + d)]);
          squares += value * value;
        }
        QVERIFY(std::abs(squares - 1.0) < 1e-5);
      }
    }
    QVERIFY(std::abs(losses[0] - losses[1]) < 1e-5 * losses[0]);
  }

  void drawsNegativesAsOftenAsItSays() {
    Experiment document = testing::ratingsDocument();
    document.loss.kind = experiment::LossKind::kSampledSoftmax;
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    for (const auto from :
         {experiment::NegativeSource::kUniform, experiment::NegativeSource::kPopularity,
          experiment::NegativeSource::kMixed}) {
      document.loss.extraNegatives = {.count = 40000, .from = from};
      const auto data = training_.dataset(document);
      const train::NegativeInputs inputs(data, session->model(), document, split.train, 64);
      std::vector<double> shares(inputs.itemLogQ().size());
      for (const std::int32_t item : inputs.draw(1))
        shares[static_cast<std::size_t>(item)] += 1.0 / 40000.0;
      QCOMPARE(inputs.draw(1), inputs.draw(1));
      QVERIFY(inputs.draw(1) != inputs.draw(2));
      QCOMPARE(shares[0], 0.0);  // row 0 is no item
      for (std::size_t item = 1; item < shares.size(); ++item)
        if (shares[item] > 0.005)
          QVERIFY(std::abs(shares[item] - std::exp(static_cast<double>(inputs.itemLogQ()[item]))) <
                  0.15 * shares[item]);
    }
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
      const auto item = session->dataset().itemIndex("item").ofEntry(
          batch->features[1].ids[static_cast<std::size_t>(row)]);
      float score = 0.0f;
      for (std::int64_t d = 0; d < snapshot.dim; ++d)
        score += snapshot.queries[static_cast<std::size_t>(user * snapshot.dim + d)] *
                 snapshot.candidates[static_cast<std::size_t>(item * snapshot.dim + d)];
      QVERIFY(std::abs(score - session->predictions(0)[row]) < 1e-6f);
    }
  }

  // A session for questions has the weights and the plans of evaluation, not the buffers of a step.
  void aSessionForQuestionsDoesNotTrain() {
    const Experiment document = testing::ratingsDocument();
    const auto trains = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *trains);
    const auto asks =
        train::Session::create(document, trains->sharedDataset(), trains->resolved(), 1,
                               mesh::localCommunicators(), train::Session::Use::kQuestions)
            .value();
    for (train::Session* session : {trains.get(), asks.get()}) session->useHistory(split.train);
    const auto loader = trains->loader(split, SplitPart::kValidation);
    loader->begin(1);
    const data::Batch* batch = loader->next();
    QVERIFY(batch && asks->evaluate(*batch).ok() && trains->evaluate(*batch).ok());
    QCOMPARE(asks->loss(), trains->loss());
    QCOMPARE(asks->itemVectors().value(), trains->itemVectors().value());
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)asks->train(*batch, 1));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)asks->times());
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)asks->counts(0));
  }

  void tensorsThatAreNotFiniteAreNamed() {
    const auto session = training_.session(testing::ratingsDocument());
    QCOMPARE(session->nonFiniteTensor(), std::string());
    // The last of them: every block is looked at.
    const auto last = session->parameters()[1].whole().slots[0].values.host();
    last.back() = INFINITY;
    QCOMPARE(session->nonFiniteTensor(), std::string("tables/item/accumulator"));
    last.back() = 3e38f;
    QCOMPARE(session->nonFiniteTensor(), std::string());
    session->parameters()[0].whole().weight.host()[3] = NAN;
    QCOMPARE(session->nonFiniteTensor(), std::string("tables/user/weight"));
  }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
