// SPDX-License-Identifier: Apache-2.0
#include "engine/store/experiments.h"

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "engine/store/check_database.h"
#include "engine/store/migrations.h"
#include "engine/store/run_store.h"
#include "engine/store/schema.h"

using namespace parapet;
using namespace parapet::store;
namespace fs = std::filesystem;

namespace {

using Outcome = SavedExperiment::Outcome;

std::string documentOf(const std::string& name, int epochs) {
  return nlohmann::json{{"name", name}, {"training", {{"epochs", epochs}}}}.dump();
}

std::string nameIn(const std::string& document) {
  return nlohmann::json::parse(document).at("name");
}

int epochsIn(const std::string& document) {
  return nlohmann::json::parse(document).at("training").at("epochs");
}

}  // namespace

class ExperimentsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  fs::path path_;
  std::unique_ptr<RunStore> store_;

  Experiments& experiments() { return store_->experiments(); }
  ExperimentRecord make(const std::string& name, int epochs = 1) {
    return experiments().create({name, documentOf("other", epochs), {}, "sample"}).value();
  }
  std::vector<std::string> names(Experiments::Trash trash = Experiments::Trash::kLeaveOut) {
    std::vector<std::string> found;
    const auto records = experiments().list(trash);
    for (const ExperimentRecord& record : records.value()) found.push_back(record.name);
    return found;
  }

 private Q_SLOTS:
  void init() {
    path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction();
    store_ = RunStore::open(path_, {}).value();
  }
  void cleanup() { store_.reset(); }

  void keepsWhatWasMade() {
    const ExperimentRecord made = make("clicks", 3);
    QCOMPARE(made.revision, 1);
    store_.reset();
    store_ = RunStore::open(path_, {}).value();
    const ExperimentRecord found = experiments().find("clicks").value();
    QCOMPARE(found.id, made.id);
    QCOMPARE(found.origin, std::string("sample"));
    QCOMPARE(nameIn(found.document), std::string("clicks"));
    QCOMPARE(epochsIn(found.document), 3);
    QCOMPARE(found.runs, 0);
    QVERIFY(found.createdMs > 0 && found.modifiedMs == found.createdMs);
  }

  void namesAreUniqueInWhateverCase() {
    QCOMPARE(make("clicks").name, std::string("clicks"));
    QCOMPARE(make("clicks").name, std::string("clicks-2"));
    QCOMPARE(make("CLICKS").name, std::string("CLICKS-3"));
    QCOMPARE(make("sample").name, std::string("sample-1"));
  }

  void savesAnEditOfTheRevisionItBeganWith() {
    const ExperimentRecord made = make("clicks", 1);
    const SavedExperiment saved =
        experiments().save({made.id, made.revision, documentOf("clicks", 2)}).value();
    QCOMPARE(saved.outcome, Outcome::kSaved);
    QCOMPARE(saved.record.id, made.id);
    QCOMPARE(saved.record.revision, 2);
    QCOMPARE(epochsIn(experiments().find("clicks")->document), 2);
  }

  void keepsATextThatIsNoJson() {
    const ExperimentRecord made = make("clicks", 1);
    const SavedExperiment saved =
        experiments().save({made.id, made.revision, made.document, "{ oops"}).value();
    QCOMPARE(saved.record.text(), std::string("{ oops"));
    QCOMPARE(experiments().find("clicks")->document, made.document);
    const SavedExperiment done =
        experiments().save({made.id, saved.record.revision, documentOf("clicks", 4)}).value();
    QCOMPARE(done.record.draft, std::string());
  }

  void theSecondOfTwoProgramsKeepsItsEditUnderANewName() {
    const auto second = RunStore::open(path_, {}).value();
    const ExperimentRecord made = make("clicks", 1);
    const ExperimentRecord seen = second->experiments().find("clicks").value();
    QVERIFY(experiments().save({made.id, made.revision, documentOf("clicks", 2)}).ok());
    const SavedExperiment late =
        second->experiments().save({seen.id, seen.revision, documentOf("clicks", 3)}).value();
    QCOMPARE(late.outcome, Outcome::kSavedAs);
    QCOMPARE(late.record.name, std::string("clicks-2"));
    QCOMPARE(late.record.origin, std::string("sample"));
    QCOMPARE(nameIn(late.record.document), std::string("clicks-2"));
    QCOMPARE(epochsIn(late.record.document), 3);
    QCOMPARE(epochsIn(experiments().find("clicks")->document), 2);
    // From now on it edits its own.
    QCOMPARE(second->experiments()
                 .save({late.record.id, late.record.revision, documentOf("clicks-2", 4)})
                 ->outcome,
             Outcome::kSaved);
  }

  void theSameEditInTwoProgramsIsNoConflict() {
    const ExperimentRecord made = make("clicks", 1);
    QVERIFY(experiments().save({made.id, made.revision, documentOf("clicks", 2)}).ok());
    const SavedExperiment late =
        experiments().save({made.id, made.revision, documentOf("clicks", 2)}).value();
    QCOMPARE(late.outcome, Outcome::kSaved);
    QCOMPARE(late.record.revision, 2);
    QCOMPARE(names().size(), std::size_t{1});
  }

  void anEditOfADeletedExperimentIsKept() {
    const ExperimentRecord trashed = make("clicks", 1), erased = make("views", 1);
    QVERIFY(experiments().trash(trashed.id).ok());
    QVERIFY(experiments().erase(erased.id).ok());
    const auto kept =
        experiments().save({trashed.id, trashed.revision, documentOf("clicks", 2)}).value();
    QCOMPARE(kept.outcome, Outcome::kSavedAs);
    QCOMPARE(kept.record.name, std::string("clicks"));
    const auto again =
        experiments().save({erased.id, erased.revision, documentOf("views", 2)}).value();
    QCOMPARE(again.record.name, std::string("views"));
  }

  void editsOfManyProgramsAreAllThere() {
    const ExperimentRecord made = make("clicks", 0);
    constexpr int kPrograms = 6;
    std::atomic<int> failures = 0;
    {
      std::vector<std::jthread> programs;
      for (int program = 1; program <= kPrograms; ++program)
        programs.emplace_back([&, program] {
          const auto store = RunStore::open(path_, {});
          if (!store.ok() || !(*store)
                                  ->experiments()
                                  .save({made.id, made.revision, documentOf("clicks", program)})
                                  .ok())
            ++failures;
        });
    }
    QCOMPARE(failures.load(), 0);
    std::set<int> epochs;
    for (const std::string& name : names())
      epochs.insert(epochsIn(experiments().find(name)->document));
    QCOMPARE(epochs, (std::set<int>{1, 2, 3, 4, 5, 6}));
  }

  void anEditOfTheNameRenames() {
    const ExperimentRecord made = make("clicks", 1);
    const auto saved = experiments().save({made.id, made.revision, documentOf("views", 1)}).value();
    QCOMPARE(saved.record.name, std::string("views"));
    QVERIFY(saved.nameRefused.empty());
    QVERIFY(!experiments().find("clicks").ok());
  }

  void aNameThatIsTakenOrNoneIsRefusedAndTheEditKept() {
    make("taken");
    const ExperimentRecord made = make("clicks", 1);
    const auto taken = experiments().save({made.id, made.revision, documentOf("Taken", 2)}).value();
    QCOMPARE(taken.record.name, std::string("clicks"));
    QVERIFY(taken.nameRefused.find("Taken") != std::string::npos);
    QCOMPARE(epochsIn(taken.record.document), 2);
    const auto none =
        experiments().save({made.id, taken.record.revision, documentOf("no\nname", 3)}).value();
    QCOMPARE(none.record.name, std::string("clicks"));
    QVERIFY(!none.nameRefused.empty());
  }

  void renamesAndDuplicates() {
    const ExperimentRecord made = make("clicks", 5);
    make("taken");
    const ExperimentRecord renamed = experiments().rename(made.id, "views").value();
    QCOMPARE(nameIn(renamed.document), std::string("views"));
    QCOMPARE(renamed.id, made.id);
    QCOMPARE(experiments().rename(made.id, "taken").error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(experiments().rename(made.id, "a\tb").error().code, ErrorCode::kInvalidDocument);
    QVERIFY(experiments().rename(made.id, "VIEWS").ok());
    const ExperimentRecord copy = experiments().duplicate(made.id).value();
    QCOMPARE(copy.name, std::string("VIEWS-2"));
    QCOMPARE(epochsIn(copy.document), 5);
    QVERIFY(copy.id != made.id);
  }

  void titlesAreFreeTextAndNamesAreMadeOfThem() {
    const ExperimentRecord made = make("Möbel 2026 🙂");
    QCOMPARE(made.title, std::string("Möbel 2026 🙂"));
    QCOMPARE(made.name, std::string("Moebel-2026"));
    QCOMPARE(nameIn(made.document), made.title);
    const ExperimentRecord second = make("Möbel 2026 🙂");
    QCOMPARE(second.title, std::string("Möbel 2026 🙂 2"));
    QCOMPARE(second.name, std::string("Moebel-2026-2"));
    QCOMPARE(make("映画").name, std::string("experiment"));
    // Commands find it by either word.
    QCOMPARE(experiments().find("Moebel-2026")->id, made.id);
    QCOMPARE(experiments().find("Möbel 2026 🙂")->id, made.id);
    QVERIFY(!experiments().find("Möbel 2026").ok());
    // "ö" of two code points is the same letter, to whatever asks for the title or gives it.
    const std::string decomposed =
        "Mo\xCC\x88"
        "bel 2026 🙂";
    QCOMPARE(experiments().find(decomposed)->id, made.id);
    QCOMPARE(make(decomposed).title, std::string("Möbel 2026 🙂 3"));
    QCOMPARE(experiments().rename(second.id, decomposed).error().code, ErrorCode::kInvalidDocument);
    // A title that is the name of another would mean two.
    QCOMPARE(experiments().rename(second.id, "moebel-2026").error().code,
             ErrorCode::kInvalidDocument);
    QCOMPARE(make("Moebel-2026").name, std::string("Moebel-2026-4"));
    // The name follows the title, and stays where the title changes what it is not made of.
    const auto saved =
        experiments().save({made.id, made.revision, documentOf("Möbel 2026!", 1)}).value();
    QVERIFY(saved.nameRefused.empty());
    QCOMPARE(saved.record.name, std::string("Moebel-2026"));
    QCOMPARE(saved.record.title, std::string("Möbel 2026!"));
    QVERIFY(experiments().trash(made.id).ok());
    QCOMPARE(experiments().findTrashed("Möbel 2026!")->id, made.id);
    QCOMPARE(experiments().restore(made.id)->title, std::string("Möbel 2026!"));
    store_.reset();
    QVERIFY(checkDatabase(path_)->ok());
  }

  void keepsTheReasonsOfAProposal() {
    const ExperimentRecord made = make("clicks");
    QVERIFY(made.reasons.empty());
    QVERIFY(experiments().setReasons(made.id, R"({"reasons":[]})").ok());
    QCOMPARE(experiments().byId(made.id)->reasons, std::string(R"({"reasons":[]})"));
    QCOMPARE(experiments().byId(made.id)->revision, made.revision);
    QCOMPARE(experiments().duplicate(made.id)->reasons, std::string(R"({"reasons":[]})"));
  }

  void theTrashGivesBackWhatItTook() {
    const ExperimentRecord made = make("clicks", 7);
    QVERIFY(experiments().trash(made.id).ok());
    QVERIFY(names().empty());
    QCOMPARE(names(Experiments::Trash::kOnly), (std::vector<std::string>{"clicks"}));
    QCOMPARE(experiments().findTrashed("clicks")->id, made.id);
    make("clicks");
    const ExperimentRecord restored = experiments().restore(made.id).value();
    QCOMPARE(restored.name, std::string("clicks-2"));
    QCOMPARE(epochsIn(restored.document), 7);
    QCOMPARE(nameIn(restored.document), std::string("clicks-2"));
  }

  void saysWhatWasMeant() {
    QVERIFY(experiments().find("clicks").error().message.find("no experiments") !=
            std::string::npos);
    make("clicks");
    const Error error = experiments().find("cliks").error();
    QCOMPARE(error.code, ErrorCode::kNotFound);
    QVERIFY(error.message.find("did you mean \"clicks\"") != std::string::npos);
  }

  void listsThoseEditedLastFirst() {
    const ExperimentRecord first = make("first");
    QTest::qWait(2);
    make("second");
    QTest::qWait(2);
    QVERIFY(experiments().save({first.id, first.revision, documentOf("first", 9)}).ok());
    QCOMPARE(names(), (std::vector<std::string>{"first", "second"}));
    QVERIFY(experiments().list()->front().document.empty());
  }

  void countsTheRunsMadeFromIt() {
    const ExperimentRecord made = make("clicks");
    for (const bool trashed : {false, false, true}) {
      RunRecord run;
      run.id = RunStore::newRunId();
      run.name = "clicks";
      run.experimentId = made.id;
      run.data = "/data/ml-100k";
      run.model = "retrieval";
      run.loss = "mse";
      QVERIFY(store_->createRun(run).ok());
      if (trashed) QVERIFY(store_->trash(run.id).ok());
    }
    QCOMPARE(experiments().find("clicks")->runs, 2);
    const RunRecord run = store_->runs()->front();
    QCOMPARE(run.experimentId, made.id);
    QCOMPARE(run.data, std::string("/data/ml-100k"));
    QCOMPARE(run.model, std::string("retrieval"));
    QCOMPARE(run.loss, std::string("mse"));
  }

  void namesTheDataOfRunsAndExperiments() {
    RunRecord run;
    run.id = RunStore::newRunId();
    run.data = "/data/ml-100k";
    run.createdMs = 5;
    QVERIFY(store_->createRun(run).ok());
    run.id = RunStore::newRunId();
    run.data = "generated movies";
    QVERIFY(store_->createRun(run).ok());
    const ExperimentRecord made =
        experiments().create({"clicks", R"({"dataset": {"path": "/data/clicks.csv"}})"}).value();
    QVERIFY(experiments().create({"same", R"({"dataset": {"path": "/data/ml-100k"}})"}).ok());
    QVERIFY(experiments().create({"none", R"({"dataset": {"path": null}})"}).ok());
    std::set<std::string> paths;
    const auto sources = store_->dataSources(10);
    for (const DataSource& source : sources.value()) paths.insert(source.path);
    QCOMPARE(paths, (std::set<std::string>{"/data/clicks.csv", "/data/ml-100k"}));
    QVERIFY(experiments().trash(made.id).ok());
    QCOMPARE(store_->dataSources(10)->size(), std::size_t{1});
  }

  void canBeReadWhereNothingCanBeWritten() {
    make("clicks", 2);
    store_.reset();
    store_ =
        RunStore::open(path_, {.onWarning = {}, .access = RunStore::Access::kReadOnly}).value();
    const ExperimentRecord found = experiments().find("clicks").value();
    QCOMPARE(epochsIn(found.document), 2);
    QCOMPARE(experiments().save({found.id, found.revision, documentOf("clicks", 3)}).error().code,
             ErrorCode::kStore);
    QVERIFY(!experiments().create({"views", "{}"}).ok());
  }

  void survivesTheLossOfTheFile() {
    const ExperimentRecord made = make("clicks", 2);
    fs::remove(path_);
    QVERIFY(experiments().save({made.id, made.revision, documentOf("clicks", 3)}).ok());
    store_.reset();
    store_ = RunStore::open(path_, {}).value();
    QCOMPARE(epochsIn(experiments().find("clicks")->document), 3);
  }

  void olderWorkspacesGetTheTableAndWhatTellsRunsApart() {
    store_.reset();
    fs::remove(path_);
    {
      auto database = Database::open(path_, Database::Access::kReadWrite).value();
      QVERIFY(migrate(database, migrationScripts().first(5)).ok());
      const auto addRun = [&](const char* id, const char* document) {
        return database
                   .run(
                       "INSERT INTO runs (id, name, recipe, state, fingerprint, dataset,"
                       " created_ms, heartbeat_ms, owner_pid, owner_boot_id, owner_start)"
                       " VALUES (?,'n','r','Finished','f','d',1,0,0,'',0)",
                       id)
                   .ok() &&
               database.run("INSERT INTO documents VALUES (?,?,'')", id, document).ok();
      };
      QVERIFY(addRun("aaaaaaaaaaaa", R"({"dataset": {"source": "movielens", "path": "/d/ml-100k"},
        "model": {"kind": "retrieval"}, "loss": {"kind": "mse"}})"));
      QVERIFY(addRun("bbbbbbbbbbbb", R"({"dataset": {"source": "generated", "path": null,
        "generator": {"kind": "clicks"}}, "model": {"kind": "ranking"}})"));
      QVERIFY(addRun("cccccccccccc", "not JSON"));
    }
    store_ = RunStore::open(path_, {}).value();
    QCOMPARE(store_->find("a")->data, std::string("/d/ml-100k"));
    QCOMPARE(store_->find("a")->model, std::string("retrieval"));
    QCOMPARE(store_->find("a")->loss, std::string("mse"));
    QCOMPARE(store_->find("b")->data, std::string("generated clicks"));
    QCOMPARE(store_->find("b")->loss, std::string());
    QCOMPARE(store_->find("c")->data, std::string());
    QVERIFY(names().empty());
    QCOMPARE(make("clicks").name, std::string("clicks"));
  }

  void aRepairKeepsThem() {
    make("clicks", 2);
    store_.reset();
    {
      auto database = Database::open(path_, Database::Access::kReadWrite).value();
      QVERIFY(database.script("UPDATE experiments SET revision='x', document='{'").ok());
    }
    const auto checked = checkDatabase(path_).value();
    QVERIFY(!checked.inconsistent.empty());
    QVERIFY(checked.inconsistent.front().find("experiments") != std::string::npos);
    QVERIFY(repairDatabase(path_).ok());
    store_ = RunStore::open(path_, {}).value();
    const ExperimentRecord kept = experiments().find("clicks").value();
    QCOMPARE(kept.document, std::string("{}"));
    QCOMPARE(kept.draft, std::string("{"));
    QCOMPARE(kept.revision, 1);
    store_.reset();
    QVERIFY(checkDatabase(path_)->inconsistent.empty());
  }
};

QTEST_GUILESS_MAIN(ExperimentsTest)
#include "experiments_test.moc"
