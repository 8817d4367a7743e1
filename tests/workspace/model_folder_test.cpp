// SPDX-License-Identifier: Apache-2.0
// A model that was exported answers as its run does, and a run moves to another workspace.
#include <QtTest>

#include "engine/base/files.h"
#include "engine/base/random.h"
#include "engine/workspace/masked_model.h"
#include "tests/workspace/sample_runs.h"
#include "tests/workspace/small_recipes.h"

using namespace parapet;
using workspace::ExportWhat;
namespace fs = std::filesystem;

namespace {

workspace::ExportOptions modelAt(const fs::path& out) {
  workspace::ExportOptions options;
  options.what = ExportWhat::kModel;
  options.out = out;
  return options;
}

std::unique_ptr<workspace::Workspace> opened(const fs::path& folder) {
  return workspace::Workspace::open(folder).value();
}

/// Lists of all users with everything that is told of them.
std::string listsOf(workspace::Workspace& of, retrieval::SeenItems seen) {
  const auto asked = of.recommender("latest", {}).value();
  std::vector<std::string> users;
  for (const auto& user : asked->findUsers("", retrieval::UserOrder::kById, 1000))
    users.push_back(user.id);
  std::string text;
  const auto lists = asked->recommend(users, 5, seen).value();
  for (const auto& list : lists) {
    text += fmt::format("{} {} {}", list.user, list.userTitle, list.candidates);
    for (const auto& value : list.context) text += fmt::format(" {}={}", value.name, value.value);
    if (list.history) text += fmt::format(" {}", fmt::join(list.history->items, ","));
    for (const auto& item : list.items)
      text += fmt::format("\n{} {} {} {} {} {}", item.rank, item.id, item.title,
                          std::bit_cast<std::uint32_t>(item.score), item.popularity, item.seen);
    text += "\n";
  }
  return text;
}

std::string filled(workspace::Workspace& of) {
  const auto model = of.maskedModel("latest", {}).value();
  std::string text;
  const auto answer = model->fill("the cat [MASK] the [MASK] .", 5).value();
  for (const auto& masked : answer.masked)
    for (const auto& guess : masked.pieces)
      text += fmt::format("{} {} {}\n", masked.position, guess.piece, guess.probability);
  return text;
}

}  // namespace

class ModelFolderTest : public QObject {
  Q_OBJECT

  const testing::SmallRecipes recipes_;
  testing::TemporaryWorkspace place_;
  std::string run_;

  [[nodiscard]] fs::path path(const char* name) const {
    return fs::path(place_.folder.path().toStdString()) / name;
  }
  /// A model of the sample, whose files a test may change.
  fs::path model(const char* name) {
    fs::remove_all(path(name));
    const auto written = place_->exportRun(run_, modelAt(path(name)), {});
    if (!written) qFatal("%s", written.error().text().c_str());
    return path(name);
  }

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(recipes_.made());
    const auto outcome = place_.train(testing::smallSample());
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    run_ = outcome.runId;
  }

  /// The bits of the run, in a place where neither its workspace nor its data are.
  void everyRecipeAnswersAsItsRun_data() {
    QTest::addColumn<QString>("recipe");
    for (const experiment::Recipe& recipe : experiment::recipes())
      QTest::newRow(recipe.name.c_str()) << QString::fromStdString(recipe.name);
  }
  void everyRecipeAnswersAsItsRun() {
    QFETCH(QString, recipe);
    const QTemporaryDir elsewhere;
    const fs::path out = fs::path(elsewhere.path().toStdString()) / "model";
    const experiment::Experiment experiment = recipes_.of(recipe.toStdString());
    const bool readsText = experiment::readsText(experiment.model.kind);
    std::vector<std::string> expected;
    const auto ask = [readsText](workspace::Workspace& of) {
      return readsText ? std::vector{filled(of)}
                       : std::vector{listsOf(of, retrieval::SeenItems::kKeep),
                                     listsOf(of, retrieval::SeenItems::kExcludeTrain)};
    };
    {
      testing::TemporaryWorkspace place;
      const auto outcome = place.train(experiment);
      QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
      const auto written = place->exportRun(outcome.runId, modelAt(out), {});
      QVERIFY2(written.ok(), written.ok() ? "" : written.error().text().c_str());
      expected = ask(*place.workspace);
    }
    QVERIFY(expected.front().size() > 100);
    const auto model = opened(out);
    QCOMPARE(ask(*model), expected);
    // A model of a model is the same.
    const fs::path copy = fs::path(elsewhere.path().toStdString()) / "copy";
    QVERIFY(model->exportRun("latest", modelAt(copy), {}).ok());
    QCOMPARE(ask(*opened(copy)), expected);
  }

  /// Ids that the training rows lack stay out of a fitted vocabulary.
  void aFittedVocabularyIsFittedToTheSameRows() {
    experiment::Experiment experiment = testing::smallSample();
    experiment.dataset.vocabularies[1].kind = experiment::VocabularyKind::kCompressed;
    experiment.dataset.vocabularies[1].size = {};
    experiment.dataset.vocabularies[1].minCount = 12;
    testing::TemporaryWorkspace place;
    const auto outcome = place.train(experiment);
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    QVERIFY(place->exportRun(outcome.runId, modelAt(path("fitted")), {}).ok());
    QCOMPARE(listsOf(*opened(path("fitted")), retrieval::SeenItems::kExcludeTrain),
             listsOf(*place.workspace, retrieval::SeenItems::kExcludeTrain));
  }

  /// A file of the rows that the run holds out: the metrics of its validation.
  void aFileOfTheHeldOutRowsGivesTheMetricsOfTheRun() {
    std::string all = "user,item,hour,rating,timestamp,part\n", held = all;
    const Random random(5, RandomPurpose::kSampling);
    for (std::uint64_t row = 0; row < 900; ++row) {
      const bool isHeld = random.below(8 * row, 6) == 0;
      const std::string line = fmt::format(
          "u{},i{},{},{},{},{}\n", random.below(8 * row + 1, 40), random.below(8 * row + 2, 25),
          random.below(8 * row + 3, 3), 1 + random.below(8 * row + 4, 5), 1000 + row,
          isHeld ? "validation" : "train");
      all += line;
      if (isHeld) held += line;
    }
    QVERIFY(writeFileAtomically(path("all.csv"), all).ok());
    QVERIFY(writeFileAtomically(path("held.csv"), held).ok());
    nlohmann::json document = experiment::toJson(testing::smallSample());
    document["dataset"] = nlohmann::json::parse(R"({"source": "csv",
      "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                  {"name": "hour", "role": "context"}, {"name": "timestamp", "role": "time"}],
      "label": {"column": "rating", "scale": null},
      "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "hour", "kind": "compressed"},
                       {"name": "item", "kind": "compressed", "min_count": 20}],
      "split": {"kind": "column", "column": "part"}, "batch": {"size": 50}})");
    document["dataset"]["path"] = path("all.csv").string();
    document["tables"].push_back(document["tables"][0]);
    document["tables"][2]["name"] = document["tables"][2]["vocabulary"] = "hour";
    document["features"].push_back(document["features"][0]);
    document["features"][2]["name"] = document["features"][2]["column"] = "hour";
    document["features"][2]["table"] = "hour";
    document["features"].push_back(document["features"][1]);
    document["features"][3]["name"] = "history";
    document["features"][3]["tower"] = "query";
    document["features"][3]["history"] = {{"length", 5}};
    document["model"]["query"] = {{{"kind", "dense"}, {"units", 16}}};
    const experiment::Experiment experiment = experiment::test::parsedDocument(document);
    testing::TemporaryWorkspace place;
    const auto outcome = place.train(experiment);
    QVERIFY2(!outcome.error, outcome.error ? outcome.error->text().c_str() : "");
    QVERIFY(place->exportRun(outcome.runId, modelAt(path("held")), {}).ok());
    const auto expected = place->evaluate("latest", {}, {}).value();
    workspace::EvaluateOptions options;
    options.input = path("held.csv");
    const auto model = opened(path("held"));
    for (workspace::Workspace* asked : {place.workspace.get(), model.get()}) {
      const auto found = asked->evaluate("latest", options, {});
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
      QCOMPARE(found->metrics, expected.metrics);
      QCOMPARE(found->baselines, expected.baselines);
    }
    QVERIFY(writeFileAtomically(path("held.csv"), "user,item\nu1,i1\n").ok());
    const auto refused = model->evaluate("latest", options, {});
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().text().find("held.csv") != std::string::npos,
             refused.error().text().c_str());
  }

  void aModelIsOnlyAsked() {
    const auto model = opened(this->model("asked"));
    QVERIFY(model->readOnlyBecause());
    const auto started = model->start(testing::smallSample(), {});
    QVERIFY(!started.ok());
    QVERIFY2(started.error().text().find("accepted is a workspace") != std::string::npos,
             started.error().text().c_str());
    QVERIFY(!fs::exists(path("asked") / "parapet.db"));
    const auto evaluated = model->evaluate("latest", {}, {});
    QVERIFY(!evaluated.ok() && evaluated.error().code == ErrorCode::kNotFound);
    QCOMPARE(model->store().epochs(run_)->size(), std::size_t{2});
  }

  /// Cut, changed, removed: each file that is named is an error that names it.
  void damageIsNamed_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"manifest.json", "run.db", "tensors.safetensors", "item.i32",
                             "item.vocab", "items.npy", "items.jsonl"})
      QTest::newRow(file) << file;
  }
  void damageIsNamed() {
    QFETCH(QString, file);
    for (const char* damage : {"cut", "changed", "removed"}) {
      const fs::path folder = model("damaged");
      fs::path found = folder / file.toStdString();
      for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == file.toStdString() && file != "manifest.json")
          found = entry.path();
      std::string bytes = readFile(found).value();
      if (damage == std::string_view("cut")) bytes.resize(bytes.size() / 2);
      if (damage == std::string_view("changed")) bytes[bytes.size() / 2] ^= 0x40;
      QVERIFY(writeFileAtomically(found, bytes).ok());
      if (damage == std::string_view("removed")) fs::remove(found);
      // A manifest that is gone makes it no model.
      if (!workspace::Workspace::isModel(folder)) continue;
      auto open = workspace::Workspace::open(folder);
      const auto checks = open ? (*open)->verifyCheckpoints("latest", {}) : open.error();
      std::string told;
      if (!checks) told = checks.error().text();
      for (const auto& check : checks ? *checks : std::vector<workspace::CheckpointCheck>{})
        if (!check.ok) told += check.message;
      QVERIFY2(told.find(file.toStdString()) != std::string::npos,
               (std::string(damage) + ": " + told).c_str());
    }
  }

  void aNewerModelIsRefused() {
    const fs::path folder = model("newer");
    std::string text = readFile(folder / "manifest.json").value();
    text.replace(text.find("\"version\": 1"), 12, "\"version\": 9");
    QVERIFY(writeFileAtomically(folder / "manifest.json", text).ok());
    const auto refused = workspace::Workspace::open(folder);
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().text().find("newer program") != std::string::npos,
             refused.error().text().c_str());
  }

  void onlyAModelIsReplaced() {
    const fs::path folder = model("replaced");
    QVERIFY(place_->exportRun(run_, modelAt(folder), {}).ok());
    QVERIFY(writeFileAtomically(folder / "LICENSE", "ours").ok());  // one may add files
    QVERIFY(opened(folder));
    const auto kept = place_->exportRun(run_, modelAt(folder), {});
    QVERIFY(!kept.ok());
    QVERIFY2(kept.error().text().find("LICENSE") != std::string::npos, kept.error().text().c_str());
    // Nor do other exports write between the files of a model.
    workspace::ExportOptions tables;
    tables.format = "npy";
    for (const fs::path& out : {folder, folder / "tables"}) {
      tables.out = out;
      QVERIFY(!place_->exportRun(run_, tables, {}).ok());
    }
    const auto model = opened(folder);
    for (const ExportWhat what : {ExportWhat::kCheckpoint, ExportWhat::kRecommendations}) {
      workspace::ExportOptions lacking;
      lacking.what = what;
      lacking.out = path("lacking");
      lacking.seen = retrieval::SeenItems::kExcludeAll;
      QVERIFY(!model->exportRun("latest", lacking, {}).ok());
    }
    QVERIFY(fs::create_directory(path("other")));
    QVERIFY(writeFileAtomically(path("other") / "thesis.tex", "years").ok());
    const auto refused = place_->exportRun(run_, modelAt(path("other")), {});
    QVERIFY(!refused.ok());
    QVERIFY(fs::exists(path("other") / "thesis.tex"));
  }

  void aCancelledExportLeavesNothing() {
    std::stop_source stop;
    stop.request_stop();
    const auto cancelled =
        place_->exportRun(run_, modelAt(path("cancelled")), {.stop = stop.get_token()});
    QVERIFY(!cancelled.ok() && cancelled.error().code == ErrorCode::kCancelled);
    QVERIFY(!fs::exists(path("cancelled")));
  }

  void aRunMovesToAnotherWorkspace() {
    const fs::path archive = path("run.zip");
    QVERIFY(place_->exportArchive(run_, archive, {}).ok());
    testing::TemporaryWorkspace other;
    const auto taken = other->importArchive(archive, {});
    QVERIFY2(taken.ok(), taken.ok() ? "" : taken.error().text().c_str());
    QCOMPARE(*taken, run_);
    QCOMPARE(listsOf(*other.workspace, retrieval::SeenItems::kExcludeTrain),
             listsOf(*place_.workspace, retrieval::SeenItems::kExcludeTrain));
    QCOMPARE(other->store().steps(run_)->size(), place_->store().steps(run_)->size());
    QCOMPARE(other->store().find(run_)->experimentJson, place_->store().find(run_)->experimentJson);
    const auto again = other->importArchive(archive, {});
    QVERIFY(!again.ok() && again.error().text().find("already") != std::string::npos);
    QVERIFY(!fs::exists(fs::path(other.folder.path().toStdString()) / "import"));
    other.workspace.reset();
    other.workspace = other.open();
    QCOMPARE(other->store().runs()->size(), std::size_t{1});
  }

  void dataThatAreCutAreNotPacked() {
    fs::path column;
    for (const auto& entry : fs::recursive_directory_iterator(place_->folder() / "datasets"))
      if (entry.path().filename() == "user.i32") column = entry.path();
    QVERIFY(!column.empty());
    const std::string whole = readFile(column).value();
    QVERIFY(writeFileAtomically(column, whole.substr(0, whole.size() / 2)).ok());
    const Status packed = place_->exportArchive(run_, path("cut.zip"), {});
    QVERIFY(writeFileAtomically(column, whole).ok());
    QVERIFY(!packed.ok());
    QVERIFY2(packed.error().text().find("user.i32") != std::string::npos,
             packed.error().text().c_str());
    QVERIFY(!fs::exists(path("cut.zip")));
  }

  void damagedArchivesLeaveNothing() {
    const fs::path archive = path("whole.zip"), damaged = path("damaged.zip");
    QVERIFY(place_->exportArchive(run_, archive, {}).ok());
    const std::string whole = readFile(archive).value();
    testing::TemporaryWorkspace other;
    const fs::path folder = other.folder.path().toStdString();
    for (std::size_t at = 40; at < whole.size(); at += whole.size() / 17) {
      for (const bool cut : {false, true}) {
        std::string bytes = whole;
        if (cut)
          bytes.resize(at);
        else
          bytes[at] ^= 0x11;
        QVERIFY(writeFileAtomically(damaged, bytes).ok());
        if (const auto taken = other->importArchive(damaged, {}); taken.ok()) {
          // A byte that no check covers: names of the directory of the archive, times.
          QCOMPARE(listsOf(*other.workspace, retrieval::SeenItems::kKeep),
                   listsOf(*place_.workspace, retrieval::SeenItems::kKeep));
          QVERIFY(other->erase(*taken).ok());
          continue;
        }
        QVERIFY(other->store().runs()->empty());
        QVERIFY(!fs::exists(folder / "checkpoints" / run_));
        for (const auto& entry : fs::directory_iterator(folder))
          QVERIFY2(entry.path().filename().string().find("import") == std::string::npos,
                   entry.path().c_str());
      }
    }
  }
};

QTEST_GUILESS_MAIN(ModelFolderTest)
#include "model_folder_test.moc"
