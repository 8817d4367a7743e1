// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/report_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/table_text.h"
#include "ui/style/line_icon.h"

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

void setTableLook(QTableView& table, const QString& accessibleName) {
  constexpr int kRowHeight = 28;
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setWordWrap(false);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(kRowHeight);
  table.horizontalHeader()->setHighlightSections(false);
  table.setAccessibleName(accessibleName);
}

void fitTableColumns(QTableView& table, int longest) {
  constexpr int kRoomAround = 20, kMaxWidth = 320;
  QHeaderView& header = *table.horizontalHeader();
  table.resizeColumnsToContents();
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    const int wanted = header.sectionSize(column) + kRoomAround;
    header.resizeSection(column, column == longest ? std::min(wanted, kMaxWidth) : wanted);
  }
}

QToolButton* exportButton(const QString& accessibleName, const QString& toolTip,
                          const QList<QAction*>& choices, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setObjectName(QStringLiteral("exportButton"));
  button->setText(QObject::tr("Export"));
  button->setIcon(lineIcon(QStringLiteral("export")));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setAccessibleName(accessibleName);
  button->setToolTip(toolTip);
  auto* menu = new QMenu(button);
  menu->addActions(choices);
  button->setMenu(menu);
  return button;
}

QTableView* makeReportView(QAbstractItemModel& model, const QString& name, QWidget* parent) {
  auto* view = new QTableView(parent);
  view->setModel(&model);
  view->setAccessibleName(name);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->verticalHeader()->hide();
  addTableActions(*view);
  view->hide();
  return view;
}

void fitRows(QTableView& view, int maxRows) {
  const int rows = std::min(view.model()->rowCount(), maxRows);
  int height = view.horizontalHeader()->sizeHint().height() + 2 * view.frameWidth();
  for (int row = 0; row < rows; ++row) height += view.rowHeight(row);
  view.setFixedHeight(height);
  view.setVisible(rows > 0);
}

}  // namespace parapet::ui
