// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_report.h"

#include <QTest>

#include "tests/workspace/sample_runs.h"
#include "ui/models/runs_format.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

mesh::DevicePlan device(const char* name, double compute, double wait, std::int64_t bytes) {
  mesh::DevicePlan device;
  device.name = name;
  device.memory = "host";
  device.tableBytes = bytes;
  device.computeSeconds = compute;
  device.waitSeconds = wait;
  return device;
}

mesh::ShardingPlan planOf() {
  mesh::ShardingPlan plan;
  plan.devices = {device("cpu:0", 2e-3, 0.0, 1000), device("cpu:1", 1e-3, 1e-3, 5000)};
  plan.stepSeconds = 2e-3;
  mesh::TablePlan table;
  table.name = "user";
  table.placement = experiment::Placement::kRow;
  table.devices = {0, 1};
  const auto candidate = [&](experiment::Placement placement, double seconds) {
    mesh::PlanCandidate& added = table.candidates.emplace_back();
    added.placement = placement;
    added.stepSeconds = seconds;
    return &added;
  };
  candidate(experiment::Placement::kRow, 2e-3)->chosen = true;
  candidate(experiment::Placement::kReplicated, 5e-3);
  candidate(experiment::Placement::kColumn, 1e-3)->fits = false;
  candidate(experiment::Placement::kTable, 2e-3);
  plan.tables = {table};
  return plan;
}

}  // namespace

class MeshReportTest : public QObject {
  Q_OBJECT

 private slots:
  void timesHaveTheUnitThatFits() {
    QCOMPARE(stepTimeText(12.34e-6), QString("12.3 µs"));
    QCOMPARE(stepTimeText(4.5678e-3), QString("4.57 ms"));
  }

  void everyRowHasACellForEachTitle() {
    const mesh::ShardingPlan plan = planOf();
    const experiment::Mesh mesh{};
    for (const auto& row : planTableRows(plan, mesh))
      QCOMPARE(qsizetype(row.size()), planTableTitles().size());
    for (const auto& row : planDeviceRows(plan))
      QCOMPARE(qsizetype(row.size()), planDeviceTitles().size());
    for (const auto& row : planCandidateRows(plan, plan.tables[0], mesh))
      QCOMPARE(qsizetype(row.size()), planCandidateTitles().size());
    workspace::PlanReport report;
    report.plan = plan;
    for (const auto& row : estimateRows(&report, nullptr))
      QCOMPARE(qsizetype(row.size()), estimateTitles().size());
    for (const auto& [titles, numbers] : {std::pair{planTableTitles(), planTableNumbers()},
                                          std::pair{planDeviceTitles(), planDeviceNumbers()},
                                          std::pair{planCandidateTitles(), planCandidateNumbers()},
                                          std::pair{estimateTitles(), estimateNumbers()}})
      for (const int column : numbers) QVERIFY(column > 0 && column < titles.size());
  }

  void aCandidateSaysWhyItWasNotTaken() {
    const mesh::ShardingPlan plan = planOf();
    const auto rows = planCandidateRows(plan, plan.tables[0], {});
    QStringList reasons;
    for (const auto& row : rows) reasons << row.back().toString();
    QCOMPARE(reasons,
             (QStringList{"chosen", "3.00 ms slower", "exceeds the memory", "not faster"}));
  }

  // The device that works longest, and the one that holds most.
  void anEstimateIsThatOfTheBusiestDevice() {
    workspace::PlanReport report;
    report.plan = planOf();
    report.besides = {.evaluationBuffers = 1 << 20, .catalogueVectors = {}, .histories = 2 << 20};
    const auto rows = estimateRows(&report, nullptr);
    QCOMPARE(rows[0][1].toString(), QString("2.00 ms"));
    QCOMPARE(rows[1][1].toString(), QString("2.00 ms"));
    QCOMPARE(rows[4][1].toString(), QString("1.00 ms"));
    const auto memory = [&](int fromEnd) { return rows[rows.size() - fromEnd][1].toString(); };
    QCOMPARE(memory(5), bytesText(5000));  // of the fullest device
    QCOMPARE(memory(4), bytesText(1 << 20));
    QCOMPARE(memory(3), QString("–"));  // the data decide
    QCOMPARE(memory(2), bytesText(2 << 20));
    QCOMPARE(memory(1), bytesText(6000 + (3 << 20)));
    // Nothing was measured yet, and memory never is.
    for (std::size_t row = 0; row < rows.size(); ++row)
      QCOMPARE(rows[row][2].toString(), row + 5 < rows.size() ? QString("–") : QString());
    report.cachedTableBytes = 4 << 20;  // besides what devices hold
    const auto cached = estimateRows(&report, nullptr);
    QCOMPARE(cached.size(), rows.size() + 1);
    QCOMPARE(cached[cached.size() - 2][1].toString(), bytesText(4 << 20));
    QCOMPARE(cached.back()[1].toString(), bytesText(6000 + (7 << 20)));
    for (const auto& row : estimateRows(nullptr, nullptr))
      QCOMPARE(row[1].toString(), QString("–"));
  }

  // Not a run of another document, nor one on another mesh.
  void whatWasMeasuredIsOfTheSameMesh() {
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = testing::smallSample();
    const auto before = measuredStep(place->store(), experiment);
    QVERIFY(before.ok() && !*before);
    const std::string run = place.train(experiment).runId;
    const auto found = measuredStep(place->store(), experiment);
    QVERIFY(found.ok() && found->has_value());
    QCOMPARE((*found)->runId, run);
    QCOMPARE((*found)->epoch.epoch, std::int64_t{2});
    QVERIFY(estimateRows(nullptr, &**found)[0][2].toString() != QString("–"));
    experiment.mesh.devices = {"cpu*2"};
    QVERIFY(!measuredStep(place->store(), experiment)->has_value());
    experiment = testing::smallSample();
    experiment.optimizer.learningRate = 0.5;
    QVERIFY(!measuredStep(place->store(), experiment)->has_value());
  }
};

QTEST_GUILESS_MAIN(MeshReportTest)
#include "mesh_report_test.moc"
