// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>

#include "tests/workspace/damage.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

/// Questions to a run whose newest checkpoint is damaged, or is not its own, is answered from an
/// older one, and the answer says so.
class DamagedCheckpointTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyAnswerTellsOfADamagedCheckpoint();
  void anotherRunsCheckpointIsRefused();
  void aNamedCheckpointIsNotReplaced();
  void runsWithoutACheckpointCompareWithoutLists();
  void resumingOnOtherDataIsRefused();
  void aRunOfDamagedCheckpointsAloneIsNotResumed();

 private:
  // Checkpoints after 10 and 20 steps.
  static std::string train(testing::TemporaryWorkspace& place, std::int64_t seed = 42) {
    experiment::Experiment experiment = testing::smallSample();
    experiment.training.seed = static_cast<std::uint64_t>(seed);
    experiment.training.checkpoints.every = 1;
    return place.train(experiment).runId;
  }
  static fs::path checkpoint(const testing::TemporaryWorkspace& place, const std::string& run,
                             int step) {
    return fs::path(place.folder.path().toStdString()) / "checkpoints" / run /
           ("ckpt-" + std::to_string(step));
  }
  static void scratch(const testing::TemporaryWorkspace& place, const std::string& run, int step) {
    testing::flipBit(checkpoint(place, run, step) / "tensors.safetensors", 2000, 3);
  }
  static bool tells(const std::vector<std::string>& warnings, const std::string& what) {
    return std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.find(what) != std::string::npos;
    });
  }
};

void DamagedCheckpointTest::everyAnswerTellsOfADamagedCheckpoint() {
  testing::TemporaryWorkspace place;
  const std::string run = train(place), other = train(place, 43);
  scratch(place, run, 20);

  const auto evaluation = place->evaluate(run, {}, {});
  QVERIFY(evaluation.ok());
  QCOMPARE(evaluation->step, std::int64_t{10});
  QVERIFY(tells(evaluation->warnings, "step 20 is not used"));

  std::vector<std::string> warnings;
  const auto recommender = place->recommender(run, {}, &warnings);
  QVERIFY(recommender.ok());
  QCOMPARE((*recommender)->model().step, std::int64_t{10});
  QVERIFY(tells(warnings, "10 steps are lost"));
  place.warnings.clear();
  QVERIFY(place->recommender(run, {}).ok());
  QVERIFY(tells(place.warnings, "step 20 is not used"));

  using What = workspace::ExportWhat;
  for (const auto& [what, format] : {std::pair{What::kTables, "npy"},
                                     {What::kCheckpoint, "safetensors"},
                                     {What::kRecommendations, "csv"}}) {
    workspace::ExportOptions options;
    options.what = what;
    options.format = format;
    options.out = place.folder.filePath("export").toStdString();
    fs::remove_all(options.out);
    const auto exported = place->exportRun(run, options, {});
    QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().text().c_str());
    QCOMPARE(exported->step, std::optional<std::int64_t>{10});
    QVERIFY(tells(exported->warnings, "step 20 is not used"));
  }

  const auto comparison = place->compare({other, run}, {});
  QVERIFY(comparison.ok());
  QCOMPARE(comparison->steps, (std::vector<std::optional<std::int64_t>>{20, 10}));
  QVERIFY(tells(comparison->warnings, "run " + run + ": the checkpoint of step 20 is not used"));
}

void DamagedCheckpointTest::anotherRunsCheckpointIsRefused() {
  testing::TemporaryWorkspace place;
  const std::string run = train(place), other = train(place, 43);
  fs::remove_all(checkpoint(place, run, 20));
  fs::copy(checkpoint(place, other, 20), checkpoint(place, run, 20));
  const auto evaluation = place->evaluate(run, {}, {});
  QVERIFY(evaluation.ok());
  QCOMPARE(evaluation->step, std::int64_t{10});
  QVERIFY(tells(evaluation->warnings, "of run " + other));
}

void DamagedCheckpointTest::aNamedCheckpointIsNotReplaced() {
  testing::TemporaryWorkspace place;
  const std::string run = train(place);
  scratch(place, run, 20);
  using workspace::WhichCheckpoint;
  const auto damaged = place->recommender(run, {WhichCheckpoint::kStep, 20});
  QVERIFY(!damaged.ok());
  QCOMPARE(damaged.error().code, ErrorCode::kData);
  scratch(place, run, 10);
  const auto none = place->evaluate(run, {}, {});
  QVERIFY(!none.ok());
  QCOMPARE(none.error().code, ErrorCode::kData);
  QCOMPARE(place->recommender(run, {WhichCheckpoint::kStep, 15}).error().code,
           ErrorCode::kNotFound);
}

void DamagedCheckpointTest::runsWithoutACheckpointCompareWithoutLists() {
  testing::TemporaryWorkspace place;
  const std::string run = train(place), other = train(place, 43);
  scratch(place, run, 10);
  scratch(place, run, 20);
  const auto comparison = place->compare({run, other}, {});
  QVERIFY(comparison.ok());
  QVERIFY(!comparison->steps[0]);
  QVERIFY(tells(comparison->warnings, "lists are not compared"));
}

void DamagedCheckpointTest::resumingOnOtherDataIsRefused() {
  testing::TemporaryWorkspace place;
  const std::string file = place.folder.filePath("rows.csv").toStdString();
  const auto write = [&](int lastUser) {
    std::ofstream stream(file);
    stream << "user,item\n";
    for (int row = 0; row < 600; ++row)
      stream << (row < 599 ? row % 30 + 1 : lastUser) << ',' << row % 37 + 1 << '\n';
  };
  write(1);
  experiment::Experiment experiment = testing::smallSample();
  experiment.dataset.source = experiment::SourceKind::kCsv;
  experiment.dataset.path = file;
  experiment.dataset.generator.reset();
  experiment.dataset.label = {};
  experiment.dataset.label.column.reset();
  experiment.dataset.columns = {{.name = "user", .role = experiment::ColumnRole::kUser},
                                {.name = "item", .role = experiment::ColumnRole::kItem}};
  for (experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies) {
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    vocabulary.size = {};
  }
  const workspace::RunOutcome whole = place.train(experiment);
  QVERIFY2(whole.state == RunState::kFinished, whole.error ? whole.error->text().c_str() : "");
  write(2);
  auto resumed = place->resume(whole.runId, {.threads = 1});
  QVERIFY(resumed.ok());
  const workspace::RunOutcome again = (*resumed)->wait();
  QCOMPARE(again.state, RunState::kFailed);
  QCOMPARE(again.error->code, ErrorCode::kData);
  QVERIFY2(again.error->message.find("was trained on the data set") != std::string::npos,
           again.error->message.c_str());
}

// To begin again would overwrite the epochs that are recorded.
void DamagedCheckpointTest::aRunOfDamagedCheckpointsAloneIsNotResumed() {
  testing::TemporaryWorkspace place;
  const std::string run = train(place);
  scratch(place, run, 10);
  scratch(place, run, 20);
  const auto refused = place->resume(run, {.threads = 1});
  QVERIFY(!refused.ok());
  QCOMPARE(refused.error().code, ErrorCode::kData);
  for (const std::string& what :
       {checkpoint(place, run, 10).string(), checkpoint(place, run, 20).string(),
        std::string("does not match its hash"), std::string("--fork")})
    QVERIFY2(refused.error().message.find(what) != std::string::npos,
             refused.error().message.c_str());
  const auto record = place->store().find(run);
  QVERIFY(record.ok());
  QCOMPARE(record->state, RunState::kFinished);
  QCOMPARE(place->store().epochs(run)->size(), std::size_t{2});
  // Without any checkpoint there is nothing to go on with, and nothing that is damaged.
  fs::remove_all(checkpoint(place, run, 10));
  fs::remove_all(checkpoint(place, run, 20));
  auto anew = place->resume(run, {.threads = 1});
  QVERIFY2(anew.ok(), anew ? "" : anew.error().text().c_str());
  QCOMPARE((*anew)->wait().state, RunState::kFinished);
}

QTEST_GUILESS_MAIN(DamagedCheckpointTest)
#include "damaged_checkpoint_test.moc"
