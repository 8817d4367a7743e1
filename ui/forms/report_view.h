// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QTableView>
#include <QToolButton>
#include <string>

class QAction;

namespace parapet::ui {

/// Copy (Ctrl+C) and export as CSV or JSON, in the context menu of a view.
void addTableActions(QTableView& view);

/// Asks for a name and writes `text`. A failure, and cells of a CSV that a spreadsheet takes for
/// formulas, are told in a box that does not block.
void saveText(QWidget* parent, const QString& suggestedName, const QString& filter,
              const std::string& text);

/// Puts a CSV on the clipboard; cells that a spreadsheet takes for formulas are told in a box that does not block.
void copyCsv(QWidget* parent, const std::string& csv);

/// The path of a file that was written, with a note on its content that may be "".
QString withNote(const QString& path, const std::string& note);

/// How tables of a page look: whole rows, no grid, no row numbers.
void setTableLook(QTableView& table, const QString& accessibleName);
/// Columns as wide as what they hold; `longest`, which holds sentences, up to a limit.
void fitTableColumns(QTableView& table, int longest);

/// The one button of a page that copies or saves what it shows: "Export", with these choices.
QToolButton* exportButton(const QString& accessibleName, const QString& toolTip,
                          const QList<QAction*>& choices, QWidget* parent);

/// A table to read and to copy from, without grid and row numbers. Hidden until fitRows() has seen
/// rows.
QTableView* makeReportView(QAbstractItemModel& model, const QString& name, QWidget* parent);

/// Makes a view as high as its rows, at most `maxRows` of them; hides it while there are none.
void fitRows(QTableView& view, int maxRows);

}  // namespace parapet::ui
