// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace parapet::ui {

/// A table to read and to copy from, without grid and row numbers. Hidden until fitRows() has seen
/// rows.
QTableView* makeReportView(QAbstractItemModel& model, const QString& name, QWidget* parent);

/// Makes a view as high as its rows, at most `maxRows` of them; hides it while there are none.
void fitRows(QTableView& view, int maxRows);

}  // namespace parapet::ui
