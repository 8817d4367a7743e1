// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace parapet::ui {

/// A word or sign that is pressed, without a frame until the mouse is over it. Its accessible name
/// is the tooltip.
QToolButton* textButton(const QString& text, const QString& toolTip, QWidget* parent);

/// The cross that closes what it stands on.
QToolButton* closeButton(const QString& accessibleName, const QString& toolTip, QWidget* parent);

}  // namespace parapet::ui
