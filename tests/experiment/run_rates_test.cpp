// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;
using test::recipeJson;

class RunRatesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsNotAskedForStays() {
    const Optimizer optimizer{.learningRate = 0.01};
    const Schedule common{.kind = ScheduleKind::kCosine, .decaySteps = 70};
    const Optimizer found = optimizerOfRun(optimizer, common, {8, 500});
    QCOMPARE(found.learningRate, 0.01);
    QCOMPARE(found.schedule->kind, ScheduleKind::kCosine);
    QCOMPARE(found.schedule->decaySteps, std::int64_t{70});
  }

  void allRatesAreScaledWithTheDevices() {
    Optimizer optimizer{.learningRate = 0.01, .scaleWithDevices = true};
    optimizer.schedule = Schedule{.end = 0.001, .values = {0.1, 0.2}};
    const Optimizer found = optimizerOfRun(optimizer, {}, {4, 0});
    QCOMPARE(found.learningRate, 0.04);
    QCOMPARE(found.schedule->end, 0.004);
    QCOMPARE(found.schedule->values, (std::vector{0.4, 0.8}));
  }

  void aDecayOverTheRunEndsWithIt() {
    const Schedule common{.warmupSteps = 20, .decaySteps = kStepsOfRun};
    QCOMPARE(optimizerOfRun({}, common, {1, 120}).schedule->decaySteps, std::int64_t{100});
    QCOMPARE(optimizerOfRun({}, common, {1, 10}).schedule->decaySteps, std::int64_t{1});
    QCOMPARE(optimizerOfRun({}, common, {1, 0}).schedule->decaySteps, kStepsOfRun);
  }

  /// Keras has 1e-4, which is a rate that many a decay begins with.
  void aPolynomialDecayEndsAtZeroUnlessToldOtherwise() {
    nlohmann::json document = recipeJson("movielens-retrieval");
    document["schedule"] = {{"kind", "polynomial"}};
    const Parsed parsed = parse(document);
    QCOMPARE(parsed.experiment.schedule.end, 0.0);
    // A stored document has the end written out, and keeps it whatever the default is.
    QCOMPARE(nlohmann::json(toJson(parsed.experiment))["schedule"]["end"], 0.0);
    document["schedule"]["end"] = 1e-4;
    QCOMPARE(parse(document).experiment.schedule.end, 1e-4);
  }

  void theDocumentSaysRun() {
    nlohmann::json document = recipeJson("movielens-retrieval");
    document["schedule"] = {{"kind", "cosine"}, {"decay_steps", "run"}};
    const Parsed parsed = parse(document);
    QVERIFY(parsed.findings.problems.empty());
    QCOMPARE(parsed.experiment.schedule.decaySteps, kStepsOfRun);
    QCOMPARE(nlohmann::json(toJson(parsed.experiment))["schedule"]["decay_steps"], "run");
    for (const nlohmann::json& wrong : {nlohmann::json("runs"), nlohmann::json(0)}) {
      document["schedule"]["decay_steps"] = wrong;
      const auto problems = parse(document).findings.problems;
      QVERIFY(test::names(problems, "/schedule/decay_steps", ""));
    }
  }

  void aPatternWithoutAParameterWarns() {
    nlohmann::json document = recipeJson("movielens-retrieval");
    document["optimizer"]["weight_decay"] = 0.01;
    document["optimizer"]["weight_decay_exclude"] = {"tables/*", "dense/nothing_*"};
    const auto warnings = parse(document).findings.warnings;
    QVERIFY(test::names(warnings, "/optimizer/weight_decay_exclude/1", "tables/"));
    QVERIFY(!test::names(warnings, "/optimizer/weight_decay_exclude/0", ""));
  }
};

QTEST_APPLESS_MAIN(RunRatesTest)
#include "run_rates_test.moc"
