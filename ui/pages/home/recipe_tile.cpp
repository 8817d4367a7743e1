// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/recipe_tile.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/forms/info_sign.h"
#include "ui/style/icon_label.h"

namespace parapet::ui {
namespace {

constexpr int kMinWidth = 280, kColumns = 2;

QWidget* line(const QString& icon, QLabel* label) {
  label->setWordWrap(true);
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(new IconLabel(icon), 0, Qt::AlignTop);
  layout->addWidget(label, 1);
  return row;
}

QWidget* line(const QString& icon, const QString& text) {
  return line(icon, new QuietLabel(text));
}

}  // namespace

RecipeTile::RecipeTile(const RecipeSummary& recipe, QWidget* parent)
    : Card(parent),
      recipe_(recipe),
      use_(roomyButton(tr("Open without data"))),
      needs_(new QuietLabel(recipe.needs)) {
  setObjectName(QStringLiteral("recipeTile.") + recipe.name);
  setMinimumWidth(kMinWidth);
  auto* title = headingLabel(recipe.title, 1.1);
  title->setObjectName(QStringLiteral("tileTitle"));
  title->setWordWrap(true);
  use_->setObjectName(QStringLiteral("useRecipe.") + recipe.name);
  use_->setAccessibleName(tr("Use the recipe %1").arg(recipe.title));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  if (recipe.needsData) {
    folder_ = roomyButton(tr("Choose its data…"));
    folder_->setObjectName(QStringLiteral("chooseData.") + recipe.name);
    folder_->setAccessibleName(tr("Choose the data of %1").arg(recipe.title));
    folder_->setToolTip(tr("The folder ml-100k (with u.data in it), or the folder above it"));
    download_ = roomyButton(tr("Download…"));
    download_->setObjectName(QStringLiteral("downloadFor.") + recipe.name);
    download_->setAccessibleName(tr("Download the data of %1").arg(recipe.title));
    download_->setToolTip(tr("Fetches MovieLens 100K, once its licence is accepted"));
    buttons->addWidget(folder_);
    buttons->addWidget(download_);
    connect(folder_, &QPushButton::clicked, this,
            [this, name = recipe.name] { emit folderWanted(name); });
    connect(download_, &QPushButton::clicked, this,
            [this, name = recipe.name] { emit downloadWanted(name); });
  }
  buttons->addWidget(use_);
  buttons->addStretch();
  connect(use_, &QPushButton::clicked, this, [this, name = recipe.name] { emit chosen(name); });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(8);
  layout->addWidget(title);
  layout->addWidget(line(QStringLiteral("experiment"), recipe.model));
  layout->addWidget(line(QStringLiteral("folder"), needs_));
  if (!recipe.reference.isEmpty())
    layout->addWidget(line(QStringLiteral("train"), recipe.reference));
  layout->addStretch();
  layout->addSpacing(8);
  layout->addLayout(buttons);
  setData({});
}

void RecipeTile::setData(const QString& path) {
  const bool ready = !recipe_.needsData || !path.isEmpty();
  use_->setText(ready ? tr("Use this recipe") : tr("Open without data"));
  use_->setMinimumSize(use_->sizeHint() + QSize(16, 6));
  use_->setToolTip(
      !ready ? tr("Makes an experiment that cannot run until its data are chosen")
             : tr("Makes an experiment from this recipe; every value can be changed then"));
  if (!recipe_.needsData) return;
  for (QPushButton* button : {folder_, download_}) button->setVisible(!ready);
  needs_->setText(ready ? tr("With the data %1").arg(shownText(path)) : recipe_.needs);
}

RecipeTiles::RecipeTiles(QWidget* parent) : QWidget(parent) {
  auto* down = new QVBoxLayout(this);
  down->setContentsMargins(0, 0, 0, 0);
  down->setSpacing(12);
  QVector<RecipeSummary> ready, needing, published;
  for (const RecipeSummary& recipe : recipeSummaries())
    (!recipe.needsData ? ready : recipe.reference.isEmpty() ? needing : published).append(recipe);
  const auto addGroup = [this, down](const QString& heading,
                                     const QVector<RecipeSummary>& recipes) {
    if (recipes.isEmpty()) return;
    down->addWidget(titleWithSign(headingLabel(heading, 1.1), QStringLiteral("glossary/recipe")));
    auto* grid = new QGridLayout;
    grid->setSpacing(16);
    for (int at = 0; at < recipes.size(); ++at) {
      auto* tile = new RecipeTile(recipes[at]);
      tiles_.append(tile);
      grid->addWidget(tile, at / kColumns, at % kColumns);
      connect(tile, &RecipeTile::chosen, this, &RecipeTiles::chosen);
      connect(tile, &RecipeTile::folderWanted, this, &RecipeTiles::folderWanted);
      connect(tile, &RecipeTile::downloadWanted, this, &RecipeTiles::downloadWanted);
    }
    for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column, 1);
    down->addLayout(grid);
  };
  addGroup(tr("Recipes that work at once"), ready);
  addGroup(tr("Recipes on data of your own"), needing);
  addGroup(tr("Published, reproduced"), published);
}

void RecipeTiles::setData(const QString& path) {
  for (RecipeTile* tile : tiles_) tile->setData(path);
}

}  // namespace parapet::ui
