// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

namespace {

std::atomic<int> statements = 0;

/// Has SQLite count the statements of every connection that is opened from now on.
int countStatements(sqlite3* database, const char**, const sqlite3_api_routines*) {
  return sqlite3_trace_v2(
      database, SQLITE_TRACE_STMT,
      [](unsigned, void*, void*, void*) {
        ++statements;
        return 0;
      },
      nullptr);
}

}  // namespace

class RunStoreTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init();
  void createsARunThatReadsBack();
  void refusesTwoRunsOfOneId();
  void recordsALifecycle();
  void epochsReadBackWithNan();
  void epochsReadBackInBlocks();
  void stepsReadBackInPieces();
  void fullRingLosesNoExtreme();
  void lastStepsAreThereWhenTheRunHasEnded();
  void checkpointsFollowEvents();
  void findsByPrefixAndLatest();
  void adoptingForgetsWhatWillBeMeasuredAgain();
  void adoptingTrimsABucketAcrossTheStep();
  void changesAndErases();
  void unknownRunsAreIgnored();
  void listsWithoutDocuments();
  void aListIsOneQueryWhateverItsLength();
  void theBestEpochFollowsTheMetricOfTheRun_data();
  void theBestEpochFollowsTheMetricOfTheRun();
  void adoptingForgetsABestEpochThatIsCut();
  void aLivingRunTellsItsTime();
  void checkpointPathsMoveWithTheWorkspace();
  void blocksHoldWhatTheirStepsHeld_data();
  void blocksHoldWhatTheirStepsHeld();
  void blocksFollowARunThatIsResumed();
  void runsWithoutBlocksGetThemWhenTheyAreResumed();
  void blocksOfAPartAreFiner();
  void closingCommitsWhatWasTold();
  void manyThreadsAtOnce();

 private:
  std::string add(std::string id = RunStore::newRunId(), std::int64_t createdMs = 0) {
    RunRecord run;
    run.id = std::move(id);
    run.createdMs = createdMs;
    run.experimentJson = "{}";
    const auto created = store_->createRun(run);
    if (!created.ok()) qCritical("%s", created.error().text().c_str());
    return run.id;
  }
  void tell(const std::string& id, const RunEvent& event) { store_->sink().onEvent(id, event); }
  void step(const std::string& id, std::int64_t step, double loss) {
    store_->sink().onStep(id, {step, 1, loss, 0.5 * static_cast<double>(step)});
  }
  void flush() {
    const auto flushed = store_->flush();
    QVERIFY2(flushed.ok(), flushed.ok() ? "" : flushed.error().text().c_str());
  }
  /// Steps first..last, one bucket each: an extreme at 777, no finite loss at 1234.
  void record(const std::string& id, std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at <= last; ++at) {
      const double loss = at == 777 ? 99.0 : at == 1234 ? NAN : 1.0 / static_cast<double>(at);
      step(id, at, loss);
      if (at % 1000 == 0) flush();  // before the ring joins neighbours
    }
    flush();
  }
  /// Whether the blocks of a run are what its steps give when they are joined one by one.
  void checkBlocks(const std::string& id, std::int64_t maxBuckets) {
    const auto steps = store_->steps(id).value();
    const std::int64_t last = steps.back().lastStep;
    int level = static_cast<std::int64_t>(steps.size()) <= maxBuckets ? 0 : 3;
    while (level > 0 && (last >> level) + 1 > maxBuckets) level += 3;
    std::vector<experiment::StepBucket> expected;
    for (const experiment::StepBucket& bucket : steps) {
      if (!expected.empty() && expected.back().lastStep >> level == bucket.lastStep >> level)
        experiment::joinBucket(expected.back(), bucket);
      else
        expected.push_back(bucket);
    }
    const auto blocks = store_->stepBlocks(id, 0, last, maxBuckets).value();
    QVERIFY(static_cast<std::int64_t>(blocks.size()) <= maxBuckets);
    QCOMPARE(blocks.size(), expected.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const experiment::StepBucket &block = blocks[i], &wanted = expected[i];
      QCOMPARE(block.firstStep, wanted.firstStep);
      QCOMPARE(block.lastStep, wanted.lastStep);
      QCOMPARE(block.epoch, wanted.epoch);
      QCOMPARE(block.min, wanted.min);
      QCOMPARE(block.max, wanted.max);
      QCOMPARE(block.last, wanted.last);
      QCOMPARE(block.seconds, wanted.seconds);
      QCOMPARE(block.nonFinite, wanted.nonFinite);
    }
  }
  QTemporaryDir folder_;
  fs::path path_;
  std::unique_ptr<RunStore> store_;
};

void RunStoreTest::init() {
  path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction();
  store_ = RunStore::open(path_, {}).value();
}

void RunStoreTest::createsARunThatReadsBack() {
  RunRecord run;
  run.id = RunStore::newRunId();
  QCOMPARE(run.id.size(), std::size_t{12});
  run.name = "größe '; DROP TABLE runs; --";
  run.recipe = "sample";
  run.experimentJson = R"({"name":"x"})";
  run.fingerprint = "fp";
  run.createdMs = 1234;
  run.totalEpochs = 10;
  run.notes = "n";
  QVERIFY(store_->createRun(run).ok());
  const auto found = store_->find(run.id);
  QVERIFY(found.ok());
  QCOMPARE(found->name, run.name);
  QCOMPARE(found->recipe, run.recipe);
  QCOMPARE(found->experimentJson, run.experimentJson);
  QCOMPARE(found->fingerprint, run.fingerprint);
  QCOMPARE(found->createdMs, run.createdMs);
  QCOMPARE(found->totalEpochs, run.totalEpochs);
  QCOMPARE(found->notes, run.notes);
  QVERIFY(found->state == RunState::kQueued);
  QVERIFY(found->owner.alive());
}

void RunStoreTest::refusesTwoRunsOfOneId() {
  const std::string id = add();
  RunRecord run;
  run.id = id;
  QCOMPARE(store_->createRun(run).error().code, ErrorCode::kStore);
  run.id = "XYZ";
  QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)store_->createRun(run));
}

void RunStoreTest::recordsALifecycle() {
  const std::string id = add();
  RunStarted started;
  started.stepsPerEpoch = 100;
  started.totalEpochs = 3;
  started.trainRows = 800;
  started.dataset = "hash";
  started.baselines = {{"constant", {{"val_loss", 1.25}}}};
  tell(id, started);
  tell(id, BaselinesMeasured{{{"constant", {{"val_loss", 1.25}}}, {"ease", {{"val_x", 0.5}}}}});
  tell(id, StateChanged{RunState::kPaused});
  tell(id, StateChanged{RunState::kRunning});
  tell(id, RunWarning{"slow disk"});
  RunEnded ended;
  ended.state = RunState::kFailed;
  ended.error = Error{ErrorCode::kIo, "no room"}.wrap("writing");
  ended.testMetrics = {{"test_loss", 0.5}, {"test_x", std::numeric_limits<double>::quiet_NaN()}};
  ended.seconds = 12.5;
  ended.trainSeconds = 10.5;
  tell(id, ended);
  flush();
  const RunRecord run = store_->find(id).value();
  QVERIFY(run.state == RunState::kFailed);
  QCOMPARE(run.stepsPerEpoch, 100);
  QCOMPARE(run.totalEpochs, 3);
  QCOMPARE(run.dataset, std::string("hash"));
  QCOMPARE(run.error, ended.error->text());
  QCOMPARE(run.seconds, 12.5);
  QCOMPARE(run.trainSeconds, 10.5);
  QVERIFY(run.endedMs >= run.createdMs);
  const auto startedJson = nlohmann::json::parse(run.startedJson);
  QCOMPARE(startedJson.at("train_rows").get<int>(), 800);
  QCOMPARE(startedJson.at("baselines").at("constant").at("val_loss").get<double>(), 1.25);
  QCOMPARE(startedJson.at("baselines").at("ease").at("val_x").get<double>(), 0.5);
  // A resume has it until it is measured again.
  started.firstStep = 100;
  started.baselines = {{"constant", {{"val_loss", 1.5}}}};
  tell(id, started);
  flush();
  const auto resumedJson = nlohmann::json::parse(store_->find(id).value().startedJson);
  QCOMPARE(resumedJson.at("first_step").get<int>(), 100);
  QCOMPARE(resumedJson.at("baselines").at("constant").at("val_loss").get<double>(), 1.5);
  QCOMPARE(resumedJson.at("baselines").at("ease").at("val_x").get<double>(), 0.5);
  tell(id, BaselinesMeasured{started.baselines});
  flush();
  QVERIFY(!nlohmann::json::parse(store_->find(id).value().startedJson)
               .at("baselines")
               .contains("ease"));
  QCOMPARE(run.testJson, std::string(R"({"test_loss":0.5,"test_x":null})"));
  QStringList kinds;
  const auto events = store_->events(id).value();
  for (const EventRecord& event : events) kinds << QString::fromStdString(event.kind);
  QCOMPARE(kinds, (QStringList{"started", "state", "state", "warning", "ended", "started"}));
  QCOMPARE(events[3].message, std::string("slow disk"));
}

void RunStoreTest::epochsReadBackWithNan() {
  const std::string id = add();
  EpochSummary epoch;
  epoch.epoch = 1;
  epoch.step = 10;
  epoch.loss = 0.1 + 0.2;
  epoch.validationSeconds = std::numeric_limits<double>::quiet_NaN();
  epoch.timeUse = {{0.5, 0.25}, 0.125, 0.25, 0.0, 1.5};
  epoch.metrics = {{"val_loss", 1.5}, {"val_a", std::numeric_limits<double>::quiet_NaN()}};
  tell(id, EpochEnded{epoch});
  epoch.metrics.front().second = 2.5;  // told again after a resume: replaces
  tell(id, EpochEnded{epoch});
  epoch.epoch = 2;
  epoch.timeUse = {};
  epoch.verdicts = {experiment::judge("constant", experiment::BaselineKind::kTrained, "val_loss",
                                      0.5, 1.0, {-0.5, 0.01, 100})};
  epoch.segments = {{"activity", "1-9", 4, {{"recall@10", 0.25}}, {{"recall@10", 0.125}}},
                    {"genre", "", 1, {{"recall@10", 1.0}}, {}}};
  epoch.metrics.clear();
  tell(id, EpochEnded{epoch});
  flush();
  const auto epochs = store_->epochs(id).value();
  QCOMPARE(epochs.size(), std::size_t{2});
  QCOMPARE(epochs[0].loss, 0.1 + 0.2);
  QVERIFY(std::isnan(epochs[0].validationSeconds));
  QCOMPARE(epochs[0].metrics.size(), std::size_t{2});
  QCOMPARE(epochs[0].metrics[0], (Metric{"val_loss", 2.5}));
  QVERIFY(std::isnan(epochs[0].metrics[1].second));
  QVERIFY(epochs[1].metrics.empty());
  QCOMPARE(epochs[0].timeUse.compute, (std::vector{0.5, 0.25}));
  QCOMPARE(epochs[0].timeUse.exchange, 0.125);
  QVERIFY(epochs[0].verdicts.empty());
  QVERIFY(epochs[0].segments.empty());
  QCOMPARE(epochs[1].segments, epoch.segments);
  QCOMPARE(experiment::toJson(epochs[1].verdicts), experiment::toJson(epoch.verdicts));
  // Baselines that come later judge it again.
  auto more = epoch.verdicts;
  more.push_back(more.front());
  tell(id, BaselinesMeasured{{}, epoch.epoch, more});
  flush();
  QCOMPARE(experiment::toJson(store_->epochs(id)->at(1).verdicts), experiment::toJson(more));
  QCOMPARE(epochs[0].timeUse.seconds, 1.5);
  QVERIFY(epochs[1].timeUse.empty());
  QCOMPARE(store_->find(id)->epochs, 2);
  QCOMPARE(store_->find(id)->steps, 10);
}

void RunStoreTest::epochsReadBackInBlocks() {
  const std::string id = add();
  for (int i = 1; i <= 5; ++i) {
    EpochSummary epoch;
    epoch.epoch = epoch.step = i;
    epoch.metrics = {{"val_loss", 1.0 / i}};
    tell(id, EpochEnded{epoch});
  }
  flush();
  const auto block = store_->epochs(id, 2, 2).value();
  QCOMPARE(block.size(), std::size_t{2});
  for (std::size_t i = 0; i < block.size(); ++i) {
    QCOMPARE(block[i].epoch, static_cast<std::int64_t>(i) + 3);
    QCOMPARE(block[i].metrics, (std::vector<Metric>{{"val_loss", 1.0 / (3.0 + double(i))}}));
  }
  QCOMPARE(store_->epochs(id, 3)->size(), std::size_t{2});
  QVERIFY(store_->epochs(id, 5)->empty());
}

void RunStoreTest::stepsReadBackInPieces() {
  const std::string id = add();
  for (int i = 1; i <= 10; ++i) step(id, i, i == 4 ? std::nan("") : 1.0 / i);
  flush();
  const auto all = store_->steps(id).value();
  QCOMPARE(all.size(), std::size_t{10});
  QCOMPARE(all[2].min, 1.0 / 3);
  QCOMPARE(all[2].seconds, 1.5);
  QCOMPARE(all[3].nonFinite, 1);
  QVERIFY(std::isnan(all[3].last));
  const auto some = store_->steps(id, 4, 3).value();
  QCOMPARE(some.size(), std::size_t{3});
  QCOMPARE(some.front().firstStep, 5);
  QCOMPARE(store_->find(id)->steps, 10);
}

void RunStoreTest::fullRingLosesNoExtreme() {
  const std::string id = add();
  constexpr std::int64_t kSteps = 50'000;
  for (std::int64_t i = 1; i <= kSteps; ++i)
    step(id, i, i == 777 ? 1e6 : i == 44'444 ? -1e6 : static_cast<double>(i % 7));
  flush();
  const auto steps = store_->steps(id).value();
  double lowest = 0, highest = 0;
  std::int64_t next = 1;
  for (const StepBucket& bucket : steps) {
    QCOMPARE(bucket.firstStep, next);
    next = bucket.lastStep + 1;
    lowest = std::min(lowest, bucket.min);
    highest = std::max(highest, bucket.max);
  }
  QCOMPARE(next, kSteps + 1);
  QCOMPARE(highest, 1e6);
  QCOMPARE(lowest, -1e6);
}

void RunStoreTest::lastStepsAreThereWhenTheRunHasEnded() {
  const std::string id = add();
  for (int i = 1; i <= 100; ++i) step(id, i, i);
  tell(id, RunEnded{});
  // No flush: the end of a run is committed at once, and with it every step before it.
  QTRY_VERIFY(store_->find(id)->state == RunState::kFinished);
  QCOMPARE(store_->steps(id)->size(), std::size_t{100});
}

void RunStoreTest::checkpointsFollowEvents() {
  const std::string id = add();
  tell(id, CheckpointWritten{10, 1, "checkpoints/a", 5, true, 0.1});
  tell(id, CheckpointWritten{20, 2, "checkpoints/b", std::uint64_t{1} << 40, true, 0.1});
  tell(id, CheckpointWritten{30, 3, "checkpoints/c", 7, false, 0.1});
  tell(id, CheckpointRemoved{30});
  flush();
  auto rows = store_->checkpoints(id).value();
  QCOMPARE(rows.size(), std::size_t{2});
  QVERIFY(!rows[0].best && rows[1].best);
  QCOMPARE(rows[1].bytes, std::uint64_t{1} << 40);
  QCOMPARE(rows[1].path, std::string("checkpoints/b"));
  QVERIFY(store_->replaceCheckpoints(id, {{40, 4, "checkpoints/d", 9, false, 1}}).ok());
  rows = store_->checkpoints(id).value();
  QCOMPARE(rows.size(), std::size_t{1});
  QCOMPARE(rows[0].step, 40);
}

void RunStoreTest::findsByPrefixAndLatest() {
  QVERIFY(store_->find("latest").error().message.find("no runs") != std::string::npos);
  add("aaaa00000001", 100);
  add("aaaa00000002", 300);
  add("bbbb00000001", 200);
  QCOMPARE(store_->find("latest")->id, std::string("aaaa00000002"));
  QCOMPARE(store_->find("b")->id, std::string("bbbb00000001"));
  QCOMPARE(store_->find("aaaa00000001")->id, std::string("aaaa00000001"));
  const auto several = store_->find("aaaa");
  QCOMPARE(several.error().code, ErrorCode::kInvalidDocument);
  QVERIFY(several.error().message.find("aaaa00000001, aaaa00000002") != std::string::npos);
  const auto none = store_->find("bbbb00000011");
  QCOMPARE(none.error().code, ErrorCode::kNotFound);
  QVERIFY2(none.error().message.find("3 runs") != std::string::npos, none.error().message.c_str());
  QVERIFY(none.error().message.find("did you mean") != std::string::npos);
  for (const char* odd : {"", "%", "a%", "'", "latest ", "g"})
    QCOMPARE(store_->find(odd).error().code, ErrorCode::kNotFound);
  QVERIFY(store_->trash("aaaa00000002").ok());
  QCOMPARE(store_->find("latest")->id, std::string("bbbb00000001"));
}

void RunStoreTest::adoptingForgetsWhatWillBeMeasuredAgain() {
  const std::string id = add();
  QCOMPARE(store_->adoptRun(id, 0).error().code, ErrorCode::kStore);  // it lives, in this process
  for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
    for (std::int64_t i = 1; i <= 10; ++i) step(id, (epoch - 1) * 10 + i, 1.0);
    EpochSummary summary;
    summary.epoch = epoch;
    summary.step = epoch * 10;
    summary.metrics = {{"val_loss", 1.0}};
    tell(id, EpochEnded{summary});
  }
  RunEnded ended;
  ended.state = RunState::kStopped;
  ended.error = Error{ErrorCode::kCancelled, "stopped"};
  tell(id, ended);
  QVERIFY(store_->adoptRun(id, 15).ok());
  const RunRecord run = store_->find(id).value();
  QVERIFY(run.state == RunState::kQueued);
  QCOMPARE(run.steps, 15);
  QCOMPARE(run.epochs, 1);
  QCOMPARE(run.endedMs, 0);
  QVERIFY(run.error.empty());
  QCOMPARE(store_->epochs(id)->size(), std::size_t{1});
  QCOMPARE(store_->steps(id)->back().lastStep, 15);
  step(id, 16, 2.0);
  flush();
  QCOMPARE(store_->steps(id)->size(), std::size_t{16});
  QCOMPARE(store_->adoptRun("0123456789ab", 0).error().code, ErrorCode::kNotFound);
}

void RunStoreTest::adoptingTrimsABucketAcrossTheStep() {
  const std::string id = add();
  tell(id, RunEnded{});
  flush();
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.run("INSERT INTO steps VALUES (?,20,11,1,0.5,2.5,1.0,3.0,0)", id).ok());
    QVERIFY(database.run("INSERT INTO steps VALUES (?,30,21,1,0.5,2.5,1.0,3.0,0)", id).ok());
  }
  QVERIFY(store_->adoptRun(id, 15).ok());
  const auto steps = store_->steps(id).value();
  QCOMPARE(steps.size(), std::size_t{1});
  QCOMPARE(steps[0].firstStep, 11);
  QCOMPARE(steps[0].lastStep, 15);
  QCOMPARE(steps[0].max, 2.5);
}

void RunStoreTest::changesAndErases() {
  const std::string id = add();
  QVERIFY(store_->rename(id, "new").ok());
  QVERIFY(store_->setNotes(id, "hm").ok());
  QCOMPARE(store_->find(id)->name, std::string("new"));
  QCOMPARE(store_->find(id)->notes, std::string("hm"));
  QVERIFY(store_->trash(id).ok());
  QCOMPARE(store_->runs()->size(), std::size_t{0});
  QCOMPARE(store_->runs({.trashed = RunFilter::Trashed::kInclude})->size(), std::size_t{1});
  QCOMPARE(store_->erase(id).error().code, ErrorCode::kStore);
  step(id, 1, 1.0);
  tell(id, CheckpointWritten{1, 1, "p", 1, false, 0});
  tell(id, RunEnded{});
  flush();
  QVERIFY(store_->erase(id).ok());
  QCOMPARE(store_->runs({.trashed = RunFilter::Trashed::kInclude})->size(), std::size_t{0});
  QVERIFY(store_->steps(id)->empty());
  QVERIFY(store_->checkpoints(id)->empty());
  QCOMPARE(store_->rename(id, "x").error().code, ErrorCode::kNotFound);
}

void RunStoreTest::unknownRunsAreIgnored() {
  const std::string id = add();
  tell("ffffffffffff", RunWarning{"lost"});
  step("ffffffffffff", 1, 1.0);
  tell(id, RunWarning{"kept"});
  flush();
  QCOMPARE(store_->events(id)->size(), std::size_t{1});
  QVERIFY(store_->events("ffffffffffff")->empty());
}

void RunStoreTest::listsWithoutDocuments() {
  constexpr int kRuns = 100'000;
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    auto transaction = Transaction::begin(database).value();
    for (int i = 0; i < kRuns; ++i) {
      const std::string id = QString("%1").arg(i, 12, 16, QChar('0')).toStdString();
      QVERIFY(
          database
              .run("INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms,"
                   " heartbeat_ms, owner_pid, owner_boot_id, owner_start)"
                   " VALUES (?,'n','r','Finished','f','d',?,0,0,'',0)",
                   id, i)
              .ok());
    }
    QVERIFY(database
                .run("INSERT INTO documents (run_id, experiment, hash) SELECT id, '{}', "
                     "content_hash('{}') FROM runs")
                .ok());
    // The list is answered from the runs alone.
    QStringList plan;
    QVERIFY(database
                .each("EXPLAIN QUERY PLAN SELECT id FROM runs WHERE trashed<=0"
                      " ORDER BY created_ms DESC, rowid DESC",
                      [&](Statement& row) { plan << QString::fromStdString(row.text(3)); })
                .ok());
    QVERIFY2(plan.join(' ').contains("runs_by_time") && !plan.join(' ').contains("TEMP B-TREE"),
             qPrintable(plan.join(' ')));
    QVERIFY(transaction.commit().ok());
  }
  QCOMPARE(store_->find("000000000007")->experimentJson, std::string("{}"));
  // Whoever reads a document now fails.
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.run("ALTER TABLE documents RENAME TO elsewhere").ok());
  }
  QVERIFY(!store_->find("000000000007").ok());
  const auto runs = store_->runs();
  QVERIFY2(runs.ok(), runs.ok() ? "" : runs.error().text().c_str());
  QCOMPARE(runs->size(), std::size_t{kRuns});
  QVERIFY(runs->front().createdMs > runs->back().createdMs);
  QVERIFY(runs->front().experimentJson.empty());
}

void RunStoreTest::aListIsOneQueryWhateverItsLength() {
  for (int i = 0; i < 30; ++i) {
    const std::string id = add();
    EpochSummary epoch;
    epoch.epoch = 1;
    epoch.metrics = {{"val_loss", 1.0 + i}};
    tell(id, EpochEnded{epoch});
    tell(id, RunEnded{});
  }
  flush();
  store_.reset();
  statements = 0;
  QCOMPARE(sqlite3_auto_extension(reinterpret_cast<void (*)()>(countStatements)), SQLITE_OK);
  store_ = RunStore::open(path_, {}).value();
  sqlite3_reset_auto_extension();
  statements = 0;
  const auto runs = store_->runs().value();
  QCOMPARE(statements.load(), 1);
  QCOMPARE(runs.size(), std::size_t{30});
  QVERIFY(std::ranges::all_of(runs, [](const RunRecord& run) { return run.best.has_value(); }));
  const auto newest = store_->runs({.limit = 2}).value();
  QCOMPARE(newest.size(), std::size_t{2});
  QCOMPARE(newest[0].id, runs[0].id);
  QCOMPARE(newest[1].id, runs[1].id);
}

void RunStoreTest::theBestEpochFollowsTheMetricOfTheRun_data() {
  QTest::addColumn<std::string>("metric");
  QTest::addColumn<int>("epoch");
  QTest::newRow("a loss: the least") << std::string("val_loss") << 2;
  QTest::newRow("a recall: the greatest") << std::string("val_recall@10") << 3;
  QTest::newRow("the training loss") << std::string("loss") << 4;
  QTest::newRow("not measured") << std::string("val_auc") << 0;
}

void RunStoreTest::theBestEpochFollowsTheMetricOfTheRun() {
  QFETCH(const std::string, metric);
  QFETCH(const int, epoch);
  RunRecord run;
  run.id = RunStore::newRunId();
  run.bestMetric = metric;
  QVERIFY(store_->createRun(run).ok());
  const double losses[] = {3.0, 1.0, 2.0, std::nan("")}, recalls[] = {0.1, 0.2, 0.4, 0.4};
  for (int i = 0; i < 4; ++i) {
    EpochSummary ended;
    ended.epoch = i + 1;
    ended.step = 10 * (i + 1);
    ended.loss = 9.0 - i;
    ended.metrics = {{"val_loss", losses[i]}, {"val_recall@10", recalls[i]}};
    tell(run.id, EpochEnded{ended});
  }
  flush();
  const RunRecord found = store_->runs()->front();
  QCOMPARE(found.bestMetric, metric);
  QCOMPARE(found.best.has_value(), epoch > 0);
  if (!found.best) return;
  QCOMPARE(found.best->epoch, epoch);
  QCOMPARE(found.best->step, 10 * epoch);
}

void RunStoreTest::adoptingForgetsABestEpochThatIsCut() {
  const std::string id = add();
  for (int i = 1; i <= 3; ++i) {
    EpochSummary epoch;
    epoch.epoch = i;
    epoch.step = 10 * i;
    epoch.trainSeconds = 2.0;
    epoch.metrics = {{"val_loss", 4.0 - i}};
    tell(id, EpochEnded{epoch});
  }
  tell(id, RunEnded{});
  flush();
  QCOMPARE(store_->find(id)->best->epoch, 3);
  QVERIFY(store_->adoptRun(id, 20).ok());
  QCOMPARE(store_->find(id)->best->epoch, 2);
  QCOMPARE(store_->find(id)->best->value, 2.0);
  QCOMPARE(store_->find(id)->trainSeconds, 4.0);
  QVERIFY(store_->flush().ok());
  tell(id, RunEnded{});
  QVERIFY(store_->adoptRun(id, 0).ok());
  QVERIFY(!store_->find(id)->best);
}

void RunStoreTest::aLivingRunTellsItsTime() {
  const std::string id = add();
  for (int i = 1; i <= 6; ++i) step(id, i, 1.0);  // half a second each
  EpochSummary epoch;
  epoch.epoch = 1;
  epoch.trainSeconds = 2.5;
  tell(id, EpochEnded{epoch});
  flush();
  const RunRecord run = store_->find(id).value();
  QVERIFY(!isTerminal(run.state));
  QCOMPARE(run.seconds, 3.0);
  QCOMPARE(run.trainSeconds, 2.5);
}

void RunStoreTest::checkpointPathsMoveWithTheWorkspace() {
  const std::string id = add();
  const fs::path folder = path_.parent_path();
  tell(id,
       CheckpointWritten{10, 1, (folder / "checkpoints" / id / "ckpt-10").string(), 5, true, 0});
  flush();
  QCOMPARE(store_->checkpoints(id)->front().path, "checkpoints/" + id + "/ckpt-10");
  QVERIFY(store_->replaceCheckpoints(id, {{20, 2, (folder / "c").string(), 9, false, 1}}).ok());
  QCOMPARE(store_->checkpoints(id)->front().path, std::string("c"));
  QVERIFY(store_->replaceCheckpoints(id, {{20, 2, "/elsewhere/c", 9, false, 1}}).ok());
  QCOMPARE(store_->checkpoints(id)->front().path, std::string("/elsewhere/c"));
}

void RunStoreTest::blocksHoldWhatTheirStepsHeld_data() {
  QTest::addColumn<int>("maxBuckets");
  for (const int most : {8, 100, 600, 4999, 5000}) QTest::addRow("%d", most) << most;
}

void RunStoreTest::blocksHoldWhatTheirStepsHeld() {
  QFETCH(int, maxBuckets);
  const std::string id = add();
  record(id, 1, 5000);
  checkBlocks(id, maxBuckets);
}

void RunStoreTest::blocksFollowARunThatIsResumed() {
  const std::string id = add();
  record(id, 1, 3000);
  tell(id, RunEnded{});
  flush();
  QVERIFY(store_->adoptRun(id, 1003).ok());
  checkBlocks(id, 200);
  record(id, 1004, 2500);
  checkBlocks(id, 200);
}

void RunStoreTest::runsWithoutBlocksGetThemWhenTheyAreResumed() {
  const std::string id = add();
  record(id, 1, 3000);
  tell(id, RunEnded{});
  flush();
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.run("DELETE FROM step_blocks").ok());
  }
  // As a program without blocks left it.
  QCOMPARE(store_->stepBlocks(id, 0, 3000, 100)->size(), std::size_t{3000});
  QVERIFY(store_->adoptRun(id, 2900).ok());
  checkBlocks(id, 100);
}

void RunStoreTest::blocksOfAPartAreFiner() {
  const std::string id = add();
  record(id, 1, 5000);
  const auto whole = store_->stepBlocks(id, 0, 5000, 100).value();
  const auto part = store_->stepBlocks(id, 1000, 1090, 100).value();
  QCOMPARE(whole.front().lastStep, std::int64_t{63});
  QCOMPARE(part.size(), std::size_t{91});
  QCOMPARE(part.front().firstStep, std::int64_t{1000});
  QCOMPARE(part.back().lastStep, std::int64_t{1090});
}

void RunStoreTest::closingCommitsWhatWasTold() {
  const std::string id = add();
  for (int i = 1; i <= 50; ++i) {
    step(id, i, 1.0);
    tell(id, RunWarning{"w"});
  }
  store_.reset();
  store_ = RunStore::open(path_, {}).value();
  QCOMPARE(store_->events(id)->size(), std::size_t{50});
  QCOMPARE(store_->steps(id)->size(), std::size_t{50});
}

void RunStoreTest::manyThreadsAtOnce() {
  constexpr int kThreads = 4, kEvents = 200;
  std::vector<std::string> ids;
  for (int i = 0; i < kThreads; ++i) ids.push_back(add());
  {
    std::vector<std::jthread> threads;
    for (const std::string& id : ids)
      threads.emplace_back([this, id] {
        for (int i = 1; i <= kEvents; ++i) {
          step(id, i, i);
          tell(id, RunWarning{"w"});
          if (i % 50 == 0) (void)store_->runs();
          if (i % 100 == 0) (void)store_->flush();
        }
        tell(id, RunEnded{});
      });
  }
  flush();
  for (const std::string& id : ids) {
    QCOMPARE(store_->events(id)->size(), std::size_t{kEvents + 1});
    QCOMPARE(store_->steps(id)->back().lastStep, kEvents);
    QVERIFY(store_->find(id)->state == RunState::kFinished);
  }
}

QTEST_GUILESS_MAIN(RunStoreTest)
#include "run_store_test.moc"
