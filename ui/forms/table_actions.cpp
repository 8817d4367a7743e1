// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/table_actions.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMessageBox>

#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

void tell(QWidget* parent, QMessageBox::Icon icon, const QString& title, const std::string& text) {
  if (text.empty()) return;
  auto* box = new QMessageBox(icon, title, shownText(text), QMessageBox::Ok, parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
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
      [&view] { saveText(&view, {}, QObject::tr("CSV (*.csv)"), tableAsCsv(*view.model())); });
  add(QObject::tr("Export as JSON…"),
      [&view] { saveText(&view, {}, QObject::tr("JSON (*.json)"), tableAsJson(*view.model())); });
}

QString withNote(const QString& path, const std::string& note) {
  return note.empty() ? path : path + QStringLiteral("; ") + shownText(note);
}

void saveText(QWidget* parent, const QString& suggestedName, const QString& filter,
              const std::string& text) {
  const QString path =
      QFileDialog::getSaveFileName(parent, QObject::tr("Export"), suggestedName, filter);
  if (path.isEmpty()) return;
  const Status written = writeFileAtomically(path.toStdString(), text);
  if (!written)
    tell(parent, QMessageBox::Warning, QObject::tr("Export"), written.error().text());
  else if (filter.contains(QLatin1String("*.csv")))
    tell(parent, QMessageBox::Information, QObject::tr("Export"), formulaNote(text));
}

void copyCsv(QWidget* parent, const std::string& csv) {
  QApplication::clipboard()->setText(QString::fromStdString(csv));
  tell(parent, QMessageBox::Information, QObject::tr("Copy"), formulaNote(csv));
}

}  // namespace parapet::ui
