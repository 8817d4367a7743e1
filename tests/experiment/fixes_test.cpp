// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fixes.h"

#include <QtTest>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/experiment/experiment.h"

using namespace parapet::experiment;
using nlohmann::json;

namespace {

json sample() {
  return json(toJson(parse(*parseJson(findRecipe("sample")->text)).experiment));
}

std::vector<std::string> labelsOf(const std::vector<Fix>& fixes) {
  std::vector<std::string> labels;
  for (const Fix& fix : fixes) labels.push_back(fix.label);
  return labels;
}

/// Rows of users and items with one column more.
json shopWith(const char* column, const char* role) {
  return {{"source", "csv"},
          {"path", "shop.csv"},
          {"columns",
           {{{"name", "user"}, {"role", "user"}},
            {{"name", "item"}, {"role", "item"}},
            {{"name", column}, {"role", role}}}},
          {"vocabularies",
           {{{"name", "user"}, {"kind", "compressed"}, {"size", "auto"}},
            {{"name", "item"}, {"kind", "compressed"}, {"size", "auto"}}}},
          {"batch", {{"size", 64}}}};
}

}  // namespace

class FixesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void noFixAsksForMoreDevicesThanThereAreCores() {
    json document = sample();
    document["dataset"]["batch"]["size"] = 64;
    document["mesh"]["devices"] = json::array({"cpu*100"});
    const auto problems = parse(document).findings.problems;
    QVERIFY(!problems.empty());
    int proposals = 0;
    const Fixes fixes(document);
    for (const Problem& problem : problems)
      for (const Fix& fix : fixes.of(problem)) {
        const json devices = document.patch(fix.patch)["mesh"]["devices"];
        // A reset leaves the default, which is one device.
        if (devices.is_null() || devices == document["mesh"]["devices"]) continue;
        ++proposals;
        QVERIFY2(devices.is_array(),
                 (problem.pointer + " " + fix.label + " " + fix.patch.dump()).c_str());
        QVERIFY(expandDevices(devices.get<std::vector<std::string>>())->size() <=
                static_cast<std::size_t>(parapet::Workers::available()));
      }
    QVERIFY(proposals > 0);
  }

  void whatIsAcceptedIsAButton_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("accepted");
    QTest::addColumn<QStringList>("labels");
    const auto row = [](const char* pointer, const char* accepted, const QStringList& labels) {
      QTest::addRow("%s: %s", pointer, accepted) << pointer << accepted << labels;
    };
    row("/evaluation/seen_pairs", "\"drop\"", {"Set seen pairs to drop"});
    row("/training/epochs", "12 to use all, or null", {"Set epochs to 12"});
    row("/optimizer/learning_rate", "0.01, or less", {"Set learning rate to 0.01"});
    row("/evaluation/k/0", "1 … 40", {});
    row("/evaluation/seen_pairs", "one of: keep, drop", {});
  }
  void whatIsAcceptedIsAButton() {
    QFETCH(QString, pointer);
    QFETCH(QString, accepted);
    QFETCH(QStringList, labels);
    const auto offered = labelsOf(
        Fixes(sample()).of({pointer.toStdString(), "found in the data", accepted.toStdString()}));
    for (const QString& label : labels)
      QVERIFY2(std::ranges::find(offered, label.toStdString()) != offered.end(),
               parapet::join(offered).c_str());
    if (labels.isEmpty())
      for (const std::string& label : offered) QVERIFY2(!label.starts_with("Set"), label.c_str());
  }

  void usersWithoutTrainingRowsCanBeLeftOut() {
    const Problem cold{"/dataset/split/cold_users", "85 % have a user without a training row", ""};
    json document = sample();
    document["dataset"]["split"] = {{"kind", "temporal"}, {"validation_seconds", 1000}};
    auto fixes = Fixes(document).of(cold);
    QCOMPARE(labelsOf(fixes),
             (std::vector<std::string>{"Use leave last", "Leave rows of unknown users out"}));
    QCOMPARE(document.patch(fixes[0].patch)["dataset"]["split"],
             json({{"kind", "leave_last"}, {"validation", 1}}));
    QCOMPARE(document.patch(fixes[1].patch)["dataset"]["split"]["cold_users"], json("drop"));
    fixes = Fixes(sample()).of(cold);
    QCOMPARE(labelsOf(fixes).front(), std::string("Use leave last"));
  }

  void everyEditTakesItsProblemAway_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("label");
    const auto row = [](const char* pointer, const char* value, const char* label) {
      QTest::addRow("%s = %s", pointer, value) << pointer << value << label;
    };
    row("/tables/0/embedding_dim", "32", "Add dense 32 to the candidate tower");
    row("/dataset/split", R"({"kind": "random", "train": 1.0, "validation": 0.1, "test": 0.0})",
        "Training share 0.9");
    row("/dataset/batch/size", "null", "Batches of 256 examples");
    row("/features/1/history", "{}", "Remove the history");
    row("/features/0",
        R"({"name": "history", "column": "item", "table": "item", "tower": "candidate",
            "history": {}})",
        "Put it into the query tower");
    row("/mesh/shape", "[3]", "One axis over all devices");
    row("/mesh/devices", R"(["cpu*128"])", "Use one CPU device");
    row("/mesh/capacity_bytes", "[4194304, 2097152]", "2.00 MiB for every device");
    row("/mesh/capacity_bytes", "[0]", "The memory of the devices");
    row("/evaluation/k", "[10, 5, 5]", "Sort them");
    row("/loss", R"({"kind": "list_mle"})", "In-batch softmax");
    row("/training/epochs", "-3", "Reset epochs");
    row("/dataset/split/kind", R"("no such kind")", "Split at random: 0.8, 0.1, 0.1");
    row("/training/early_stopping", R"({"metric": "val_lss"})", "Watch the validation loss");
    row("/reference/curve", R"("no such curve")", "Reset curve");
    row("/optimizer/weight_decay", "1000", "Reset weight decay");
    row("/nonsense", "1", "Reset nonsense");
    row("/tables/0/axes", R"(["model"])", "Remove the axis");
  }
  void everyEditTakesItsProblemAway() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, label);
    json document = sample();
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const Findings before = parse(document).findings;
    QVERIFY(!before.problems.empty());
    const Fixes fixes(document);
    bool offered = false;
    for (const Problem& problem : before.problems)
      for (const Fix& fix : fixes.of(problem)) {
        offered = offered || fix.label == label.toStdString();
        const Findings after = parse(document.patch(fix.patch)).findings;
        QVERIFY(after.problems.size() < before.problems.size());
        QVERIFY(after.warnings.size() <= before.warnings.size());
      }
    std::string all;
    for (const Problem& problem : before.problems) {
      all += problem.pointer + " " + problem.message + ":";
      for (const std::string& each : labelsOf(fixes.of(problem))) all += " [" + each + "]";
    }
    QVERIFY2(offered, all.c_str());
  }

  void aContextThatNothingReadsGetsAFeatureInOneFix_data() {
    QTest::addColumn<QString>("features");
    QTest::addColumn<QString>("model");
    const char* plain = R"([{"name": "user", "column": "user", "table": "user"},
      {"name": "item", "column": "item", "table": "item", "tower": "candidate"}])";
    const char* folders = R"([{"name": "query/ids/user", "column": "user", "table": "user"},
      {"name": "candidate/ids/item", "column": "item", "table": "item", "tower": "candidate"}])";
    QTest::newRow("no layers") << plain << R"({})";
    QTest::newRow("sum") << plain << R"({"query": [{"kind": "add"}]})";
    QTest::newRow("sum of a name")
        << plain << R"({"query": [{"kind": "add", "inputs": ["user"]}]})";
    QTest::newRow("sum of a folder")
        << folders << R"({"query": [{"kind": "add", "inputs": ["query/ids"]}]})";
    QTest::newRow("dense") << plain << R"({"query": [{"kind": "dense", "units": 16}]})";
    QTest::newRow("dense of a name")
        << plain << R"({"query": [{"kind": "dense", "units": 16, "inputs": ["user"]}]})";
    QTest::newRow("ranking") << plain
                             << R"({"kind": "ranking", "layers": [{"kind": "dense", "units": 1}]})";
  }
  void aContextThatNothingReadsGetsAFeatureInOneFix() {
    QFETCH(QString, features);
    QFETCH(QString, model);
    json document = sample();
    document["dataset"] = shopWith("daytime", "context");
    document["dataset"]["vocabularies"].push_back(
        {{"name", "daytime"}, {"kind", "compressed"}, {"size", "auto"}});
    document["features"] = json::parse(features.toStdString());
    document["model"] = json::parse(model.toStdString());
    document["loss"] = {
        {"kind", document["model"].contains("layers") ? "bce" : "in_batch_softmax"}};
    document["evaluation"].erase("relevance_threshold");
    const Findings before = parse(document).findings;
    const auto unread =
        std::ranges::find(before.warnings, std::string("/dataset/columns/2"), &Problem::pointer);
    QVERIFY(unread != before.warnings.end());
    const std::vector<Fix> fixes = Fixes(document).of(*unread);
    if (fixes.empty())
      for (const Problem& problem : parse(withFeature(document, "daytime")).findings.problems)
        qWarning("%s %s", problem.pointer.c_str(), problem.message.c_str());
    QVERIFY(!fixes.empty());
    QCOMPARE(fixes[0].label, std::string("Add a feature of \"daytime\""));
    const json fixed = document.patch(fixes[0].patch);
    const Parsed after = parse(fixed);
    QCOMPARE(after.findings.problems.size(), std::size_t{0});
    QCOMPARE(after.findings.warnings.size(), before.warnings.size() - 1);
    QCOMPARE(after.experiment.features.size(), std::size_t{3});
    QCOMPARE(after.experiment.tables.back().name, std::string("daytime"));
    QCOMPARE(after.experiment.tables.back().embeddingDim, 16);
  }

  void aNumberIsProjectedBesideTheSumOfTheTower() {
    json document = sample();
    document["dataset"] = shopWith("age", "number");
    const json added = withFeature(document, "age");
    const Parsed after = parse(added);
    for (const Problem& problem : after.findings.problems)
      qWarning("%s %s", problem.pointer.c_str(), problem.message.c_str());
    QCOMPARE(after.findings.problems.size(), std::size_t{0});
    QCOMPARE(after.experiment.features.size(), std::size_t{3});
    QVERIFY(withFeature(document, "no such column") == document);
  }

  /// Sizes, rates and counts of the sample, out of their range.
  void aBadValueIsOneProblem_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    for (const char* pointer :
         {"/dataset/batch/size", "/dataset/split/train", "/tables/0/embedding_dim",
          "/optimizer/learning_rate", "/training/epochs", "/training/validate_every",
          "/evaluation/k", "/loss/temperature", "/dataset/generator/users"})
      for (const char* value : {"-5", "1e23", "\"x\"", "[]"})
        QTest::addRow("%s = %s", pointer, value) << pointer << value;
  }
  void aBadValueIsOneProblem() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    json document(toJson(parse(sample()).experiment));
    document["loss"] = {{"kind", "in_batch_softmax"}};
    document = json(toJson(parse(document).experiment));
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const Findings found = parse(document).findings;
    for (const Problem& problem : found.problems)
      QVERIFY2(problem.pointer.starts_with(pointer.toStdString()),
               (problem.pointer + ": " + problem.message).c_str());
  }

  void anOldNameOfACurveBecomesTheCurrentOne() {
    json document = sample();
    document["reference"]["curve"] = "seed-000";
    const Findings before = parse(document).findings;
    const auto warned =
        std::ranges::find(before.warnings, std::string("/reference/curve"), &Problem::pointer);
    QVERIFY(warned != before.warnings.end());
    const std::vector<Fix> fixes = Fixes(document).of(*warned);
    QCOMPARE(fixes.at(0).label, std::string("Name it \"keras-data-parallel-retrieval\""));
    QCOMPARE(document.patch(fixes[0].patch)["reference"]["curve"],
             json("keras-data-parallel-retrieval"));
  }

  void aScheduleThatChangesNothingEndsAtZeroOrIsConstant() {
    json document = sample();
    document["schedule"] = {{"kind", "polynomial"}, {"end", 0.0499}, {"warmup_steps", 5}};
    const Findings before = parse(document).findings;
    QCOMPARE(before.warnings.size(), std::size_t{1});
    const std::vector<Fix> fixes = Fixes(document).of(before.warnings[0]);
    QCOMPARE(fixes.at(0).label, std::string("End at 0"));
    QCOMPARE(document.patch(fixes[0].patch)["schedule"]["end"], json(0.0));
    QCOMPARE(fixes.at(1).label, std::string("A constant rate"));
    QCOMPARE(document.patch(fixes[1].patch)["schedule"],
             (json{{"kind", "constant"}, {"warmup_steps", 5}}));
  }

  void aHistoryWithoutTimesTakesTheOrderOfTheData() {
    json document = sample();
    document["dataset"]["columns"] = {{{"name", "user"}, {"role", "user"}},
                                      {{"name", "item"}, {"role", "item"}}};
    document["features"][0] = {
        {"name", "history"}, {"column", "item"}, {"table", "item"}, {"history", json::object()}};
    const Findings before = parse(document).findings;
    QCOMPARE(before.problems.size(), std::size_t{1});
    const std::vector<Fix> fixes = Fixes(document).of(before.problems[0]);
    QCOMPARE(fixes.at(0).label, std::string("Take the order of the data"));
    const json fixed = document.patch(fixes[0].patch);
    QCOMPARE(fixed["features"][0]["history"]["order"], json("data"));
  }

  void aScheduleThatNobodyFollowsIsRemoved() {
    json document = sample();
    document["schedule"] = {{"kind", "cosine"}, {"decay_steps", 10}};
    document["optimizer"]["schedule"] = {{"kind", "constant"}};
    const Findings before = parse(document).findings;
    QCOMPARE(before.warnings.size(), std::size_t{1});
    QCOMPARE(Fixes(document).of(before.warnings[0]).at(0).label,
             std::string("Remove the unused schedule"));
  }

  // The first fix keeps the subject of the document: its loss, its objective, its layers.
  void theFirstFixFits_data() {
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QStringList>("labels");
    const auto row = [](const char* name, const char* recipe, const char* pointer,
                        const char* value, const QStringList& labels) {
      QTest::newRow(name) << recipe << pointer << value << labels;
    };
    row("no negatives", "sample", "/loss", R"({"kind": "sampled_softmax"})",
        {"Add 256 negatives of the catalogue"});
    row("none that are calibrated", "sample", "/loss",
        R"({"kind": "sampled_bce", "calibration": 0.5})", {"Add 256 negatives of the catalogue"});
    row("a margin", "sample", "/loss", R"({"kind": "ccl", "margin": 3})", {"Reset margin"});
    row("a size", "sample", "/model/query", R"([{"kind": "dense", "units": -3}])",
        {"Reset units", "Remove the layer"});
    row("a loss of labels", "sasrec", "/loss", R"({"kind": "mse"})",
        {"Sampled softmax", "Train each row", "In-batch softmax"});
    row("no negatives of the batch", "sasrec", "/loss", R"({"kind": "bpr", "negatives": "none"})",
        {"Add 256 negatives of the catalogue"});
    row("rows without times", "movielens-ranking", "/dataset",
        R"({"source": "csv", "path": "rows.csv", "label": {"column": "rating"},
            "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                        {"name": "rating", "role": "number"}],
            "vocabularies": [{"name": "user"}, {"name": "item"}],
            "split": {"kind": "leave_last"}, "batch": {"size": 64}})",
        {"Take the order of the data"});
    row("no sequence", "sasrec", "/features/0/sequence", "false",
        {R"(Read "history" as a sequence)"});
    row("no pool", "sasrec", "/model/query",
        R"([{"kind": "transformer_block", "causal": true, "units": 64}])",
        {"Take the last position"});
    row("a later layer", "sasrec", "/model/query",
        R"([{"kind": "transformer_block", "units": 64}, {"kind": "pool", "by": "last"}])",
        {"Set causal to true", "Remove the layer"});
  }
  void theFirstFixFits() {
    QFETCH(QString, recipe);
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QStringList, labels);
    json document = json::parse(findRecipe(recipe.toStdString()).value().text);
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const Findings before = parse(document).findings;
    QVERIFY(!before.problems.empty());
    const auto fixes = Fixes(document).of(before.problems.front());
    QStringList offered;
    for (const Fix& fix : fixes) offered << QString::fromStdString(fix.label);
    QVERIFY2(offered.mid(0, labels.size()) == labels, qPrintable(offered.join(" | ")));
    for (const QString& label : offered)
      QVERIFY2(!label.startsWith("Add dense"), qPrintable(label));
    QVERIFY(parse(document.patch(fixes.front().patch)).findings.problems.size() <
            before.problems.size());
  }

  void problemsOfDataAreNotFoundAgainButFixed() {
    const Fixes fixes(sample());
    const auto direct = fixes.of({"/dataset/vocabularies/0/kind", "ids leave gaps", "compressed"});
    QVERIFY(!direct.empty());
    QCOMPARE(direct[0].label, std::string("Use compressed ids"));
    const json fixed = sample().patch(direct[0].patch);
    QCOMPARE(fixed["dataset"]["vocabularies"][0]["kind"], json("compressed"));
    const auto data = fixes.of({"/dataset/path", "no data yet", "a path"});
    QVERIFY(data.size() >= 2);
    QCOMPARE(data[0].kind, FixKind::kChooseData);
    QCOMPARE(data[1].kind, FixKind::kDownloadData);
  }

  void withoutALabelTheLossMayChange() {
    json document = sample();
    document["dataset"]["label"] = {{"column", nullptr}, {"scale", nullptr}};
    const auto fixes = Fixes(document).of({"/dataset/label/column", "there is no label", ""});
    const auto labels = labelsOf(fixes);
    QVERIFY(std::ranges::find(labels, "Choose a label") != labels.end());
    QVERIFY(std::ranges::find(labels, "In-batch softmax") != labels.end());
    QVERIFY(std::ranges::find(labels, "Mean squared error") == labels.end());
  }

  // A ranking model has nothing to tell apart: one edit makes it towers with drawn negatives.
  void withoutALabelARankingModelBecomesTowers_data() {
    QTest::addColumn<QString>("changes");
    QTest::addColumn<QString>("label");
    QTest::newRow("towers are named") << "{}"
                                      << "Retrieval with sampled negatives";
    QTest::newRow("towers are not named") << R"({"/features/1/tower": "query"})"
                                          << "Retrieval with sampled negatives";
    QTest::newRow("a metric of labels") << R"({"/training/early_stopping": {"metric": "val_mae"},
               "/training/checkpoints/best": "val_rmse"})"
                                        << "Retrieval with sampled negatives";
    QTest::newRow("cross entropy") << R"({"/loss": {"kind": "bce"}})"
                                   << "Retrieval with sampled negatives";
    QTest::newRow("towers of different widths")
        << R"({"/tables/1/embedding_dim": 8})"
        << "Retrieval by dense towers with sampled negatives";
  }
  void withoutALabelARankingModelBecomesTowers() {
    QFETCH(QString, changes);
    QFETCH(QString, label);
    json document = json::parse(findRecipe("movielens-ranking").value().text);
    document["dataset"]["label"] = {{"column", nullptr}};
    const json changed = json::parse(changes.toStdString());
    for (const auto& [pointer, value] : changed.items())
      document[json::json_pointer(pointer)] = value;
    const Findings before = parse(document).findings;
    QCOMPARE(before.warnings.size(), std::size_t{1});
    QVERIFY(before.warnings[0].accepted.find("sampled_softmax") != std::string::npos);
    // The warning of the document, and the problem of the data that preflight adds.
    for (const Problem& problem :
         {before.warnings[0], Problem{"/dataset/label/column", "none", ""}}) {
      const auto fixes = Fixes(document).of(problem);
      const auto found = std::ranges::find(fixes, FixKind::kEdit, &Fix::kind);
      QVERIFY(found != fixes.end());
      QCOMPARE(QString::fromStdString(found->label), label);
      const Parsed after = parse(document.patch(found->patch));
      QVERIFY(after.findings.problems.empty() && after.findings.warnings.empty());
      QVERIFY(after.experiment.model.kind == ModelKind::kRetrieval);
      QVERIFY(after.experiment.loss.kind == LossKind::kSampledSoftmax);
      QVERIFY(after.experiment.features[0].tower == Tower::kQuery);
      QVERIFY(after.experiment.features[1].tower == Tower::kCandidate);
    }
  }

  // Only a person knows whether a column describes users or items.
  void featuresOfUnknownSidesGetNoTowers() {
    json document = json::parse(findRecipe("movielens-ranking").value().text);
    document["dataset"]["label"] = {{"column", nullptr}};
    document["dataset"]["columns"] = {{{"name", "user"}, {"role", "user"}},
                                      {{"name", "item"}, {"role", "item"}},
                                      {{"name", "genre"}, {"role", "feature"}}};
    document["dataset"]["vocabularies"].push_back({{"name", "genre"}});
    document["tables"].push_back(
        {{"name", "genre"}, {"vocabulary", "genre"}, {"embedding_dim", 32}});
    document["features"].push_back({{"name", "genre"}, {"column", "genre"}, {"table", "genre"}});
    const auto becomesTowers = [&] {
      const auto fixes = Fixes(document).of({"/dataset/label/column", "none", ""});
      return std::ranges::any_of(fixes,
                                 [](const Fix& fix) { return fix.label.starts_with("Retrieval"); });
    };
    QVERIFY(becomesTowers());
    document["features"][1]["tower"] = "query";
    QVERIFY(!becomesTowers());
  }

  void withoutALabelTheRelevanceThresholdMayGo() {
    json document = sample();
    document["dataset"]["label"] = {{"column", nullptr}, {"scale", nullptr}};
    const Findings before = parse(document).findings;
    QCOMPARE(before.warnings.size(), std::size_t{1});
    const auto fixes = Fixes(document).of(before.warnings[0]);
    QCOMPARE(labelsOf(fixes), std::vector<std::string>{"Reset relevance threshold"});
    document = document.patch(fixes[0].patch);
    QVERIFY(parse(document).findings.warnings.empty());
    // Every row reaches a threshold of 1.
    document["evaluation"]["relevance_threshold"] = 1;
    QVERIFY(parse(document).findings.warnings.empty());
  }

  void settingsOfListsAreUnusedByAModelOfTexts() {
    json document = json::parse(findRecipe("bert-tiny-mlm").value().text);
    document["evaluation"]["unit"] = "user";
    const std::vector<Problem> warnings = parse(document).findings.warnings;
    const auto unit = std::ranges::find(warnings, "/evaluation/unit", &Problem::pointer);
    QVERIFY(unit != warnings.end());
    QVERIFY2(unit->message.find("a masked language model") != std::string::npos,
             unit->message.c_str());
  }

  // Whoever could not read a setting has its default in the document, where nothing is wrong.
  void onlyProblemsOfLayersAreFixedByALayer() {
    const json document(toJson(parse(*parseJson(findRecipe("bert-tiny-mlm")->text)).experiment));
    const Fixes fixes(document);
    for (const char* key : {"rate", "method", "max_selections"}) {
      const auto offered = fixes.of({std::string("/model/masking/") + key, "1.5 is too large", ""});
      const auto labels = labelsOf(offered);
      QVERIFY(!labels.empty());
      QVERIFY2(labels.front().starts_with("Reset "), labels.front().c_str());
      QVERIFY(std::ranges::none_of(
          labels, [](const std::string& label) { return label.starts_with("Add dense"); }));
    }
  }

  void nothingIsOfferedForWhatIsNoDocument() {
    QVERIFY(Fixes(json::array()).of({"/tables", "no object", ""}).empty());
    QVERIFY(Fixes(sample()).of({"no pointer", "x", ""}).empty());
  }
};

QTEST_APPLESS_MAIN(FixesTest)
#include "fixes_test.moc"
