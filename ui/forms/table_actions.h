// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace parapet::ui {

/// Copy (Ctrl+C) and export as CSV or JSON, in the context menu of a view.
void addTableActions(QTableView& view);

}  // namespace parapet::ui
