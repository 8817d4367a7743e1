// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/check_data.h"

#include <QTest>
#include <algorithm>
#include <fstream>
#include <map>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/fixes.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

class CheckDataTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  using Imported = std::pair<experiment::Experiment, data::ImportReport>;
  /// A data set of these lines, and a model that reads a history.
  Imported historyOf(const std::string& lines, const std::string& history, bool timed = true) {
    const std::string path = folder_.filePath("rows.csv").toStdString();
    std::ofstream(path) << "user,item,time\n" << lines;
    nlohmann::json document =
        experiment::parseJson(experiment::findRecipe("sample").value().text).value();
    document["dataset"] = {
        {"source", "csv"},
        {"path", path},
        {"label", {{"column", nullptr}}},
        {"columns", {{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"batch", {{"size", 2}}}};
    document["features"][0] = {{"name", "history"},
                               {"column", "item"},
                               {"table", "item"},
                               {"history", nlohmann::json::parse(history)}};
    if (timed) document["dataset"]["columns"].push_back({{"name", "time"}, {"role", "time"}});
    const experiment::Experiment experiment = experiment::parse(document).experiment;
    auto imported = data::importDataset(experiment.dataset, folder_.path().toStdString(), {},
                                        data::makeGenerator);
    if (!imported) throw InternalError(imported.error().text());
    return {experiment, std::move(imported).value()};
  }
  experiment::Findings findingsOf(const std::string& lines, const std::string& history,
                                  bool timed = true) {
    const auto [experiment, report] = historyOf(lines, history, timed);
    return workspace::checkData(experiment, *report.dataset);
  }

  /// A data set of these lines, whose weights are in column w, and its model.
  Imported weighted(const std::string& lines) {
    const std::string path = folder_.filePath("weighted.csv").toStdString();
    std::ofstream(path) << "user,item,w,rating,tags\n" << lines;
    nlohmann::json document =
        experiment::parseJson(experiment::findRecipe("sample").value().text).value();
    document["dataset"] = {
        {"source", "csv"},
        {"path", path},
        {"weight", "w"},
        {"label", {{"column", "rating"}, {"scale", {1, 5}}}},
        {"columns",
         {{{"name", "user"}, {"role", "user"}},
          {{"name", "item"}, {"role", "item"}},
          {{"name", "tags"}, {"role", "feature"}, {"separator", "|"}, {"weights", ":"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}},
          {{"name", "item"}, {"kind", "compressed"}},
          {{"name", "tags"}, {"kind", "compressed"}}}},
        {"batch", {{"size", 2}}}};
    const experiment::Experiment experiment = experiment::parse(document).experiment;
    auto imported = data::importDataset(experiment.dataset, folder_.path().toStdString(), {},
                                        data::makeGenerator);
    if (!imported) throw InternalError(imported.error().text());
    return {experiment, std::move(imported).value()};
  }

  /// Findings of a model over 40 items, all of which have training rows among the 600, whose
  /// evaluation and training are changed.
  experiment::Findings findingsWith(const nlohmann::json& patch, std::int64_t trainingRows = 600) {
    nlohmann::json document(experiment::toJson(testing::smallSample()));
    document.merge_patch(patch);
    const experiment::Experiment experiment = experiment::parse(document).experiment;
    const auto imported = data::importDataset(experiment.dataset, folder_.path().toStdString(), {},
                                              data::makeGenerator);
    if (!imported) throw InternalError(imported.error().text());
    data::Split split;
    split.train = data::RowSet::all(trainingRows);
    return workspace::checkListLengths(experiment, *imported->dataset, split);
  }

 private Q_SLOTS:
  void weightsThatAreAllZeroAreAProblemOfTheirColumn() {
    const auto [experiment, report] = weighted("a,x,0,1,p:0|q:0\na,y,0,5,p:0\nb,x,0,3,q:0\n");
    const auto findings = workspace::checkData(experiment, *report.dataset);
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, std::string("/dataset/weight"));
    QVERIFY2(findings.problems[0].message.starts_with("all 3 weights of column \"w\" are 0"),
             findings.problems[0].message.c_str());
    QCOMPARE(findings.warnings.size(), std::size_t{1});
    QCOMPARE(findings.warnings[0].pointer, std::string("/dataset/columns/2/weights"));
    QVERIFY(std::ranges::any_of(report.warnings, [](const std::string& each) {
      return each.starts_with("all weights of column \"w\" are 0");
    }));
    const auto [other, good] = weighted("a,x,0,1,p:0|q:0\na,y,0.5,5,p:1\nb,x,0,3,q:0\n");
    const auto none = workspace::checkData(other, *good.dataset);
    QVERIFY(none.problems.empty() && none.warnings.empty());
  }

  void columnsOfOneValueAreWarnings() {
    const auto [experiment, report] = weighted("a,x,2,4,p:1\na,y,2,4,p:1\nb,x,2,4,q:1\n");
    const auto findings = workspace::checkData(experiment, *report.dataset);
    QVERIFY(findings.problems.empty());
    std::map<std::string, std::string> found;
    for (const auto& warning : findings.warnings) found[warning.pointer] = warning.message;
    QCOMPARE(found.size(), std::size_t{2});
    QVERIFY2(found["/dataset/weight"].starts_with("all 3 weights are 2"),
             found["/dataset/weight"].c_str());
    QVERIFY2(found["/dataset/label/column"].starts_with("all 3 labels are 4"),
             found["/dataset/label/column"].c_str());
    const auto [other, single] = weighted("a,x,2,4,p:1\na,x,1,5,p:1\nb,x,2,4,q:1\n");
    const auto item = workspace::checkData(other, *single.dataset);
    QCOMPARE(item.warnings.size(), std::size_t{1});
    QCOMPARE(item.warnings[0].pointer, std::string("/dataset/columns/1"));
    QVERIFY2(item.warnings[0].message.find("all 3 rows have one id in the column \"item\"") == 0,
             item.warnings[0].message.c_str());
  }

  void moreNegativesThanItemsAreAWarning() {
    auto [experiment, report] = weighted("a,x,2,4,p:1\na,y,1,5,p:1\nb,x,3,4,q:1\n");
    experiment.loss.extraNegatives = experiment::ExtraNegatives{.count = 2};
    QVERIFY(workspace::checkData(experiment, *report.dataset).warnings.empty());
    experiment.loss.extraNegatives->count = 3;
    const auto findings = workspace::checkData(experiment, *report.dataset);
    QCOMPARE(findings.warnings.size(), std::size_t{1});
    QCOMPARE(findings.warnings[0].pointer, std::string("/loss/extra_negatives/count"));
    QVERIFY2(findings.warnings[0].message.starts_with("3 negatives are drawn of 2 items"),
             findings.warnings[0].message.c_str());
  }

  void numbersAndTimesOfOneValueAreWarnings() {
    const std::string path = folder_.filePath("constant.csv").toStdString();
    std::ofstream(path) << "user,item,price,when\na,x,7.5,10\na,y,7.5,10\nb,x,7.5,10\n";
    nlohmann::json document =
        experiment::parseJson(experiment::findRecipe("sample").value().text).value();
    document["dataset"] = {
        {"source", "csv"},
        {"path", path},
        {"columns",
         {{{"name", "user"}, {"role", "user"}},
          {{"name", "item"}, {"role", "item"}},
          {{"name", "price"}, {"role", "number"}},
          {{"name", "when"}, {"role", "time"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"label", {{"column", nullptr}}},
        {"batch", {{"size", 2}}}};
    const experiment::Experiment experiment = experiment::parse(document).experiment;
    const auto imported = data::importDataset(experiment.dataset, folder_.path().toStdString(), {},
                                              data::makeGenerator);
    QVERIFY2(imported.ok(), imported ? "" : imported.error().text().c_str());
    const auto findings = workspace::checkData(experiment, *imported->dataset);
    QCOMPARE(findings.warnings.size(), std::size_t{2});
    QCOMPARE(findings.warnings[0].pointer, std::string("/dataset/columns/2"));
    QVERIFY(findings.warnings[0].message.find("7.5") != std::string::npos);
    QCOMPARE(findings.warnings[1].pointer, std::string("/dataset/columns/3"));
    QVERIFY(findings.warnings[1].message.find("same time") != std::string::npos);
  }

  void aPartWithoutWeightIsFound() {
    const auto [experiment, report] =
        weighted("a,x,0,1,p:1\na,y,0,5,p:1\nb,x,0,3,q:1\nb,y,2,3,q:1\n");
    data::Split split;
    split.train = data::RowSet(std::vector<std::int64_t>{0, 1});
    split.validation = data::RowSet(std::vector<std::int64_t>{2, 3});
    const auto without = workspace::checkSplit(experiment, *report.dataset, split, 2);
    QCOMPARE(without.problems.size(), std::size_t{1});
    QCOMPARE(without.problems[0].pointer, std::string("/dataset/weight"));
    QVERIFY(without.warnings.empty());
    std::swap(split.train, split.validation);
    const auto with = workspace::checkSplit(experiment, *report.dataset, split, 2);
    QVERIFY(with.problems.empty());
    QCOMPARE(with.warnings.size(), std::size_t{1});
    QVERIFY(with.warnings[0].message.find("validation part") != std::string::npos);
  }

  void positionsNeedRowsOneAfterAnother() {
    const auto problemsOf = [&](const std::string& lines, bool dropRemainder) {
      auto [experiment, report] = historyOf(lines, "{}");
      experiment.features[0].sequence = true;
      experiment.training.objective = experiment::Objective::kAllPositions;
      experiment.dataset.batch.dropRemainder = dropRemainder;
      data::Split split;
      split.train = data::RowSet::all(report.dataset->rows());
      return workspace::checkSplit(experiment, *report.dataset, split, 2).problems;
    };
    const auto none = problemsOf("a,x,10\nb,x,10\nb,y,10\nc,z,30\n", false);
    QCOMPARE(none.size(), std::size_t{1});
    QCOMPARE(none[0].pointer, std::string("/training/objective"));
    QVERIFY2(none[0].message.find("no position predicts a row") == 0, none[0].message.c_str());
    QVERIFY(problemsOf("a,x,10\na,y,20\nb,x,10\n", false).empty());
    const auto few = problemsOf("a,x,10\na,y,20\nb,x,10\n", true);
    QCOMPARE(few.size(), std::size_t{1});
    QVERIFY2(few[0].message.find("1 training sequences make no full batch of 2") == 0,
             few[0].message.c_str());
    QVERIFY(problemsOf("a,x,10\na,y,20\nb,x,10\nb,y,20\n", true).empty());
  }

  void rowsOfOneSecondAreCounted() {
    const auto findings =
        findingsOf("a,x,10\na,y,20\na,z,20\nb,x,20\nb,y,30\nb,z,30\nb,w,30\n", "{}");
    QVERIFY(findings.problems.empty());
    QCOMPARE(findings.warnings.size(), std::size_t{1});
    QCOMPARE(findings.warnings[0].pointer, std::string("/features/0/history"));
    QVERIFY2(findings.warnings[0].message.starts_with("5 of 7 rows share their time"),
             findings.warnings[0].message.c_str());
  }

  void anOrderThatIsKnownIsNoWarning() {
    QVERIFY(findingsOf("a,x,10\na,y,20\nb,x,20\n", "{}").warnings.empty());
    QVERIFY(findingsOf("a,x,20\na,y,20\nb,x,30\n", R"({"order": "data"})").warnings.empty());
  }

  void dataWithoutTimesHaveNoHistoryByTime() {
    const auto findings = findingsOf("a,x,10\na,y,20\n", "{}", false);
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, std::string("/features/0/history"));
    QVERIFY(findings.problems[0].accepted.find("\"order\": \"data\"") != std::string::npos);
  }

  void leaksAreWarningsWithAWayOut() {
    using data::LeakFinding, data::LeakSeverity;
    nlohmann::json document =
        experiment::parseJson(experiment::findRecipe("sample").value().text).value();
    document["dataset"]["split"] = {{"kind", "temporal"}, {"validation_seconds", 1000}};
    const std::vector<LeakFinding> leaks{
        {"cold_users", "validation", LeakSeverity::kWarning, 85, 100, "85 % have no training row"},
        {"cold_items", "test", LeakSeverity::kWarning, 30, 100, "30 % have no training row"},
        {"known_pairs", "validation", LeakSeverity::kWarning, 2, 100, "2 % are known"},
        {"future", "train", LeakSeverity::kNote, 5, 100, "5 % are later"}};
    experiment::Experiment experiment = experiment::parse(document).experiment;
    auto warnings = workspace::checkLeaks(experiment, leaks).warnings;
    QCOMPARE(warnings.size(), std::size_t{3});
    QCOMPARE(warnings[0].pointer, std::string("/dataset/split/cold_users"));
    QCOMPARE(warnings[1].pointer, std::string("/dataset/split/cold_items"));
    QCOMPARE(warnings[2].pointer, std::string("/evaluation/seen_pairs"));
    const experiment::Fixes fixes(document);
    for (const experiment::Problem& warning : warnings)
      QVERIFY2(!fixes.of(warning).empty(), warning.pointer.c_str());
    QCOMPARE(fixes.of(warnings[0]).front().label, std::string("Use leave last"));
    experiment.evaluation.seenPairs = experiment::SeenPairs::kDrop;
    QCOMPARE(workspace::checkLeaks(experiment, leaks).warnings.size(), std::size_t{2});
  }

  // A list of all 40 items ends there: what is longer is never measured.
  void listsLongerThanTheCatalogueAreTold() {
    QVERIFY(findingsWith({{"evaluation", {{"k", {10, 40}}}}}).warnings.empty());
    auto findings = findingsWith({{"evaluation", {{"k", {10, 41}}}}});
    QVERIFY(findings.problems.empty());
    QCOMPARE(findings.warnings.size(), std::size_t{1});
    QCOMPARE(findings.warnings[0].pointer, std::string("/evaluation/k/1"));
    QCOMPARE(findings.warnings[0].message,
             std::string("a list has 40 candidates at most, and is not measured at 41"));
    QCOMPARE(findings.warnings[0].accepted, std::string("1 … 40"));
    // Nothing is renamed in silence.
    findings = findingsWith({{"evaluation", {{"k", {50}}}}});
    QCOMPARE(findings.warnings[0].message,
             std::string("a list has 40 candidates at most, and is not measured at 50, but at 40"));
    // Items without a training row are no candidates of a model that knows them by their ids.
    QVERIFY(findingsWith({{"evaluation", {{"k", {1, 39}}}}}, 10).warnings.size() == 1);
    const nlohmann::json ofLists{{"evaluation", {{"k", {50}}, {"catalogue", "never"}}}};
    QVERIFY(findingsWith(ofLists).warnings.empty());
  }

  // Early stopping by it never stops, and no checkpoint ever becomes the best.
  void nothingGoesByAListLongerThanTheCatalogue() {
    for (const char* pointer : {"/training/early_stopping/metric", "/training/checkpoints/best"}) {
      nlohmann::json patch{{"evaluation", {{"k", {10, 50}}}}};
      patch[nlohmann::json::json_pointer(pointer)] = "val_recall@50";
      auto findings = findingsWith(patch);
      QCOMPARE(findings.problems.size(), std::size_t{1});
      QCOMPARE(findings.problems[0].pointer, std::string(pointer));
      QCOMPARE(findings.problems[0].message, std::string("\"val_recall@50\" is never measured: a "
                                                         "list has 40 candidates at most"));
      QVERIFY(findings.problems[0].accepted.find("val_recall@10") != std::string::npos);
      QVERIFY(findings.problems[0].accepted.find("@50") == std::string::npos);
      // A run that began with it goes on, and is told.
      workspace::tolerateNeverMeasured(findings);
      QVERIFY(findings.problems.empty());
      QCOMPARE(findings.warnings.back().pointer, std::string(pointer));
      patch[nlohmann::json::json_pointer(pointer)] = "val_recall@10";
      QVERIFY(findingsWith(patch).problems.empty());
    }
  }
};

QTEST_GUILESS_MAIN(CheckDataTest)
#include "check_data_test.moc"
