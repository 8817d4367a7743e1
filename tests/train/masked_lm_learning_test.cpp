// SPDX-License-Identifier: Apache-2.0
// What masked language models learn: a grammar, beside whoever knows it, and lines by heart.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/train/evaluator.h"
#include "engine/train/masked_losses.h"
#include "tests/experiment/metric_values.h"
#include "tests/train/grammar_corpus.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using experiment::test::Values;
using experiment::test::valuesOf;
using namespace parapet::testing;

namespace {

/// 64 lines of eight words, drawn anew for each: what is not masked says which line it is.
Experiment rememberedDocument(const std::filesystem::path& folder) {
  constexpr std::uint64_t kLines = 64, kLength = 8, kWords = 40;
  const Random random(11, RandomPurpose::kSampling);
  std::string text, vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  // Words of one letter and one digit's letter: no piece begins another.
  const auto word = [](std::uint64_t index) {
    return std::string{static_cast<char>('a' + index / 10), static_cast<char>('k' + index % 10)};
  };
  for (std::uint64_t index = 0; index < kWords; ++index) vocabulary += word(index) + "\n";
  for (std::uint64_t line = 0; line < kLines; ++line) {
    for (std::uint64_t place = 0; place < kLength; ++place)
      text += word(random.below(kLength * line + place, kWords)) + " ";
    text += "\n";
  }
  for (const char* part : {"train.txt", "valid.txt", "test.txt"}) write(folder / part, text);
  write(folder / "vocab.txt", vocabulary);
  Experiment document = experiment::test::parsedDocument(grammarJson());
  document.dataset.path = folder.string();
  document.dataset.batch.size = 16;
  document.tables[0].embeddingDim = document.model.maskedLayers[0].units = 48;
  document.model.masking->maxSelections = 2;
  experiment::Layer& block = document.model.layers.back();
  block.heads = 4;
  block.units = 64;
  block.rate = 0.0;
  document.model.layers.push_back(block);
  document.optimizer.learningRate = 0.005;
  document.schedule = {.kind = experiment::ScheduleKind::kPolynomial,
                       .decaySteps = experiment::kStepsOfRun,
                       .end = 1e-4};
  return document;
}

/// The share of the masked pieces of validation that whoever knows the grammar, and which positions
/// are masked, names at best: the likeliest piece given what is left of the sentence.
double oracleAccuracy(train::Session& session, const data::Split& split) {
  const experiment::Masking masking = *session.experiment().model.masking;
  const data::Vocabulary& pieces = session.dataset().vocabularyOf(experiment::kTokensColumn);
  const auto loader = session.loader(split, experiment::SplitPart::kValidation);
  train::MaskedInputs inputs(session.dataset(), session.experiment(), session.batchRows());
  const double other = masking.random / static_cast<double>(pieces.size());
  double named = 0.0, masked = 0.0;
  loader->begin(1);
  while (const data::Batch* batch = loader->next()) {
    const nn::StepBatch input = inputs.extend({.rows = batch->rows, .features = batch->features},
                                              train::StepInputs::evaluationKey(*batch));
    const auto& [tokens, positions] = std::tie(input.features[0], input.features[1]);
    for (std::size_t example = 0; example + 1 < tokens.offsets.size(); ++example) {
      const std::int32_t first = tokens.offsets[example], last = tokens.offsets[example + 1];
      const std::set<std::int32_t> selected(positions.ids.begin() + positions.offsets[example],
                                            positions.ids.begin() + positions.offsets[example + 1]);
      std::vector<std::pair<std::vector<std::string>, double>> sentences;  // with their likelihoods
      double total = 0.0;
      for (const char* noun : kNouns)
        for (std::size_t verb = 0; verb < kVerbs.size(); ++verb) {
          const std::vector<std::string> words{"[CLS]", "the",          noun, kVerbs[verb], "the",
                                               noun,    kAdverbs[verb], ".",  "[SEP]"};
          double likelihood = 1.0;
          for (std::int32_t at = first; at < last; ++at) {
            const auto seen = pieces.rawId(tokens.ids[static_cast<std::size_t>(at)]);
            const bool stands = seen == words[static_cast<std::size_t>(at - first)];
            if (!selected.contains(at))
              likelihood *= stands ? 1.0 : 0.0;
            else if (seen != "[MASK]")
              likelihood *= other + (stands ? 1.0 - masking.mask - masking.random : 0.0);
          }
          sentences.emplace_back(words, likelihood);
          total += likelihood;
        }
      for (const std::int32_t at : selected) {
        std::map<std::string, double> ofPiece;
        for (const auto& [words, likelihood] : sentences)
          ofPiece[words[static_cast<std::size_t>(at - first)]] += likelihood / total;
        double best = 0.0;
        for (const auto& [piece, share] : ofPiece) best = std::max(best, share);
        named += best;
        masked += 1.0;
      }
    }
  }
  return named / masked;
}

}  // namespace

class MaskedLmLearningTest : public QObject {
  Q_OBJECT

  SmallTraining training_;

 private Q_SLOTS:
  /// The subject, the object, the verb and the adverb follow from what is not masked, nearly always;
  /// how often at best is known.
  void learnsTheGrammar() {
    const Corpus corpus;
    Experiment document = documentOf(corpus);
    document.training.epochs = 40;
    document.training.validateEvery = 40;
    for (experiment::Layer& layer : document.model.layers) layer.rate = 0.0;
    EventList events;
    const auto [result, session] = training_.train(document, "grammar", events);
    const Values last = valuesOf(result.epochs.back().metrics);
    const double oracle = oracleAccuracy(*session, SmallTraining::split(document, *session));
    QVERIFY2(last.at("val_accuracy") >= 0.95 * oracle,
             fmt::format("{}; the oracle has {}", last.at("val_accuracy"), oracle).c_str());
    QVERIFY(oracle > 0.8 && oracle < 1.0);
    QVERIFY(std::abs(last.at("val_perplexity") - std::exp(last.at("val_token_loss"))) < 1e-9);
    QCOMPARE(last.at("val_loss"), last.at("val_token_loss"));
    for (const experiment::BaselineVerdict& verdict : result.epochs.back().verdicts)
      QCOMPARE(verdict.verdict, experiment::Verdict::kBetter);
    QCOMPARE(result.epochs.back().verdicts.size(), std::size_t{2});
    QVERIFY(valuesOf(result.testMetrics).at("test_accuracy") > 0.8);
  }

  void remembers64Lines() {
    QTemporaryDir folder;
    Experiment document = rememberedDocument(folder.path().toStdString());
    document.training.epochs = document.training.validateEvery = 400;
    EventList events;
    const auto epochs = training_.train(document, "remembered", events).result.epochs;
    const Values last = valuesOf(epochs.back().metrics);
    QVERIFY2(last.at("val_accuracy") > 0.95, fmt::to_string(last.at("val_accuracy")).c_str());
  }
};

QTEST_APPLESS_MAIN(MaskedLmLearningTest)
#include "masked_lm_learning_test.moc"
