// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "engine/base/text.h"
#include "engine/store/check_database.h"
#include "engine/store/migrations.h"
#include "engine/store/run_store.h"
#include "engine/store/schema.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

namespace {

constexpr int kRuns = 12, kEpochs = 20;

/// A database with runs, epochs, steps, checkpoints and events that are all consistent.
void build(const fs::path& path) {
  const auto store = RunStore::open(path, {}).value();
  for (int i = 0; i < kRuns; ++i) {
    RunRecord run;
    run.id = RunStore::newRunId();
    run.name = "run";
    run.experimentJson = R"({"name": ")" + std::string(3000, 'n') + R"("})";
    QVERIFY(store->createRun(run).ok());
    store->sink().onEvent(run.id, RunStarted{});
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      EpochSummary summary;
      summary.epoch = epoch;
      summary.step = 10 * epoch;
      summary.metrics = {{"val_loss", 1.0 / epoch}, {"val_recall@10", 0.1}};
      for (int step = 10 * epoch - 9; step <= 10 * epoch; ++step)
        store->sink().onStep(run.id, {step, epoch, 1.0, 0.1 * step});
      store->sink().onEvent(run.id, EpochEnded{summary});
    }
    store->sink().onEvent(run.id, CheckpointWritten{200, 20, "c", 1, true, 0.0});
    store->sink().onEvent(run.id, RunEnded{});
  }
  QVERIFY(store->flush().ok());
}

const char* firstOf(const DatabaseReport& report) {
  for (const auto* lines : {&report.damage, &report.inconsistent, &report.changed})
    if (!lines->empty()) return lines->front().c_str();
  return "";
}

/// As a repair leaves it: nothing but rows that have changed.
bool isWhole(const DatabaseReport& report) {
  return report.damage.empty() && report.inconsistent.empty();
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// All values of a table as text, or what reading them says.
std::string contentOf(const fs::path& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error().text();
  std::string content;
  for (const char* table : {"runs", "documents", "epochs", "epoch_metrics", "steps", "checkpoints",
                            "events", "requests"}) {
    const Status read = database->each(std::string("SELECT * FROM ") + table, [&](Statement& row) {
      for (int column = 0; column < row.columns(); ++column) content += row.text(column) + '|';
    });
    if (!read.ok()) return read.error().text();
  }
  return content;
}

}  // namespace

class CheckDatabaseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void aGoodDatabaseIsGood();
  void inconsistentRowsAreFoundAndFixed_data();
  void inconsistentRowsAreFoundAndFixed();
  void whatHasChangedStaysMarked_data();
  void whatHasChangedStaysMarked();
  void changedRowsAloneAreNotRepaired();
  void missingEpochsAreFoundAndStayFound();
  void aCreationTimeInTheFutureIsNoDamage();
  void anOlderDatabaseIsNotDamagedAndItsRowsAreTakenOver();
  void aDatabaseThatIsBeingMadeIsWaitedFor();
  void aDatabaseWithoutTablesIsEmptyAndNotDamaged();
  void aDamagedIndexIsFound();
  void damagedPagesAreFoundOrChangeNoStructure();
  void whatCanBeReadIsKept();
  void ofACutFileAllElseIsKept();
  void tablesThatLoseRowsAreNamed();
  void aFileThatIsNoDatabaseIsReplaced();
  void otherProgramsDatabasesAreLeftAlone();
  void aDatabaseInUseIsNotRepaired();

 private:
  void change(const char* sql) {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    const Status changed = database.script(sql);
    QVERIFY2(changed.ok(), changed.ok() ? "" : changed.error().text().c_str());
  }
  QTemporaryDir folder_;
  fs::path good_, path_;
};

void CheckDatabaseTest::initTestCase() {
  good_ = fs::path(folder_.path().toStdString()) / "good.db";
  build(good_);
}

void CheckDatabaseTest::init() {
  path_ = fs::path(folder_.path().toStdString()) / "parapet.db";
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
  fs::copy_file(good_, path_);
}

void CheckDatabaseTest::aGoodDatabaseIsGood() {
  const auto report = checkDatabase(path_).value();
  QVERIFY2(report.ok(), report.ok() ? "" : firstOf(report));
  QCOMPARE(report.runs, kRuns);
  QCOMPARE(report.version, RunStore::schemaVersion());
}

void CheckDatabaseTest::inconsistentRowsAreFoundAndFixed_data() {
  QTest::addColumn<QString>("sql");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const char* sql, const char* says) {
    QTest::newRow(name) << sql << says;
  };
  row("a state", "UPDATE runs SET state='Finishef' WHERE rowid=3", "state");
  row("an id", "PRAGMA foreign_keys=OFF; UPDATE runs SET id='zz' WHERE rowid=3", "id");
  row("a run without a document", "DELETE FROM documents WHERE rowid=3", "no document");
  row("epochs that were not recorded", "UPDATE runs SET epochs=99 WHERE rowid=3", "epochs");
  row("a best epoch that was not recorded", "UPDATE runs SET best_value=9 WHERE rowid=3", "best");
  row("an end without a time", "UPDATE runs SET ended_ms=0 WHERE rowid=3", "no end time");
  row("text in a number", "UPDATE runs SET created_ms='soon' WHERE rowid=3", "integer");
  row("text that is not UTF-8", "UPDATE runs SET notes=CAST(x'ff41' AS TEXT) WHERE rowid=3",
      "UTF-8");
  row("an infinite loss", "UPDATE epochs SET loss=9e999 WHERE epoch=3", "infinite");
  row("a minimum above the maximum", "UPDATE steps SET min=5.0 WHERE last_step=3", "minimum");
  row("overlapping steps", "UPDATE steps SET first_step=1 WHERE last_step=9", "overlaps");
  row("an orphan",
      "PRAGMA foreign_keys=OFF; INSERT INTO epochs (run_id, epoch, step) VALUES"
      " ('aaaaaaaaaaaa', 1, 1)",
      "refers to a row");
  row("an event of no kind", "UPDATE events SET kind='?' WHERE id=3", "event");
}

void CheckDatabaseTest::inconsistentRowsAreFoundAndFixed() {
  QFETCH(const QString, sql);
  QFETCH(const QString, says);
  change(sql.toUtf8().constData());
  const auto report = checkDatabase(path_).value();
  QVERIFY(!report.ok());
  QString lines;
  for (const auto* found : {&report.damage, &report.inconsistent})
    for (const std::string& line : *found) lines += QString::fromStdString(line) + '\n';
  QVERIFY2(lines.contains(says), qPrintable(lines));
  const auto repaired = repairDatabase(path_);
  QVERIFY2(repaired.ok(), repaired.ok() ? "" : repaired.error().text().c_str());
  const auto after = checkDatabase(path_).value();
  QVERIFY2(isWhole(after), firstOf(after));
  QVERIFY(after.runs >= kRuns - 1);
  QVERIFY(fs::exists(repaired->backup));
  // The losses of a run go on to be told, unless the run went with them.
  const bool told = std::ranges::any_of(
      after.notes, [](const std::string& note) { return note.starts_with(kRepairNote); });
  QVERIFY2(told || !after.changed.empty() || after.runs < kRuns || says == "refers to a row",
           qPrintable(says));
}

void CheckDatabaseTest::whatHasChangedStaysMarked_data() {
  QTest::addColumn<QString>("sql");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, const char* sql, const char* says) {
    QTest::newRow(name) << sql << says;
  };
  row("a document", "UPDATE documents SET experiment='{}' WHERE rowid=3", "its document");
  row("no document", "DELETE FROM documents WHERE rowid=3", "its document");
  row("a document that is no JSON", "UPDATE documents SET experiment='{' WHERE rowid=3",
      "its document");
  row("a loss", "UPDATE epochs SET loss=loss+1e-9 WHERE epoch=3", "epoch 3");
  row("a metric", "UPDATE epoch_metrics SET value=value*(1+1e-15) WHERE epoch=3", "epoch 3");
  row("a metric less", "DELETE FROM epoch_metrics WHERE epoch=3 AND position=1", "epoch 3");
  row("the rules", "UPDATE epochs SET rules=1 WHERE epoch=3", "epoch 3");
  row("baselines", "UPDATE runs SET started_json='{}' WHERE rowid=3", "its recorded results");
  row("test metrics", "UPDATE runs SET test_json='{\"test_mrr\":1}' WHERE rowid=3",
      "its recorded results");
  row("a seed", "UPDATE runs SET seed=seed+1 WHERE rowid=3", "its recorded results");
}

void CheckDatabaseTest::whatHasChangedStaysMarked() {
  QFETCH(const QString, sql);
  QFETCH(const QString, says);
  change(sql.toUtf8().constData());
  const auto changed = [&] {
    const auto report = checkDatabase(path_).value();
    return !report.ok() && std::ranges::any_of(report.changed, [&](const std::string& line) {
      return QString::fromStdString(line).contains(says);
    });
  };
  if (!sql.startsWith("DELETE FROM documents")) QVERIFY(changed());
  // Damage makes a repair build it again.
  change("UPDATE runs SET state='Finishef' WHERE rowid=5");
  QVERIFY(repairDatabase(path_).ok());
  const auto after = checkDatabase(path_).value();
  QVERIFY2(isWhole(after), firstOf(after));
  QVERIFY(changed());
}

void CheckDatabaseTest::changedRowsAloneAreNotRepaired() {
  change("UPDATE epochs SET loss=7 WHERE epoch=3");
  const std::string bytes = read(path_);
  const auto repaired = repairDatabase(path_);
  QVERIFY(repaired.ok() && repaired->backup.empty());
  QCOMPARE(read(path_), bytes);
}

void CheckDatabaseTest::missingEpochsAreFoundAndStayFound() {
  const auto named = [](const std::vector<std::string>& lines) {
    return static_cast<int>(std::ranges::count_if(lines, [](const std::string& line) {
      return line.find("of epoch 3, 5 to 6, 20 nothing is recorded") != std::string::npos;
    }));
  };
  change("DELETE FROM epochs WHERE epoch IN (3, 5, 6, 20)");
  QCOMPARE(named(checkDatabase(path_)->changed), kRuns);
  QVERIFY(repairDatabase(path_).ok());
  QCOMPARE(named(checkDatabase(path_)->changed), kRuns);
  // Missing epochs are expected of a run that crashed.
  change("UPDATE runs SET state='Crashed'");
  const auto report = checkDatabase(path_).value();
  QVERIFY2(report.ok(), firstOf(report));
  QCOMPARE(named(report.notes), kRuns);
}

void CheckDatabaseTest::aCreationTimeInTheFutureIsNoDamage() {
  change("UPDATE runs SET created_ms=created_ms+1000000000000 WHERE rowid=3");
  const auto report = checkDatabase(path_).value();
  QVERIFY2(report.ok(), firstOf(report));
}

void CheckDatabaseTest::anOlderDatabaseIsNotDamagedAndItsRowsAreTakenOver() {
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
  {
    auto old = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(migrate(old, migrationScripts().first(9)).ok());
    QVERIFY(
        old.script("INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms,"
                   " heartbeat_ms, owner_pid, owner_boot_id, owner_start, ended_ms, epochs)"
                   " VALUES ('aaaaaaaaaaaa','n','r','Finished','f','d',1,1,0,'',0,1,1);"
                   "INSERT INTO documents (run_id, experiment) VALUES ('aaaaaaaaaaaa','{}');"
                   "INSERT INTO epochs (run_id, epoch, step, loss) VALUES"
                   " ('aaaaaaaaaaaa',1,10,0.5);"
                   "INSERT INTO epoch_metrics VALUES ('aaaaaaaaaaaa',1,0,'val_loss',0.25)")
            .ok());
  }
  const auto before = checkDatabase(path_).value();
  QVERIFY2(before.ok(), firstOf(before));
  QVERIFY(RunStore::open(path_, {}).ok());
  const auto taken = checkDatabase(path_).value();
  QVERIFY2(taken.ok(), firstOf(taken));
  QCOMPARE(taken.notes.size(), std::size_t{1});
  QVERIFY2(taken.notes.front().find("2 documents and epochs were taken over") == 0,
           taken.notes.front().c_str());
  const auto run = RunStore::open(path_, {}).value()->find("a").value();
  QCOMPARE(run.rules, 1);
  QCOMPARE(run.experimentJson, std::string("{}"));
  change("UPDATE epochs SET loss=0.75");
  QVERIFY(!checkDatabase(path_)->changed.empty());
}

// A program holds the lock on the folder until the database that it makes has its tables.
void CheckDatabaseTest::aDatabaseThatIsBeingMadeIsWaitedFor() {
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
  auto making = std::make_unique<FolderLock>(path_, FolderLock::Share::kAlone);
  write(path_, "");
  std::atomic<bool> judged = false;
  bool whole = false, emptied = true;
  std::jthread doctor([&] {
    const auto report = checkDatabase(path_);
    judged = true;
    whole = report.ok() && report->ok() && report->version == RunStore::schemaVersion();
    emptied = isEmptyDatabase(path_);
  });
  auto database = Database::open(path_, Database::Access::kReadWrite).value();
  QVERIFY(migrate(database, migrationScripts()).ok());
  QVERIFY(!judged);
  making.reset();
  doctor.join();
  QVERIFY(whole && !emptied);
}

void CheckDatabaseTest::aDatabaseWithoutTablesIsEmptyAndNotDamaged() {
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_.string() + suffix);
  QVERIFY(isEmptyDatabase(path_));
  write(path_, "");
  QVERIFY(isEmptyDatabase(path_));
  QVERIFY(checkDatabase(path_)->ok());
  QVERIFY(repairDatabase(path_)->backup.empty());
}

/// A fault that quick_check does not see: an index that does not have what its table has.
void CheckDatabaseTest::aDamagedIndexIsFound() {
  change(
      "PRAGMA writable_schema=ON;"
      "UPDATE sqlite_schema SET sql='CREATE INDEX runs_by_time ON runs (name)'"
      " WHERE name='runs_by_time'");
  QVERIFY(!checkDatabase(path_)->damage.empty());
  QVERIFY(repairDatabase(path_).ok());
  QVERIFY(checkDatabase(path_)->ok());
}

/// A changed byte is found, or it changes nothing but single values that nothing contradicts.
void CheckDatabaseTest::damagedPagesAreFoundOrChangeNoStructure() {
  const std::string bytes = read(path_);
  const std::string before = contentOf(path_);
  std::mt19937 random(7);  // the same on all machines
  int found = 0, changed = 0;
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    const std::size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(path_.string() + suffix);
    write(path_, damaged);
    const auto report = checkDatabase(path_);
    const bool isFound = !report.ok() || !report->ok();
    const std::string after = contentOf(path_);
    found += isFound;
    changed += after != before;
    // A row more or less would be longer.
    if (!isFound)
      QVERIFY(std::max(after.size(), before.size()) - std::min(after.size(), before.size()) < 64);
  }
  qInfo("%d of 200 damages change what is read, %d are found", changed, found);
  QVERIFY(2 * found >= changed);
}

void CheckDatabaseTest::whatCanBeReadIsKept() {
  std::string bytes = read(path_);
  constexpr std::size_t kPage = 4096;
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / kPage / 2 * kPage),
              2 * kPage, '\x55');
  write(path_, bytes);
  const auto damaged = checkDatabase(path_);
  QVERIFY(!damaged->damage.empty());
  const auto repaired = repairDatabase(path_);
  QVERIFY2(repaired.ok(), repaired.ok() ? "" : repaired.error().text().c_str());
  QCOMPARE(read(repaired->backup), bytes);
  const auto after = checkDatabase(path_).value();
  QVERIFY2(isWhole(after), firstOf(after));
  const auto store = RunStore::open(path_, {}).value();
  QVERIFY(store->runs()->size() >= std::size_t{kRuns / 2});
  std::size_t epochs = 0;
  const auto runs = store->runs().value();
  for (const RunRecord& run : runs) epochs += store->epochs(run.id)->size();
  QVERIFY2(epochs >= kRuns * kEpochs / 2, std::to_string(epochs).c_str());
}

void CheckDatabaseTest::ofACutFileAllElseIsKept() {
  {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.integer("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  }
  fs::resize_file(path_, fs::file_size(path_) - 4096);
  const auto damaged = checkDatabase(path_);
  QVERIFY(!damaged.ok() || !damaged->damage.empty());
  const auto repaired = repairDatabase(path_);
  QVERIFY2(repaired.ok(), repaired.ok() ? "" : repaired.error().text().c_str());
  const auto store = RunStore::open(path_, {}).value();
  const auto runs = store->runs().value();
  QVERIFY2(std::ssize(runs) >= kRuns - 1, std::to_string(runs.size()).c_str());
  std::size_t epochs = 0;
  for (const RunRecord& run : runs) epochs += store->epochs(run.id)->size();
  QVERIFY2(epochs >= kRuns * kEpochs / 2, std::to_string(epochs).c_str());
}

void CheckDatabaseTest::tablesThatLoseRowsAreNamed() {
  constexpr std::int64_t kPage = 4096;
  const std::int64_t root = Database::open(path_, Database::Access::kReadOnly)
                                ->integer("SELECT rootpage FROM sqlite_schema WHERE name='events'")
                                .value();
  std::string bytes = read(path_);
  std::fill_n(bytes.begin() + (root - 1) * kPage, kPage, '\0');
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(path_.string() + suffix);
  write(path_, bytes);
  const auto damage = checkDatabase(path_)->damage;
  QVERIFY(!damage.empty());
  for (const std::string& line : damage) {
    QCOMPARE(line.find_first_of("\n*"), std::string::npos);
    QCOMPARE(std::ranges::count(damage, line), std::ptrdiff_t{1});
  }
  const auto repaired = repairDatabase(path_);
  QVERIFY2(repaired.ok(), repaired.ok() ? "" : repaired.error().text().c_str());
  QCOMPARE(repaired->incomplete, std::vector<std::string>{"events"});
  const auto notes = checkDatabase(path_)->notes;
  const std::string note = std::string(kRepairNote) +
                           "could not read every row of the tables events; some of this run may be "
                           "lost (runs: " +
                           std::to_string(kRuns) + ")";
  QVERIFY2(std::ranges::count(notes, note) == 1, parapet::join(notes, "; ").c_str());
  const auto store = RunStore::open(path_, {}).value();
  const auto events = store->events(store->runs()->front().id).value();
  QVERIFY(events.back().kind == "note" && events.back().message.starts_with(kRepairNote));
}

void CheckDatabaseTest::aFileThatIsNoDatabaseIsReplaced() {
  write(path_, std::string(5000, 'x'));
  QVERIFY(!checkDatabase(path_)->damage.empty());
  const auto repaired = repairDatabase(path_);
  QVERIFY2(repaired.ok(), repaired.ok() ? "" : repaired.error().text().c_str());
  QCOMPARE(read(repaired->backup), std::string(5000, 'x'));
  QVERIFY(checkDatabase(path_)->ok());
}

void CheckDatabaseTest::otherProgramsDatabasesAreLeftAlone() {
  fs::remove(path_);
  change("CREATE TABLE bookmarks (url)");
  QCOMPARE(checkDatabase(path_).error().code, ErrorCode::kStore);
  fs::remove(path_);
  QCOMPARE(checkDatabase(path_).error().code, ErrorCode::kNotFound);
}

void CheckDatabaseTest::aDatabaseInUseIsNotRepaired() {
  const auto store = RunStore::open(path_, {}).value();
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY(store->createRun(run).ok());
  change("UPDATE runs SET state='Finishef' WHERE rowid=3");
  const auto refused = repairDatabase(path_);
  QVERIFY(!refused.ok());
  QVERIFY(refused.error().text().find(run.id) != std::string::npos);
  QVERIFY(store->find(run.id).ok());
}

QTEST_GUILESS_MAIN(CheckDatabaseTest)
#include "check_database_test.moc"
