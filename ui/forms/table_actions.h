// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <string>

namespace parapet::ui {

/// Copy (Ctrl+C) and export as CSV or JSON, in the context menu of a view.
void addTableActions(QTableView& view);

/// Asks for a name and writes `text`. A failure, and cells of a CSV that a spreadsheet takes for
/// formulas, are told in a box that does not block.
void saveText(QWidget* parent, const QString& suggestedName, const QString& filter,
              const std::string& text);

/// Puts a CSV on the clipboard; cells that a spreadsheet takes for formulas are told in such a box, too.
void copyCsv(QWidget* parent, const std::string& csv);

/// The path of a file that was written, with a note on its content that may be "".
QString withNote(const QString& path, const std::string& note);

}  // namespace parapet::ui
