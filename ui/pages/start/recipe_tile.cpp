// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/recipe_tile.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/style/icon_label.h"

namespace parapet::ui {
namespace {

constexpr int kMinWidth = 320, kColumns = 2;

QWidget* line(const QString& icon, const QString& text) {
  auto* label = new QuietLabel(text);
  label->setWordWrap(true);
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(new IconLabel(icon), 0, Qt::AlignTop);
  layout->addWidget(label, 1);
  return row;
}

}  // namespace

RecipeTile::RecipeTile(const RecipeSummary& recipe, QWidget* parent)
    : Card(parent), use_(roomyButton(tr("Use this recipe"))) {
  setObjectName(QStringLiteral("recipeTile.") + recipe.name);
  setMinimumWidth(kMinWidth);
  auto* title = headingLabel(recipe.title, 1.1);
  title->setWordWrap(true);
  use_->setObjectName(QStringLiteral("useRecipe.") + recipe.name);
  use_->setAccessibleName(tr("Use the recipe %1").arg(recipe.title));
  use_->setToolTip(tr("Makes an experiment from this recipe; every value can be changed then"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addWidget(use_);
  connect(use_, &QPushButton::clicked, this, [this, name = recipe.name] { emit chosen(name); });
  if (recipe.needsData) {
    auto* folder = roomyButton(tr("Choose its data…"));
    folder->setAccessibleName(tr("Choose the data folder of %1").arg(recipe.title));
    folder->setToolTip(tr("The folder ml-100k (with u.data in it), or the folder above it"));
    buttons->addWidget(folder);
    connect(folder, &QPushButton::clicked, this, &RecipeTile::folderWanted);
  }
  buttons->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(8);
  layout->addWidget(title);
  layout->addWidget(line(QStringLiteral("experiment"), recipe.model));
  layout->addWidget(line(QStringLiteral("folder"), recipe.needs));
  if (!recipe.reference.isEmpty())
    layout->addWidget(line(QStringLiteral("train"), recipe.reference));
  layout->addStretch();
  layout->addSpacing(8);
  layout->addLayout(buttons);
}

RecipeTiles::RecipeTiles(QWidget* parent) : QWidget(parent) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(16);
  int at = 0;
  for (const RecipeSummary& recipe : recipeSummaries()) {
    auto* tile = new RecipeTile(recipe);
    grid->addWidget(tile, at / kColumns, at % kColumns);
    connect(tile, &RecipeTile::chosen, this, &RecipeTiles::chosen);
    connect(tile, &RecipeTile::folderWanted, this, &RecipeTiles::folderWanted);
    ++at;
  }
  for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column, 1);
}

}  // namespace parapet::ui
