// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/home_cards.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/drop_area.h"
#include "ui/pages/home/latest_run_card.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

constexpr int kUsedRowHeight = 26, kMinRows = 2, kFirstRows = 6;

/// The list stands in a page that scrolls: a bar of its own would take the wheel from it.
void leaveScrollingToPage(QAbstractItemView& list) {
  list.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list.setFrameShape(QFrame::NoFrame);
  list.viewport()->setAutoFillBackground(false);
}

}  // namespace

ShowAll::ShowAll(QWidget* parent) : QToolButton(parent) {
  setObjectName(QStringLiteral("showAll"));
  setAutoRaise(true);
  setCheckable(true);
  connect(this, &QToolButton::toggled, this, [this] { setRows(rows_); });
}

void ShowAll::setRows(int rows) {
  rows_ = rows;
  setVisible(rows > kFirstRows);
  setText(isChecked() ? tr("Show fewer") : tr("Show all %1").arg(rows));
  setAccessibleName(text());
  setToolTip(isChecked() ? tr("Shows the first %1").arg(kFirstRows)
                         : tr("Shows those further down, too"));
  emit shown(isChecked() ? rows : std::min(rows, kFirstRows));
}

DataCard::DataCard(DataSources& sources, QWidget* parent)
    : Card(parent),
      sources_(sources),
      drop_(new DropArea(
          {.sentence = tr("Drop a data file, a folder such as ml-100k of MovieLens, or an "
                          "experiment (.json) anywhere on the window"),
           .file = tr("Open a file…"),
           .fileTip =
               tr("A table (CSV, TSV, JSON lines, Parquet), a zip of MovieLens, or an experiment"),
           .fileFilter = tr("Data and experiments (*.csv *.tsv *.txt *.jsonl *.ndjson *.gz *.zst "
                            "*.parquet *.zip *.data "
                            "*.dat *.json);;All files (*)"),
           .folder = tr("Open a folder…"),
           .folderTip = tr("A folder with MovieLens, or with files of one table")})),
      used_(titleWithSign(headingLabel(tr("Used in this workspace")),
                          QStringLiteral("docs/data.md#rejected-lines-splits-files"))),
      list_(new QListWidget),
      more_(new ShowAll) {
  setObjectName(QStringLiteral("dataCard"));
  auto* download = roomyButton(tr("Download…"));
  download->setObjectName(QStringLiteral("downloadData"));
  download->setAccessibleName(tr("Download a data set"));
  download->setToolTip(tr("Downloads MovieLens, Yambda, or any file on the web"));
  drop_->addButton(download);
  list_->setObjectName(QStringLiteral("usedData"));
  list_->setAccessibleName(
      tr("Data used in this workspace; Return or a click makes an experiment"));
  leaveScrollingToPage(*list_);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(titleWithSign(headingLabel(tr("Your data"), TextSize::kHeading),
                                  QStringLiteral("docs/data.md#downloading-data")));
  layout->addWidget(drop_, 1);
  layout->addWidget(used_);
  layout->addWidget(list_);
  layout->addWidget(more_);
  connect(more_, &ShowAll::shown, this, [this](int rows) {
    for (int row = 0; row < list_->count(); ++row) list_->setRowHidden(row, row >= rows);
    list_->setFixedHeight(rows * kUsedRowHeight + 2);
  });
  connect(drop_, &DropArea::chosen, this, &DataCard::chosen);
  connect(download, &QPushButton::clicked, this, &DataCard::downloadWanted);
  connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    emit chosen(item->data(Qt::UserRole).toString());
  });
  connect(list_, &QListWidget::itemClicked, list_, &QListWidget::itemActivated);
  connect(&sources_, &DataSources::changed, this, &DataCard::fill);
  fill();
}

void DataCard::fill() {
  list_->clear();
  for (const DataSources::Entry& entry : sources_.entries()) {
    auto* item =
        new QListWidgetItem(lineIcon(QStringLiteral("data")), shownText(entry.name), list_);
    item->setData(Qt::UserRole, entry.path);
    item->setToolTip(tr("A new experiment with %1").arg(shownText(entry.path)));
    item->setSizeHint(QSize(0, kUsedRowHeight));
  }
  list_->setVisible(list_->count() > 0);
  used_->setVisible(list_->count() > 0);
  more_->setRows(list_->count());
}

ContinueCard::ContinueCard(Workbench& bench, WorkspaceExperiments& experiments, QWidget* parent)
    : Card(parent),
      experiments_(experiments),
      model_(experiments, ExperimentsModel::Content::kExperiments),
      list_(new QTreeView),
      more_(new ShowAll),
      empty_(new QuietLabel(tr("No experiments yet. Drop data, or take a recipe."))),
      isModel_(workspace::Workspace::isModel(bench.workspace.folder())) {
  setObjectName(QStringLiteral("continueCard"));
  auto* latest = new LatestRunCard(bench);
  list_->setModel(&model_);
  list_->setObjectName(QStringLiteral("editedLast"));
  list_->setAccessibleName(tr("Experiments edited last; Return or a click opens one"));
  list_->setToolTip(tr("Return or a click opens the experiment; F2 renames it"));
  showAsList(*list_);
  leaveScrollingToPage(*list_);
  list_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(ExperimentsModel::kName, QHeaderView::Stretch);
  list_->header()->setMinimumSectionSize(60);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(titleWithSign(headingLabel(tr("Continue"), TextSize::kHeading),
                                  QStringLiteral("docs/window.md")));
  layout->addWidget(latest);
  QWidget* edited =
      titleWithSign(headingLabel(tr("Edited last")), QStringLiteral("docs/window.md#experiments"));
  layout->addWidget(edited);
  edited->setVisible(!isModel_);
  layout->addWidget(list_);
  layout->addWidget(more_);
  layout->addWidget(empty_);
  layout->addStretch();
  connect(more_, &ShowAll::shown, this, [this](int rows) {
    for (int row = 0; row < model_.rowCount(); ++row) list_->setRowHidden(row, {}, row >= rows);
    list_->setFixedHeight(std::max(rows, kMinRows) *
                          (fontMetrics().height() + TallRows::kRoom + 2));
  });
  connect(latest, &LatestRunCard::curvesWanted, this, &ContinueCard::curvesWanted);
  connect(latest, &LatestRunCard::listsWanted, this, &ContinueCard::listsWanted);
  // The list tells no older state of runs than the card above it.
  connect(latest, &LatestRunCard::newestChanged, &experiments_, &WorkspaceExperiments::poll);
  connect(latest, &LatestRunCard::watchWanted, this, &ContinueCard::watchWanted);
  connect(list_, &QTreeView::activated, this, [this](const QModelIndex& at) {
    const QString id = at.data(ExperimentsModel::kIdRole).toString();
    if (id != experiments_.currentId()) experiments_.open(id);
    emit opened();
  });
  connect(list_, &QTreeView::clicked, list_, &QTreeView::activated);
  connect(&experiments_, &WorkspaceExperiments::listChanged, this, &ContinueCard::follow);
  follow();
}

void ContinueCard::follow() {
  const int rows = model_.rowCount();
  list_->setVisible(rows > 0);
  empty_->setVisible(rows == 0 && !isModel_);
  more_->setRows(rows);
}

}  // namespace parapet::ui
