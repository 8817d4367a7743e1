// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QtTest>
#include <filesystem>

#include "engine/workspace/plan.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

namespace {

/// Asks a workspace as a user who may only read; 0 if all is as it should be, else a number
/// that says which question failed.
int readAsNobody(const fs::path& folder, const fs::path& out) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 12;
  std::vector<std::string> warnings;
  auto opened = workspace::Workspace::open(
      folder, [&](const std::string& text) { warnings.push_back(text); });
  if (!opened.ok()) {
    std::fprintf(stderr, "%s\n", opened.error().text().c_str());
    return 1;
  }
  workspace::Workspace& workspace = **opened;
  if (!workspace.readOnlyBecause() || warnings.size() != 1) return 2;
  const auto runs = workspace.store().runs();
  if (!runs.ok() || runs->size() != 1) return 3;
  const std::string& id = runs->front().id;
  if (!workspace.recommender(id, {}).ok()) return 4;
  if (!workspace.evaluate(id, {}, {}).ok()) return 5;
  workspace::ExportOptions curves, tables;
  curves.what = workspace::ExportWhat::kCurves;
  curves.format = "csv";
  curves.out = out / "curves.csv";
  tables.format = "npy";
  tables.out = out / "tables";
  if (!workspace.exportRun(id, curves, {}).ok()) return 6;
  if (!workspace.exportRun(id, tables, {}).ok()) return 7;
  const auto there = workspace.importData(testing::smallSample(), {});
  if (!there.ok() || !there->reused || there->vocabularies.size() != 2) return 13;
  const auto plan = workspace.plan(testing::smallSample(),
                                   {.figures = workspace::PlanOptions::Figures::kStored,
                                    .data = workspace::PlanOptions::Data::kImport},
                                   {});
  if (!plan.ok() || !plan->findings.problems.empty()) return 8;
  for (const auto& refused : {workspace.start(testing::smallSample(), {}).error(),
                              workspace.resume(id, {}).error(), workspace.trash(id).error()})
    if (refused.text().find("read") == std::string::npos) return 9;
  if (workspace.start(testing::smallSample(), {}).error().code != ErrorCode::kIo) return 10;
  auto other = testing::smallSample();
  other.dataset.generator->seed = 8;
  return workspace.importData(other, {}).ok() ? 11 : 0;
}

void forEach(const fs::path& folder, const std::function<void(const fs::path&)>& change) {
  std::vector<fs::path> paths{folder};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) paths.push_back(entry.path());
  for (const fs::path& path : paths) change(path);
}

}  // namespace

/// Workspaces that cannot be written, and such as go away while a run goes on.
class WorkspaceFaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aReadOnlyWorkspaceAnswersQuestions();
  void anEmptyReadOnlyFolderIsRefused();
  void aRunOutlivesItsWorkspace();
};

void WorkspaceFaultsTest::aReadOnlyWorkspaceAnswersQuestions() {
  testing::TemporaryWorkspace place;
  const workspace::RunOutcome outcome = place.train(testing::smallSample());
  QCOMPARE(outcome.state, RunState::kFinished);
  place.workspace.reset();
  const fs::path folder = place.folder.path().toStdString();
  const QTemporaryDir out;
  fs::permissions(out.path().toStdString(), fs::perms(0777));
  std::vector<std::pair<fs::path, fs::file_time_type>> before;
  forEach(folder, [&](const fs::path& path) {
    fs::permissions(path, fs::is_directory(path) ? fs::perms(0555) : fs::perms(0444));
    before.emplace_back(path, fs::last_write_time(path));
  });
  const int found =
      QProcess::execute(QCoreApplication::applicationFilePath(),
                        {"--nobody", QString::fromStdString(folder.string()), out.path()});
  std::size_t files = 0;
  forEach(folder, [&](const fs::path&) { ++files; });
  for (const auto& [path, time] : before) QVERIFY2(fs::last_write_time(path) == time, path.c_str());
  forEach(folder, [](const fs::path& path) { fs::permissions(path, fs::perms(0755)); });
  QCOMPARE(found, 0);
  QCOMPARE(files, before.size());
}

void WorkspaceFaultsTest::anEmptyReadOnlyFolderIsRefused() {
  const QTemporaryDir folder;
  fs::permissions(folder.path().toStdString(), fs::perms(0555));
  const int found = QProcess::execute(QCoreApplication::applicationFilePath(),
                                      {"--nobody", folder.path(), folder.path()});
  fs::permissions(folder.path().toStdString(), fs::perms(0755));
  QCOMPARE(found, 1);
}

void WorkspaceFaultsTest::aRunOutlivesItsWorkspace() {
  testing::TemporaryWorkspace place;
  const fs::path folder = place.folder.path().toStdString();
  testing::RecordingSink sink;
  sink.hook = [&](const experiment::RunEvent& event) {
    const auto* ended = std::get_if<experiment::EpochEnded>(&event);
    if (ended && ended->summary.epoch == 1) {
      QVERIFY(place.workspace->store().flush().ok());
      fs::remove_all(folder);
    }
  };
  workspace::RunOutcome outcome;
  {
    const auto run =
        place->start(testing::smallSample(), {.recipe = "sample", .threads = 1, .sink = &sink});
    QVERIFY(run.ok());
    outcome = (*run)->wait();
  }
  QCOMPARE(outcome.state, RunState::kFinished);
  QCOMPARE(outcome.epochs.size(), std::size_t{2});
  QCOMPARE(place.warnings.size(), std::size_t{1});
  QVERIFY2(place.warnings[0].find("removed") != std::string::npos, place.warnings[0].c_str());
  place.workspace.reset();
  place.workspace = place.open();
  const auto runs = place->store().runs();
  QCOMPARE(runs->size(), std::size_t{1});
  QVERIFY(runs->front().state == RunState::kFinished);
  QCOMPARE(place->store().epochs(outcome.runId)->size(), std::size_t{2});
  QVERIFY(place->recommender(outcome.runId, {}).ok());  // its data are imported again
}

int main(int count, char** values) {
  if (count > 3 && std::string(values[1]) == "--nobody") return readAsNobody(values[2], values[3]);
  QCoreApplication application(count, values);
  WorkspaceFaultsTest test;
  return QTest::qExec(&test, count, values);
}

#include "faults_test.moc"
