// SPDX-License-Identifier: Apache-2.0
// Checkpoints move between memory that is shared, memory of each device, devices that nobody else can
// read, and any placement.
#include <QtTest>
#include <cmath>

#include "engine/checkpoint/checkpoint.h"
#include "engine/workspace/plan.h"
#include "tests/train/make_session.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::MemorySpaces;
using experiment::Placement;

namespace {

struct Site {
  const char* name;
  const char* devices;
  MemorySpaces spaces;
  Placement placement;
};

constexpr Site kSites[] = {
    {"one device", "cpu*1", MemorySpaces::kShared, Placement::kReplicated},
    {"shared, row", "cpu*3", MemorySpaces::kShared, Placement::kRow},
    {"separate, row", "cpu*3", MemorySpaces::kSeparate, Placement::kRow},
    {"separate, column", "cpu*2", MemorySpaces::kSeparate, Placement::kColumn},
    {"separate, replicated", "cpu*2", MemorySpaces::kSeparate, Placement::kReplicated},
    {"separate, row block", "cpu*3", MemorySpaces::kSeparate, Placement::kRowBlock},
    {"emulated, replicated", "emu*2", MemorySpaces::kShared, Placement::kReplicated},
    {"emulated, row", "emu*2", MemorySpaces::kShared, Placement::kRow},
    {"emulated, auto", "emu*2", MemorySpaces::kShared, Placement::kAuto},
};

experiment::Experiment at(const Site& site) {
  experiment::Experiment experiment = testing::smallSample();
  experiment.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01};
  experiment.training.epochs = 1;
  experiment.mesh.devices = {site.devices};
  experiment.mesh.spaces = site.spaces;
  for (experiment::Table& table : experiment.tables) table.placement = site.placement;
  return experiment;
}

}  // namespace

class MovesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCheckpointGoesAnywhere_data() {
    QTest::addColumn<int>("from");
    for (int from = 0; from < static_cast<int>(std::size(kSites)); ++from)
      QTest::newRow(kSites[from].name) << from;
  }
  void aCheckpointGoesAnywhere() {
    QFETCH(int, from);
    testing::TemporaryWorkspace place;
    const workspace::RunOutcome run = place.train(at(kSites[from]));
    QVERIFY2(run.state == experiment::RunState::kFinished,
             run.error ? run.error->text().c_str() : "");
    const auto saved = checkpoint::open(run.checkpoint);
    QVERIFY(saved.ok());
    const auto dataset = place->importData(at(kSites[0]), {})->dataset;
    double first = 0.0;
    for (const Site& site : kSites) {
      const auto session = testing::makeSession(at(site), dataset);
      QVERIFY2(session.ok(), session.ok() ? "" : session.error().text().c_str());
      QVERIFY2((*session)->load(*saved).ok(), site.name);
      for (const checkpoint::TensorView& tensor : (*session)->tensors()) {
        const checkpoint::TensorView* was = saved->find(tensor.name);
        QVERIFY2(was && std::ranges::equal(tensor.bytes, was->bytes),
                 (std::string(site.name) + ": " + tensor.name).c_str());
      }
      // The run trains on from there as everywhere else.
      const data::Split split = workspace::splitFor(at(site), *dataset).value();
      (*session)->useHistory(split.train);
      const auto loader = (*session)->loader(split, experiment::SplitPart::kTrain);
      loader->begin(1);
      QVERIFY((*session)->train(*loader->next(), saved->manifest().step + 1).ok());
      const double loss = (*session)->loss();
      if (first == 0.0) first = loss;
      QVERIFY2(std::abs(loss / first - 1.0) <= 1e-5, site.name);
    }
  }

  // Plans rest on what a device does that has memory of its own, not on one like it.
  void devicesOfARunAreMeasuredOnce() {
    testing::TemporaryWorkspace place;
    const experiment::Experiment document =
        at({"", "emu*2", MemorySpaces::kShared, Placement::kAuto});
    const auto plan = place->plan(document, {}, {});
    QVERIFY(plan.ok());
    const auto measured = place->machines();
    QCOMPARE(measured.size(), std::size_t{3});
    for (const workspace::DeviceInfo& machine : measured)
      QCOMPARE(machine.outcome, std::string("measured"));
    for (const std::string name : {"emu:0", "emu:1"}) {
      const auto isOf = [&](const std::string& text) {
        return text.find(name) != std::string::npos;
      };
      QVERIFY(std::ranges::any_of(measured, isOf, &workspace::DeviceInfo::name));
      QVERIFY(std::ranges::any_of(plan->plan.assumptions, isOf));
    }
    (void)place.train(document);
    QVERIFY(place->plan(document, {}, {}).ok());
    const auto later = place->machines();
    QVERIFY(std::ranges::equal(later, measured, {}, &workspace::DeviceInfo::reason,
                               &workspace::DeviceInfo::reason));
  }
};

QTEST_GUILESS_MAIN(MovesTest)
#include "moves_test.moc"
