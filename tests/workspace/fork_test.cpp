// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cstring>

#include "engine/checkpoint/checkpoint.h"
#include "tests/workspace/same_tensors.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::Experiment;
using experiment::Placement;
using experiment::RunState;

/// New runs that begin with the weights of another one.
class ForkTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aForkEndsWithTheBitsOfItsRun_data();
  void aForkEndsWithTheBitsOfItsRun();
  void aForkHasACheckpointOfItsOwnFromTheStart();
  void aForkIsResumedWithoutItsRun();
  void aForkSaysWhereItCameFrom();
  void anotherOptimizerBeginsItsSlotsAnew();
  void adamCountsFromTheBeginningOfItsSlots();
  void otherBatchesBeginTheEpochAgain();
  void refusesWhatDoesNotFit_data();
  void refusesWhatDoesNotFit();
  void refusesOtherIdsInTheSameRows();
  void warmStartsMatchRowsByRawId_data();
  void warmStartsMatchRowsByRawId();
  void aWarmStartedRunIsAskedWithoutTheOther();
  void refusesWarmStartsThatCannotBe();

 private:
  /// Trains `steps` steps of an experiment and stops.
  static workspace::RunOutcome stopAfter(testing::TemporaryWorkspace& place,
                                         const Experiment& experiment, int steps);
};

namespace {

std::vector<float> weightsOf(const checkpoint::Checkpoint& from, const std::string& name) {
  const checkpoint::TensorView* tensor = from.find(name);
  if (!tensor) return {};
  std::vector<float> values(tensor->bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
  return values;
}

std::vector<std::string> notesOf(testing::TemporaryWorkspace& place, const std::string& run) {
  std::vector<std::string> notes;
  const auto events = place->store().events(run);
  if (events)
    for (const store::EventRecord& event : *events)
      if (event.kind == "note") notes.push_back(event.message);
  return notes;
}

bool anyHas(const std::vector<std::string>& texts, const std::string& part) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

}  // namespace

workspace::RunOutcome ForkTest::stopAfter(testing::TemporaryWorkspace& place,
                                          const Experiment& experiment, int steps) {
  testing::RecordingSink sink;
  auto run = place->start(experiment, {.threads = 1, .sink = &sink, .paused = true});
  if (!run) return {};
  if (!QTest::qWaitFor([&] { return !sink.all<experiment::RunStarted>().empty(); })) return {};
  for (int step = 0; step < steps; ++step) (*run)->step();
  if (!QTest::qWaitFor([&] { return sink.steps().size() == static_cast<std::size_t>(steps); }))
    return {};
  (*run)->stop();
  return (*run)->wait();
}

void ForkTest::aForkEndsWithTheBitsOfItsRun_data() {
  QTest::addColumn<Placement>("placement");
  QTest::addColumn<bool>("separate");
  QTest::addColumn<int>("steps");
  const std::pair<const char*, Placement> placements[]{{"replicated", Placement::kReplicated},
                                                       {"row", Placement::kRow},
                                                       {"row_block", Placement::kRowBlock},
                                                       {"column", Placement::kColumn},
                                                       {"table", Placement::kTable}};
  for (const auto& [name, placement] : placements)
    for (const bool separate : {false, true})
      for (const int steps : {7, 10})
        QTest::addRow("%s, %s spaces, step %d", name, separate ? "separate" : "shared", steps)
            << placement << separate << steps;
}

void ForkTest::aForkEndsWithTheBitsOfItsRun() {
  QFETCH(Placement, placement);
  QFETCH(bool, separate);
  QFETCH(int, steps);
  testing::TemporaryWorkspace place;
  Experiment experiment = testing::smallSample();
  experiment.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
  experiment.mesh.devices = {"cpu*2"};
  if (separate) experiment.mesh.spaces = experiment::MemorySpaces::kSeparate;
  for (experiment::Table& table : experiment.tables) table.placement = placement;
  const workspace::RunOutcome straight = place.train(experiment);
  QCOMPARE(straight.state, RunState::kFinished);
  const workspace::RunOutcome stopped = stopAfter(place, experiment, steps);
  QCOMPARE(stopped.steps, steps);

  const auto forked = place->forkOf(stopped.runId, {});
  QVERIFY(forked.ok());
  const workspace::RunOutcome ended = place.train(*forked);
  QVERIFY2(ended.state == RunState::kFinished, ended.error ? ended.error->text().c_str() : "");
  QVERIFY(ended.runId != stopped.runId);
  testing::compareTensors(straight.checkpoint, ended.checkpoint);
  QCOMPARE(ended.epochs.back().loss, straight.epochs.back().loss);
}

void ForkTest::aForkHasACheckpointOfItsOwnFromTheStart() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = stopAfter(place, testing::smallSample(), 7);
  const auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  auto run = place->start(*forked, {.threads = 1, .paused = true});
  QVERIFY(run.ok());
  const auto folder = std::filesystem::path(place->folder()) / "checkpoints" / (*run)->id();
  QTRY_VERIFY(!checkpoint::list(folder).empty());
  QCOMPARE(checkpoint::list(folder).front().step, std::int64_t{7});
  (*run)->abort();
  (*run)->wait();
}

void ForkTest::aForkIsResumedWithoutItsRun() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome straight = place.train(testing::smallSample());
  const workspace::RunOutcome first = stopAfter(place, testing::smallSample(), 7);
  const auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  auto run = place->start(*forked, {.threads = 1, .paused = true});
  QVERIFY(run.ok());
  const auto folder = std::filesystem::path(place->folder()) / "checkpoints" / (*run)->id();
  QTRY_VERIFY(!checkpoint::list(folder).empty());
  (*run)->abort();
  QCOMPARE((*run)->wait().state, RunState::kStopped);
  QVERIFY(place->erase(first.runId).ok());
  auto resumed = place->resume((*run)->id(), {.threads = 1});
  QVERIFY2(resumed.ok(), resumed ? "" : resumed.error().text().c_str());
  const workspace::RunOutcome ended = (*resumed)->wait();
  QCOMPARE(ended.state, RunState::kFinished);
  testing::compareTensors(straight.checkpoint, ended.checkpoint);
}

void ForkTest::aForkSaysWhereItCameFrom() {
  testing::TemporaryWorkspace place;
  Experiment experiment = testing::smallSample();
  const workspace::RunOutcome first = place.train(experiment);
  experiment.training.epochs = 3;
  // As a person writes it: a prefix, and the newest checkpoint.
  experiment.training.fork = experiment::Fork{first.runId.substr(0, 10), std::nullopt};
  const workspace::RunOutcome ended = place.train(experiment);
  QCOMPARE(ended.state, RunState::kFinished);
  QCOMPARE(ended.epochs.size(), std::size_t{1});
  QCOMPARE(ended.epochs[0].epoch, std::int64_t{3});
  QCOMPARE(ended.steps, std::int64_t{30});
  const auto record = place->store().find(ended.runId);
  QVERIFY(record.ok());
  QCOMPARE(record->forkedFrom, first.runId);
  QCOMPARE(record->forkedStep, std::int64_t{20});
  const auto stored = place->experimentOf(ended.runId);
  QVERIFY(stored.ok() && stored->training.fork);
  QCOMPARE(stored->training.fork->run, first.runId);
  QCOMPARE(stored->training.fork->step, std::optional<std::int64_t>(20));
  QVERIFY(anyHas(notesOf(place, ended.runId), "step 20 (epoch 2) of run " + first.runId));
}

void ForkTest::anotherOptimizerBeginsItsSlotsAnew() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = place.train(testing::smallSample());
  auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  forked->training.epochs = 3;
  forked->optimizer.learningRate = 0.05;  // the same kind: nothing begins anew
  QVERIFY(!anyHas(notesOf(place, place.train(*forked).runId), "anew"));
  forked->optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
  const workspace::RunOutcome ended = place.train(*forked);
  QCOMPARE(ended.state, RunState::kFinished);
  const auto notes = notesOf(place, ended.runId);
  QVERIFY(anyHas(notes, "its slots begin anew: tables/user, tables/item"));
}

// The first Adam step after new slots has the length of a first step: t is 1, not 21.
void ForkTest::adamCountsFromTheBeginningOfItsSlots() {
  testing::TemporaryWorkspace place;
  constexpr double kRate = 0.01;
  const workspace::RunOutcome first = place.train(testing::smallSample());
  auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  forked->training.epochs = 3;
  forked->optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = kRate};
  const workspace::RunOutcome one = stopAfter(place, *forked, 1);
  QCOMPARE(one.steps, std::int64_t{21});
  const auto before = checkpoint::open(first.checkpoint), after = checkpoint::open(one.checkpoint);
  QVERIFY(before.ok() && after.ok());
  const auto old = weightsOf(*before, "tables/item/weight"),
             moved = weightsOf(*after, "tables/item/weight");
  double longest = 0.0;
  for (std::size_t i = 0; i < old.size(); ++i)
    longest =
        std::max(longest, std::abs(static_cast<double>(moved[i]) - static_cast<double>(old[i])));
  QVERIFY2(longest > 0.9 * kRate && longest < 1.01 * kRate, QByteArray::number(longest));
  // A checkpoint knows it: what is resumed counts on.
  QCOMPARE(after->manifest().trainerState.at("slots_since").at("tables/item").get<int>(), 20);
}

void ForkTest::otherBatchesBeginTheEpochAgain() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = stopAfter(place, testing::smallSample(), 13);
  auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  forked->dataset.batch.size = 24;  // 20 steps an epoch
  const workspace::RunOutcome ended = place.train(*forked);
  QCOMPARE(ended.state, RunState::kFinished);
  QCOMPARE(ended.steps, std::int64_t{13 + 20});
  QVERIFY(anyHas(notesOf(place, ended.runId), "epoch 2 begins again"));
}

void ForkTest::refusesWhatDoesNotFit_data() {
  using Change = std::function<void(Experiment&)>;
  QTest::addColumn<Change>("change");
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, Change change, const char* pointer, const char* says) {
    QTest::newRow(name) << change << pointer << says;
  };
  row(
      "nothing left", [](Experiment& e) { e.training.epochs = 2; }, "/training/epochs",
      "at least 3");
  row(
      "a step without a checkpoint", [](Experiment& e) { e.training.fork->step = 5; },
      "/training/fork/step", "a step that has one: 10, 20");
  row(
      "no such run", [](Experiment& e) { e.training.fork->run = "ffffffffffff"; },
      "/training/fork/run", "there is no run");
  row(
      "a wider table",
      [](Experiment& e) {
        for (experiment::Table& table : e.tables) table.embeddingDim = 24;
      },
      "/tables/1/embedding_dim", "tables/item is [41, 24] here and [41, 16] in the checkpoint");
  row(
      "another layer", [](Experiment& e) { e.model.query = {experiment::Layer{.units = 16}}; },
      "/model/query/0", "dense/query_0_bias [1, 16]");
  row(
      "another table name",
      [](Experiment& e) {
        e.tables[0].name = "person";
        for (experiment::Feature& feature : e.features)
          if (feature.table == "user") feature.table = "person";
      },
      "/tables/0", "no weights tables/person");
  row(
      "a warm start beside it",
      [](Experiment& e) { e.tables[0].warmStart = experiment::WarmStart{e.training.fork->run}; },
      "/tables/0/warm_start", "begins with a checkpoint");
}

void ForkTest::refusesWhatDoesNotFit() {
  QFETCH(std::function<void(Experiment&)>, change);
  QFETCH(QString, pointer);
  QFETCH(QString, says);
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = place.train(testing::smallSample());
  auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  forked->training.epochs = 3;
  change(*forked);
  experiment::Findings findings = experiment::parse(experiment::toJson(*forked)).findings;
  findings.append(place->preflight(*forked).findings);
  const auto found =
      std::ranges::find(findings.problems, pointer.toStdString(), &experiment::Problem::pointer);
  QVERIFY2(found != findings.problems.end(),
           findings.problems.empty() ? "no problem" : findings.problems[0].message.c_str());
  const std::string text = found->message + "; " + found->accepted;
  QVERIFY2(QString::fromStdString(text).contains(says), text.c_str());
  QVERIFY(!place->start(*forked, {}).ok() || pointer.endsWith("warm_start"));
}

// Tables of the same size whose rows are other items must not be trained on as if they were the same.
void ForkTest::refusesOtherIdsInTheSameRows() {
  testing::TemporaryWorkspace place;
  Experiment experiment = testing::smallSample();
  for (experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies) {
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    vocabulary.size = {};
  }
  const workspace::RunOutcome first = place.train(experiment);
  QVERIFY2(first.state == RunState::kFinished, first.error ? first.error->text().c_str() : "");
  auto forked = place->forkOf(first.runId, {});
  QVERIFY(forked.ok());
  forked->training.epochs = 3;
  forked->dataset.generator->seed = 8;
  const workspace::RunOutcome refused = place.train(*forked);
  QCOMPARE(refused.state, RunState::kFailed);
  QVERIFY(refused.error && refused.runId.empty());
  QCOMPARE(refused.error->code, ErrorCode::kInvalidDocument);
  QVERIFY2(refused.error->pointer.starts_with("/dataset/vocabularies/"),
           refused.error->text().c_str());
}

void ForkTest::warmStartsMatchRowsByRawId_data() {
  QTest::addColumn<Placement>("placement");
  QTest::addColumn<bool>("separate");
  for (const bool separate : {false, true}) {
    QTest::addRow("replicated, %s", separate ? "separate" : "shared")
        << Placement::kReplicated << separate;
    QTest::addRow("row, %s", separate ? "separate" : "shared") << Placement::kRow << separate;
    QTest::addRow("column, %s", separate ? "separate" : "shared") << Placement::kColumn << separate;
  }
}

void ForkTest::warmStartsMatchRowsByRawId() {
  QFETCH(Placement, placement);
  QFETCH(bool, separate);
  testing::TemporaryWorkspace place;
  Experiment small = testing::smallSample();
  for (experiment::Vocabulary& vocabulary : small.dataset.vocabularies) {
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    vocabulary.size = {};
  }
  const workspace::RunOutcome first = place.train(small);
  QVERIFY(first.state == RunState::kFinished);

  // More users and items, in other rows.
  Experiment large = small;
  large.dataset.generator =
      experiment::Generator{.users = 90, .items = 55, .events = 900, .seed = 9};
  large.optimizer.learningRate = 1e-30;  // a step leaves the weights as they begin
  const workspace::RunOutcome alone = stopAfter(place, large, 1);
  large.tables[1].warmStart = experiment::WarmStart{.run = first.runId};
  large.tables[1].placement = placement;
  large.mesh.devices = {"cpu*2"};
  if (separate) large.mesh.spaces = experiment::MemorySpaces::kSeparate;
  const workspace::RunOutcome warm = stopAfter(place, large, 1);
  QVERIFY(!warm.checkpoint.empty());

  const auto source = checkpoint::open(first.checkpoint), begun = checkpoint::open(warm.checkpoint),
             initial = checkpoint::open(alone.checkpoint);
  QVERIFY(source.ok() && begun.ok() && initial.ok());
  const auto was = weightsOf(*source, "tables/item/weight"),
             is = weightsOf(*begun, "tables/item/weight"),
             cold = weightsOf(*initial, "tables/item/weight");
  const std::size_t width = 16;
  const auto dataset = place->importData(large, {}), before = place->importData(small, {});
  QVERIFY(dataset.ok() && before.ok());
  const data::Vocabulary& here = dataset->dataset->vocabulary("item");
  const data::Vocabulary& there = before->dataset->vocabulary("item");
  std::int64_t found = 0;
  for (std::int64_t row = 1; row < here.size(); ++row) {
    const auto known = there.row(here.rawId(row));
    const float* expected = known ? &was[static_cast<std::size_t>(*known) * width]
                                  : &cold[static_cast<std::size_t>(row) * width];
    found += known ? 1 : 0;
    QVERIFY(std::equal(expected, expected + width, &is[static_cast<std::size_t>(row) * width]));
  }
  QVERIFY(found > 30 && found < here.size() - 1);
  QVERIFY(anyHas(notesOf(place, warm.runId), "table \"item\": " + std::to_string(found) + " of " +
                                                 std::to_string(here.size() - 1) +
                                                 " rows begin as in run " + first.runId));
  QCOMPARE(weightsOf(*begun, "tables/user/weight"), weightsOf(*initial, "tables/user/weight"));
}

void ForkTest::aWarmStartedRunIsAskedWithoutTheOther() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = place.train(testing::smallSample());
  Experiment experiment = testing::smallSample();
  experiment.tables[0].warmStart = experiment::WarmStart{.run = first.runId};
  const workspace::RunOutcome warm = place.train(experiment);
  QCOMPARE(warm.state, RunState::kFinished);
  QVERIFY(place->erase(first.runId).ok());
  QVERIFY(place->evaluate(warm.runId, {}, {}).ok());
}

void ForkTest::refusesWarmStartsThatCannotBe() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome first = place.train(testing::smallSample());
  const auto problemOf = [&](experiment::WarmStart warm, std::int64_t width) {
    Experiment experiment = testing::smallSample();
    for (experiment::Table& table : experiment.tables) table.embeddingDim = width;
    experiment.tables[0].warmStart = std::move(warm);
    const auto problems = place->preflight(experiment).findings.problems;
    return problems.empty() ? experiment::Problem{} : problems.front();
  };
  QCOMPARE(problemOf({.run = first.runId}, 16).pointer, std::string());
  QCOMPARE(problemOf({.run = first.runId, .table = "items"}, 16).pointer,
           std::string("/tables/0/warm_start/table"));
  QVERIFY(problemOf({.run = first.runId}, 8).message.find("16 wide") != std::string::npos);
  QCOMPARE(problemOf({.run = first.runId, .step = 3}, 16).pointer,
           std::string("/tables/0/warm_start/step"));
  QCOMPARE(problemOf({.run = "0123456789ab"}, 16).pointer, std::string("/tables/0/warm_start/run"));
}

QTEST_GUILESS_MAIN(ForkTest)
#include "fork_test.moc"
