// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/store/check_database.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;

namespace {

/// A ranking of lists, whose last bias shifts all scores alike: its gradient is nothing but rounding.
experiment::Experiment listsThatRoundingMoves() {
  experiment::Experiment lists = testing::smallSample();
  lists.model.kind = experiment::ModelKind::kRanking;
  lists.model.layers = {experiment::Layer{.units = 8, .activation = experiment::Activation::kRelu},
                        experiment::Layer{.units = 1}};
  lists.loss.kind = experiment::LossKind::kListMle;
  lists.dataset.batch.groupSize = 5;
  lists.mesh.spaces = experiment::MemorySpaces::kSeparate;
  for (experiment::Table& table : lists.tables) table.placement = experiment::Placement::kRow;
  return lists;
}

}  // namespace

class FacadeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anEpochHasAStepPointPerStep();
  void epochsCarryTimesApartAndMetrics();
  void refusesWhatTheDocumentAloneCannotShow_data();
  void refusesWhatTheDocumentAloneCannotShow();
  void aPreflightThatIsHandedOnIsNotMadeAgain();
  void aDivergingRunKeepsItsLastGoodCheckpoint();
  void checkpointsThatCannotBeWrittenWarnAndTrainingGoesOn();
  void snapshotsComeWhileItTrains();
  void recommendationsNeverListRowZeroOrUnknownUsers();
  void excludeSeenLeavesTrainingItemsOut();
  void theDataSetIsImportedAgainWhenItsFolderIsGone();
  void twoDevicesGiveTheSameBits();
  void roundingAloneDoesNotFailAVerification();
  void aBatchPerDeviceIsFixedBeforeDevicesChange();
  void aWeightWithoutGradientDoesNotFailAVerification();
  void magnifiedRoundingIsComparedStepByStep();
  void plainDescentIsComparedAsAWhole();
  void comparingShowsOnlyDifferingSettings();
  void comparesOnlyWhatWasMeasuredAlike();
  void erasedRunsAreGoneWithTheirCheckpoints();
  void orphanedCheckpointsAreAdopted();
  void earlyStoppingStops();
  void weightsReachTheLoss();
};

void FacadeTest::anEpochHasAStepPointPerStep() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  auto run = place->start(testing::smallSample(), {.threads = 1, .sink = &sink});
  QVERIFY(run.ok());
  QCOMPARE((*run)->wait().state, RunState::kFinished);
  const auto steps = sink.steps();
  QCOMPARE(steps.size(), std::size_t{20});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    QCOMPARE(steps[i].step, static_cast<std::int64_t>(i + 1));
    QCOMPARE(steps[i].epoch, static_cast<std::int64_t>(i / 10 + 1));
  }
  const auto started = sink.all<experiment::RunStarted>();
  QCOMPARE(started.size(), std::size_t{1});
  QCOMPARE(started[0].stepsPerEpoch, 10);
  QCOMPARE(started[0].trainRows, 480);
  QCOMPARE(started[0].baselines.size(), std::size_t{3});
  // The Markov chain, item-kNN and EASE come when they are fitted.
  const auto measured = sink.all<experiment::BaselinesMeasured>();
  QCOMPARE(measured.size(), std::size_t{1});
  QCOMPARE(measured[0].baselines.size(), std::size_t{6});
}

void FacadeTest::epochsCarryTimesApartAndMetrics() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.loss = {.kind = experiment::LossKind::kMse};
  const workspace::RunOutcome outcome = place.train(experiment);
  for (const experiment::EpochSummary& epoch : outcome.epochs) {
    QVERIFY(epoch.trainSeconds > 0.0 && epoch.validationSeconds > 0.0 &&
            epoch.retrievalSeconds > 0.0);
    QVERIFY(epoch.seconds >= epoch.trainSeconds + epoch.retrievalSeconds);
    QStringList keys;
    for (const auto& [name, value] : epoch.metrics) keys << QString::fromStdString(name);
    for (const char* key :
         {"val_loss", "val_rmse", "val_mae", "val_recall@10", "val_ndcg@10", "val_mrr"})
      QVERIFY2(keys.contains(key), key);
  }
  QVERIFY(!outcome.testMetrics.empty());
}

void FacadeTest::refusesWhatTheDocumentAloneCannotShow_data() {
  using Change = std::function<void(experiment::Experiment&)>;
  QTest::addColumn<Change>("change");
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("says");
  QTest::newRow("a table of petabytes") << Change([](auto& e) {
    e.dataset.vocabularies[1].size = {experiment::VocabularySize::Kind::kFixed, 1'000'000'000};
    e.tables[1].embeddingDim = e.tables[0].embeddingDim = 1'000'000;
  }) << "/tables/1"
                                        << "7.11 PiB";
  QTest::newRow("a batch larger than the data")
      << Change([](auto& e) { e.dataset.batch.size = 481; }) << "/dataset/batch/size"
      << "480 training rows";
  QTest::newRow("a device that is not here")
      << Change([](auto& e) { e.mesh.devices = {"cuda:0"}; }) << "/mesh/devices"
      << "cuda:0";
}

void FacadeTest::refusesWhatTheDocumentAloneCannotShow() {
  QFETCH(std::function<void(experiment::Experiment&)>, change);
  QFETCH(QString, pointer);
  QFETCH(QString, says);
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  change(experiment);
  const workspace::RunOutcome outcome = place.train(experiment);
  QCOMPARE(outcome.state, RunState::kFailed);
  QCOMPARE(outcome.error->code, ErrorCode::kInvalidDocument);
  QCOMPARE(QString::fromStdString(outcome.error->pointer), pointer);
  QVERIFY2(outcome.error->message.find(says.toStdString()) != std::string::npos,
           outcome.error->message.c_str());
  QVERIFY(place->store().runs()->empty());
}

void FacadeTest::aPreflightThatIsHandedOnIsNotMadeAgain() {
  testing::TemporaryWorkspace place;
  const experiment::Experiment experiment = testing::smallSample();
  QCOMPARE(place->preflight(experiment).dataset, std::string());
  QCOMPARE(place.train(experiment).state, RunState::kFinished);
  workspace::Preflight found = place->preflight(experiment);
  QVERIFY(!found.dataset.empty());
  const auto again = place->start(experiment, {.threads = 1, .preflight = found});
  QVERIFY(again.ok());
  QCOMPARE((*again)->wait().state, RunState::kFinished);
  found.findings.problems.push_back({"/name", "known before", ""});
  const auto refused = place->start(experiment, {.threads = 1, .preflight = found});
  QVERIFY(!refused.ok());
  QCOMPARE(refused.error().pointer, std::string("/name"));
}

void FacadeTest::aDivergingRunKeepsItsLastGoodCheckpoint() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.loss = {.kind = experiment::LossKind::kMse};
  experiment.model.score = experiment::Score::kDot;  // a cosine cannot grow
  experiment.optimizer = {.kind = experiment::OptimizerKind::kSgd, .learningRate = 1e6};
  const workspace::RunOutcome outcome = place.train(experiment);
  QCOMPARE(outcome.state, RunState::kDiverged);
  QCOMPARE(outcome.error->code, ErrorCode::kDiverged);
  QCOMPARE(place->store().find(outcome.runId)->state, RunState::kDiverged);
  if (!outcome.checkpoint.empty()) QVERIFY(place->recommender(outcome.runId, {}).ok());
}

void FacadeTest::checkpointsThatCannotBeWrittenWarnAndTrainingGoesOn() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  const QString blocked = place.folder.filePath("checkpoints");
  // A file where the folder should be: every commit fails, and not because the disk is full.
  sink.hook = [blocked](const experiment::RunEvent& event) {
    if (!std::holds_alternative<experiment::RunStarted>(event)) return;
    QDir(blocked).removeRecursively();
    QFile file(blocked);
    if (!file.open(QFile::WriteOnly)) qFatal("cannot block the checkpoints");
  };
  auto run = place->start(testing::smallSample(), {.threads = 1, .sink = &sink});
  QVERIFY(run.ok());
  const workspace::RunOutcome outcome = (*run)->wait();
  QCOMPARE(outcome.epochs.size(), std::size_t{2});
  QCOMPARE(outcome.state, RunState::kFailed);
  QCOMPARE(place->store().find(outcome.runId)->state, RunState::kFailed);
  const auto warnings = sink.all<experiment::RunWarning>();
  QVERIFY(!warnings.empty());
  QVERIFY(warnings[0].message.find("training goes on") != std::string::npos);
}

void FacadeTest::snapshotsComeWhileItTrains() {
  testing::TemporaryWorkspace place;
  testing::RecordingSink sink;
  auto run = place->start(testing::smallSample(), {.threads = 1, .sink = &sink, .paused = true});
  QVERIFY(run.ok());
  (*run)->step();
  QTRY_COMPARE(sink.steps().size(), std::size_t{1});
  std::mutex mutex;
  std::shared_ptr<const retrieval::ModelSnapshot> got;
  QVERIFY((*run)->requestSnapshot([&](auto snapshot) {
    std::lock_guard lock(mutex);
    got = snapshot;
  }));
  QTRY_VERIFY((std::lock_guard(mutex), got != nullptr));
  QCOMPARE(got->step, 1);
  QCOMPARE(got->queryRows, 61);
  QCOMPARE(got->queries.size(), std::size_t{61 * 16});
  // The interactions are built once for a run, not for each of its snapshots.
  const auto first = got;
  QVERIFY((*run)->requestSnapshot([&](auto snapshot) {
    std::lock_guard lock(mutex);
    got = snapshot;
  }));
  QTRY_VERIFY((std::lock_guard(mutex), got != first));
  QVERIFY(got->interactions);
  QCOMPARE(got->interactions, first->interactions);
  const auto recommender = workspace::Workspace::recommender(testing::smallSample(), got,
                                                             (*run)->dataset(), *(*run)->split());
  QCOMPARE(recommender->recommend(std::vector<std::string>{"1"}, 5, retrieval::SeenItems::kKeep)
               ->front()
               .items.size(),
           std::size_t{5});
}

void FacadeTest::recommendationsNeverListRowZeroOrUnknownUsers() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  const auto recommender = place->recommender(outcome.runId, {}).value();
  const auto all =
      recommender->recommend(std::vector<std::string>{"1", "60"}, 40, retrieval::SeenItems::kKeep);
  QVERIFY(all.ok());
  for (const auto& list : *all) {
    QCOMPARE(list.items.size(), std::size_t{40});
    for (const auto& item : list.items) QVERIFY(item.item != 0 && !item.id.empty());
  }
  for (const char* user : {"0", "61", "-1", "x", ""}) {
    const auto refused =
        recommender->recommend(std::vector<std::string>{user}, 5, retrieval::SeenItems::kKeep);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kNotFound);
  }
  for (const std::int64_t k : {0, -1, 41})
    QCOMPARE(recommender->recommend(std::vector<std::string>{"1"}, k, retrieval::SeenItems::kKeep)
                 .error()
                 .code,
             ErrorCode::kInvalidDocument);
}

void FacadeTest::excludeSeenLeavesTrainingItemsOut() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  const auto recommender = place->recommender(outcome.runId, {}).value();
  std::set<std::string> trained, any;
  const auto history = recommender->history("3").value();
  for (const auto& item : history) {
    any.insert(item.id);
    if (item.part == experiment::SplitPart::kTrain) trained.insert(item.id);
  }
  QVERIFY(!trained.empty() && any.size() >= trained.size());
  const auto listed = [&](retrieval::SeenItems seen) {
    return recommender->recommend(std::vector<std::string>{"3"}, 40, seen)->front();
  };
  QCOMPARE(listed(retrieval::SeenItems::kExcludeTrain).items.size(), 40 - trained.size());
  QCOMPARE(listed(retrieval::SeenItems::kExcludeAll).items.size(), 40 - any.size());
  for (const auto& item : listed(retrieval::SeenItems::kExcludeTrain).items)
    QVERIFY(!trained.contains(item.id));
  const auto first = listed(retrieval::SeenItems::kKeep).items.front();
  const auto standing = recommender->rankOf("3", first.id, 10, retrieval::SeenItems::kKeep).value();
  QCOMPARE(standing.rank, 1);
  QVERIFY(standing.gapToKth >= 0.0f);
  const auto why = recommender->explain("3", first.id, 3).value();
  QVERIFY(std::abs(std::accumulate(why.terms.begin(), why.terms.end(), 0.0f) - why.score) < 1e-4f);
}

void FacadeTest::theDataSetIsImportedAgainWhenItsFolderIsGone() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  QVERIFY(QDir(place.folder.filePath("datasets")).removeRecursively());
  QVERIFY(place->recommender(outcome.runId, {}).ok());
}

void FacadeTest::twoDevicesGiveTheSameBits() {
  testing::TemporaryWorkspace place;
  const auto same = place->verify(testing::smallSample(), {.steps = 15, .threads = 2}, {});
  QVERIFY(same.ok() && same->passed && same->identical);
  QCOMPARE(same->tolerance, 0.0);
  const auto more =
      place->verify(testing::smallSample(),
                    {.steps = 15, .devices = {"cpu*1"}, .against = {"cpu*8"}, .threads = 2}, {});
  QVERIFY(more.ok() && more->passed);
  QVERIFY(more->lossMaxAbsDiff < 1e-12);
}

// A bias that shifts all scores of a list alike has no gradient but rounding: on other devices it
// is another number, and far smaller than any that counts.
void FacadeTest::roundingAloneDoesNotFailAVerification() {
  testing::TemporaryWorkspace place;
  const experiment::Experiment lists = listsThatRoundingMoves();
  const workspace::VerifyOptions options{
      .steps = 15, .devices = {"cpu*4"}, .against = {"cpu*1"}, .threads = 2};
  const auto result = place->verify(lists, options, {});
  QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
  QVERIFY2(result->passed, std::to_string(result->maxRelativeDiff).c_str());
}

// A batch for each device is another global batch on eight of them than on one: both trainings get
// that of the document's own mesh.
void FacadeTest::aBatchPerDeviceIsFixedBeforeDevicesChange() {
  testing::TemporaryWorkspace place;
  for (const char* devices : {"cpu*1", "cpu*2"}) {
    experiment::Experiment experiment = testing::smallSample();
    experiment.dataset.batch.size.reset();
    experiment.dataset.batch.perDevice = 25;
    experiment.mesh.devices = {devices};
    for (const auto& [first, second] : {std::pair{"cpu*1", "cpu*8"}, {"cpu*8", "cpu*2"}}) {
      const auto result = place->verify(
          experiment, {.steps = 15, .devices = {first}, .against = {second}, .threads = 2}, {});
      QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
      QVERIFY2(result->passed, std::to_string(result->maxRelativeDiff).c_str());
      QVERIFY(result->first.devices.size() != result->second.devices.size());
    }
  }
}

// Adam divides a gradient by its own size, so the bias that has none but rounding moves by a whole
// step, and the other way on other devices. No loss of a list changes with it.
void FacadeTest::aWeightWithoutGradientDoesNotFailAVerification() {
  testing::TemporaryWorkspace place;
  experiment::Experiment lists = listsThatRoundingMoves();
  lists.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.3};
  const auto result = place->verify(
      lists, {.steps = 6, .devices = {"cpu*4"}, .against = {"cpu*1"}, .threads = 2}, {});
  QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
  QVERIFY2(result->passed, std::to_string(result->maxRelativeDiff).c_str());
  QVERIFY(result->maxAbsDiff > 1e-3);
  for (const workspace::TensorDifference& tensor : result->tensors) {
    QVERIFY2(tensor.gradientRelative.value_or(1.0) <= 1e-5, tensor.name.c_str());
    QVERIFY2(!tensor.withoutEffect || tensor.name == "dense/layer_1_bias/weight",
             tensor.name.c_str());
  }
}

// At such a rate whole weights of rounding decide where the next step goes, whatever the devices.
void FacadeTest::magnifiedRoundingIsComparedStepByStep() {
  testing::TemporaryWorkspace place;
  experiment::Experiment lists = listsThatRoundingMoves();
  lists.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 1.0};
  const auto result = place->verify(
      lists, {.steps = 15, .devices = {"cpu*4"}, .against = {"cpu*1"}, .threads = 2}, {});
  QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
  QVERIFY2(result->passed && result->byStep, std::to_string(result->maxRelativeDiff).c_str());
  QVERIFY(result->maxRelativeDiff > 10 * result->tolerance);
  QVERIFY(!result->magnifiesRounding);
}

// Plain descent magnifies nothing at rates that train, so it is held to the whole training at any.
void FacadeTest::plainDescentIsComparedAsAWhole() {
  testing::TemporaryWorkspace place;
  experiment::Experiment towers = testing::smallSample();
  towers.model.query = towers.model.candidate = {
      experiment::Layer{.units = 16, .activation = experiment::Activation::kTanh}};
  towers.mesh.spaces = experiment::MemorySpaces::kSeparate;
  towers.optimizer = {.kind = experiment::OptimizerKind::kSgd, .learningRate = 200.0};
  const auto result = place->verify(
      towers, {.steps = 60, .devices = {"cpu*4"}, .against = {"cpu*1"}, .threads = 2}, {});
  QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
  QVERIFY2(!result->passed && !result->byStep, std::to_string(result->maxRelativeDiff).c_str());
  QVERIFY(result->maxRelativeDiff > 10 * result->tolerance);
  QVERIFY(result->magnifiesRounding);
}

void FacadeTest::comparingShowsOnlyDifferingSettings() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  const std::string first = place.train(experiment).runId;
  experiment.optimizer.learningRate = 0.1;
  const std::string second = place.train(experiment).runId;
  const auto comparison = place->compare({first, second}, {});
  QVERIFY(comparison.ok());
  QCOMPARE(comparison->settings.size(), std::size_t{1});
  QCOMPARE(comparison->settings[0].pointer, std::string("/optimizer/learning_rate"));
  QCOMPARE(comparison->overlapUsers, 60);
  QVERIFY(comparison->meanOverlapAt10 >= 0.0 && comparison->meanOverlapAt10 < 1.0);
  // Alike in all that a metric depends on; held_out_test has which run is the better one.
  for (const auto& row : comparison->metrics)
    QVERIFY2(!row.notComparable.starts_with("the runs have") &&
                 !row.notComparable.starts_with("the runs were"),
             row.notComparable.c_str());
  QCOMPARE(comparison->metrics.back().name, std::string("ms_per_step"));
}

void FacadeTest::comparesOnlyWhatWasMeasuredAlike() {
  testing::TemporaryWorkspace place;
  const experiment::Experiment base = testing::smallSample();
  const std::string first = place.train(base).runId;
  const auto reasons = [&](const experiment::Experiment& other) {
    std::map<std::string, std::string> why;
    const auto comparison = place->compare({first, place.train(other).runId}, {});
    if (comparison.ok())
      for (const auto& row : comparison->metrics)
        // A reason that follows from the noise is left out.
        why[row.name] = row.notComparable.find("paired") == std::string::npos ? row.notComparable
                                                                              : std::string();
    return why;
  };
  experiment::Experiment loss = base;
  loss.loss.kind = experiment::LossKind::kBce;
  auto why = reasons(loss);
  QCOMPARE(why["val_loss"],
           std::string("the runs have different losses, or batches that scale them"));
  QCOMPARE(why["val_recall@10"], std::string());
  experiment::Experiment seed = base;
  seed.training.seed += 1;  // the split follows it
  why = reasons(seed);
  QCOMPARE(why["val_recall@10"], std::string("the runs split the data differently"));
  QCOMPARE(why["loss"], std::string("the runs split the data differently"));
  // The last rows of every user are the last rows whatever the seed is.
  experiment::Experiment last = base;
  last.dataset.split.kind = experiment::SplitKind::kLeaveLast;
  last.dataset.split.validation = {1.0, false};
  last.dataset.split.test = {0.0, false};
  const std::string ofLast = place.train(last).runId;
  last.training.seed += 1;
  const auto sameRows = place->compare({ofLast, place.train(last).runId}, {});
  QVERIFY2(sameRows.ok(), sameRows ? "" : sameRows.error().text().c_str());
  for (const auto& row : sameRows->metrics)
    QVERIFY2(row.notComparable.find("split") == std::string::npos, row.notComparable.c_str());
  QVERIFY(!sameRows->paired.empty());
  // Equal scores lose ln B.
  experiment::Experiment batch = base;
  batch.dataset.batch.size = 25;
  QCOMPARE(reasons(batch)["val_loss"],
           experiment::usesNegatives(base.loss.kind)
               ? std::string("the runs have different losses, or batches that scale them")
               : std::string());
  experiment::Experiment data = base;
  data.dataset.generator->events -= 100;
  QCOMPARE(reasons(data)["val_loss"], std::string("the runs were trained on different data"));
  experiment::Experiment evaluated = base;
  evaluated.evaluation.excludeSeen = !evaluated.evaluation.excludeSeen;
  why = reasons(evaluated);
  QCOMPARE(why["val_recall@10"], std::string("the runs are evaluated differently"));
  QCOMPARE(why["val_loss"], std::string());
}

void FacadeTest::erasedRunsAreGoneWithTheirCheckpoints() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  QVERIFY(place->trash(outcome.runId).ok());
  QVERIFY(place->store().runs()->empty());
  QVERIFY(place->restore(outcome.runId).ok());
  QCOMPARE(place->store().runs()->size(), std::size_t{1});
  QVERIFY(place->erase(outcome.runId).ok());
  QVERIFY(!QDir(QString::fromStdString(outcome.checkpoint)).exists());
}

void FacadeTest::orphanedCheckpointsAreAdopted() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  place.workspace.reset();
  for (const char* suffix : {"", "-wal", "-shm"})
    QFile::remove(place.folder.filePath(QStringLiteral("parapet.db") + suffix));
  place.workspace = place.open();
  const auto runs = place->store().runs();
  QCOMPARE(runs->size(), std::size_t{1});
  QCOMPARE(runs->front().id, outcome.runId);
  QVERIFY(place->recommender(outcome.runId, {}).ok());
  // Step, epoch, metrics and times are those of the manifest.
  const store::RunRecord& run = runs->front();
  QCOMPARE(run.steps, outcome.steps);
  QCOMPARE(run.epochs, 2);
  QCOMPARE(run.totalEpochs, 2);
  QVERIFY(run.seconds > 0.0 && run.trainSeconds > 0.0);
  QVERIFY(run.createdMs > 0 && run.createdMs <= run.endedMs);
  QCOMPARE(run.data, std::string("generated movies"));
  const auto epochs = place->store().epochs(run.id);
  QCOMPARE(epochs->size(), std::size_t{2});  // of the checkpoints with the best value and the last
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    QCOMPARE((*epochs)[epoch].loss, outcome.epochs[epoch].loss);
    QVERIFY(std::isnan((*epochs)[epoch].msPerStep));
    QCOMPARE((*epochs)[epoch].metrics.size(), outcome.epochs[epoch].metrics.size());
  }
  QVERIFY(store::checkDatabase(place.folder.filePath("parapet.db").toStdString())
              ->inconsistent.empty());
}

void FacadeTest::earlyStoppingStops() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.epochs = 50;
  experiment.optimizer.learningRate = 1e-7;  // nothing improves by the delta
  experiment.training.earlyStopping = experiment::EarlyStopping{"val_loss", 3, 0.01};
  const workspace::RunOutcome outcome = place.train(experiment);
  QCOMPARE(outcome.state, RunState::kFinished);
  QCOMPARE(outcome.epochs.size(), std::size_t{4});
}

void FacadeTest::weightsReachTheLoss() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.epochs = 1;
  experiment.optimizer.learningRate =
      1e-12;  // the first epoch's loss is that of the initial weights
  const double plain = place.train(experiment).epochs[0].loss;
  experiment.dataset.weight = "rating";
  const double weighted = place.train(experiment).epochs[0].loss;
  QVERIFY2(weighted > 2.0 * plain,
           qPrintable(QStringLiteral("%1 against %2").arg(weighted).arg(plain)));
}

QTEST_GUILESS_MAIN(FacadeTest)
#include "facade_test.moc"
