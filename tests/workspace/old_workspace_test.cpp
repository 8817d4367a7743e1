// SPDX-License-Identifier: Apache-2.0
// A workspace that version 0.1 wrote (tests/fixtures/record_workspace): every later build opens it,
// answers from it, compares its runs and goes on with them.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/metric_key.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

namespace {

const fs::path kRecorded = PARAPET_FIXTURES "/workspace-0.1";

nlohmann::json jsonOf(const fs::path& path) {
  return nlohmann::json::parse(readFile(path).value());
}

}  // namespace

class OldWorkspaceTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::map<std::string, std::string> runs_;  ///< ids by the name of their experiment
  std::vector<std::string> warnings_;

  [[nodiscard]] bool warns(std::string_view of) const {
    return std::ranges::any_of(warnings_, [&](const std::string& warning) {
      return warning.find(of) != std::string::npos;
    });
  }

 private Q_SLOTS:
  void initTestCase() {
    const fs::path copy = fs::path(folder_.path().toStdString()) / "workspace";
    fs::copy(kRecorded / "workspace", copy, fs::copy_options::recursive);
    auto opened = workspace::Workspace::open(
        copy, [this](const std::string& warning) { warnings_.push_back(warning); });
    QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
    workspace_ = std::move(opened).value();
    for (const auto& file : fs::directory_iterator(kRecorded)) {
      const std::string name = file.path().filename().string();
      if (!name.starts_with("show-")) continue;
      const auto shown = jsonOf(file.path());
      runs_[shown.at("name")] = shown.at("run_id");
    }
    QCOMPARE(runs_.size(), std::size_t{7});
  }

  void itsDocumentsAreRead_data() {
    QTest::addColumn<QString>("path");
    for (const auto& file : fs::directory_iterator(kRecorded / "documents"))
      QTest::addRow("%s", file.path().filename().c_str()) << QString::fromStdString(file.path());
  }
  void itsDocumentsAreRead() {
    QFETCH(QString, path);
    const auto json = experiment::parseJson(readFile(path.toStdString()).value());
    QVERIFY(json.ok());
    const experiment::Parsed parsed = experiment::parse(*json);
    for (const experiment::Problem& problem : parsed.findings.problems)
      QFAIL(qPrintable(QString::fromStdString(problem.pointer + ": " + problem.message)));
  }

  // Losses go by rules that have not changed: they are what 0.1 said, up to the rounding of another
  // instruction set. Lists are measured by the rules of today.
  void everyRunIsMeasured_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"compressed", "given", "hashed", "rare", "sample", "stars", "stopped"})
      QTest::newRow(name) << name;
  }
  void everyRunIsMeasured() {
    QFETCH(QString, name);
    const std::string run = runs_.at(name.toStdString());
    const auto then = jsonOf(kRecorded / ("evaluate-" + run + ".json"));
    workspace::EvaluateOptions options;
    options.part = experiment::SplitPart::kTest;
    const auto now = workspace_->evaluate(run, options, {});
    QVERIFY2(now.ok(), now ? "" : now.error().text().c_str());
    QCOMPARE(now->step, then.at("step").get<std::int64_t>());
    const auto metrics = then.at("metrics").get<std::map<std::string, double>>();
    QCOMPARE(now->metrics.size(), metrics.size());
    for (const auto& [key, value] : now->metrics) {
      QVERIFY2(metrics.contains(key), key.c_str());
      const bool ofLists = key.find('@') != std::string::npos || key == "mrr";
      if (!ofLists)
        QVERIFY2(std::abs(value - metrics.at(key)) <= 1e-4 * std::abs(value), key.c_str());
    }
    const bool names = std::ranges::any_of(now->warnings, [](const std::string& warning) {
      return warning.find("lists and metrics are of rows") != std::string::npos;
    });
    QCOMPARE(names, name == "hashed");
  }

  void itsModelsRecommend() {
    for (const char* name : {"compressed", "given", "hashed", "rare", "stars", "stopped"}) {
      const auto asked = workspace_->recommender(runs_.at(name), {});
      QVERIFY2(asked.ok(), asked ? "" : asked.error().text().c_str());
      const auto lists = (*asked)->recommend(std::vector<std::string>{"u3", "u7"}, 5,
                                             retrieval::SeenItems::kExcludeTrain);
      QVERIFY2(lists.ok(), lists ? "" : lists.error().text().c_str());
      for (const retrieval::Recommendation& list : *lists)
        for (const retrieval::RecommendedItem& item : list.items) QVERIFY(item.id.starts_with("i"));
    }
  }

  void itsRunsAreCompared() {
    const auto compared = workspace_->compare({runs_.at("compressed"), runs_.at("stopped")}, {});
    QVERIFY2(compared.ok(), compared ? "" : compared.error().text().c_str());
    QVERIFY(!compared->settings.empty());
  }

  // The source is gone, and would be read otherwise: the data set that 0.1 made is what it goes on with.
  void aStoppedRunGoesOn() {
    testing::RecordingSink sink;
    auto run =
        workspace_->resume(runs_.at("stopped"), {.threads = 1, .sink = &sink, .paused = true});
    QVERIFY2(run.ok(), run ? "" : run.error().text().c_str());
    for (int step = 0; step < 3; ++step) (*run)->step();
    QTRY_COMPARE(sink.steps().size(), std::size_t{3});
    (*run)->stop();
    const workspace::RunOutcome outcome = (*run)->wait();
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    QCOMPARE(outcome.state, RunState::kStopped);
    const auto then = jsonOf(kRecorded / ("show-" + runs_.at("stopped") + ".json"));
    QCOMPARE(outcome.steps, then.at("steps").get<std::int64_t>() + 3);
  }

  // The run above: its best epoch was measured again, and its checkpoint is kept.
  void aRunThatGoesOnHasItsBestByTheRulesOfToday() {
    const std::string run = runs_.at("stopped");
    const store::RunRecord record = workspace_->store().find(run).value();
    QCOMPARE(record.rules, experiment::kMetricRules);
    QVERIFY(record.best.has_value());
    QCOMPARE(record.best->step, std::int64_t{45});
    workspace::EvaluateOptions options;
    options.checkpoint = {workspace::WhichCheckpoint::kBest, 0};
    const auto best = workspace_->evaluate(run, options, {});
    QVERIFY2(best.ok(), best ? "" : best.error().text().c_str());
    QCOMPARE(best->step, std::int64_t{45});
    for (const auto& [key, value] : best->metrics)
      if (key == "loss") QCOMPARE(value, record.best->value);
    const auto events = workspace_->store().events(run).value();
    QCOMPARE(std::ranges::count_if(events,
                                   [](const store::EventRecord& event) {
                                     return event.message.find("was measured again by rules 2") !=
                                            std::string::npos;
                                   }),
             2);
  }
};

QTEST_GUILESS_MAIN(OldWorkspaceTest)
#include "old_workspace_test.moc"
