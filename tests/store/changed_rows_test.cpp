// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "engine/base/hash.h"
#include "engine/experiment/metric_key.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

/// Reading rows that are no longer what was stored.
class ChangedRowsTest : public QObject {
  Q_OBJECT

  static constexpr const char* kRun = "aaaaaaaaaaaa";
  static constexpr const char* kDocument = R"({"name":"kept"})";
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path path_;
  std::vector<std::string> warnings_;

  std::unique_ptr<RunStore> open(RunStore::Access access = RunStore::Access::kReadWrite,
                                 bool hasCheckpoint = false) {
    RunStore::Options options{[this](const std::string& text) { warnings_.push_back(text); },
                              access};
    if (hasCheckpoint)
      options.recoverDocument = [](const std::string&) {
        return RunStore::Options::Recovered{kDocument, "that of its checkpoint of step 20"};
      };
    return RunStore::open(path_, std::move(options)).value();
  }
  bool warnsOf(const char* words) const {
    return std::ranges::any_of(
        warnings_, [&](const std::string& text) { return text.find(words) != std::string::npos; });
  }
  void change(const std::string& sql) {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    const Status changed = database.script(sql.c_str());
    QVERIFY2(changed.ok(), changed.ok() ? "" : changed.error().text().c_str());
  }
  std::int64_t ask(const char* sql) {
    return Database::open(path_, Database::Access::kReadOnly)->integer(sql).value();
  }
  static void tellEpochs(RunStore& store, std::initializer_list<int> epochs) {
    for (const int epoch : epochs) {
      EpochSummary summary;
      summary.epoch = epoch;
      summary.step = 10 * epoch;
      summary.metrics = {{"val_loss", 1.0 / epoch}, {"val_recall@10", 0.1 * epoch}};
      store.sink().onEvent(kRun, EpochEnded{summary});
    }
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    path_ = fs::path(folder_->path().toStdString()) / "parapet.db";
    const auto store = open();
    RunRecord run;
    run.id = kRun;
    run.experimentJson = kDocument;
    QVERIFY(store->createRun(run).ok());
    store->sink().onEvent(kRun, RunStarted{});
    tellEpochs(*store, {1, 2, 3});
    store->sink().onEvent(kRun, RunEnded{});
    QVERIFY(store->flush().ok());
    warnings_.clear();
  }

  void whatIsStoredIsGivenWithoutAWord() {
    const auto store = open();
    QCOMPARE(store->find(kRun)->experimentJson, std::string(kDocument));
    QCOMPARE(store->epochs(kRun)->size(), std::size_t{3});
    QVERIFY(warnings_.empty());
  }

  void baselinesThatComeLateChangeNothingBehindTheHash() {
    const auto store = open();
    BaselineVerdict verdict;
    verdict.baseline = "ease";
    verdict.metric = "val_recall@10";
    store->sink().onEvent(kRun,
                          BaselinesMeasured{{{"ease", {{"val_recall@10", 0.2}}}}, 3, {verdict}});
    QVERIFY(store->flush().ok());
    QCOMPARE(store->epochs(kRun)->back().verdicts.size(), std::size_t{1});
    QVERIFY(store->find(kRun).ok());
    QVERIFY2(warnings_.empty(), warnings_.empty() ? "" : warnings_.front().c_str());
  }

  void aCheckpointGivesAChangedDocumentBack_data() {
    QTest::addColumn<QString>("sql");
    QTest::newRow("another text") << "UPDATE documents SET experiment='{\"name\":\"kepT\"}'";
    QTest::newRow("another hash") << "UPDATE documents SET hash=''";
    QTest::newRow("no document") << "DELETE FROM documents";
  }
  void aCheckpointGivesAChangedDocumentBack() {
    QFETCH(const QString, sql);
    change(sql.toStdString());
    {
      const auto reader = open(RunStore::Access::kReadOnly, true);
      QCOMPARE(reader->find(kRun)->experimentJson, std::string(kDocument));
      QVERIFY(warnsOf("checkpoint of step 20 takes its place"));
    }
    warnings_.clear();
    const auto store = open(RunStore::Access::kReadWrite, true);
    const RunRecord found = store->find(kRun).value();
    QCOMPARE(found.experimentJson, std::string(kDocument));
    QVERIFY(found.documentFault.empty());
    QVERIFY(warnsOf(kRun) && warnsOf("has changed since it was stored"));
    // A query changes nothing: the next program is warned as well.
    warnings_.clear();
    QCOMPARE(open(RunStore::Access::kReadWrite, true)->find(kRun)->experimentJson,
             std::string(kDocument));
    QVERIFY(warnsOf("checkpoint of step 20 takes its place"));
  }

  void aDocumentIsRestoredOnRequest() {
    change("UPDATE documents SET experiment='{\"name\":\"kepT\"}'");
    const auto store = open(RunStore::Access::kReadWrite, true);
    QVERIFY(store->restoreDocument(kRun).ok());
    const auto isOfRestoring = [](const EventRecord& event) {
      return event.kind == "warning" && event.message.find("takes its place") != std::string::npos;
    };
    QCOMPARE(std::ranges::count_if(store->events(kRun).value(), isOfRestoring), 1);
    // The repaired row is the stored one from now on, and nothing is left to restore.
    warnings_.clear();
    const auto later = open();
    QCOMPARE(later->find(kRun)->experimentJson, std::string(kDocument));
    QVERIFY(later->restoreDocument(kRun).ok());
    QCOMPARE(std::ranges::count_if(later->events(kRun).value(), isOfRestoring), 1);
    QVERIFY(warnings_.empty());
  }

  void nothingIsRestoredWithoutACheckpoint() {
    change("UPDATE documents SET experiment='{}'");
    const Status restored = open()->restoreDocument(kRun);
    QVERIFY(!restored.ok());
    QVERIFY2(restored.error().text().find("restore parapet.db from a backup") != std::string::npos,
             restored.error().text().c_str());
    QCOMPARE(ask("SELECT count(*) FROM documents WHERE experiment='{}'"), std::int64_t{1});
  }

  void withoutACheckpointThereIsNoDocument() {
    change("UPDATE documents SET experiment='{}'");
    const auto store = open();
    const RunRecord found = store->find(kRun).value();
    QVERIFY(found.experimentJson.empty());
    QVERIFY2(found.documentFault.find("has changed since it was stored") != std::string::npos,
             found.documentFault.c_str());
    QCOMPARE(ask("SELECT count(*) FROM documents WHERE experiment='{}'"), std::int64_t{1});
  }

  void changedEpochsAreNamedOnce() {
    change(
        "UPDATE epochs SET loss=9 WHERE epoch=1; UPDATE epoch_metrics SET value=9 WHERE epoch=3");
    const auto store = open();
    QCOMPARE(store->epochs(kRun)->size(), std::size_t{3});
    QCOMPARE(store->epochs(kRun)->size(), std::size_t{3});
    QVERIFY(warnsOf("epoch 1, 3 has changed since it was stored"));
    QCOMPARE(warnings_.size(), std::size_t{1});
  }

  void changedResultsAreNamed() {
    change("UPDATE runs SET test_json='{\"test_mrr\":1}'");
    (void)open()->find(kRun);
    QVERIFY(warnsOf("recorded results have changed"));
  }

  void missingEpochsAreNamed_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("says");
    QTest::newRow("none") << ""
                          << "";
    QTest::newRow("the first") << "DELETE FROM epochs WHERE epoch<3"
                               << "of epoch 1 to 2 nothing";
    QTest::newRow("one between") << "DELETE FROM epochs WHERE epoch=2"
                                 << "of epoch 2 nothing";
    QTest::newRow("those that only a checkpoint knows")
        << "INSERT INTO checkpoints VALUES ('aaaaaaaaaaaa',70,7,'c',1,0,1)"
        << "of epoch 4 to 7 nothing";
    QTest::newRow("the first of a fork are those of another run")
        << "DELETE FROM epochs WHERE epoch<3; UPDATE runs SET forked_from='bbbbbbbbbbbb'"
        << "";
    QTest::newRow("a checkpoint comes before its epoch while the run goes on")
        << "INSERT INTO checkpoints VALUES ('aaaaaaaaaaaa',40,4,'c',1,0,1);"
           "UPDATE runs SET state='Running'"
        << "";
  }
  void missingEpochsAreNamed() {
    QFETCH(const QString, sql);
    QFETCH(const QString, says);
    change(sql.toStdString());
    QVERIFY(open()->epochs(kRun).ok());
    QCOMPARE(warnsOf("nothing is recorded"), !says.isEmpty());
    if (!says.isEmpty()) QVERIFY(warnsOf(says.toUtf8().constData()));
  }

  void whatIsRecordedLaterMakesNoChangeLegal() {
    change("UPDATE runs SET seed=seed+1");
    const auto store = open();
    QVERIFY(store->adoptRun(kRun, 30).ok());
    store->sink().onEvent(kRun, RunStarted{});
    tellEpochs(*store, {4});
    RunEnded ended;
    ended.testMetrics = {{"test_loss", 1.0}};
    store->sink().onEvent(kRun, ended);
    QVERIFY(store->flush().ok());
    (void)store->find(kRun);
    QVERIFY(warnsOf("recorded results have changed"));
  }

  void metricsCarryTheNumberOfTheirRules() {
    QCOMPARE(open()->find(kRun)->rules, kMetricRules);
    QCOMPARE(ask("SELECT count(*) FROM epochs WHERE rules=2"), std::int64_t{3});
  }

  void aRunOfOlderRulesGoesOnUnderTheNewOnes() {
    change("UPDATE runs SET rules=1, hash=''; UPDATE epochs SET rules=1, hash=''");
    const auto store = open();
    QCOMPARE(store->find(kRun)->best->epoch, std::int64_t{3});
    QVERIFY(store->adoptRun(kRun, 20).ok());
    QCOMPARE(store->find(kRun)->rules, 1);
    QCOMPARE(store->find(kRun)->best->epoch, std::int64_t{2});
    EpochSummary worse;
    worse.epoch = 3;
    worse.step = 30;
    worse.metrics = {{"val_loss", 7.0}};
    store->sink().onEvent(kRun, EpochEnded{worse});
    QVERIFY(store->flush().ok());
    QCOMPARE(store->find(kRun)->rules, kMetricRules);
    QCOMPARE(store->find(kRun)->best->epoch, std::int64_t{3});
    QCOMPARE(store->find(kRun)->best->value, 7.0);
  }

  void sessionsAreKeptInTheirOrder() {
    const auto store = open();
    QVERIFY(store->sessions(kRun)->empty());
    QVERIFY(store->addSession(kRun, {0, 5, "0.1 gcc x86-64-v3", "x86-64-v3", 2}).ok());
    QVERIFY(store->addSession(kRun, {20, 4, "0.2 gcc portable", "portable", 4}).ok());
    const auto sessions = store->sessions(kRun).value();
    QCOMPARE(sessions.size(), std::size_t{2});
    QCOMPARE(sessions[0].build, std::string("0.1 gcc x86-64-v3"));
    QCOMPARE(sessions[1].firstStep, std::int64_t{20});
    QCOMPARE(sessions[1].instructionSet, std::string("portable"));
    QCOMPARE(sessions[1].threads, std::int64_t{4});
    QVERIFY(store->erase(kRun).ok());
    QCOMPARE(ask("SELECT count(*) FROM sessions"), std::int64_t{0});
  }

  // Another SQLite or another platform must give the same, or every row would seem changed.
  void theHashIsOfTypesAndBytes() {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    const auto textOf = [&](const char* sql) {
      std::string text;
      (void)database.each(sql, [&](Statement& row) { text = row.text(0); });
      return text;
    };
    QCOMPARE(textOf("SELECT content_hash('{}')"), hashHex("{}"));
    QCOMPARE(textOf("SELECT content_hash(1, 2.5, 'ab', NULL)"),
             hashHex(std::string("1\1\0\0\0\0\0\0\0"
                                 "2\0\0\0\0\0\0\4\100"
                                 "3\2\0\0\0\0\0\0\0ab"
                                 "5",
                                 9 + 9 + 11 + 1)));
    QVERIFY(textOf("SELECT content_hash(1, 2)") != textOf("SELECT content_hash(1.0, 2)"));
    QVERIFY(textOf("SELECT content_hash('a', 'bc')") != textOf("SELECT content_hash('ab', 'c')"));
    QCOMPARE(textOf("SELECT content_sum(column1, column2) FROM (VALUES (1, 'a'), (2, 'b'))"),
             textOf("SELECT content_sum(column1, column2) FROM (VALUES (2, 'b'), (1, 'a'))"));
    QCOMPARE(textOf("SELECT content_sum(id) FROM requests"), std::string("0"));
  }
};

QTEST_GUILESS_MAIN(ChangedRowsTest)
#include "changed_rows_test.moc"
