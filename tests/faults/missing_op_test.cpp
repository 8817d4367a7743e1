// SPDX-License-Identifier: Apache-2.0
// A device that lacks an op: a problem at the layer that needs it, before anything runs.
#include <QtTest>

#include "engine/workspace/plan.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

namespace {

experiment::Experiment withLayerNorm(const char* device) {
  experiment::Experiment experiment = testing::smallSample();
  experiment.model.query.push_back({.kind = experiment::LayerKind::kLayerNorm});
  experiment.mesh.devices = {device};
  return experiment;
}

}  // namespace

class MissingOpTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLayerIsNamedBeforeARun() {
    testing::TemporaryWorkspace place;
    const experiment::Experiment experiment = withLayerNorm("emu:0");
    const std::string pointer = "/model/query/" + std::to_string(experiment.model.query.size() - 1);
    const auto problems = place->preflight(experiment).findings.problems;
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, pointer);
    QCOMPARE(problems[0].message, std::string("emu:0 lacks the operation layerNorm"));
    QCOMPARE(problems[0].accepted, std::string("devices that have it: cpu:0"));
    const auto run = place->start(experiment, {});
    QVERIFY(!run.ok());
    QCOMPARE(run.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(run.error().pointer, pointer);
    QVERIFY(place->store().runs()->empty());
  }

  void aPlanNamesItToo() {
    testing::TemporaryWorkspace place;
    workspace::PlanOptions options;
    options.data = workspace::PlanOptions::Data::kImport;
    const auto planned = place->plan(withLayerNorm("emu:0"), options, {});
    QVERIFY2(planned.ok(), planned.ok() ? "" : planned.error().message.c_str());
    const auto& problems = planned->findings.problems;
    QCOMPARE(problems.size(), std::size_t{1});
    QVERIFY(problems[0].pointer.starts_with("/model/query/"));
    QCOMPARE(problems[0].message, std::string("emu:0 lacks the operation layerNorm"));
  }

  // A command without a preflight meets the refusal when it makes a session.
  void verifyRefusesItToo() {
    testing::TemporaryWorkspace place;
    const auto verified = place->verify(withLayerNorm("emu:0"), {.steps = 2}, {});
    QVERIFY(!verified.ok());
    QVERIFY2(verified.error().message.find("layerNorm") != std::string::npos,
             verified.error().message.c_str());
  }

  void otherDevicesAndOtherModelsTrain() {
    testing::TemporaryWorkspace place;
    QCOMPARE(place.train(withLayerNorm("cpu:0")).state, experiment::RunState::kFinished);
    experiment::Experiment plain = testing::smallSample();
    plain.mesh.devices = {"emu:0"};
    QCOMPARE(place.train(plain).state, experiment::RunState::kFinished);
  }
};

QTEST_GUILESS_MAIN(MissingOpTest)
#include "missing_op_test.moc"
