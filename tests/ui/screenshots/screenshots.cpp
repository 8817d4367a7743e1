// SPDX-License-Identifier: GPL-3.0-or-later
// parapet_screenshots FOLDER: every picture of the documents, from real runs on generated data;
// tests/fidelity/run --only pictures puts those that are shown into resources/screenshots.
#include <fmt/format.h>

#include <QApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <functional>

#include "app/parapet/parts.h"
#include "engine/experiment/experiment.h"
#include "ui/models/document_source.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/mesh/mesh_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/style/fonts.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr QSize kSize(1600, 1000);
/// The self-test of every CPU backend takes minutes while other programs use the cores.
constexpr int kLongMs = 600'000;
/// Pages fill themselves from the background.
constexpr int kRestMs = 1500;

/// Trains a recipe with some of its settings changed.
QString train(Workbench& bench, const char* recipe, const nlohmann::json& changes) {
  auto source = documentOfRecipe(recipe, {});
  source->document.merge_patch(changes);
  bench.runs.start(experiment::parse(source->document).experiment, source->origin);
  return QTest::qWaitFor([&] { return !bench.runs.active(); }, kLongMs) ? bench.runs.runId()
                                                                        : QString();
}

/// Four logical devices, so that there are lanes to see.
QString trainSample(Workbench& bench, double learningRate, const char* name) {
  return train(bench, "sample",
               {{"name", name},
                {"mesh", {{"devices", {"cpu*4"}}}},
                {"optimizer", {{"learning_rate", learningRate}}}});
}

template <class Step>
Step* step(MainWindow& window, const char* name) {
  return qobject_cast<Step*>(qobject_cast<ExperimentPage*>(window.page("experiment"))->step(name));
}

bool shoot(MainWindow& window, const QDir& folder, const QString& name) {
  QTest::qWait(kRestMs);
  const QString file = folder.filePath(name + ".png");
  const bool saved = window.grab().save(file);
  fmt::print(saved ? stdout : stderr, "{} {}\n", saved ? "wrote" : "cannot write",
             file.toStdString());
  return saved;
}

/// Fills the table of devices with what they measure.
bool testDevices(MainWindow& window) {
  const auto actions = window.page("devices")->pageActions();
  const auto test = std::ranges::find(actions, QStringLiteral("Test the devices"), &QAction::text);
  (*test)->trigger();
  return QTest::qWaitFor([&] { return (*test)->isVisible(); }, kLongMs);
}

/// Four devices against one, with the result.
bool verifyMesh(MainWindow& window, ExperimentEditor& editor) {
  auto* page = step<MeshPage>(window, "mesh");
  editor.setValue("/mesh/devices", nlohmann::json::array({"cpu*4"}), "devices");
  VerifyPanel& verify = page->verify();
  verify.choose(VerifyPanel::kOneDevice);
  // The bytes of the ranks are known a moment after the change.
  QTest::qWait(kRestMs);
  verify.start();
  return QTest::qWaitFor([&] { return !verify.running(); }, kLongMs);
}

/// Coverage and timeline are those of imported data.
bool importData(MainWindow& window) {
  auto* page = step<DataPage>(window, "data");
  page->importPanel().start();
  return QTest::qWaitFor([&] { return page->importPanel().dataset() != nullptr; }, kLongMs);
}

/// A plan for the four devices that were trained on.
bool planMesh(MainWindow& window) {
  auto* page = step<MeshPage>(window, "mesh");
  page->plan().planButton().click();
  return QTest::qWaitFor([&] { return page->watch().plan() != nullptr; }, kLongMs);
}

/// The pages that show a model, with models that have something to show.
bool shootModels(MainWindow& window, ExperimentEditor& editor, const QDir& folder) {
  struct Picture {
    const char *name, *page, *recipe;
  };
  bool saved = true;
  for (const Theme theme : {Theme::kLight, Theme::kDark}) {
    applyTheme(theme);
    for (const Picture& each : {Picture{"tables", "experiment/tables", "dlrm"},
                                {"model", "experiment/model", "dlrm"},
                                {"sequence", "experiment/model", "sasrec"}}) {
      const auto source = documentOfRecipe(each.recipe, {});
      if (!source) return false;
      editor.load(source->document, source->origin);
      window.showPage(each.page);
      saved = shoot(window, folder, QString("%1-%2").arg(each.name, themeName(theme))) && saved;
    }
  }
  return saved;
}

/// Opens a user of a run in two columns, the second of which `change` alters.
bool compareInBrowse(BrowsePage& browse, const QString& run, const QString& user,
                     const std::function<void(BrowseSession&)>& change) {
  const auto answered = [&](std::size_t columns) {
    const auto answers = browse.session().answers();
    return answers.size() == columns && answers.back().ready;
  };
  browse.showUser(run, user);
  if (!QTest::qWaitFor([&] { return answered(1); }, kLongMs)) return false;
  browse.session().duplicate(0);
  change(browse.session());
  return QTest::qWaitFor([&] { return answered(2); }, kLongMs);
}

/// One user in two contexts.
bool shootContexts(MainWindow& window, Workbench& bench, BrowsePage& browse, const QDir& folder) {
  const QString run =
      train(bench, "yambda-context",
            {{"dataset", {{"generator", {{"users", 1000}, {"items", 500}, {"events", 200000}}}}}});
  if (run.isEmpty()) return false;
  const bool compared = compareInBrowse(browse, run, "100", [](BrowseSession& session) {
    session.setContext(0, "is_organic", "0");
    session.setContext(1, "is_organic", "1");
  });
  bool saved = compared;
  for (const Theme theme : {Theme::kLight, Theme::kDark}) {
    applyTheme(theme);
    window.showPage("browse");
    saved = shoot(window, folder, QString("contexts-%1").arg(themeName(theme))) && saved;
  }
  return saved;
}

bool shootAll(window::Parts& parts, const QDir& folder) {
  MainWindow& window = parts.window();
  window.restore();
  window.beginWith("sample");
  window.resize(kSize);
  window.show();
  Workbench& bench = parts.bench();
  const QString slow = trainSample(bench, 0.2, "sample, slow");
  const QString fast = trainSample(bench, 0.5, "sample");
  if (slow.isEmpty() || fast.isEmpty()) return false;
  auto* runs = qobject_cast<RunsPage*>(window.page("runs"));
  auto* trainPage = qobject_cast<TrainPage*>(window.page("train"));
  auto* browse = qobject_cast<BrowsePage*>(window.page("browse"));
  trainPage->showRun(fast);
  const auto chooseSlow = [&](BrowseSession& session) {
    session.setModel(1, ModelChoice{slow, {}});
  };
  if (!compareInBrowse(*browse, fast, {}, chooseSlow)) return false;
  auto* experiment = qobject_cast<ExperimentPage*>(window.page("experiment"));
  bool saved = testDevices(window) && verifyMesh(window, bench.editor) && importData(window) &&
               planMesh(window);
  auto* data = step<DataPage>(window, "data");
  // Picture and page; pictures without a page of their own are steps of the experiment.
  const std::vector<std::pair<const char*, const char*>> pictures{
      {"home", "home"},
      {"data", "experiment/data"},
      {"split", "experiment/data"},
      {"experiment", "experiment/training"},
      {"mesh", "experiment/mesh"},
      {"plan", "experiment/mesh"},
      {"train", "train"},
      {"runs", "runs"},
      {"browse", "browse"},
      {"devices", "devices"}};
  for (const Theme theme : {Theme::kLight, Theme::kDark}) {
    applyTheme(theme);
    for (const auto& [name, page] : pictures) {
      const bool mesh = QString(name) == "mesh", split = QString(name) == "split";
      experiment->drawerAction()->setChecked(QString(name) == "experiment");
      window.showPage(page);
      auto* meshPage = step<MeshPage>(window, "mesh");
      meshPage->plan().showTab(mesh ? meshPage->verify().parentWidget() : nullptr);
      if (experiment->currentStep() == "data" && window.currentPage() == "experiment") {
        // Steps have their height once they were shown.
        QTest::qWait(kRestMs);
        data->showStep(split ? 6 : 1);
      }
      if (QString(name) == "runs") {
        QTest::qWait(kRestMs);
        runs->table().choose({slow, fast});
      }
      saved = shoot(window, folder, QString("%1-%2").arg(name, themeName(theme))) && saved;
    }
  }
  saved = shootContexts(window, bench, *browse, folder) && saved;
  return shootModels(window, bench.editor, folder) && saved;
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc != 2 || !QDir().mkpath(argv[1])) {
    fmt::print(stderr, "usage: parapet_screenshots FOLDER\n");
    return 2;
  }
  applyUiFont();
  applyTheme(Theme::kLight);
  const QTemporaryDir scratch;
  // The default workspace, which the commands below the pages need not name.
  qputenv("XDG_DATA_HOME", scratch.path().toUtf8());
  auto parts = window::Parts::make((scratch.path() + "/parapet").toStdString(),
                                   (scratch.path() + "/config").toStdString());
  if (!parts) {
    fmt::print(stderr, "error: {}\n", parts.error().text());
    return 1;
  }
  return shootAll(**parts, QDir(argv[1])) ? 0 : 1;
}
