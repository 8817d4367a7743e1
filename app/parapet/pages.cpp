// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/pages.h"

#include <algorithm>

#include "ui/pages/browse/browse_page.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/devices/devices_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/mesh/mesh_page.h"
#include "ui/pages/model/model_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/start/start_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/train/train_page.h"

namespace parapet::window {
namespace {

bool isBelow(const QString& pointer, std::initializer_list<const char*> pointers) {
  return std::ranges::any_of(pointers, [&pointer](const char* above) {
    return pointer == QLatin1String(above) || pointer.startsWith(QLatin1String(above) + '/');
  });
}

/// A field of the document is edited on the page with the most room for it.
void connectPointers(ui::MainWindow& window, ui::ExperimentPage& experiment, ui::TablesPage& tables,
                     ui::ModelPage& model, ui::MeshPage& mesh) {
  const auto show = [&window, &experiment, &tables, &model, &mesh](const QString& pointer) {
    if (isBelow(pointer, {"/tables", "/features"})) {
      window.showPage(QStringLiteral("tables"));
      tables.reveal(pointer);
    } else if (isBelow(pointer, {"/model", "/loss", "/optimizer", "/schedule"})) {
      window.showPage(QStringLiteral("model"));
      model.reveal(pointer);
    } else if (isBelow(pointer, {"/mesh"})) {
      window.showPage(QStringLiteral("mesh"));
      mesh.reveal(pointer);
    } else {
      window.showPage(QStringLiteral("experiment"));
      experiment.jumpTo(pointer);
    }
  };
  QObject::connect(&tables, &ui::TablesPage::pointerChosen, &window, show);
  QObject::connect(&model, &ui::ModelPage::pointerChosen, &window, show);
  QObject::connect(&mesh, &ui::MeshPage::pointerChosen, &window, show);
}

}  // namespace

void addPages(ui::MainWindow& window, ui::Workbench& bench, ui::AppSettings& settings) {
  using ui::MainWindow;
  auto* start = new ui::StartPage(bench, settings);
  auto* data = new ui::DataPage(bench);
  auto* experiment = new ui::ExperimentPage(bench);
  const auto command = [experiment](const QString& verb) {
    return experiment->documentCommandOf(verb);
  };
  auto* tables = new ui::TablesPage(bench, experiment->preflight(), command);
  auto* model = new ui::ModelPage(bench, experiment->preflight(), command);
  auto* mesh = new ui::MeshPage(bench, command);
  auto* train = new ui::TrainPage(bench);
  auto* runs = new ui::RunsPage(bench);
  auto* browse = new ui::BrowsePage(bench);
  window.addPage(QStringLiteral("start"), start);
  window.addPage(QStringLiteral("data"), data);
  window.addPage(QStringLiteral("experiment"), experiment);
  window.addPage(QStringLiteral("tables"), tables);
  window.addPage(QStringLiteral("model"), model);
  window.addPage(QStringLiteral("mesh"), mesh);
  window.addPage(QStringLiteral("train"), train);
  window.addPage(QStringLiteral("runs"), runs);
  window.addPage(QStringLiteral("browse"), browse);
  window.addPage(QStringLiteral("devices"), new ui::DevicesPage(bench));

  connectPointers(window, *experiment, *tables, *model, *mesh);
  QObject::connect(start, &ui::StartPage::openRequested, &window, &MainWindow::openDocument);
  QObject::connect(start, &ui::StartPage::dropped, &window, &MainWindow::openDropped);
  QObject::connect(data, &ui::DataPage::recipeRequested, &window, [&window](const QString& name) {
    window.openDocument(name);
    window.showPage(QStringLiteral("data"));
  });
  QObject::connect(&window, &MainWindow::dataDropped, data, [&window, data](const QString& path) {
    window.showPage(QStringLiteral("data"));
    data->openData(path);
  });
  QObject::connect(&window, &MainWindow::problemChosen, experiment, &ui::ExperimentPage::jumpTo);
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
