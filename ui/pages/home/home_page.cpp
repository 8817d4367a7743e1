// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/home_page.h"

#include <QEvent>
#include <QStyle>
#include <algorithm>

#include "ui/forms/card.h"
#include "ui/models/document_source.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/home/home_cards.h"
#include "ui/pages/home/recipe_tile.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxWidth = 1200, kSpace = 16;

}  // namespace

HomePage::HomePage(Workbench& bench, WorkspaceExperiments& experiments, QWidget* parent)
    : Page(parent),
      bench_(bench),
      experiments_(experiments),
      sources_(bench.workspace),
      tiles_(new RecipeTiles) {
  setObjectName(QStringLiteral("homePage"));
  auto* again = new ContinueCard(bench, experiments);
  auto* own = new DataCard(sources_);
  cards_ = {again, own};
  auto* inside = new QWidget;
  inside->setMaximumWidth(kMaxWidth);
  auto* column = verticalBox(inside, kSpace, {kSpace, kSpace, kSpace, kSpace});
  const bool isModel = workspace::Workspace::isModel(bench.workspace.folder());
  auto* welcome = new QLabel(
      isModel
          ? tr("This is a model folder: it answers questions and does not train. To train, open "
               "a workspace.")
          : tr("Parapet is a workbench for two-tower recommenders: drop a table of who chose what, "
               "train on "
               "it, and see the list of every user and whether it beats the most popular items."));
  welcome->setFont(textFont(TextSize::kHeading));
  welcome->setObjectName(QStringLiteral("welcome"));
  welcome->setWordWrap(true);
  column->addWidget(welcome);
  above_ = new QBoxLayout(QBoxLayout::LeftToRight);
  above_->setSpacing(kSpace);
  for (QWidget* card : cards_) above_->addWidget(card, 1);
  column->addLayout(above_);
  column->addWidget(tiles_);
  column->addStretch(1);
  own->setVisible(!isModel);
  tiles_->setVisible(!isModel);
  auto* centred = new QWidget;
  auto* across = horizontalBox(centred, 0);
  across->addStretch(1);
  across->addWidget(inside, 1000);
  across->addStretch(1);
  auto* layout = verticalBox(this);
  layout->addWidget(scrolling(centred, tr("Home")));
  connect(again, &ContinueCard::curvesWanted, this, [this](const QString& run) {
    emit showRunRequested(run);
    emit pageRequested(QStringLiteral("train"));
  });
  connect(again, &ContinueCard::listsWanted, this, [this](const QString& run) {
    emit browseRequested(run, QString());
    emit pageRequested(QStringLiteral("browse"));
  });
  connect(again, &ContinueCard::watchWanted, this, &HomePage::watchSample);
  connect(again, &ContinueCard::opened, this,
          [this] { emit pageRequested(QStringLiteral("experiment")); });
  connect(own, &DataCard::chosen, this, &HomePage::dropped);
  connect(own, &DataCard::downloadWanted, this, [this] { emit downloadRequested(QString()); });
  connect(tiles_, &RecipeTiles::chosen, this, &HomePage::recipeRequested);
  connect(tiles_, &RecipeTiles::downloadWanted, this, &HomePage::downloadRequested);
  connect(&sources_, &DataSources::changed, this, &HomePage::useKnownData);
  for (QWidget* card : cards_) card->installEventFilter(this);
  sources_.refresh();
}

/// The cards stand one below the other where they do not fit side by side.
void HomePage::arrange() {
  int sideBySide = kSpace;
  for (const QWidget* card : cards_) sideBySide += card->minimumSizeHint().width() + kSpace;
  const int room = width() - style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
  above_->setDirection(sideBySide <= room ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void HomePage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  arrange();
}

/// Other buttons of a card take other room.
bool HomePage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) arrange();
  return Page::eventFilter(watched, event);
}

QString HomePage::terminalCommand() const {
  if (workspace::Workspace::isModel(bench_.workspace.folder()))
    return QStringLiteral("parapet-cli show latest");
  const QString name = bench_.editor.experimentName();
  return name.isEmpty() ? QStringLiteral("parapet-cli experiments")
                        : QStringLiteral("parapet-cli train ") + shellWord(name);
}

void HomePage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  sources_.refresh();
}

void HomePage::useKnownData() {
  QHash<QString, QString> known;  // used last first
  for (const DataSources::Entry& entry : sources_.entries())
    for (const QString& recipe : entry.recipes)
      if (!known.contains(recipe)) known.insert(recipe, entry.path);
  tiles_->setData(known);
}

void HomePage::watchSample() {
  emit pageRequested(QStringLiteral("train"));
  if (!bench_.runs.active()) return startWatched();
  // The run of the first start is over in a moment.
  connect(&bench_.runs, &RunController::ended, this, &HomePage::startWatched,
          Qt::ConnectionType(Qt::QueuedConnection | Qt::SingleShotConnection));
}

void HomePage::startWatched() {
  const auto sample = documentOfWatchedSample();
  if (!sample) return emit complained(QString::fromStdString(sample.error().text()));
  const std::string name = sample->document.at("name");
  const auto& list = experiments_.list();
  const auto before = std::ranges::find(list, name, &store::ExperimentRecord::name);
  if (before != list.end())
    experiments_.open(QString::fromStdString(before->id));
  else
    bench_.editor.load(sample->document, sample->origin);
  if (bench_.editor.runnable())
    bench_.runs.start(bench_.editor.experiment(), bench_.editor.origin(),
                      bench_.editor.experimentId());
  else
    emit pageRequested(QStringLiteral("experiment"));
}

}  // namespace parapet::ui
