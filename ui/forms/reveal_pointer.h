// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

namespace parapet::ui {

/// Puts the focus where a pointer is edited below `root`: a cell of a DocumentTable, else the Field
/// of the pointer or of the nearest value around it. Stacks and scroll areas on the way show it.
/// False if there is neither.
bool revealPointer(QWidget& root, const QString& pointer);

}  // namespace parapet::ui
