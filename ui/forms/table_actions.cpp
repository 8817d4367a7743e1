// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/table_actions.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMessageBox>
#include <QSaveFile>

#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

void save(QTableView& view, const QString& filter, const std::string& text) {
  const QString file = QFileDialog::getSaveFileName(&view, QObject::tr("Export"), {}, filter);
  if (file.isEmpty()) return;
  QSaveFile out(file);
  const auto size = static_cast<qint64>(text.size());
  if (out.open(QIODevice::WriteOnly) && out.write(text.data(), size) == size && out.commit())
    return;
  QMessageBox::warning(&view, QObject::tr("Export"),
                       QObject::tr("%1 was not written: %2").arg(file, out.errorString()));
}

}  // namespace

void addTableActions(QTableView& view) {
  view.setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto add = [&view](const QString& text, auto run) {
    auto* action = new QAction(text, &view);
    QObject::connect(action, &QAction::triggered, &view, run);
    view.addAction(action);
    return action;
  };
  QAction* copy = add(QObject::tr("Copy"), [&view] {
    QList<int> rows;
    for (const QModelIndex& index : view.selectionModel()->selectedIndexes())
      if (!rows.contains(index.row())) rows << index.row();
    std::ranges::sort(rows);
    QApplication::clipboard()->setText(tableAsTsv(*view.model(), rows));
  });
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  add(QObject::tr("Export as CSV…"),
      [&view] { save(view, QObject::tr("CSV (*.csv)"), tableAsCsv(*view.model())); });
  add(QObject::tr("Export as JSON…"),
      [&view] { save(view, QObject::tr("JSON (*.json)"), tableAsJson(*view.model())); });
}

}  // namespace parapet::ui
