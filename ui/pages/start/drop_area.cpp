// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/drop_area.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/pages/start/card.h"
#include "ui/style/icon_label.h"

namespace parapet::ui {

DropArea::DropArea(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("dropArea"));
  auto* text = new QuietLabel(
      tr("Drop an experiment (.json) or the folder ml-100k of MovieLens anywhere on the window"));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  auto* file = roomyButton(tr("Open a file…"));
  file->setToolTip(tr("An experiment that was saved before"));
  file->setAccessibleName(tr("Open an experiment file"));
  auto* folder = roomyButton(tr("Choose a folder…"));
  folder->setToolTip(tr("A folder with MovieLens 100K (u.data)"));
  folder->setAccessibleName(tr("Choose a data folder"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  buttons->addStretch();
  buttons->addWidget(file);
  buttons->addWidget(folder);
  buttons->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(24, 16, 24, 16);
  layout->setSpacing(12);
  layout->addStretch();
  layout->addWidget(new IconLabel(QStringLiteral("drop"), 28), 0, Qt::AlignHCenter);
  layout->addWidget(text);
  layout->addLayout(buttons);
  layout->addStretch();
  connect(file, &QPushButton::clicked, this, &DropArea::askForFile);
  connect(folder, &QPushButton::clicked, this, &DropArea::askForFolder);
}

void DropArea::askForFile() {
  auto* dialog = new QFileDialog(window(), tr("Open an experiment"), QString(),
                                 tr("Experiments (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &DropArea::chosen);
  dialog->open();
}

void DropArea::askForFolder() {
  auto* dialog = new QFileDialog(window(), tr("Choose the folder with MovieLens 100K"));
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
