// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <cmath>
#include <fstream>
#include <thread>

#include "engine/store/migrations.h"
#include "engine/store/run_store.h"
#include "engine/store/schema.h"

using namespace parapet;
using namespace parapet::store;
namespace fs = std::filesystem;

class MigrationsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction(); }
  void leadsFromEmptyToCurrent();
  void goesOnWhereAnOlderProgramStopped();
  void failedScriptLeavesTheOldVersion();
  void olderWorkspacesKeepTheirBestEpochs();
  void killedMidwayLeavesAnOldOrANewSchema();
  void refusesNewerVersionNamingBoth();
  void refusesForeignDatabase();
  void refusesWhatIsNoDatabase();
  void readOnlyNeedsAnExistingCurrentFile();
  void missingFolderIsNamed();
  void openedTwiceKeepsRuns();
  void createdByManyAtOnceOpensForAll();
  void worksUnderAwkwardPaths();
  void knowsNetworkFileSystems();

 private:
  std::int64_t ask(const char* sql) {
    auto database = Database::open(path_, Database::Access::kReadWrite);
    return database.ok() ? database->integer(sql).value() : -1;
  }
  QTemporaryDir folder_;
  fs::path path_;
};

void MigrationsTest::leadsFromEmptyToCurrent() {
  QVERIFY(RunStore::open(path_, {}).ok());
  QCOMPARE(ask("PRAGMA user_version"), std::int64_t{RunStore::schemaVersion()});
  QCOMPARE(ask("PRAGMA application_id"), std::int64_t{kApplicationId});
  QCOMPARE(ask("SELECT count(*) FROM sqlite_schema WHERE name='epoch_metrics'"), std::int64_t{1});
}

void MigrationsTest::goesOnWhereAnOlderProgramStopped() {
  constexpr std::array kOld{"CREATE TABLE a (x)"};
  constexpr std::array kNew{"CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y DEFAULT 7"};
  auto database = Database::open(path_, Database::Access::kReadWrite);
  QVERIFY(database.ok());
  QVERIFY(migrate(*database, kOld).ok());
  QVERIFY(database->script("INSERT INTO a VALUES (1)").ok());
  QVERIFY(migrate(*database, kNew).ok());
  QVERIFY(migrate(*database, kNew).ok());
  QCOMPARE(ask("PRAGMA user_version"), std::int64_t{2});
  QCOMPARE(ask("SELECT y FROM a"), std::int64_t{7});
}

void MigrationsTest::failedScriptLeavesTheOldVersion() {
  constexpr std::array kBroken{"CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"};
  auto database = Database::open(path_, Database::Access::kReadWrite);
  QVERIFY(database.ok());
  QVERIFY(!migrate(*database, kBroken).ok());
  QCOMPARE(ask("PRAGMA user_version"), std::int64_t{1});
  QCOMPARE(ask("SELECT count(*) FROM sqlite_schema WHERE name='b'"), std::int64_t{0});
}

void MigrationsTest::olderWorkspacesKeepTheirBestEpochs() {
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(migrate(database, migrationScripts().first(2)).ok());
    const auto addRun = [&](const char* id, const char* document) {
      return database
                 .run(
                     "INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms,"
                     " heartbeat_ms, owner_pid, owner_boot_id, owner_start)"
                     " VALUES (?,'n','r','Finished','f','d',1,0,0,'',0)",
                     id)
                 .ok() &&
             database.run("INSERT INTO documents VALUES (?,?)", id, document).ok();
    };
    QVERIFY(addRun("aaaaaaaaaaaa", R"({"training": {"checkpoints": {"best": "val_recall@10"}}})"));
    QVERIFY(addRun("bbbbbbbbbbbb", R"({"training": {"checkpoints": {"best": null}}})"));
    QVERIFY(database
                .script("INSERT INTO epochs (run_id, epoch, step) SELECT id, 1, 10 FROM runs;"
                        "INSERT INTO epochs (run_id, epoch, step) SELECT id, 2, 20 FROM runs;"
                        "INSERT INTO epoch_metrics SELECT id, 1, 0, 'val_loss', 2.0 FROM runs;"
                        "INSERT INTO epoch_metrics SELECT id, 2, 0, 'val_loss', 3.0 FROM runs;"
                        "INSERT INTO epoch_metrics SELECT id, 1, 1, 'val_recall@10', 0.2 FROM runs;"
                        "INSERT INTO epoch_metrics SELECT id, 2, 1, 'val_recall@10', 0.3 FROM runs;"
                        "INSERT INTO checkpoints SELECT id, 20, 2,"
                        " '/old/checkpoints/'||id||'/ckpt-20', 1, 1, 1 FROM runs")
                .ok());
  }
  const auto store = RunStore::open(path_, {}).value();
  const RunRecord recall = store->find("a").value(), loss = store->find("b").value();
  QCOMPARE(recall.bestMetric, std::string("val_recall@10"));
  QCOMPARE(recall.best->epoch, 2);
  QCOMPARE(recall.best->value, 0.3);
  QCOMPARE(loss.bestMetric, std::string("val_loss"));
  QCOMPARE(loss.best->epoch, 1);
  QCOMPARE(loss.best->step, 10);
  QCOMPARE(store->checkpoints(loss.id)->front().path,
           std::string("checkpoints/bbbbbbbbbbbb/ckpt-20"));
}

// schema_migration: the moments are spread over the migration and a little beyond its end.
void MigrationsTest::killedMidwayLeavesAnOldOrANewSchema() {
  constexpr int kOldVersion = 2, kRuns = 300, kKills = 24;
  const fs::path old = path_.string() + ".old";
  {
    auto database = Database::open(old, Database::Access::kReadWrite).value();
    QVERIFY(migrate(database, migrationScripts().first(kOldVersion)).ok());
    QVERIFY(
        database
            .script("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
                    "INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms,"
                    " heartbeat_ms, owner_pid, owner_boot_id, owner_start)"
                    " SELECT printf('%012x', i),'n','r','Finished','f','d',i,0,0,'',0 FROM n;"
                    "INSERT INTO documents SELECT id, '{}' FROM runs;"
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
                    "INSERT INTO epochs (run_id, epoch, step) SELECT id, i, 10 * i FROM runs, n;"
                    "INSERT INTO epoch_metrics SELECT run_id, epoch, 0, 'val_loss', 1.0 / epoch"
                    " FROM epochs")
            .ok());
  }
  bool wasOld = false, wasNew = false;
  for (int kill = 0; kill < kKills; ++kill) {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
    fs::copy_file(old, path_);
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) ::_exit(RunStore::open(path_, {}).ok() ? 0 : 1);
    // From 0.1 ms on; the last one is not killed.
    if (kill + 1 < kKills) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(static_cast<int>(100 * std::pow(1.4, kill))));
      QCOMPARE(::kill(child, SIGKILL), 0);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(ask("SELECT count(*) FROM runs"), std::int64_t{kRuns});
    QCOMPARE(ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
    const std::int64_t version = ask("PRAGMA user_version");
    QVERIFY(version >= kOldVersion && version <= RunStore::schemaVersion());
    QCOMPARE(ask("SELECT count(*) FROM pragma_table_info('runs') WHERE name='best_metric'"),
             std::int64_t{version > kOldVersion ? 1 : 0});
    (version == kOldVersion ? wasOld : wasNew) = true;
    const auto store = RunStore::open(path_, {});
    QVERIFY2(store.ok(), store ? "" : store.error().text().c_str());
    const auto runs = (*store)->runs();
    QCOMPARE(runs->size(), static_cast<std::size_t>(kRuns));
    QCOMPARE(runs->front().best->epoch, 50);
  }
  QVERIFY(wasOld && wasNew);
}

void MigrationsTest::refusesNewerVersionNamingBoth() {
  QVERIFY(RunStore::open(path_, {}).ok());
  ask("PRAGMA user_version=999");
  for (const auto access : {RunStore::Access::kReadWrite, RunStore::Access::kReadOnly}) {
    const auto opened = RunStore::open(path_, {.onWarning = {}, .access = access});
    QVERIFY(!opened.ok());
    QCOMPARE(opened.error().code, ErrorCode::kStore);
    const QString text = QString::fromStdString(opened.error().message);
    QVERIFY2(text.contains("999"), qPrintable(text));
    QVERIFY(text.contains(QString("up to %1").arg(RunStore::schemaVersion())));
  }
  QCOMPARE(ask("PRAGMA user_version"), std::int64_t{999});
}

void MigrationsTest::refusesForeignDatabase() {
  ask("CREATE TABLE bookmarks (url)");
  const auto opened = RunStore::open(path_, {});
  QVERIFY(!opened.ok());
  QVERIFY(opened.error().message.find("another program") != std::string::npos);
  QCOMPARE(ask("SELECT count(*) FROM sqlite_schema"), std::int64_t{1});
}

void MigrationsTest::refusesWhatIsNoDatabase() {
  std::ofstream(path_) << std::string(5000, 'x');
  const auto opened = RunStore::open(path_, {});
  QVERIFY(!opened.ok());
  QCOMPARE(opened.error().code, ErrorCode::kStore);
  QVERIFY(opened.error().message.find("not a run database") != std::string::npos);
  QCOMPARE(fs::file_size(path_), std::uintmax_t{5000});
}

void MigrationsTest::readOnlyNeedsAnExistingCurrentFile() {
  QCOMPARE(
      RunStore::open(path_, {.onWarning = {}, .access = RunStore::Access::kReadOnly}).error().code,
      ErrorCode::kNotFound);
  auto writer = RunStore::open(path_, {});
  QVERIFY(writer.ok());
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY((*writer)->createRun(run).ok());
  auto reader = RunStore::open(path_, {.onWarning = {}, .access = RunStore::Access::kReadOnly});
  QVERIFY(reader.ok());
  QCOMPARE((*reader)->runs()->size(), std::size_t{1});
  QCOMPARE((*reader)->rename(run.id, "x").error().code, ErrorCode::kStore);
  QCOMPARE((*reader)->createRun(run).error().code, ErrorCode::kStore);
  QVERIFY((*reader)->flush().ok());
}

void MigrationsTest::missingFolderIsNamed() {
  const auto opened = RunStore::open(path_ / "deep" / "parapet.db", {});
  QCOMPARE(opened.error().code, ErrorCode::kIo);
  QVERIFY(opened.error().message.find((path_ / "deep").string()) != std::string::npos);
}

void MigrationsTest::openedTwiceKeepsRuns() {
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY(RunStore::open(path_, {}).value()->createRun(run).ok());
  QCOMPARE(RunStore::open(path_, {}).value()->runs()->size(), std::size_t{1});
}

void MigrationsTest::createdByManyAtOnceOpensForAll() {
  for (int round = 0; round < 30; ++round) {
    const fs::path path = path_.string() + std::to_string(round);
    std::array<std::string, 6> refused;
    {
      std::vector<std::jthread> threads;
      for (std::string& text : refused)
        threads.emplace_back([&path, &text] {
          if (const auto store = RunStore::open(path, {}); !store.ok()) text = store.error().text();
        });
    }
    for (const std::string& text : refused) QVERIFY2(text.empty(), text.c_str());
  }
}

void MigrationsTest::worksUnderAwkwardPaths() {
  const fs::path folder = path_ / "größe 100%20?#";
  fs::create_directories(folder);
  QVERIFY(RunStore::open(folder / "parapet.db", {}).ok());
  QVERIFY(fs::exists(folder / "parapet.db"));
}

void MigrationsTest::knowsNetworkFileSystems() {
  QVERIFY(isNetworkFileSystem(0x6969));
  QVERIFY(isNetworkFileSystem(0xFE534D42));
  QVERIFY(!isNetworkFileSystem(0xEF53));      // ext4
  QVERIFY(!isNetworkFileSystem(0x01021994));  // tmpfs
}

QTEST_GUILESS_MAIN(MigrationsTest)
#include "migrations_test.moc"
