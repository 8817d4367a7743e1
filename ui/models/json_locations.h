// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>

namespace parapet::ui {

/// JSON pointer to line (from 1) for every value of a JSON text. Of a text that is no JSON, the
/// values before the fault.
QHash<QString, int> jsonLocations(const QString& text);

/// The line of a pointer, or of the nearest value around it that the text has.
int lineOf(const QHash<QString, int>& lines, QString pointer);

}  // namespace parapet::ui
