// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/drop_area.h"

#include <QFileDialog>
#include <QObject>
#include <QPainter>
#include <QPushButton>

#include "ui/forms/card.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
void chooseFile(QWidget* parent, const FileQuestion& question, QObject* context,
                std::function<void(const QString&)> take) {
  auto* dialog =
      new QFileDialog(parent->window(), question.title, question.folder, question.filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, context, std::move(take));
  dialog->open();
}

QString tableFilter() {
  return QObject::tr(
      "Tables (*.csv *.tsv *.txt *.dat *.jsonl *.ndjson *.json *.gz *.zst *.parquet);;All files "
      "(*)");
}

QString vectorFilter() {
  return QObject::tr("Vectors (*.parquet *.npy *.csv *.tsv *.txt *.gz *.zst);;All files (*)");
}

DropArea::DropArea(Wanted wanted, QWidget* parent) : QWidget(parent), wanted_(std::move(wanted)) {
  setObjectName(QStringLiteral("dropArea"));
  auto* text = new QuietLabel(wanted_.sentence);
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  auto* file = roomyButton(tr("Open a file…"));
  file->setToolTip(wanted_.fileTip);
  file->setAccessibleName(wanted_.file);
  auto* folder = roomyButton(tr("Choose a folder…"));
  folder->setToolTip(wanted_.folderTip);
  folder->setAccessibleName(wanted_.folder);
  buttons_ = horizontalBox(nullptr, 8);
  buttons_->addStretch();
  buttons_->addWidget(file);
  buttons_->addWidget(folder);
  buttons_->addStretch();
  auto* layout = verticalBox(this, 12, {24, 16, 24, 16});
  layout->addStretch();
  layout->addWidget(new IconLabel(QStringLiteral("drop"), 28), 0, Qt::AlignHCenter);
  layout->addWidget(text);
  layout->addLayout(buttons_);
  layout->addStretch();
  connect(file, &QPushButton::clicked, this, &DropArea::askForFile);
  connect(folder, &QPushButton::clicked, this, &DropArea::askForFolder);
}

void DropArea::addButton(QPushButton* button) {
  buttons_->insertWidget(buttons_->count() - 1, button);
}

void DropArea::askForFile() {
  auto* dialog = new QFileDialog(window(), wanted_.file, QString(), wanted_.fileFilter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &DropArea::chosen);
  dialog->open();
}

void DropArea::askForFolder() {
  auto* dialog = new QFileDialog(window(), wanted_.folder);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &DropArea::chosen);
  dialog->open();
}

void DropArea::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPen pen(palette().color(QPalette::Mid), 1.5, Qt::DashLine);
  painter.setPen(pen);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
}

}  // namespace parapet::ui
