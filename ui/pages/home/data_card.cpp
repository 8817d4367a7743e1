// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/data_card.h"

#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/drop_area.h"
#include "ui/forms/info_sign.h"
#include "ui/style/box_layout.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

constexpr int kUsedRowHeight = 26, kMaxUsedRows = 4;

}  // namespace

DataCard::DataCard(DataSources& sources, QWidget* parent)
    : Card(parent),
      sources_(sources),
      drop_(new DropArea(
          {.sentence = tr("Drop a data file, a folder such as ml-100k of MovieLens, or an "
                          "experiment (.json) anywhere on the window"),
           .file = tr("Open a file…"),
           .fileTip = tr("A table (CSV, TSV, Parquet), a zip of MovieLens, or an experiment"),
           .fileFilter = tr("Data and experiments (*.csv *.tsv *.txt *.gz *.parquet *.zip *.data "
                            "*.dat *.json);;All files (*)"),
           .folder = tr("Open a folder…"),
           .folderTip = tr("A folder with MovieLens, or with files of one table")})),
      used_(titleWithSign(headingLabel(tr("Used in this workspace"), 1.0),
                          QStringLiteral("docs/data.md#rejected-lines-splits-files"))),
      list_(new QListWidget) {
  setObjectName(QStringLiteral("dataCard"));
  auto* download = roomyButton(tr("Download…"));
  download->setObjectName(QStringLiteral("downloadData"));
  download->setAccessibleName(tr("Download a data set"));
  download->setToolTip(tr("Downloads MovieLens, Yambda, or any file on the web"));
  drop_->addButton(download);
  list_->setObjectName(QStringLiteral("usedData"));
  list_->setAccessibleName(
      tr("Data used in this workspace; Return or a click makes an experiment"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->viewport()->setAutoFillBackground(false);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(titleWithSign(headingLabel(tr("Your data"), 1.2),
                                  QStringLiteral("docs/data.md#downloading-data")));
  layout->addWidget(drop_, 1);
  layout->addWidget(used_);
  layout->addWidget(list_);
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
  const int rows = std::min(list_->count(), kMaxUsedRows);
  list_->setFixedHeight(rows * kUsedRowHeight + 2);
  list_->setVisible(rows > 0);
  used_->setVisible(rows > 0);
}

}  // namespace parapet::ui
