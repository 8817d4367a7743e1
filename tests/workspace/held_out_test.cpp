// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/held_out.h"

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/workspace/comparison.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

namespace {

const workspace::Comparison::MetricRow& rowOf(const workspace::Comparison& comparison,
                                              const std::string& name) {
  for (const auto& row : comparison.metrics)
    if (row.name == name) return row;
  qFatal("%s was not measured", name.c_str());
}

/// Lines in which each word follows from the one before it, and their vocabulary.
void writeTexts(const std::filesystem::path& folder) {
  static constexpr std::array kWords{"one", "two", "three", "four", "five"};
  std::ofstream vocabulary(folder / "vocab.txt");
  vocabulary << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nsix\nseven\n";
  for (const char* word : kWords) vocabulary << word << '\n';
  for (const auto& [file, lines] : {std::pair{"train.txt", 200}, {"valid.txt", 60}}) {
    std::ofstream text(folder / file);
    for (int line = 0; line < lines; ++line)
      for (int word = 0; word < 12; ++word)
        text << kWords[static_cast<std::size_t>(line % 3 + word) % kWords.size()]
             << (word < 11 ? " " : "\n");
  }
}

}  // namespace

/// The run among several that the program calls the best one.
class HeldOutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.loss = {.kind = experiment::LossKind::kMse};
    experiment.training.epochs = 8;
    learned_ = place_.train(experiment).runId;
    again_ = place_.train(experiment).runId;
    experiment.optimizer.learningRate = 1e-9;
    idle_ = place_.train(experiment).runId;
  }

  void aRunIsTheBestOneBeyondThreePairedErrors() {
    const auto compared = place_->compare({idle_, learned_}, {});
    QVERIFY(compared.ok());
    for (const char* metric : {"val_loss", "val_rmse"}) {
      const auto& row = rowOf(*compared, metric);
      QVERIFY2(workspace::bestRun(row) == std::size_t{1}, row.notComparable.c_str());
    }
    for (const auto& row : compared->metrics)
      QCOMPARE(workspace::bestRun(row).has_value(), row.notComparable.empty());
  }

  void equalRunsDoNotDiffer() {
    const auto compared = place_->compare({learned_, again_}, {});
    QVERIFY(compared.ok());
    for (const auto& row : compared->metrics) QVERIFY2(!workspace::bestRun(row), row.name.c_str());
    for (const char* metric : {"val_loss", "val_rmse", "val_mae", "val_ndcg@10"})
      QVERIFY2(rowOf(*compared, metric).notComparable.find("do not differ") != std::string::npos,
               metric);
  }

  // One that is equal to it is as good.
  void theBestOfThreeIsBetterThanEachOther() {
    auto compared = place_->compare({learned_, idle_, again_}, {});
    QVERIFY(compared.ok());
    QVERIFY(!workspace::bestRun(rowOf(*compared, "val_loss")));
    QVERIFY(rowOf(*compared, "val_loss").notComparable.find("the best runs do not differ") == 0);
    compared = place_->compare({idle_, learned_, idle_}, {});
    QVERIFY(compared.ok());
    QVERIFY(workspace::bestRun(rowOf(*compared, "val_loss")) == std::size_t{1});
  }

  // As after a resume whose last epoch has no checkpoint: the values say one thing, the pairs another.
  void valuesThatThePairsContradictAreNoTie() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.loss = {.kind = experiment::LossKind::kMse};
    experiment.training.epochs = 8;
    const std::string good = place_.train(experiment).runId;
    experiment::EpochSummary last;
    last.epoch = 9;
    last.step = 1000;
    last.metrics = {{"val_loss", 9.0}};
    place_->store().sink().onEvent(good, experiment::EpochEnded{last});
    QVERIFY(place_->store().flush().ok());
    const auto compared = place_->compare({idle_, good}, {});
    QVERIFY(compared.ok());
    const auto& row = rowOf(*compared, "val_loss");
    QCOMPARE(row.values[1], 9.0);
    QVERIFY(!workspace::bestRun(row));
    QVERIFY2(row.notComparable.find("do not differ") == std::string::npos,
             row.notComparable.c_str());
    QVERIFY2(row.notComparable.find("significantly better") != std::string::npos,
             row.notComparable.c_str());
  }

  // By line: a part of one batch has pairs enough.
  void maskedModelsAreComparedByLine() {
    const QTemporaryDir texts;
    writeTexts(texts.path().toStdString());
    experiment::Experiment experiment = recipe("bert-tiny-mlm");
    experiment.dataset.path = texts.path().toStdString();
    experiment.dataset.text->minBytes = 0;
    experiment.training.epochs = 4;
    const std::string learned = place_.train(experiment).runId;
    experiment.optimizer.learningRate = 1e-9;
    const std::string idle = place_.train(experiment).runId;
    const auto compared = place_->compare({idle, learned}, {});
    QVERIFY(compared.ok());
    for (const char* metric : {"val_loss", "val_token_loss", "val_accuracy"}) {
      const auto& row = rowOf(*compared, metric);
      QVERIFY2(workspace::bestRun(row) == std::size_t{1}, row.notComparable.c_str());
    }
    const auto same = place_->compare({learned, learned}, {});
    QVERIFY(same.ok());
    QVERIFY(rowOf(*same, "val_accuracy").notComparable.find("do not differ") != std::string::npos);
  }

  // Left out, the unit follows from the features: users here, held-out rows there.
  void metricsOfUsersAndOfExamplesDoNotCompare() {
    experiment::Experiment inContext = recipe("yambda-context");
    inContext.dataset.generator->users = 60;
    inContext.dataset.generator->items = 40;
    inContext.dataset.generator->events = 6000;
    inContext.training.epochs = 1;
    inContext.evaluation.unit.reset();
    experiment::Experiment without = inContext;
    std::erase_if(without.features, [](const experiment::Feature& feature) {
      return feature.column == "is_organic" || feature.column == "time_of_day";
    });
    std::erase_if(without.tables, [](const experiment::Table& table) {
      return table.name == "is_organic" || table.name == "time_of_day";
    });
    const std::string a = place_.train(inContext).runId, b = place_.train(without).runId;
    const auto compared = place_->compare({a, b}, {});
    QVERIFY2(compared.ok(), compared ? "" : compared.error().text().c_str());
    QCOMPARE(rowOf(*compared, "val_hit@10").notComparable,
             std::string("the runs are evaluated differently"));
    QVERIFY(!compared->paired.empty());
    // The lists of the overlap are those of one context a user.
    QCOMPARE(workspace::overlapContexts(*compared),
             (std::vector<std::string>{"is_organic", "time_of_day"}));
    std::vector<std::string> pointers;
    for (const auto& setting : compared->settings) pointers.push_back(setting.pointer);
    QCOMPARE(pointers, (std::vector<std::string>{"/features/query~1is_organic",
                                                 "/features/query~1time_of_day",
                                                 "/tables/is_organic", "/tables/time_of_day"}));
  }

  // The reciprocal rank looks at the whole list, which is as long as the largest k.
  void mrrOfListsOfDifferentLengthsDoesNotCompare() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.evaluation.k = {5, 30};
    const std::string a = place_.train(experiment).runId;
    experiment.evaluation.k = {5};
    const std::string b = place_.train(experiment).runId;
    experiment.evaluation.k = {30};
    const std::string c = place_.train(experiment).runId;
    auto compared = place_->compare({a, b}, {});
    QVERIFY(compared.ok());
    QVERIFY(rowOf(*compared, "val_mrr").notComparable.find("largest k") != std::string::npos);
    QVERIFY(rowOf(*compared, "val_ndcg@5").notComparable.find("do not differ") !=
            std::string::npos);
    compared = place_->compare({a, c}, {});
    QVERIFY(compared.ok());
    QVERIFY(rowOf(*compared, "val_mrr").notComparable.find("do not differ") != std::string::npos);
  }

  void otherSplitsAndCheckpointsAreCompared() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.loss = {.kind = experiment::LossKind::kMse};
    experiment.training.epochs = 8;
    experiment.training.checkpoints.best = "val_loss";
    experiment.dataset.split.train = {0.6, true};
    experiment.dataset.split.test = {0.2, true};
    const workspace::RunOutcome learned = place_.train(experiment);
    experiment.optimizer.learningRate = 1e-9;
    const std::string idle = place_.train(experiment).runId;
    workspace::CompareOptions options{.part = experiment::SplitPart::kTest};
    auto compared = place_->compare({idle, learned.runId}, options);
    QVERIFY2(compared.ok(), compared ? "" : compared.error().text().c_str());
    // As the run measured them at its end, and paired over the same rows.
    for (const auto& [name, value] : learned.testMetrics)
      QVERIFY2(std::abs(rowOf(*compared, name).values[1] - value) < 1e-6, name.c_str());
    QVERIFY(workspace::bestRun(rowOf(*compared, "test_loss")) == std::size_t{1});
    QVERIFY(!compared->paired.empty());
    for (const auto& row : compared->metrics) QVERIFY(!row.name.starts_with("val_"));
    // The best epoch of a run, not its last one.
    options = {.checkpoint = workspace::WhichCheckpoint::kBest};
    compared = place_->compare({idle, learned.runId}, options);
    QVERIFY2(compared.ok(), compared ? "" : compared.error().text().c_str());
    double best = std::numeric_limits<double>::infinity();
    for (const auto& epoch : learned.epochs)
      for (const auto& [name, value] : epoch.metrics)
        if (name == "val_loss") best = std::min(best, value);
    QCOMPARE(rowOf(*compared, "val_loss").values[1], best);
  }

  void whatIsNotThereIsNotFound() {
    // Without a test split, and without a checkpoint that was tracked as the best.
    experiment::Experiment experiment = testing::smallSample();
    experiment.training.checkpoints.best.reset();
    experiment.dataset.split.test = {0.0, false};
    const std::string untracked = place_.train(experiment).runId;
    const auto test =
        place_->compare({untracked, untracked}, {.part = experiment::SplitPart::kTest});
    QVERIFY(!test.ok() && test.error().code == ErrorCode::kNotFound);
    const auto best =
        place_->compare({learned_, untracked}, {.checkpoint = workspace::WhichCheckpoint::kBest});
    QVERIFY(!best.ok() && best.error().code == ErrorCode::kNotFound);
    QVERIFY(best.error().text().find(untracked) != std::string::npos);
  }

  void whatIsMeasuredOnTrainingRowsMakesNoBestRun() {
    const auto compared = place_->compare({idle_, learned_}, {});
    QVERIFY(compared.ok());
    for (const char* metric : {"loss", "rmse", "loss_as_displayed"}) {
      QVERIFY2(!workspace::bestRun(rowOf(*compared, metric)), metric);
      QVERIFY(rowOf(*compared, metric).notComparable.find("training") != std::string::npos);
    }
  }

 private:
  static experiment::Experiment recipe(const char* name) {
    return experiment::parse(experiment::parseJson(experiment::findRecipe(name)->text).value())
        .experiment;
  }

  testing::TemporaryWorkspace place_;
  std::string learned_, again_, idle_;
};

QTEST_GUILESS_MAIN(HeldOutTest)
#include "held_out_test.moc"
