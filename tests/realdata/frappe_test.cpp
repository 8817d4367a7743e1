// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>

#include "engine/workspace/workspace.h"

using namespace parapet;

// Frappe as it is published, for research that earns nothing; its licence forbids to ship it.
class FrappeTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<workspace::Workspace> place_;
  std::optional<experiment::Experiment> recipe_;

  static double ndcgOf(const std::vector<experiment::Metric>& metrics) {
    for (const auto& [name, value] : metrics)
      if (name == "ndcg@10") return value;
    return std::nan("");
  }

 private Q_SLOTS:
  void initTestCase() {
    const char* folder = std::getenv("PARAPET_DATA_DIR");
    if (!folder) QSKIP("PARAPET_DATA_DIR is not set");
    const auto file = std::filesystem::path(folder) / "frappe" / "frappe.csv";
    if (!std::filesystem::exists(file)) QSKIP("there is no frappe/frappe.csv");
    place_ = workspace::Workspace::open(folder_.path().toStdString()).value();
    recipe_ = experiment::parse(
                  experiment::parseJson(experiment::findRecipe("frappe-context")->text).value())
                  .experiment;
    recipe_->dataset.path = file.string();
    recipe_->training.epochs = 3;
  }

  // Four rows of five have a user open an app that another row has, too.
  void hasThePublishedCounts() {
    const auto report = place_->importData(*recipe_, {});
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->rows, std::int64_t{96'203});
    QCOMPARE(report->quarantined, std::int64_t{0});
    QCOMPARE(report->dataset->vocabulary("user").size(), std::int64_t{958});
    QCOMPARE(report->dataset->vocabulary("item").size(), std::int64_t{4'083});
    QCOMPARE(report->warnings, std::vector<std::string>{
                                   "77,361 rows repeat the (user, item) pair of an earlier row"});
  }

  void listsBeatWhatIsPopularInTheContext() {
    const auto run = place_->start(*recipe_, {});
    QVERIFY2(run.ok(), run ? "" : run.error().text().c_str());
    const workspace::RunOutcome outcome = (*run)->wait();
    QCOMPARE(outcome.state, experiment::RunState::kFinished);
    workspace::EvaluateOptions options;
    options.part = experiment::SplitPart::kTest;
    const auto found = place_->evaluate(outcome.runId, options, {});
    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
    QCOMPARE(found->unit, std::string("example"));
    int compared = 0;
    for (const auto& [name, metrics] : found->baselines)
      if (name == "most_popular" || name == "most_popular_in_context") {
        ++compared;
        QVERIFY2(ndcgOf(found->metrics) > 1.5 * ndcgOf(metrics), name.c_str());
      }
    QCOMPARE(compared, 2);
  }
};

QTEST_GUILESS_MAIN(FrappeTest)
#include "frappe_test.moc"
