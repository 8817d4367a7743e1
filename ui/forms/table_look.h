// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace parapet::ui {

/// How the tables of this page look: whole rows, no grid, no row numbers.
void setTableLook(QTableView& table, const QString& accessibleName);
/// Columns as wide as what they hold; `longest`, which holds sentences, up to a limit.
void fitTableColumns(QTableView& table, int longest);

}  // namespace parapet::ui
