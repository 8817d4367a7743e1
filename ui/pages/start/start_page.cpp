// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/start_page.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/forms/card.h"
#include "ui/forms/drop_area.h"
#include "ui/pages/start/latest_run_card.h"
#include "ui/pages/start/recent_list.h"
#include "ui/pages/start/recipe_tile.h"

namespace parapet::ui {
namespace {

constexpr int kMaxWidth = 1200;

}  // namespace

StartPage::StartPage(Workbench& bench, AppSettings& settings, QWidget* parent)
    : Page(parent),
      drop_(new DropArea({.sentence = tr("Drop an experiment (.json), a data file or a folder such "
                                         "as ml-100k of MovieLens anywhere on the window"),
                          .file = tr("Open an experiment"),
                          .fileTip = tr("Opens a saved experiment"),
                          .fileFilter = tr("Experiments (*.json);;All files (*)"),
                          .folder = tr("Choose a data folder"),
                          .folderTip = tr("A folder with MovieLens 100K (u.data)")})) {
  setObjectName(QStringLiteral("startPage"));
  auto* inside = new QWidget;
  inside->setMaximumWidth(kMaxWidth);
  auto* column = new QVBoxLayout(inside);
  column->setContentsMargins(32, 24, 32, 24);
  column->setSpacing(16);
  column->addWidget(headingLabel(tr("What do you want to train?"), 1.6));
  column->addWidget(new QuietLabel(
      tr("A recipe is a complete experiment. Take one, change what you like, and press Run.")));
  auto* tiles = new RecipeTiles;
  column->addWidget(tiles);
  column->addWidget(makeLower(bench, settings), 1);
  auto* centred = new QWidget;
  auto* across = new QHBoxLayout(centred);
  across->setContentsMargins(0, 0, 0, 0);
  across->addStretch(1);
  across->addWidget(inside, 1000);
  across->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(centred);
  scroll->setAccessibleName(tr("Start"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scroll);
  connect(tiles, &RecipeTiles::chosen, this, &StartPage::openRequested);
  connect(tiles, &RecipeTiles::folderWanted, drop_, &DropArea::askForFolder);
  connect(drop_, &DropArea::chosen, this, &StartPage::dropped);
}

QWidget* StartPage::makeLower(Workbench& bench, AppSettings& settings) {
  auto* latest = new LatestRunCard(bench);
  auto* recent = new RecentList(settings);
  connect(latest, &LatestRunCard::curvesWanted, this, [this](const QString& run) {
    emit showRunRequested(run);
    emit pageRequested(QStringLiteral("train"));
  });
  connect(latest, &LatestRunCard::listsWanted, this, [this](const QString& run) {
    emit browseRequested(run, QString());
    emit pageRequested(QStringLiteral("browse"));
  });
  connect(recent, &RecentList::chosen, this, &StartPage::openRequested);
  auto* lower = new QWidget;
  auto* grid = new QGridLayout(lower);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(16);
  grid->addWidget(latest, 0, 0);
  grid->addWidget(drop_, 1, 0);
  grid->addWidget(recent, 0, 1, 2, 1);
  grid->setRowStretch(1, 1);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  return lower;
}

}  // namespace parapet::ui
