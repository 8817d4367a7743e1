// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/workspace/workspace_state.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::Experiment;

namespace {

QStringList pointersOf(const std::vector<experiment::Problem>& problems) {
  QStringList pointers;
  for (const experiment::Problem& problem : problems)
    pointers << QString::fromStdString(problem.pointer);
  return pointers;
}

}  // namespace

/// Findings about a run before anything is imported or trained.
class PreflightTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDocumentThatCanRunHasNoProblem() {
    const auto preflight = place_->preflight(testing::smallSample());
    QVERIFY2(preflight.findings.problems.empty(),
             qPrintable(pointersOf(preflight.findings.problems).join(' ')));
    // Generated ratings have every user and item, so that tables have sizes before any import.
    for (const auto& table : preflight.tables) {
      QVERIFY2(table.rows == 61 || table.rows == 41, table.name.c_str());
      QCOMPARE(table.weightBytes, static_cast<std::uint64_t>(4 * table.rows * table.dim));
    }
    QCOMPARE(preflight.totalBytes, preflight.parameterBytes + preflight.activationBytes);
  }

  void anEditThatConcernsNoSplitMakesNone() {
    Experiment experiment = testing::smallSample();
    const auto imported = place_->importData(experiment, {});
    QVERIFY(imported.ok());
    workspace::KnownSplits splits;
    const auto split = [&] { return splits.of(experiment, *imported->dataset).value(); };
    const auto first = split();
    experiment.optimizer.learningRate = 0.5;
    experiment.dataset.batch.size = 20;
    QVERIFY(split() == first);
    experiment.training.seed += 1;
    const auto second = split();
    QVERIFY(second != first);
    experiment.dataset.split.kind = experiment::SplitKind::kBatches;
    experiment.dataset.split.train = {3, false};
    experiment.dataset.split.validation = {1, false};
    experiment.dataset.split.test = {1, false};
    const auto batches = split();
    QVERIFY(batches != second && batches->reshuffled);
    experiment.dataset.batch.size = 50;  // decides this one
    QVERIFY(split() != batches);
    // Data that cannot be split are asked anew.
    experiment.dataset.split.train = {1'000'000, false};
    QVERIFY(!splits.of(experiment, *imported->dataset).ok());
  }

  void buffersAreSharedOutAsTheBatchIs() {
    Experiment experiment = testing::smallSample();
    experiment.mesh.devices = {"cpu*3"};  // 50 rows: 17, 17, 16
    const auto preflight = place_->preflight(experiment);
    QCOMPARE(preflight.ranks.size(), std::size_t{3});
    std::int64_t rows = 0;
    std::uint64_t bytes = 0;
    for (const auto& rank : preflight.ranks) {
      rows += rank.batchRows;
      bytes += rank.activationBytes;
    }
    QCOMPARE(rows, preflight.batchRows);
    // Each share is rounded down.
    QVERIFY(bytes <= preflight.activationBytes && bytes + 3 >= preflight.activationBytes);
    QCOMPARE(preflight.memory.size(), std::size_t{1});  // the host, which has each table once
    QCOMPARE(preflight.memory[0].ranks, 3);
  }

  void whatCannotRunIsToldAtItsSetting_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("a batch above the training rows") << "batch"
                                                     << "/dataset/batch/size";
    QTest::newRow("one per device") << "device"
                                    << "/dataset/batch/per_device";
    QTest::newRow("no label to compare with") << "label"
                                              << "/dataset/label/column";
    QTest::newRow("a device that is not here") << "mesh"
                                               << "/mesh/devices";
    QTest::newRow("a table that fits no memory") << "table"
                                                 << "/tables/0";
    QTest::newRow("no room on devices") << "capacity"
                                        << "/mesh/capacity_bytes";
  }
  void whatCannotRunIsToldAtItsSetting() {
    QFETCH(QString, change);
    QFETCH(QString, pointer);
    Experiment experiment = testing::smallSample();
    experiment.dataset.split.train = {300, false};
    if (change == "batch") experiment.dataset.batch.size = 301;
    if (change == "device") {
      experiment.dataset.batch.size.reset();
      experiment.dataset.batch.perDevice = 400;
    }
    if (change == "label") {
      experiment.loss = {.kind = experiment::LossKind::kMse};
      experiment.dataset.label.column.reset();
    }
    if (change == "mesh") experiment.mesh.devices = {"cuda:63"};
    if (change == "table") {
      experiment.dataset.vocabularies[0].size = {experiment::VocabularySize::Kind::kFixed,
                                                 2'000'000'000};
      for (experiment::Table& table : experiment.tables) table.embeddingDim = 65'536;
    }
    if (change == "capacity") experiment.mesh.capacityBytes = 1;
    const QStringList found = pointersOf(place_->preflight(experiment).findings.problems);
    QVERIFY2(!found.filter(pointer).isEmpty(), qPrintable(found.join(' ')));
  }

  /// 300 rows in batches of 50 over 2 epochs: 12 steps.
  void aDecayThatTheRunDoesNotReachIsAWarning() {
    using enum experiment::ScheduleKind;
    const auto isWarned = [&](const experiment::Schedule& schedule) {
      Experiment experiment = testing::smallSample();
      experiment.dataset.split.train = {300, false};
      experiment.schedule = schedule;
      return pointersOf(place_->preflight(experiment).findings.warnings)
          .contains("/schedule/decay_steps");
    };
    for (const auto kind : {kPolynomial, kExponential, kCosine, kInverseTime}) {
      QVERIFY(isWarned({.kind = kind, .decaySteps = 1'000'000}));
      QVERIFY(!isWarned({.kind = kind, .decaySteps = 12}));
    }
    QVERIFY(!isWarned({.kind = kPolynomial, .decaySteps = experiment::kStepsOfRun}));
    QVERIFY(!isWarned({.kind = kConstant}));
    // The rate is back where it was, and was not all the time.
    QVERIFY(!isWarned({.kind = kCosineRestarts, .decaySteps = 11, .factor = 1.0}));
  }

  // As in the run itself: an item without a training row is no candidate of this model.
  void listsAreAsLongAsTheTrainedItems() {
    Experiment experiment = testing::smallSample();
    experiment.dataset.batch.size = 10;
    experiment.evaluation.k = {1, 20};
    QVERIFY(place_->importData(experiment, {}).ok());
    const auto warnedAt = [&](double trainingRows) {
      experiment.dataset.split.train = {trainingRows, false};
      experiment.dataset.split.validation = {540.0 - trainingRows, false};
      experiment.dataset.split.test = {60.0, false};
      return pointersOf(place_->preflight(experiment).findings.warnings).filter("/evaluation/k/");
    };
    QCOMPARE(warnedAt(19), QStringList{"/evaluation/k/1"});
    QCOMPARE(warnedAt(500), QStringList{});
  }

  // A document without data can be edited and planned, and cannot run yet.
  void noDataYetIsAWarning() {
    Experiment experiment = testing::smallSample();
    experiment.dataset.source = experiment::SourceKind::kCsv;
    experiment.dataset.path.reset();
    const auto findings = place_->preflight(experiment).findings;
    QVERIFY(pointersOf(findings.warnings).contains("/dataset/path"));
  }

  void everyRecipeThatNeedsDataSaysSo_data() {
    QTest::addColumn<QString>("name");
    for (const experiment::Recipe& recipe : experiment::recipes())
      if (recipe.needsData)
        QTest::newRow(recipe.name.c_str()) << QString::fromStdString(recipe.name);
  }
  void everyRecipeThatNeedsDataSaysSo() {
    QFETCH(QString, name);
    const experiment::Recipe recipe = experiment::findRecipe(name.toStdString()).value();
    const Experiment experiment =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    QVERIFY(!experiment.dataset.namesData());
    const auto findings = place_->preflight(experiment).findings;
    QVERIFY2(pointersOf(findings.warnings).contains("/dataset/path"),
             qPrintable(pointersOf(findings.warnings).join(' ')));
    QCOMPARE(place_->start(experiment, {}).error().pointer, std::string("/dataset/path"));
  }

  void filesOfThePartsAreDataAndHaveToBeThere() {
    Experiment experiment = testing::smallSample();
    experiment.dataset.source = experiment::SourceKind::kCsv;
    experiment.dataset.split.kind = experiment::SplitKind::kFiles;
    QVERIFY(!experiment.dataset.namesData());
    experiment.dataset.split.trainFile = "/nowhere/train.csv";
    experiment.dataset.split.testFile = "nowhere.csv";
    QVERIFY(experiment.dataset.namesData());
    const QStringList found = pointersOf(place_->preflight(experiment).findings.problems);
    QVERIFY2(found.contains("/dataset/split/train") && found.contains("/dataset/split/test"),
             qPrintable(found.join(' ')));
  }

  void aTextWithoutItsVocabularyCannotRun() {
    const QTemporaryDir folder;
    const experiment::Recipe recipe = experiment::findRecipe("bert-tiny-mlm").value();
    Experiment experiment =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    experiment.dataset.path = folder.path().toStdString();
    const auto pieces = QStringLiteral("/dataset/text/vocabulary");
    QVERIFY(pointersOf(place_->preflight(experiment).findings.problems).contains(pieces));
    QFile file(folder.filePath("vocab.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
    file.close();
    QVERIFY(!pointersOf(place_->preflight(experiment).findings.problems).contains(pieces));
    QVERIFY(!pointersOf(place_->preflight(experiment).findings.warnings).contains(pieces));
  }

  void whatIsAcceptedIsSaidOnce() {
    const QTemporaryDir folder;
    const experiment::Recipe recipe = experiment::findRecipe("bert-tiny-mlm").value();
    Experiment experiment =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    experiment.dataset.path = folder.path().toStdString();
    for (const char* content : {"", "[PAD]\n\n"}) {
      QFile file(folder.filePath("vocab.txt"));
      if (*content != '\0') {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
      }
      const auto problems = place_->preflight(experiment).findings.problems;
      const auto found =
          std::ranges::find(problems, "/dataset/text/vocabulary", &experiment::Problem::pointer);
      QVERIFY(found != problems.end());
      QVERIFY2(!found->message.ends_with("accepted"), found->message.c_str());
    }
  }

  void aVocabularyWhereTheProgramRunsIsNamed() {
    const QTemporaryDir folder, elsewhere;
    QFile file(elsewhere.filePath("vocab.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
    file.close();
    const experiment::Recipe recipe = experiment::findRecipe("bert-tiny-mlm").value();
    Experiment experiment =
        experiment::parse(experiment::parseJson(recipe.text).value()).experiment;
    experiment.dataset.path = folder.path().toStdString();
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(elsewhere.path()));
    const auto warnings = place_->preflight(experiment).findings.warnings;
    QVERIFY(QDir::setCurrent(before));
    const auto found =
        std::ranges::find(warnings, "/dataset/text/vocabulary", &experiment::Problem::pointer);
    QVERIFY(found != warnings.end());
    QVERIFY2(found->message.find(file.fileName().toStdString()) != std::string::npos,
             found->message.c_str());
    // The texts may lie there, too.
    experiment.dataset.path = "texts.txt";
    QVERIFY(QDir::setCurrent(elsewhere.path()));
    const auto beside = pointersOf(place_->preflight(experiment).findings.warnings);
    QVERIFY(QDir::setCurrent(before));
    QVERIFY(!beside.contains("/dataset/text/vocabulary"));
  }

 private:
  testing::TemporaryWorkspace place_;
};

QTEST_GUILESS_MAIN(PreflightTest)
#include "preflight_test.moc"
