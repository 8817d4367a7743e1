// SPDX-License-Identifier: Apache-2.0
#include "engine/train/baseline_comparison.h"

#include <QtTest>
#include <cmath>

#include "engine/experiment/verdict_text.h"
#include "engine/train/evaluator.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::BaselineKind;
using experiment::BaselineVerdict;
using experiment::Experiment;
using experiment::LossKind;
using experiment::ModelKind;
using experiment::Verdict;

class BaselineComparisonTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  static Experiment documentOf(ModelKind kind, LossKind loss) {
    Experiment document = testing::ratingsDocument();
    document.model.kind = kind;
    document.loss.kind = loss;
    document.dataset.batch.size = 16;
    if (kind == ModelKind::kRanking) {
      document.model.layers.resize(1);
      document.model.layers[0].units = 1;
    }
    if (experiment::isListwise(loss)) document.dataset.batch.groupSize = 8;
    return document;
  }
  struct Outcome {
    std::vector<BaselineVerdict> verdicts;
    std::map<std::string, double> metrics;
    experiment::Baselines baselines;
    [[nodiscard]] const BaselineVerdict& against(const std::string& baseline) const {
      for (const BaselineVerdict& verdict : verdicts)
        if (verdict.baseline == baseline) return verdict;
      throw InternalError("no verdict against " + baseline);
    }
    [[nodiscard]] double baseline(const std::string& name, const std::string& key) const {
      for (const auto& [known, measured] : baselines)
        for (const auto& [metric, value] : measured)
          if (known == name && metric == key) return value;
      return std::nan("");
    }
  };
  /// After `epochs` of training.
  Outcome evaluated(Experiment document, std::int64_t epochs) const {
    testing::EventList events;
    document.training.epochs = std::max<std::int64_t>(1, epochs);
    if (epochs == 0) document.optimizer.learningRate = 1e-12;
    auto trained = training_.train(document, "run", events);
    const data::Split split = testing::SmallTraining::split(document, *trained.session);
    const retrieval::Interactions interactions(trained.session->dataset(), "user", "item", split);
    train::Evaluator evaluator(*trained.session, document, split, &interactions,
                               experiment::SplitPart::kValidation);
    auto measured = evaluator.measure("val_", 1).value();
    return {measured.verdicts,
            {measured.metrics.begin(), measured.metrics.end()},
            evaluator.baselines("val_", retrieval::FitLimits{})};
  }

 private Q_SLOTS:
  // Initial weights score everything alike: 7.6246 against 7.6246 must not be called better.
  void anUntrainedSoftmaxHasLearnedNothing() {
    const Outcome outcome =
        evaluated(documentOf(ModelKind::kRetrieval, LossKind::kInBatchSoftmax), 0);
    const BaselineVerdict& verdict = outcome.against("constant");
    QCOMPARE(verdict.kind, BaselineKind::kEqualScores);
    QCOMPARE(verdict.verdict, Verdict::kNoDifference);
    QVERIFY(std::abs(verdict.model - outcome.metrics.at("val_loss")) < 1e-9);
    QVERIFY(std::abs(verdict.reference - outcome.baseline("constant", "val_loss")) < 1e-9);
    QVERIFY(experiment::sentenceOf({&verdict, 1}).find("has learned nothing") != std::string::npos);
  }

  // Two batches say nothing about the noise; runs of their rows do, under the same negatives.
  void twoBatchesDecideByTheirRows() {
    for (const auto reduction :
         {experiment::Reduction::kMean, experiment::Reduction::kWeightedMean}) {
      Experiment document = documentOf(ModelKind::kRetrieval, LossKind::kInBatchSoftmax);
      document.dataset.batch.size = 120;
      document.dataset.weight = "rating";
      document.loss.reduction = reduction;
      const Outcome outcome = evaluated(document, 20);
      const BaselineVerdict& verdict = outcome.against("constant");
      QVERIFY(verdict.verdict != Verdict::kUndecided);
      QVERIFY(verdict.standardError > 0.0);
      QVERIFY(std::abs(verdict.model - outcome.metrics.at("val_loss")) < 1e-6);
      QVERIFY(std::abs(verdict.reference - outcome.baseline("constant", "val_loss")) < 1e-6);
    }
  }

  // 210 held-out rows in batches of 30; without a correction all scores are alike at ln of it.
  void equalScoresKnowTheirCandidates() {
    const auto candidatesOf = [&](LossKind loss, experiment::LogQ logQ, std::int64_t batch) {
      Experiment document = documentOf(ModelKind::kRetrieval, loss);
      document.loss.logQ = logQ;
      document.loss.accidentalHits = experiment::AccidentalHits::kKeep;
      document.dataset.batch.size = batch;
      const BaselineVerdict verdict = evaluated(document, 1).against("constant");
      if (verdict.kind != BaselineKind::kEqualScores) return std::int64_t{-1};
      return verdict.candidates;
    };
    using experiment::LogQ;
    QCOMPARE(candidatesOf(LossKind::kInBatchSoftmax, LogQ::kOff, 30), std::int64_t{30});
    QCOMPARE(candidatesOf(LossKind::kBpr, LogQ::kOff, 30), std::int64_t{2});
    QCOMPARE(candidatesOf(LossKind::kInBatchSoftmax, LogQ::kStandard, 30), std::int64_t{0});
    QCOMPARE(candidatesOf(LossKind::kInBatchSoftmax, LogQ::kOff, 40), std::int64_t{0});
  }

  void aTrainedModelOfRatingsIsBetterThanTheMean() {
    for (const LossKind loss : {LossKind::kMse, LossKind::kBce}) {
      const Outcome outcome = evaluated(documentOf(ModelKind::kRanking, loss), 20);
      const BaselineVerdict& verdict = outcome.against("constant");
      QCOMPARE(verdict.verdict, verdict.difference < -verdict.tolerance  ? Verdict::kBetter
                                : verdict.difference > verdict.tolerance ? Verdict::kWorse
                                                                         : Verdict::kNoDifference);
      QVERIFY(verdict.standardError > 0.0 && verdict.standardError < 0.1);
      QVERIFY(std::abs(verdict.model - outcome.metrics.at("val_loss")) < 1e-6);
      for (const char* baseline : {"constant", "item_mean"})
        QVERIFY2(std::abs(outcome.against(baseline).reference -
                          outcome.baseline(baseline, "val_loss")) < 1e-6,
                 baseline);
    }
  }

  void anUntrainedModelIsFarFromTheMean() {
    const Outcome outcome = evaluated(documentOf(ModelKind::kRetrieval, LossKind::kMse), 0);
    QCOMPARE(outcome.against("constant").verdict, Verdict::kWorse);
    QCOMPARE(outcome.against("most_popular").metric, std::string("val_recall@3"));
  }

  void listsAreComparedByTheirNdcg() {
    const Outcome outcome = evaluated(documentOf(ModelKind::kRanking, LossKind::kListMle), 0);
    const BaselineVerdict& verdict = outcome.against("item_mean");
    QCOMPARE(verdict.metric, std::string("val_ndcg@3"));
    QVERIFY(std::abs(verdict.model - outcome.metrics.at("val_ndcg@3")) < 1e-9);
    QVERIFY(std::abs(verdict.reference - outcome.baseline("item_mean", "val_ndcg@3")) < 0.05);
    QVERIFY(verdict.standardError > 0.0);
    const BaselineVerdict& random = outcome.against("random");
    QCOMPARE(random.verdict, Verdict::kNoDifference);
    // One random order, although the rows are read in two orders.
    QVERIFY(std::abs(random.reference - outcome.baseline("random", "val_ndcg@3")) < 1e-9);
  }

  void weightsAndReductionsAreThoseOfTheLoss() {
    using experiment::Reduction;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kWeightedMean}) {
      for (const LossKind loss : {LossKind::kMse, LossKind::kInBatchSoftmax}) {
        Experiment document = documentOf(ModelKind::kRetrieval, loss);
        document.dataset.weight = "rating";
        document.loss.reduction = reduction;
        const Outcome outcome = evaluated(document, 0);
        const BaselineVerdict& verdict = outcome.against("constant");
        const double scale = std::abs(verdict.model);
        QVERIFY(std::abs(verdict.model - outcome.metrics.at("val_loss")) < 1e-6 * scale);
        QVERIFY(std::abs(verdict.reference - outcome.baseline("constant", "val_loss")) <
                1e-6 * scale);
      }
    }
  }

  void aSumIsNotCompared() {
    Experiment document = documentOf(ModelKind::kRetrieval, LossKind::kMse);
    document.loss.reduction = experiment::Reduction::kSum;
    document.optimizer.learningRate = 1e-3;
    for (const BaselineVerdict& verdict : evaluated(document, 0).verdicts)
      QCOMPARE(verdict.metric, std::string("val_recall@3"));
  }
};

QTEST_GUILESS_MAIN(BaselineComparisonTest)
#include "baseline_comparison_test.moc"
