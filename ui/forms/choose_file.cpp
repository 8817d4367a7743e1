// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/choose_file.h"

#include <QCoreApplication>
#include <QFileDialog>

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("ChooseFile", text);
}

}  // namespace

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
  return tr("Tables (*.csv *.tsv *.txt *.dat *.gz *.parquet);;All files (*)");
}

QString vectorFilter() {
  return tr("Vectors (*.parquet *.npy *.csv *.tsv *.txt *.gz);;All files (*)");
}

}  // namespace parapet::ui
