// SPDX-License-Identifier: Apache-2.0
// What the planner is told of models with sequences and of tables that are read as a whole.
#include "engine/nn/plan_request.h"

#include <fmt/format.h>

#include <QtTest>
#include <cmath>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Placement;

namespace {

/// The refusal of parameters by StepRunner; empty: none.
std::string refusalOf(const nn::Model& model, std::vector<nn::Parameter>& parameters,
                      const mesh::DeviceMesh& mesh) {
  Workers workers(1);
  const auto communicator = mesh::makeLocalCommunicator(mesh.devices(), &workers);
  try {
    const nn::StepRunner runner(model.graph, parameters, mesh, *communicator, workers,
                                {.targets = {model.heads[0].lossValue},
                                 .capacityRows = 12,
                                 .purpose = nn::StepPurpose::kTrain});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

class PlanRequestTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Buffers over positions have as many rows as the sequences may have.
  void bytesOfSequencesArePlanned_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("1 rank") << 1;
    QTest::newRow("3 ranks") << 3;
  }
  void bytesOfSequencesArePlanned() {
    QFETCH(int, ranks);
    constexpr std::int64_t kBatch = 513;
    experiment::Experiment document = sample::transformer(experiment::NormOrder::kPre, true);
    for (experiment::Table& table : document.tables) table.placement = Placement::kReplicated;
    const nn::Model model = sample::build(document, 3000, 2000);
    const std::vector<std::int64_t> idsPerRow = sample::idsPerRow(model);
    const sample::Trainer of(sample::build(document, 3000, 2000), ranks, 1, kBatch, idsPerRow);
    nn::ColumnIds ids;
    ids.maxIds = idsPerRow[0];
    const mesh::PlanOutcome outcome = mesh::planTables(nn::planRequest(
        document, model, {{"user", ids}}, of.mesh,
        mesh::localHardware(of.mesh.deviceNames(), *mesh::findProfile("cpu")), kBatch));
    QVERIFY(outcome.problems.empty());
    double planned = 0.0;
    for (const mesh::DevicePlan& device : outcome.plan.devices)
      planned += static_cast<double>(device.bufferBytes);
    std::vector<mesh::Sharding> shardings;
    for (const nn::Parameter& parameter : of.parameters) shardings.push_back(parameter.sharding);
    std::int64_t taken = 0;
    for (const std::int64_t bytes : nn::stepBytes(of.model.graph, shardings, of.mesh, of.task))
      taken += bytes;
    const double off = planned / static_cast<double>(taken) - 1.0;
    QVERIFY2(std::abs(off) <= 0.02, fmt::format("{} of {} bytes", planned, taken).c_str());
  }

  void aTableThatIsReadAsAWholeIsReplicated() {
    constexpr std::int64_t kRows = 12;
    experiment::Experiment document = sample::plainDot();
    document.mesh.devices = {"cpu*3"};
    const auto mesh = mesh::DeviceMesh::create(document.mesh).value();
    nn::Model model = sample::build(document);
    tableLoss(model.graph, "whole", {}, model.query, {.table = 1, .bias = -1, .labels = 1});
    const auto hardware = mesh::localHardware(mesh.deviceNames(), *mesh::findProfile("cpu"));
    const mesh::PlanRequest request = nn::planRequest(document, model, {}, mesh, hardware, kRows);
    QCOMPARE(request.tables[1].table.placement, Placement::kReplicated);
    QCOMPARE(request.tables[0].table.placement, Placement::kAuto);

    document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto apart = mesh::DeviceMesh::create(document.mesh).value();
    std::vector<nn::Parameter> parameters =
        sample::Trainer::makeParameters(sample::build(document).graph, apart, Placement::kRow);
    QVERIFY(refusalOf(model, parameters, apart).find("is read as a whole") != std::string::npos);
  }

  void oneMemoryHoldsNoShards() {
    experiment::Experiment document = sample::plainDot();
    document.mesh.devices = {"cpu*3"};
    document.mesh.spaces = experiment::MemorySpaces::kSeparate;
    const auto apart = mesh::DeviceMesh::create(document.mesh).value();
    document.mesh.spaces = experiment::MemorySpaces::kShared;
    const auto mesh = mesh::DeviceMesh::create(document.mesh).value();
    const nn::Model model = sample::build(document);
    std::vector<nn::Parameter> parameters =
        sample::Trainer::makeParameters(model.graph, apart, Placement::kRow);
    QCOMPARE(refusalOf(model, parameters, apart), std::string());
    QVERIFY(refusalOf(model, parameters, mesh).find("is split in one memory") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(PlanRequestTest)
#include "plan_request_test.moc"
