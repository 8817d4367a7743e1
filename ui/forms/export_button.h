// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QToolButton>

class QAction;

namespace parapet::ui {

/// The one button of a page that copies or saves what it shows: "Export", with these choices.
QToolButton* exportButton(const QString& accessibleName, const QString& toolTip,
                          const QList<QAction*>& choices, QWidget* parent);

}  // namespace parapet::ui
