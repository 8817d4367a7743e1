// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QWidget>

namespace parapet::ui {

/// Enables a control, or disables it and says in its tooltip what it waits for, below what the
/// tooltip says otherwise. `reason`: "Select a row first".
void setUsable(QWidget& control, bool usable, const QString& reason);
void setUsable(QAction& action, bool usable, const QString& reason);

/// Why a control is disabled, as setUsable() was told; "" of one that is not.
QString whyDisabled(const QObject& control);

}  // namespace parapet::ui
