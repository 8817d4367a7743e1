// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/pages.h"

#include "ui/pages/browse/browse_page.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/data/download_dialog.h"
#include "ui/pages/devices/devices_page.h"
#include "ui/pages/home/home_page.h"
#include "ui/pages/log/log_page.h"
#include "ui/pages/mesh/mesh_page.h"
#include "ui/pages/model/model_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/train/train_page.h"
#include "ui/pages/training/training_page.h"

namespace parapet::window {
void addSteps(ui::ExperimentPage& experiment, ui::Workbench& bench) {
  const auto command = [&experiment](const QString& verb) {
    return experiment.documentCommandOf(verb);
  };
  ui::PreflightWatch& preflight = experiment.preflight();
  auto* data = new ui::DataPage(bench);
  auto* mesh = new ui::MeshPage(bench, preflight, command);
  experiment.addStep(QStringLiteral("data"), data);
  experiment.addStep(QStringLiteral("tables"), new ui::TablesPage(bench, preflight, command));
  experiment.addStep(QStringLiteral("model"), new ui::ModelPage(bench, preflight, command));
  experiment.addStep(QStringLiteral("training"), new ui::TrainingPage(bench, command));
  experiment.addStep(QStringLiteral("mesh"), mesh);
  experiment.addTool(mesh->verifyAction());
  QObject::connect(&experiment, &ui::ExperimentPage::dataRequested, data,
                   [data](experiment::FixKind question) {
                     if (question == experiment::FixKind::kDownloadData)
                       data->askForDownload();
                     else if (question == experiment::FixKind::kTrainVocabulary)
                       data->trainVocabulary();
                     else
                       data->askForData();
                   });
  QObject::connect(&data->importPanel(), &ui::ImportPanel::imported, &preflight,
                   &ui::PreflightWatch::refresh);
  QObject::connect(data, &ui::DataPage::sideFilesChanged, &preflight, &ui::PreflightWatch::refresh);
}

namespace {

/// Downloads public data and makes an experiment of them: by a recipe, or by what they are.
void askForDownload(ui::MainWindow& window, workspace::Workspace& workspace,
                    const QString& recipe) {
  const auto folder = workspace::downloadsFolder(workspace.folder());
  auto* dialog = new ui::DownloadDialog(QString::fromStdString(folder.string()), &window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &ui::DownloadDialog::downloaded, &window,
                   [&window, recipe](const QString& path) {
                     if (recipe.isEmpty())
                       window.openDropped(path);
                     else
                       window.openDocument(recipe, path);
                   });
  dialog->open();
}

void connectHome(ui::MainWindow& window, ui::HomePage& home, workspace::Workspace& workspace) {
  QObject::connect(&home, &ui::HomePage::recipeRequested, &window, &ui::MainWindow::openDocument);
  QObject::connect(&home, &ui::HomePage::dropped, &window, &ui::MainWindow::openDropped);
  QObject::connect(
      &home, &ui::HomePage::downloadRequested, &window,
      [&window, &workspace](const QString& recipe) { askForDownload(window, workspace, recipe); });
}

}  // namespace

void addPages(ui::MainWindow& window, ui::Workbench& bench) {
  using ui::MainWindow;
  auto* home = new ui::HomePage(bench, window.experiments());
  auto* experiment = new ui::ExperimentPage(bench);
  addSteps(*experiment, bench);
  auto* data = qobject_cast<ui::DataPage*>(experiment->step(QStringLiteral("data")));
  auto* train = new ui::TrainPage(bench);
  auto* browse = new ui::BrowsePage(bench);
  window.addPage(QStringLiteral("home"), home);
  window.addPage(QStringLiteral("experiment"), experiment);
  window.addPage(QStringLiteral("train"), train);
  window.addPage(QStringLiteral("runs"), new ui::RunsPage(bench));
  window.addPage(QStringLiteral("browse"), browse);
  window.addPage(QStringLiteral("devices"), new ui::DevicesPage(bench));
  window.addPage(QStringLiteral("log"), new ui::LogPage(window.logModel()));

  connectHome(window, *home, bench.workspace);
  QObject::connect(data, &ui::DataPage::recipeRequested, &window,
                   [&window](const QString& name, const QString& path) {
                     window.openDocument(name, path);
                     window.showPage(QStringLiteral("experiment/data"));
                   });
  QObject::connect(data, &ui::DataPage::downloadRequested, &window,
                   [&window, &workspace = bench.workspace](const QString& recipe) {
                     askForDownload(window, workspace, recipe);
                   });
  QObject::connect(&window, &MainWindow::dataDropped, data,
                   [&window, data](const QString& path, MainWindow::DataOf of) {
                     window.showPage(QStringLiteral("experiment/data"));
                     data->openData(path, of == MainWindow::DataOf::kNewExperiment
                                              ? ui::SourceWatch::Into::kNewExperiment
                                              : ui::SourceWatch::Into::kThisExperiment);
                   });
  QObject::connect(data, &ui::DataPage::workChanged, &window.status(), &ui::StatusView::showWork);
  data->watch().setRacesProposals(window.racesProposals().isChecked());
  QObject::connect(&window.racesProposals(), &QAction::toggled, &data->watch(),
                   &ui::SourceWatch::setRacesProposals);
  QObject::connect(&window.status(), &ui::StatusView::workStopRequested, &data->watch(),
                   &ui::SourceWatch::stopRacing);
  QObject::connect(&window, &MainWindow::problemChosen, experiment, &ui::ExperimentPage::jumpTo);
  QObject::connect(&window, &MainWindow::questionRequested, experiment, &ui::ExperimentPage::ask);
  QObject::connect(&window, &MainWindow::showRunRequested, train,
                   [&window, train](const QString& id) {
                     train->showRun(id);
                     window.showPage(QStringLiteral("train"));
                   });
  QObject::connect(train, &ui::TrainPage::runShown, browse, &ui::BrowsePage::follow);
  QObject::connect(&window, &MainWindow::browseRequested, browse,
                   [&window, browse](const QString& id, const QString& user) {
                     browse->showUser(id, user);
                     window.showPage(QStringLiteral("browse"));
                   });
}

}  // namespace parapet::window
