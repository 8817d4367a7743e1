// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/pages.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include "engine/base/files.h"
#include "ui/models/document_source.h"
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
namespace {

constexpr QSize kSize(1600, 1000);
constexpr int kMaxTrainingMs = 10 * 60 * 1000, kMaxLoadingMs = 15 * 1000;
/// The page fills itself from the background; a picture that has not changed for this long is done.
constexpr int kQuietMs = 600, kLookMs = 100;

void wait(int milliseconds) {
  QEventLoop loop;
  QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
  loop.exec();
}

Result<QString> newestFinished(workspace::Workspace& workspace) {
  PARAPET_ASSIGN(const auto runs, workspace.store().runs());
  for (const store::RunRecord& run : runs)
    if (run.state == experiment::RunState::kFinished) return QString::fromStdString(run.id);
  return QString();
}

Result<QString> trainSample(ui::RunController& runs) {
  PARAPET_ASSIGN(const auto sample, ui::documentOfRecipe(QStringLiteral("sample"), QString()));
  QEventLoop loop;
  std::optional<Error> failure;
  QObject::connect(&runs, &ui::RunController::failed, &loop, [&](const Error& error) {
    failure = error;
    loop.quit();
  });
  QObject::connect(&runs, &ui::RunController::ended, &loop,
                   [&](const QString&, experiment::RunState state, const QString& error) {
                     if (state != experiment::RunState::kFinished)
                       failure = Error{ErrorCode::kInternal, error.toStdString()};
                     loop.quit();
                   });
  QTimer::singleShot(kMaxTrainingMs, &loop, &QEventLoop::quit);
  runs.start(experiment::parse(sample.document).experiment, sample.origin);
  if (runs.active()) loop.exec();
  if (failure) return failure->wrap("the recipe sample did not finish");
  if (runs.active()) return Error{ErrorCode::kInternal, "the recipe sample did not finish in time"};
  return runs.runId();
}

QImage settledPicture(QWidget& page) {
  // Plots have no size before the first layout.
  wait(kLookMs);
  QElapsedTimer all, quiet;
  all.start();
  quiet.start();
  QImage last = page.grab().toImage();
  while (quiet.elapsed() < kQuietMs && all.elapsed() < kMaxLoadingMs) {
    wait(kLookMs);
    QImage now = page.grab().toImage();
    if (now != last) quiet.restart();
    last = std::move(now);
  }
  return last;
}

}  // namespace

Status writeDashboard(Parts& parts, const QString& file) {
  PARAPET_ASSIGN(QString run, newestFinished(parts.bench().workspace));
  if (run.isEmpty()) {
    PARAPET_ASSIGN(run, trainSample(parts.bench().runs));
  }
  // Out of the window, so that it has the whole picture; the window still owns it.
  auto* page = qobject_cast<ui::TrainPage*>(parts.window().page(QStringLiteral("train")));
  if (!page) return Error{ErrorCode::kInternal, "the window has no page Train"};
  page->setParent(nullptr);
  page->resize(kSize);
  page->show();
  page->showRun(run);
  const QImage picture = settledPicture(*page);
  if (!picture.save(file, "PNG"))
    return Error{.code = ErrorCode::kIo,
                 .message = "cannot write the picture " + file.toStdString(),
                 .path = file.toStdString()};
  return {};
}

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
  QObject::connect(&window, &MainWindow::dataDropped, data, [&window, data](const QString& path) {
    window.showPage(QStringLiteral("experiment/data"));
    data->openData(path);
  });
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
