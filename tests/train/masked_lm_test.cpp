// SPDX-License-Identifier: Apache-2.0
// Masked language models: the same on every mesh and after a stop, their masks and displays, and the
// trivial predictions that they are held against.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>

#include "engine/data/ingest/import/text_sample.h"
#include "engine/train/evaluator.h"
#include "engine/train/masked_losses.h"
#include "tests/experiment/metric_values.h"
#include "tests/train/grammar_corpus.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::test::Values;
using experiment::test::valuesOf;
using testing::Corpus;
using testing::documentOf;
using testing::EventList;
using testing::sentences;
using testing::write;

class MaskedLmTest : public QObject {
  Q_OBJECT

  Corpus corpus_;
  testing::SmallTraining training_;

  std::vector<experiment::EpochSummary> epochsOf(const Experiment& document,
                                                 const std::string& run) const {
    EventList events;
    return training_.train(document, run, events).result.epochs;
  }

 private Q_SLOTS:
  /// The loss of Keras counts unused slots, which changes its scale and no accuracy.
  void theMeanCountsSlots() {
    Experiment document = documentOf(corpus_);
    document.loss.reduction = experiment::Reduction::kMean;
    const auto epochs = epochsOf(document, "slots");
    const Values last = valuesOf(epochs.back().metrics);
    QVERIFY(std::abs(last.at("val_loss") - last.at("val_loss_slots")) < 1e-9);
    QVERIFY(last.at("val_loss_slots") < last.at("val_token_loss"));
    QVERIFY(std::abs(epochs.back().loss - last.at("loss_slots")) < 1e-9);
  }

  /// Lines of one piece, most of them without a mask: those have no loss, in batches of one line in
  /// particular.
  void linesWithoutAMaskAreNoLosses() {
    QTemporaryDir folder;
    const std::filesystem::path path(folder.path().toStdString());
    std::string text;
    for (int line = 0; line < 60; ++line) text += line % 3 == 0 ? "cat\n" : "dog\n";
    for (const char* file : {"train.txt", "valid.txt"}) write(path / file, text);
    write(path / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\ndog\n");
    Experiment document = documentOf(corpus_);
    document.dataset.path = path.string();
    document.dataset.batch.size = 1;
    EventList events;
    const auto epochs = training_.train(document, "single pieces", events).result.epochs;
    for (const experiment::EpochSummary& epoch : epochs) {
      const Values values = valuesOf(epoch.metrics);
      QVERIFY(std::abs(epoch.loss - values.at("token_loss")) < 1e-9);
      QVERIFY(std::abs(values.at("val_loss") - values.at("val_token_loss")) < 1e-9);
    }
    // A step without a mask is no point of the curve.
    QVERIFY(!events.steps.empty() && events.steps.size() < 100);
    for (const experiment::StepPoint& step : events.steps) QVERIFY(step.loss > 0.0);
  }

  /// The published run displayed the sum of its two devices, averaged twice: the mean of the running means
  /// with the last one counted twice, here from the steps.
  void displaysAsPublished() {
    Experiment document = documentOf(corpus_);
    document.loss.reduction = experiment::Reduction::kMean;
    document.mesh.devices = {"cpu*2"};
    document.training.epochs = 1;
    const auto plain = epochsOf(document, "plain");
    document.reference.curve = "keras-bert-mlm";
    EventList events;
    const auto published = training_.train(document, "published", events).result.epochs;
    double sum = 0.0, shown = 0.0;
    for (std::size_t step = 0; step < events.steps.size(); ++step) {
      // Batches are equally long but for the last, which the mean counts by its slots.
      const double rows = step + 1 < events.steps.size() ? 24.0 : 400.0 - 24.0 * 16.0;
      sum += events.steps[step].loss * rows;
      const double running = sum / (24.0 * static_cast<double>(step) + rows);
      shown += running * (step + 1 < events.steps.size() ? 1.0 : 2.0);
    }
    shown /= static_cast<double>(events.steps.size() + 1);
    QVERIFY(std::abs(plain[0].lossAsDisplayed - shown) < 1e-9);
    QVERIFY(std::abs(published[0].lossAsDisplayed - 2.0 * shown) < 1e-9);
    QCOMPARE(published[0].loss, plain[0].loss);
    const Values a = valuesOf(plain[0].metrics), b = valuesOf(published[0].metrics);
    QCOMPARE(b.at("accuracy_as_displayed"), 2.0 * a.at("accuracy_as_displayed"));
    for (const char* key : {"accuracy", "val_loss", "val_accuracy", "loss_slots"})
      QCOMPARE(b.at(key), a.at(key));
    const auto notes = events.all<experiment::RunNote>();
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY(notes[0].message.find("2 devices") != std::string::npos);
  }

  void everyMeshTrainsTheSameModel_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<bool>("separate");
    for (const int ranks : {2, 3, 4})
      for (const bool separate : {false, true})
        QTest::addRow("cpu*%d%s", ranks, separate ? ", separate" : "") << ranks << separate;
  }
  void everyMeshTrainsTheSameModel() {
    QFETCH(int, ranks);
    QFETCH(bool, separate);
    Experiment document = documentOf(corpus_);
    const auto alone = epochsOf(document, "alone");
    document.mesh.devices = {fmt::format("cpu*{}", ranks)};
    if (separate) document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto found = epochsOf(document, fmt::format("mesh-{}-{}", ranks, separate));
    QCOMPARE(found.size(), alone.size());
    for (std::size_t epoch = 0; epoch < alone.size(); ++epoch) {
      QVERIFY(std::abs(found[epoch].loss - alone[epoch].loss) < 1e-4 * alone[epoch].loss);
      const Values a = valuesOf(alone[epoch].metrics), b = valuesOf(found[epoch].metrics);
      QVERIFY(std::abs(a.at("val_loss") - b.at("val_loss")) < 1e-4 * a.at("val_loss"));
    }
  }

  void aStoppedRunGoesOnWithTheSameBits() {
    EventList events;
    const Experiment document = documentOf(corpus_);
    const auto straight = epochsOf(document, "straight");
    const auto stopped = training_.train(document, "halves", events, 7);
    QCOMPARE(stopped.result.steps, 7);
    auto from = checkpoint::open(stopped.result.checkpoint);
    QVERIFY(from.ok());
    const auto resumed =
        training_.train(document, "halves", events, 0, std::move(from).value()).result.epochs;
    QCOMPARE(resumed.back().loss, straight.back().loss);
    QCOMPARE(resumed.front().metrics, straight.front().metrics);
    QCOMPARE(resumed.back().metrics, straight.back().metrics);
  }

  /// Lines "a b", "a b", "a c", in which positions 1 and 2 may be masked.
  void baselinesCountPiecesAndNeighbours() {
    Experiment document = documentOf(corpus_);
    QTemporaryDir folder;
    const std::filesystem::path path(folder.path().toStdString());
    write(path / "train.txt", "the cat\nthe cat\nthe dog\n");
    write(path / "valid.txt", "the dog\n");
    write(path / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\ndog\n");
    document.dataset.path = path.string();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    QCOMPARE(split.train.size(), 3);
    const train::PieceBaselines baselines(session->dataset(), split.train);
    const std::vector<std::int32_t> ids{2, 5, 7, 3}, offsets{0, 4}, positions{1, 2}, labels{5, 7};
    const data::FeatureIds tokens{ids, offsets};
    const data::MaskedBatch masks{
        .ids = ids, .positions = positions, .offsets = {}, .labels = labels, .weights = {}};
    // 6 pieces: 3 the, 2 cat, 1 dog; 8 rows of the vocabulary.
    const auto frequent = baselines.measure(train::PieceBaseline::kByFrequency, tokens, masks);
    QVERIFY(std::abs(frequent.numerator + std::log(4.0 / 14) + std::log(2.0 / 14)) < 1e-12);
    QCOMPARE(frequent.hits, 1.0);
    QCOMPARE(frequent.rows, 2.0);
    // After [CLS] always "the"; after "the" twice cat and once dog, two different ones.
    const auto after = baselines.measure(train::PieceBaseline::kByLeftNeighbour, tokens, masks);
    const double the = (3.0 + 1.0 * 4 / 14) / 4.0, dog = (1.0 + 2.0 * 2 / 14) / 5.0;
    QVERIFY(std::abs(after.numerator + std::log(the) + std::log(dog)) < 1e-12);
    QCOMPARE(after.hits, 1.0);
  }

  /// The masks that the viewer shows of an example in an epoch are those of training, whatever the
  /// batch size.
  void masksAreThoseOfTheEpochAndTheExample_data() {
    QTest::addColumn<int>("batchSize");
    for (const int size : {7, 24, 400}) QTest::addRow("batches of %d", size) << size;
  }
  void masksAreThoseOfTheEpochAndTheExample() {
    QFETCH(int, batchSize);
    Experiment document = documentOf(corpus_);
    document.dataset.batch.size = batchSize;
    document.dataset.batch.shuffle = experiment::BatchOrder::kNone;
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const auto sample = data::TextSample::read(document.dataset, 400, {}).value();
    const auto loader = session->loader(split, experiment::SplitPart::kTrain);
    train::MaskedInputs inputs(session->dataset(), document, session->batchRows());
    const data::Vocabulary& pieces = session->dataset().vocabularyOf(experiment::kTokensColumn);
    std::uint64_t step = 0;
    for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
      const auto shown = sample->masked(*document.model.masking, document.training.seed, epoch);
      std::size_t line = 0;
      loader->begin(epoch);
      while (const data::Batch* batch = loader->next()) {
        const nn::StepBatch masked =
            inputs.extend({.rows = batch->rows, .features = batch->features},
                          train::StepInputs::trainingKey(*batch, ++step));
        const data::FeatureIds& tokens = masked.features[0];
        for (std::size_t example = 0; example + 1 < tokens.offsets.size(); ++example, ++line) {
          auto id = tokens.ids.begin() + tokens.offsets[example];
          for (const data::MaskedText::Piece& piece : shown[line].pieces)
            QCOMPARE(pieces.rawId(*id++), piece.shown);
        }
      }
      QCOMPARE(line, std::size_t{400});
    }
  }

  void everyValidationHasTheSameMasks() {
    const Experiment document = documentOf(corpus_);
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const auto loader = session->loader(split, experiment::SplitPart::kValidation);
    train::MaskedInputs inputs(session->dataset(), document, session->batchRows());
    const auto labels = [&](std::int64_t epoch) {
      std::vector<std::int32_t> all;
      loader->begin(epoch);
      while (const data::Batch* batch = loader->next()) {
        const nn::StepBatch masked =
            inputs.extend({.rows = batch->rows, .features = batch->features},
                          train::StepInputs::evaluationKey(*batch));
        const auto found = masked.features[2].ids;
        all.insert(all.end(), found.begin(), found.end());
      }
      return all;
    };
    QVERIFY(!labels(1).empty());
    QVERIFY(labels(1) == labels(2));
  }

  /// Lines are pairs: a single batch of them tells a model that has learned from one that has not.
  void aSmallValidationPartDecides() {
    QTemporaryDir folder;
    const std::filesystem::path path(folder.path().toStdString());
    std::filesystem::copy(corpus_.path(), path, std::filesystem::copy_options::recursive);
    write(path / "valid.txt", sentences(20, 2));
    Experiment document = documentOf(corpus_);
    document.dataset.path = path.string();
    document.training.epochs = 20;
    document.training.validateEvery = 20;
    const auto verdicts = epochsOf(document, "small")[19].verdicts;
    QCOMPARE(verdicts.size(), std::size_t{2});
    QCOMPARE(verdicts[0].baseline, std::string("most_frequent"));
    QCOMPARE(verdicts[0].verdict, experiment::Verdict::kBetter);
  }
};

QTEST_APPLESS_MAIN(MaskedLmTest)
#include "masked_lm_test.moc"
