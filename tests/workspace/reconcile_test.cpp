// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/process.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/store/sqlite.h"
#include "engine/workspace/export_note.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

/// Folder and database agree once a workspace is open, whatever happened to either before.
class ReconcileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    place_ = std::make_unique<testing::TemporaryWorkspace>();
    experiment::Experiment experiment = testing::smallSample();
    experiment.training.checkpoints.every = 1;
    run_ = (*place_)->store().find(place_->train(experiment).runId).value();
    folder_ = fs::path(place_->folder.path().toStdString()) / "checkpoints" / run_.id;
    QCOMPARE(checkpoints().size(), std::size_t{2});
  }

  // `doctor` finds a row whose folder is gone. A crash may have come between the two.
  void onlyACrashForgetsWhatIsNoLongerOnDisk() {
    const fs::path first = checkpoint::list(folder_).front().folder;
    reopen([&] { fs::remove_all(first); });
    QCOMPARE(checkpoints().size(), std::size_t{2});
    reopen([&] { change("UPDATE runs SET state='Crashed'"); });
    QCOMPARE(checkpoints().size(), std::size_t{1});
    QCOMPARE(checkpoints().front().step, run_.steps);
  }

  void whatIsOnDiskIsListed() {
    QVERIFY((*place_)->store().replaceCheckpoints(run_.id, {}).ok());
    reopen([] {});
    QCOMPARE(checkpoints().size(), std::size_t{2});
    QVERIFY(checkpoints().back().bytes > 0);
  }

  void theMarkOfTheBestStays() {
    const auto best = [](const std::vector<store::CheckpointRecord>& records) {
      const auto found = std::ranges::find(records, true, &store::CheckpointRecord::best);
      return found == records.end() ? std::int64_t{-1} : found->step;
    };
    const std::int64_t before = best(checkpoints());
    QVERIFY(before > 0);
    reopen([&] {
      for (const checkpoint::Listed& listed : checkpoint::list(folder_))
        if (listed.step != before) fs::remove_all(listed.folder);
    });
    QCOMPARE(best(checkpoints()), before);
  }

  void temporaryFoldersOfADeadRunAreRemoved() {
    const fs::path half = folder_ / "ckpt-99.tmp";
    reopen([&] {
      fs::create_directories(half);
      std::ofstream(half / "tensors.safetensors") << "half";
    });
    QCOMPARE(checkpoints().size(), std::size_t{2});
    QVERIFY(!fs::exists(half));
  }

  // A run that the database has lost: it can be resumed, and is told.
  void aFolderWithoutARunBecomesOne() {
    reopen([&] { loseDatabase(); });
    const auto found = (*place_)->store().find(run_.id);
    QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
    QVERIFY(found->state == RunState::kStopped);
    QCOMPARE(found->steps, run_.steps);
    QCOMPARE(found->epochs, run_.epochs);
    QCOMPARE(found->fingerprint, run_.fingerprint);
    QVERIFY(std::ranges::any_of(place_->warnings, [&](const std::string& text) {
      return text.find(run_.id) != std::string::npos && text.find("adopted") != std::string::npos;
    }));
    QCOMPARE(checkpoints().size(), std::size_t{2});
  }

  void anAdoptedRunHasWhatItsManifestsHold() {
    const auto before = (*place_)->store().epochs(run_.id).value();
    QVERIFY(run_.best.has_value());
    reopen([&] { loseDatabase(); });
    const auto after = (*place_)->store().epochs(run_.id).value();
    QCOMPARE(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      QCOMPARE(after[i].epoch, before[i].epoch);
      QCOMPARE(after[i].step, before[i].step);
      QCOMPARE(after[i].loss, before[i].loss);
      QCOMPARE(std::map(after[i].metrics.begin(), after[i].metrics.end()),
               std::map(before[i].metrics.begin(), before[i].metrics.end()));
      QVERIFY(std::isnan(after[i].msPerStep));
    }
    const auto found = (*place_)->store().find(run_.id).value();
    QVERIFY(found.best.has_value());
    QCOMPARE(found.best->epoch, run_.best->epoch);
    QCOMPARE(found.best->value, run_.best->value);
    const auto rows = checkpoints();
    const auto best = std::ranges::find(rows, true, &store::CheckpointRecord::best);
    QVERIFY(best != rows.end());
    QCOMPARE(best->step, run_.best->step);
    const auto events = (*place_)->store().events(run_.id).value();
    QVERIFY(std::ranges::any_of(events, [](const store::EventRecord& event) {
      return event.kind == "note" &&
             event.message.find("epoch 1, 2. Their times") != event.message.npos;
    }));
  }

  void anAdoptedRunHasNoValidationOfOlderRules() {
    const auto validated = [&] {
      const auto epochs = (*place_)->store().epochs(run_.id).value();
      return std::ranges::any_of(epochs.back().metrics, [](const auto& metric) {
        return metric.first.starts_with("val_");
      });
    };
    QVERIFY(validated());
    reopen([&] {
      const auto newest = checkpoint::open(checkpoint::list(folder_).back().folder).value();
      checkpoint::Manifest manifest = newest.manifest();
      manifest.trainerState.erase("metric_rules");
      QVERIFY(checkpoint::write(folder_, manifest, newest.tensors()).ok());
      loseDatabase();
    });
    QVERIFY((*place_)->store().find(run_.id).ok());
    QVERIFY(!validated());
  }

  void epochsThatATornCopyLacksAreReadOrTold() {
    reopen([&] {
      change("DELETE FROM epochs; DELETE FROM checkpoints WHERE epoch=2; UPDATE runs SET epochs=0");
      place_->warnings.clear();
    });
    QVERIFY(std::ranges::any_of(place_->warnings, [&](const std::string& text) {
      return text.find(run_.id) != std::string::npos &&
             text.find("of epoch 1 nothing is recorded") != std::string::npos;
    }));
    const auto epochs = (*place_)->store().epochs(run_.id).value();
    QCOMPARE(epochs.size(), std::size_t{1});
    QCOMPARE(epochs.front().epoch, std::int64_t{2});
  }

  void aFolderThatIsNoRunStaysWhatItIs() {
    const fs::path other = folder_.parent_path() / "notes";
    reopen([&] { fs::create_directories(other); });
    QVERIFY(!(*place_)->store().find("notes").ok());
    QVERIFY(fs::exists(other));
  }

  void whatAKilledExportLeftIsRemoved() {
    QProcess killed;
    killed.start("true", {});
    QVERIFY(killed.waitForStarted());
    const std::int64_t pid = killed.processId();
    QVERIFY(killed.waitForFinished());
    const fs::path left = writeExport(fmt::format("curves.csv.tmp-{}-0", pid), pid);
    // Notes may be damaged: other folders stay.
    const fs::path other = writeExport("curves", pid), number = writeExport("a.tmp-1-0", pid);
    reopen([] {});
    QVERIFY(!fs::exists(left));
    QVERIFY(fs::exists(other / "half.csv") && fs::exists(number / "half.csv"));
    QVERIFY(!fs::exists(folder_.parent_path().parent_path() / "exports"));
  }

  void whatALiveExportWritesStays() {
    const fs::path workspace = folder_.parent_path().parent_path();
    const fs::path writes = elsewhere() / fmt::format("curves.csv.tmp-{}-7", ::getpid());
    fs::create_directories(writes);
    {
      const workspace::ExportNote note(workspace, writes);
      QCOMPARE(std::distance(fs::directory_iterator(workspace / "exports"), {}), 1);
      reopen([] {});
      QVERIFY(fs::exists(writes));
    }
    QVERIFY(!fs::exists(workspace / "exports"));
  }

 private:
  [[nodiscard]] fs::path elsewhere() const { return elsewhere_.path().toStdString(); }
  /// A folder that an export of a process has begun, and its note.
  [[nodiscard]] fs::path writeExport(const std::string& name, std::int64_t pid) const {
    const fs::path written = elsewhere() / name,
                   notes = folder_.parent_path().parent_path() / "exports";
    fs::create_directories(written);
    fs::create_directories(notes);
    std::ofstream(written / "half.csv") << "epoch";
    std::ofstream(notes / (name + ".json"))
        << nlohmann::json{{"folder", written.string()},
                          {"pid", pid},
                          {"boot_id", ProcessIdentity::thisProcess().bootId},
                          {"start_ticks", 1}};
    return written;
  }
  void loseDatabase() const {
    for (const auto& entry : fs::directory_iterator(place_->folder.path().toStdString()))
      if (entry.path().filename().string().starts_with("parapet.db")) fs::remove(entry.path());
  }
  void change(const char* sql) const {
    auto database = store::Database::open(folder_.parent_path().parent_path() / "parapet.db",
                                          store::Database::Access::kReadWrite)
                        .value();
    QVERIFY(database.script(sql).ok());
  }
  std::vector<store::CheckpointRecord> checkpoints() {
    return (*place_)->store().checkpoints(run_.id).value();
  }
  /// Changes the folder while no program has it open.
  template <class Change>
  void reopen(const Change& change) {
    place_->workspace.reset();
    change();
    place_->workspace = place_->open();
    QVERIFY(place_->workspace);
  }

  std::unique_ptr<testing::TemporaryWorkspace> place_;
  store::RunRecord run_;
  fs::path folder_;
  QTemporaryDir elsewhere_;
};

QTEST_GUILESS_MAIN(ReconcileTest)
#include "reconcile_test.moc"
