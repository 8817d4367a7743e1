// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/pages.h"

#include "ui/pages/browse/browse_page.h"
#include "ui/pages/data/data_page.h"
#include "ui/pages/devices/devices_page.h"
#include "ui/pages/experiment/experiment_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/start/start_page.h"
#include "ui/pages/train/train_page.h"

namespace parapet::window {

void addPages(ui::MainWindow& window, ui::Workbench& bench, ui::AppSettings& settings) {
  using ui::MainWindow;
  auto* start = new ui::StartPage(bench, settings);
  auto* data = new ui::DataPage(bench);
  auto* experiment = new ui::ExperimentPage(bench);
  auto* train = new ui::TrainPage(bench);
  auto* runs = new ui::RunsPage(bench);
  auto* browse = new ui::BrowsePage(bench);
  window.addPage(QStringLiteral("start"), start);
  window.addPage(QStringLiteral("data"), data);
  window.addPage(QStringLiteral("experiment"), experiment);
  window.addPage(QStringLiteral("train"), train);
  window.addPage(QStringLiteral("runs"), runs);
  window.addPage(QStringLiteral("browse"), browse);
  window.addPage(QStringLiteral("devices"), new ui::DevicesPage(bench));

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
  QObject::connect(&window, &MainWindow::browseRequested, browse,
                   [&window, browse](const QString& id, const QString& user) {
                     browse->showUser(id, user);
                     window.showPage(QStringLiteral("browse"));
                   });
}

}  // namespace parapet::window
