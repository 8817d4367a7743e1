// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/recipe_tile.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMinWidth = 280, kColumns = 2, kPicture = 32;
/// From here on a single button has room beside the texts.
constexpr int kBesideWidth = 420;

}  // namespace

RecipeTile::RecipeTile(const RecipeSummary& recipe, QWidget* parent)
    : Card(parent),
      recipe_(recipe),
      use_(roomyButton(tr("Open without data"))),
      needs_(new QuietLabel(recipe.needs)) {
  setObjectName(QStringLiteral("recipeTile.") + recipe.name);
  setMinimumWidth(kMinWidth);
  auto* title = headingLabel(recipe.title);
  title->setObjectName(QStringLiteral("tileTitle"));
  title->setWordWrap(true);
  auto* texts = verticalBox(nullptr, 2);
  texts->addWidget(title);
  for (QLabel* quiet : std::initializer_list<QLabel*>{new QuietLabel(recipe.model), needs_,
                                                      new QuietLabel(recipe.reference)}) {
    quiet->setFont(textFont(TextSize::kSmall));
    quiet->setWordWrap(true);
    if (quiet->text().isEmpty()) quiet->hide();
    texts->addWidget(quiet);
  }
  texts->addStretch();
  use_->setObjectName(QStringLiteral("useRecipe.") + recipe.name);
  use_->setAccessibleName(tr("Use the recipe %1").arg(recipe.title));
  addWays();
  auto* buttons = new QWidget;
  auto* line = new FlowLayout(buttons, 8, 8);
  for (QPushButton* way : ways_) line->addWidget(way);
  line->addWidget(use_);
  connect(use_, &QPushButton::clicked, this, [this] { use(data_); });
  across_ = new QBoxLayout(QBoxLayout::TopToBottom);
  across_->setSpacing(8);
  across_->addLayout(texts, 1);
  across_->addWidget(buttons);
  auto* layout = horizontalBox(this, 12, {12, 10, 12, 10});
  layout->addWidget(new IconLabel(recipe.picture, kPicture), 0, Qt::AlignTop);
  layout->addLayout(across_, 1);
  setData({});
}

QPushButton* RecipeTile::addWay(const QString& text, const QString& name,
                                const QString& accessibleName, const QString& tip) {
  auto* button = roomyButton(text);
  button->setObjectName(name + QLatin1Char('.') + recipe_.name);
  button->setAccessibleName(accessibleName.arg(recipe_.title));
  button->setToolTip(tip);
  ways_.append(button);
  return button;
}

void RecipeTile::addWays() {
  using Chosen = RecipeSummary::Chosen;
  const QString choose = tr("Choose its data…"), name = tr("Choose the data of %1");
  if (recipe_.chosen == Chosen::kFolder || recipe_.chosen == Chosen::kFileOrFolder)
    connect(addWay(recipe_.chosen == Chosen::kFolder ? choose : tr("Choose a folder…"),
                   QStringLiteral("chooseData"), name, recipe_.folderTip),
            &QPushButton::clicked, this, &RecipeTile::askForFolder);
  if (recipe_.chosen == Chosen::kFile)
    connect(addWay(choose, QStringLiteral("chooseData"), name, recipe_.fileTip),
            &QPushButton::clicked, this, &RecipeTile::askForFile);
  if (recipe_.chosen == Chosen::kFileOrFolder)
    connect(addWay(tr("Choose a file…"), QStringLiteral("chooseFile"),
                   tr("Choose a file of data for %1"), recipe_.fileTip),
            &QPushButton::clicked, this, &RecipeTile::askForFile);
  if (recipe_.download.isEmpty()) return;
  connect(addWay(tr("Download…"), QStringLiteral("downloadFor"), tr("Download the data of %1"),
                 tr("Fetches %1, once its licence is accepted").arg(recipe_.download)),
          &QPushButton::clicked, this, [this] { emit downloadWanted(recipe_.name); });
}

void RecipeTile::askForFolder() {
  auto* dialog = new QFileDialog(window(), tr("The data of the recipe %1").arg(recipe_.name));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, &RecipeTile::use);
  dialog->open();
}

void RecipeTile::askForFile() {
  auto* dialog = new QFileDialog(window(), tr("The data of the recipe %1").arg(recipe_.name),
                                 QString(), recipe_.fileFilter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &RecipeTile::use);
  dialog->open();
}

void RecipeTile::setData(const QString& path) {
  data_ = path;
  const bool ready = !recipe_.needsData || !path.isEmpty();
  use_->setText(ready ? tr("Use this recipe") : tr("Open without data"));
  use_->setMinimumSize(use_->sizeHint() + QSize(16, 6));
  use_->setToolTip(
      !ready ? tr("Makes an experiment that cannot run until its data are chosen")
             : tr("Makes an experiment from this recipe; every value can be changed then"));
  if (!recipe_.needsData) return;
  for (QPushButton* way : ways_) way->setVisible(!ready);
  needs_->setText(ready ? tr("With the data %1").arg(shownText(path)) : recipe_.needs);
  arrange();
}

/// A single button stands beside the texts, several stand below them.
void RecipeTile::arrange() {
  const bool single = std::ranges::all_of(ways_, &QWidget::isHidden);
  across_->setDirection(single && width() >= kBesideWidth ? QBoxLayout::LeftToRight
                                                          : QBoxLayout::TopToBottom);
}

void RecipeTile::resizeEvent(QResizeEvent* event) {
  Card::resizeEvent(event);
  arrange();
}

RecipeTiles::RecipeTiles(QWidget* parent) : QWidget(parent) {
  auto* down = verticalBox(this, 12);
  QVector<RecipeSummary> ready, needing, published;
  for (const RecipeSummary& recipe : recipeSummaries())
    (!recipe.needsData ? ready : recipe.reference.isEmpty() ? needing : published).append(recipe);
  const auto addGroup = [this, down](const QString& heading,
                                     const QVector<RecipeSummary>& recipes) {
    if (recipes.isEmpty()) return;
    down->addWidget(titleWithSign(headingLabel(heading, TextSize::kHeading),
                                  QStringLiteral("glossary/recipe")));
    auto* grid = new QGridLayout;
    grid->setSpacing(12);
    for (int at = 0; at < recipes.size(); ++at) {
      auto* tile = new RecipeTile(recipes[at]);
      tiles_.append(tile);
      grid->addWidget(tile, at / kColumns, at % kColumns);
      connect(tile, &RecipeTile::chosen, this, &RecipeTiles::chosen);
      connect(tile, &RecipeTile::downloadWanted, this, &RecipeTiles::downloadWanted);
    }
    for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column, 1);
    down->addLayout(grid);
  };
  addGroup(tr("Recipes that work at once"), ready);
  addGroup(tr("Recipes on data of your own"), needing);
  addGroup(tr("Published, reproduced"), published);
}

void RecipeTiles::setData(const QHash<QString, QString>& paths) {
  for (RecipeTile* tile : tiles_) tile->setData(paths.value(tile->recipe()));
}

}  // namespace parapet::ui
