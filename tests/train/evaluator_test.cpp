// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluator.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/metric_key.h"
#include "engine/retrieval/interactions.h"
#include "tests/train/make_session.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::LossKind;
using experiment::ModelKind;

namespace {

using Values = std::map<std::string, double>;

constexpr const char* kDocument = R"({"parapet": 1, "name": "evaluated",
  "dataset": {"source": "generated",
    "generator": {"kind": "clicks", "users": 30, "items": 40, "events": 700, "seed": 7},
    "label": {"column": "click"},
    "vocabularies": [{"name": "user", "kind": "direct", "size": "max+1"},
                     {"name": "item", "kind": "direct", "size": "max+1"}],
    "split": {"kind": "random", "train": 0.7, "validation": 0.3, "test": 0},
    "batch": {"size": 64}},
  "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
             {"name": "item", "vocabulary": "item", "embedding_dim": 4}],
  "features": [{"name": "user", "column": "user", "table": "user"},
               {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
  "model": {"kind": "ranking", "layers": [{"kind": "dense", "units": 1}]},
  "optimizer": {"kind": "sgd", "learning_rate": 0.1},
  "evaluation": {"k": [3, 5]}})";

experiment::Experiment documentWith(ModelKind kind, LossKind loss) {
  auto document = experiment::parse(experiment::parseJson(kDocument).value()).experiment;
  document.model.kind = kind;
  if (kind == ModelKind::kRetrieval) document.model.layers.clear();
  document.loss.kind = loss;
  if (experiment::isListwise(loss)) document.dataset.batch.groupSize = 8;
  return document;
}

/// A head beside the score that reads the item alone.
void addHead(experiment::Experiment& document, LossKind loss, double weight) {
  experiment::Head head;
  head.name = "liked";
  head.inputs = {"item"};
  head.layers.resize(1);
  head.layers[0].units = 1;
  head.loss = {.kind = loss, .weight = weight};
  document.model.heads.push_back(head);
}

}  // namespace

class EvaluatorTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;

  struct Outcome {
    Values metrics;
    std::map<std::string, Values> baselines;
  };
  [[nodiscard]] Outcome evaluate(const experiment::Experiment& document,
                                 experiment::SplitPart part) const {
    auto session = testing::makeSession(document, dataset_);
    if (!session) throw InternalError(session.error().text());
    const std::int64_t batchRows = (*session)->batchRows();
    const data::Split split = data::makeSplit(*dataset_, document, batchRows).value();
    (*session)->useHistory(split.train);
    const retrieval::Interactions interactions(*dataset_, "user", "item", split);
    train::Evaluator evaluator(**session, document, split, &interactions, part);
    auto measured = evaluator.measure("val_", 1);
    if (!measured) throw InternalError(measured.error().text());
    Outcome outcome{{measured->metrics.begin(), measured->metrics.end()}, {}};
    if (outcome.metrics.size() != measured->metrics.size())
      throw InternalError("a key comes twice");
    for (const auto& [name, metrics] : evaluator.baselines("val_", retrieval::FitLimits{}))
      outcome.baselines[name] = {metrics.begin(), metrics.end()};
    return outcome;
  }
  [[nodiscard]] Values metricsOf(const experiment::Experiment& document) const {
    return evaluate(document, experiment::SplitPart::kValidation).metrics;
  }

 private Q_SLOTS:
  void initTestCase() {
    const auto document = documentWith(ModelKind::kRanking, LossKind::kMse);
    auto report = data::importDataset(document.dataset, folder_.path().toStdString(), {},
                                      data::makeGenerator);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
  }

  void everyKeyThatCanBeWatchedIsMeasured() {
    for (const ModelKind kind : {ModelKind::kRanking, ModelKind::kRetrieval})
      for (const LossKind loss : {LossKind::kMse, LossKind::kBce, LossKind::kPairwiseHinge,
                                  LossKind::kListMle, LossKind::kInBatchSoftmax}) {
        if (kind == ModelKind::kRanking && loss == LossKind::kInBatchSoftmax) continue;
        auto document = documentWith(kind, loss);
        if (loss == LossKind::kBce) addHead(document, LossKind::kMse, 0.5);
        if (loss == LossKind::kMse) addHead(document, LossKind::kBce, 0.5);
        const Values metrics = metricsOf(document);
        for (const std::string& key : experiment::validationKeys(document))
          QVERIFY2(metrics.contains(key) && std::isfinite(metrics.at(key)), key.c_str());
      }
  }

  // Two ways to the same number: the op's sums, and the collected logits.
  void theLossIsThatOfThePredictions() {
    const Values clicks = metricsOf(documentWith(ModelKind::kRanking, LossKind::kBce));
    QVERIFY(std::abs(clicks.at("val_loss") - clicks.at("val_logloss")) < 1e-7);
    const Values errors = metricsOf(documentWith(ModelKind::kRetrieval, LossKind::kMse));
    QVERIFY(std::abs(std::sqrt(errors.at("val_loss")) - errors.at("val_rmse")) < 1e-7);
  }

  void withHeadsTheLossIsTheirWeightedSum() {
    auto document = documentWith(ModelKind::kRanking, LossKind::kMse);
    addHead(document, LossKind::kBce, 0.25);
    const Values metrics = metricsOf(document);
    QCOMPARE(metrics.at("val_loss"),
             metrics.at("val_score_loss") + 0.25 * metrics.at("val_liked_loss"));
    QVERIFY(
        !metricsOf(documentWith(ModelKind::kRanking, LossKind::kMse)).contains("val_score_loss"));
  }

  // Users come from the data: the model need not read them.
  void usersAreKnownToModelsThatDoNotReadThem() {
    auto document = documentWith(ModelKind::kRanking, LossKind::kBce);
    const Values with = metricsOf(document);
    document.features.erase(document.features.begin());
    document.tables.erase(document.tables.begin());
    const Values without = metricsOf(document);
    QVERIFY(without.contains("val_gauc"));
    QVERIFY(with.at("val_gauc") != without.at("val_gauc"));
  }

  void baselinesGoWithTheModelAndItsLoss() {
    const auto namesOf = [&](ModelKind kind, LossKind loss) {
      QStringList names;
      for (const auto& [name, values] :
           evaluate(documentWith(kind, loss), experiment::SplitPart::kValidation).baselines)
        if (!values.empty()) names << QString::fromStdString(name);
      return names;
    };
    QCOMPARE(namesOf(ModelKind::kRanking, LossKind::kMse),
             (QStringList{"biases", "constant", "item_mean", "user_mean"}));
    QCOMPARE(namesOf(ModelKind::kRanking, LossKind::kListMle),
             (QStringList{"constant", "item_mean", "random", "user_mean"}));
    QCOMPARE(namesOf(ModelKind::kRetrieval, LossKind::kMse),
             (QStringList{"constant", "ease", "item_knn", "markov", "most_popular", "own_items",
                          "random"}));
  }

  // 210 rows in batches of 64: three full ones and one of 18.
  void equalScoresLoseTheLogarithmOfTheBatch() {
    auto document = documentWith(ModelKind::kRetrieval, LossKind::kInBatchSoftmax);
    document.loss.logQ = experiment::LogQ::kOff;
    document.loss.accidentalHits = experiment::AccidentalHits::kKeep;
    const auto outcome = evaluate(document, experiment::SplitPart::kValidation);
    const double expected = (192.0 * std::log(64.0) + 18.0 * std::log(18.0)) / 210.0;
    QVERIFY(std::abs(outcome.baselines.at("constant").at("val_loss") - expected) < 1e-12);
    // Small weights score almost alike.
    QVERIFY(std::abs(outcome.metrics.at("val_loss") - expected) < 1e-2);
  }

  // Corrections and masks change what equal scores lose; a model that has learned nothing loses it.
  void equalScoresAreUnderTheSameCorrections() {
    for (const LossKind kind :
         {LossKind::kInBatchSoftmax, LossKind::kSampledSoftmax, LossKind::kBpr}) {
      auto document = documentWith(ModelKind::kRetrieval, kind);
      document.loss.logQ = experiment::LogQ::kCorrected;
      document.loss.extraNegatives = {.count = 20, .from = experiment::NegativeSource::kMixed};
      const auto outcome = evaluate(document, experiment::SplitPart::kValidation);
      const double equal = outcome.baselines.at("constant").at("val_loss");
      QVERIFY(std::abs(outcome.metrics.at("val_loss") - equal) < 1e-2);
      if (kind == LossKind::kBpr) QVERIFY(std::abs(equal - std::log(2.0)) < 1e-12);
    }
  }

  // Scores that are all the same have the size that loses least, as far as the score can have it.
  void equalScoresOfProbabilitiesAreTheirBestConstant() {
    auto document = documentWith(ModelKind::kRetrieval, LossKind::kSampledBce);
    document.loss.extraNegatives = {.count = 20};
    document.loss.accidentalHits = experiment::AccidentalHits::kKeep;
    const auto equal = [&] {
      return evaluate(document, experiment::SplitPart::kValidation)
          .baselines.at("constant")
          .at("val_loss");
    };
    const double best = (std::log(21.0) + 20.0 * std::log(21.0 / 20.0)) / 21.0;
    QVERIFY(std::abs(equal() - best) < 1e-6);
    document.loss.hardNegatives = 5;
    QVERIFY(std::abs(equal() - (std::log(6.0) + 5.0 * std::log(6.0 / 5.0)) / 6.0) < 1e-6);
    document.loss.hardNegatives = std::nullopt;
    document.model.score = experiment::Score::kCosine;  // no score is below −1
    const double bounded = (std::log1p(std::exp(1.0)) + 20.0 * std::log1p(std::exp(-1.0))) / 21.0;
    QVERIFY(std::abs(equal() - bounded) < 1e-6);
  }

  void equalCosinesLieAtTheMargin() {
    auto document = documentWith(ModelKind::kRetrieval, LossKind::kCcl);
    document.model.score = experiment::Score::kCosine;
    document.loss.margin = 0.4;
    for (const auto& [weight, expected] : {std::pair{150.0, 0.6}, {0.5, 0.3}}) {
      document.loss.negativeWeight = weight;
      const auto outcome = evaluate(document, experiment::SplitPart::kValidation);
      QVERIFY(std::abs(outcome.baselines.at("constant").at("val_loss") - expected) < 1e-6);
    }
  }

  // As the schema says of /dataset/weight: losses, metrics of rows and the means of the baselines;
  // not rankings of the catalogue. Learning nothing, both models predict the same.
  void exampleWeightsReachWhatTheDocumentSays() {
    const testing::SmallTraining training;
    const auto measured = [&](experiment::Experiment document) {
      const auto session = training.session(document);
      const data::Split split = testing::SmallTraining::split(document, *session);
      session->useHistory(split.train);
      const retrieval::Interactions interactions(session->dataset(), "user", "item", split);
      train::Evaluator evaluator(*session, document, split, &interactions,
                                 experiment::SplitPart::kValidation);
      const auto of = evaluator.measure("val_", 1).value();
      Outcome outcome{{of.metrics.begin(), of.metrics.end()}, {}};
      for (const auto& [name, metrics] : evaluator.baselines("val_", retrieval::FitLimits{}))
        outcome.baselines[name] = {metrics.begin(), metrics.end()};
      return outcome;
    };
    for (const ModelKind kind : {ModelKind::kRanking, ModelKind::kRetrieval})
      for (const LossKind loss :
           {LossKind::kMse, LossKind::kBce, LossKind::kListMle, LossKind::kInBatchSoftmax}) {
        if (kind == ModelKind::kRanking && loss == LossKind::kInBatchSoftmax) continue;
        experiment::Experiment document = testing::ratingsDocument();
        document.model.kind = kind;
        document.loss.kind = loss;
        document.loss.reduction = experiment::Reduction::kWeightedMean;
        document.evaluation.relevanceThreshold = 4.0;
        if (kind == ModelKind::kRanking) document.model.layers.resize(1);
        if (kind == ModelKind::kRanking) document.model.layers[0].units = 1;
        if (experiment::isListwise(loss)) {
          document.dataset.batch.groupSize = 8;
          document.loss.reduction = experiment::Reduction::kMean;
        }
        const Outcome plain = measured(document);
        document.dataset.weight = "rating";
        const Outcome weighted = measured(document);
        const bool ofCatalogue = kind == ModelKind::kRetrieval;
        QCOMPARE(weighted.metrics.size(), plain.metrics.size());
        for (const auto& [key, value] : plain.metrics) {
          const bool isRanking = key.find('@') != std::string::npos || key == "val_mrr";
          if (ofCatalogue && isRanking)
            QVERIFY2(weighted.metrics.at(key) == value, key.c_str());
          else
            QVERIFY2(weighted.metrics.at(key) != value, key.c_str());
        }
        for (const auto& [name, values] : plain.baselines)
          for (const auto& [key, value] : values) {
            const bool reached = name == "constant" || name == "item_mean" || name == "user_mean" ||
                                 name == "biases";
            // All rows of a batch lose ln B, whatever they weigh; predicting a mean has the area
            // 1/2.
            if (loss == LossKind::kInBatchSoftmax || key.ends_with("auc")) continue;
            QVERIFY2((weighted.baselines.at(name).at(key) != value) == (reached || !ofCatalogue),
                     (name + " " + key).c_str());
          }
      }
  }

  void anEmptyPartMeasuresNothing() {
    const auto outcome =
        evaluate(documentWith(ModelKind::kRetrieval, LossKind::kMse), experiment::SplitPart::kTest);
    QVERIFY(outcome.metrics.empty());
    for (const auto& [name, metrics] : outcome.baselines) QVERIFY2(metrics.empty(), name.c_str());
  }
};

QTEST_GUILESS_MAIN(EvaluatorTest)
#include "evaluator_test.moc"
