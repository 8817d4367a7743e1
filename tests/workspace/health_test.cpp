// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/checkpoint/checkpoint.h"
#include "engine/store/sqlite.h"
#include "engine/workspace/health.h"
#include "tests/workspace/damage.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
using workspace::HealthCheck;
using workspace::HealthOptions;
namespace fs = std::filesystem;

namespace {

constexpr HealthOptions kRepair{.action = HealthOptions::Action::kRepair};
constexpr HealthOptions kDeep{.depth = HealthOptions::Depth::kDeep};
constexpr HealthOptions kDeepRepair{.depth = HealthOptions::Depth::kDeep,
                                    .action = HealthOptions::Action::kRepair};

/// Inverts one bit in the middle of a file.
void damage(const fs::path& path) {
  testing::flipBit(path, fs::file_size(path) / 2);
}

/// The only folder in a folder.
fs::path only(const fs::path& parent) {
  return fs::directory_iterator(parent)->path();
}

}  // namespace

class HealthTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void aGoodWorkspaceIsWell();
  void aDamagedCheckpointIsMovedAside();
  void aCheckpointThatIsGoneIsToldAndForgotten();
  void aRunThatRotatesItsCheckpointsRaisesNoAlarm();
  void aCheckpointOfAnotherRunIsFound();
  void aDamagedDatasetIsFoundByItsHashes();
  void aDamagedDatabaseIsBuiltAgain();
  void anEmptyFolderIsWell();
  void aRepairRestoresDocumentsAndMarksTheRest();
  void anEmptiedDatabaseIsNoNewWorkspace_data();
  void anEmptiedDatabaseIsNoNewWorkspace();

 private:
  HealthCheck check(const char* name, const HealthOptions& options = {}) {
    for (const HealthCheck& found : workspace::checkHealth(folder_, options, {}))
      if (found.name == name) return found;
    return {};
  }
  std::unique_ptr<testing::TemporaryWorkspace> place_;
  fs::path folder_;
  std::string run_;
};

void HealthTest::init() {
  place_ = std::make_unique<testing::TemporaryWorkspace>();
  folder_ = place_->folder.path().toStdString();
  experiment::Experiment experiment = testing::smallSample();
  experiment.training.checkpoints.every = 1;
  const workspace::RunOutcome outcome = place_->train(experiment);
  QCOMPARE(outcome.state, RunState::kFinished);
  run_ = outcome.runId;
  place_->workspace.reset();
}

void HealthTest::aGoodWorkspaceIsWell() {
  const auto checks = workspace::checkHealth(folder_, kDeepRepair, {});
  QStringList names;
  for (const HealthCheck& found : checks) {
    QVERIFY2(found.ok && found.fix.empty(), found.message.c_str());
    names << QString::fromStdString(found.name);
  }
  QCOMPARE(names, (QStringList{"workspace", "database", "runs", "checkpoints", "data sets"}));
}

void HealthTest::aDamagedCheckpointIsMovedAside() {
  const fs::path run = folder_ / "checkpoints" / run_;
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(run)) newest = std::max(newest, entry.path());
  damage(newest / "tensors.safetensors");
  const HealthCheck found = check("checkpoints");
  QVERIFY(!found.ok && !found.fix.empty());
  QVERIFY2(found.message.find(newest.string()) != std::string::npos, found.message.c_str());
  QVERIFY(check("checkpoints", kRepair).ok);
  QVERIFY(!fs::exists(newest));
  QVERIFY(fs::exists(run / ("damaged-" + newest.filename().string()) / "tensors.safetensors"));
  const HealthCheck later = check("checkpoints");
  QVERIFY2(later.ok && later.message.find("aside by an earlier repair: " + run.string()) !=
                           std::string::npos,
           later.message.c_str());
  place_->workspace = place_->open();
  std::vector<std::string> warnings;
  QVERIFY((*place_)->recommender(run_, {}, &warnings).ok());
  QCOMPARE(warnings.size(), std::size_t{1});
  QVERIFY2(warnings[0].find("a repair moved it aside") != std::string::npos &&
               warnings[0].find("The checkpoint of step 10 is used") != std::string::npos,
           warnings[0].c_str());
}

void HealthTest::aCheckpointThatIsGoneIsToldAndForgotten() {
  const auto says = [](const HealthCheck& found, const std::string& text) {
    return found.message.find(text) != std::string::npos;
  };
  place_->workspace = place_->open();
  const auto best = (*place_)->store().find(run_).value().best.value();
  place_->workspace.reset();
  for (const checkpoint::Listed& listed : checkpoint::list(folder_ / "checkpoints" / run_))
    if (listed.step == best.step) fs::remove_all(listed.folder);
  const auto left = checkpoint::list(folder_ / "checkpoints" / run_);
  QCOMPARE(left.size(), std::size_t{1});
  place_->workspace = place_->open();  // does not hide it
  place_->workspace.reset();
  const std::string gone = fmt::format(
      "checkpoints of run {} at step {} (best); its last is now that of step {}, its best none",
      run_, best.step, left.front().step);
  for (int look = 0; look < 2; ++look) {
    const HealthCheck found = check("checkpoints");
    QVERIFY2(!found.ok && says(found, "damaged or gone: " + gone), found.message.c_str());
  }
  const HealthCheck repaired = check("checkpoints", kRepair);
  QVERIFY2(repaired.ok && says(repaired, "gone: " + gone), repaired.message.c_str());
  QVERIFY(check("checkpoints").ok);
  place_->workspace = place_->open();
  const auto asked = (*place_)->recommender(run_, {workspace::WhichCheckpoint::kBest}, nullptr);
  QVERIFY(!asked.ok());
  const std::string text = asked.error().text();
  QVERIFY2(text.find(fmt::format("its best epoch by val_loss, {}, has none left", best.epoch)) !=
               std::string::npos,
           text.c_str());
}

void HealthTest::aRunThatRotatesItsCheckpointsRaisesNoAlarm() {
  const fs::path folder = folder_ / "checkpoints" / run_;
  const auto kept = checkpoint::open(checkpoint::list(folder).back().folder).value();
  std::jthread rotation([&](std::stop_token stop) {
    for (std::int64_t step = 100; !stop.stop_requested(); ++step) {
      checkpoint::Manifest manifest = kept.manifest();
      manifest.step = step;
      const auto written = checkpoint::write(folder, manifest, kept.tensors());
      if (written) (void)checkpoint::remove(*written);
    }
  });
  for (int look = 0; look < 30; ++look)
    for (const HealthOptions& options : {HealthOptions{}, kRepair}) {
      const HealthCheck found = check("checkpoints", options);
      QVERIFY2(found.ok && found.message.find("aside") == std::string::npos, found.message.c_str());
    }
}

void HealthTest::aCheckpointOfAnotherRunIsFound() {
  fs::copy(folder_ / "checkpoints" / run_, folder_ / "checkpoints" / "0123456789ab",
           fs::copy_options::recursive);
  const HealthCheck found = check("checkpoints");
  QVERIFY(!found.ok);
  QVERIFY2(found.message.find("checkpoint of run " + run_) != std::string::npos,
           found.message.c_str());
}

void HealthTest::aDamagedDatasetIsFoundByItsHashes() {
  const fs::path dataset = only(folder_ / "datasets");
  damage(dataset / "user.i32");
  QVERIFY(!check("data sets").ok);
  QVERIFY(!check("data sets", kDeep).ok);
  const HealthCheck repaired = check("data sets", kDeepRepair);
  QVERIFY2(repaired.ok, repaired.message.c_str());
  QVERIFY(fs::exists(dataset.parent_path() / ("damaged-" + dataset.filename().string())));
  place_->workspace = place_->open();
  QVERIFY((*place_)->recommender(run_, {}).ok());  // imported again
}

void HealthTest::aDamagedDatabaseIsBuiltAgain() {
  std::fstream(folder_ / "parapet.db", std::ios::in | std::ios::out | std::ios::binary)
      << std::string(100, '\x55');
  const HealthCheck found = check("database");
  QVERIFY(!found.ok && !found.fix.empty());
  const HealthCheck repaired = check("database", kRepair);
  QVERIFY2(repaired.ok, repaired.message.c_str());
  QVERIFY(check("database").ok && check("runs").ok);
  QVERIFY(check("database").message.find("as it was before a repair: parapet.db.damaged-") !=
          std::string::npos);
  // Nothing of the old one could be read; the run comes back from its checkpoint.
  place_->workspace = place_->open();
  QVERIFY((*place_)->store().find(run_).ok());
  QVERIFY((*place_)->recommender(run_, {}).ok());
}

void HealthTest::anEmptyFolderIsWell() {
  const QTemporaryDir empty;
  for (const HealthCheck& found : workspace::checkHealth(empty.path().toStdString(), kDeep, {}))
    QVERIFY2(found.ok, found.message.c_str());
}

void HealthTest::aRepairRestoresDocumentsAndMarksTheRest() {
  {
    auto database =
        store::Database::open(folder_ / "parapet.db", store::Database::Access::kReadWrite).value();
    QVERIFY(database
                .script("UPDATE documents SET experiment=replace(experiment, 'cosine', 'dot');"
                        "UPDATE epochs SET loss=0.125 WHERE epoch=2")
                .ok());
  }
  const HealthCheck found = check("runs");
  QVERIFY(!found.ok && !found.fix.empty());
  for (const char* words : {"its document", "epoch 2"})
    QVERIFY2(found.message.find(words) != std::string::npos, found.message.c_str());
  const HealthCheck after = check("runs", kRepair);
  QVERIFY(!after.ok);
  QVERIFY2(after.message.find("its document") == std::string::npos, after.message.c_str());
  QVERIFY2(after.message.find("epoch 2") != std::string::npos, after.message.c_str());
  QCOMPARE(check("runs").message, after.message);
}

void HealthTest::anEmptiedDatabaseIsNoNewWorkspace_data() {
  QTest::addColumn<QString>("how");
  for (const char* how : {"of no bytes", "without a table", "removed"}) QTest::newRow(how) << how;
}

void HealthTest::anEmptiedDatabaseIsNoNewWorkspace() {
  QFETCH(const QString, how);
  const fs::path file = folder_ / "parapet.db";
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix);
  if (how == "of no bytes") std::ofstream{file};
  if (how == "without a table")
    QVERIFY(store::Database::open(file, store::Database::Access::kReadWrite)
                ->script("CREATE TABLE a (x); DROP TABLE a; VACUUM")
                .ok());
  const HealthCheck found = check("database");
  QVERIFY(!found.ok && !found.fix.empty());
  QVERIFY2(found.message.find("experiments") != std::string::npos, found.message.c_str());
  place_->warnings.clear();
  place_->workspace = place_->open();
  QVERIFY(place_->workspace);
  QVERIFY(std::ranges::any_of(place_->warnings, [](const std::string& text) {
    return text.find("Lost are its experiments") != std::string::npos;
  }));
  QVERIFY2((*place_)->store().find(run_).ok(), "it is adopted from its checkpoint");
  place_->warnings.clear();
  place_->workspace = place_->open();
  QVERIFY(place_->warnings.empty());
}

QTEST_GUILESS_MAIN(HealthTest)
#include "health_test.moc"
