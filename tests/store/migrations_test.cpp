// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <fstream>
#include <thread>

#include "engine/store/journal_mode.h"
#include "engine/store/migrations.h"
#include "engine/store/run_store.h"
#include "engine/store/schema.h"

using namespace parapet;
using namespace parapet::store;
namespace fs = std::filesystem;

class MigrationsTest : public QObject {
  Q_OBJECT
 private slots:
  void init() { path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction(); }
  void leadsFromEmptyToCurrent();
  void goesOnWhereAnOlderProgramStopped();
  void failedScriptLeavesTheOldVersion();
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

void MigrationsTest::refusesNewerVersionNamingBoth() {
  QVERIFY(RunStore::open(path_, {}).ok());
  ask("PRAGMA user_version=999");
  for (const bool readOnly : {false, true}) {
    const auto opened = RunStore::open(path_, {.onWarning = {}, .readOnly = readOnly});
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
  QCOMPARE(RunStore::open(path_, {.onWarning = {}, .readOnly = true}).error().code,
           ErrorCode::kNotFound);
  auto writer = RunStore::open(path_, {});
  QVERIFY(writer.ok());
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY((*writer)->createRun(run).ok());
  auto reader = RunStore::open(path_, {.onWarning = {}, .readOnly = true});
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
