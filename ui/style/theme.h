// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

namespace parapet::ui {

enum class Theme {
  kFollow,  ///< light or dark as the desktop is
  kLight,
  kDark,
};

/// "follow", "light", "dark": as settings hold it.
QString themeName(Theme theme);
/// kFollow for a name that is none.
Theme themeFromName(const QString& name);

QPalette lightPalette();
QPalette darkPalette();
/// True if text is lighter than its background.
bool isDark(const QPalette& palette);

/// PlainTextStyle and the palette of the theme, for the whole program. The first call remembers the
/// desktop's palette, which kFollow goes by.
void applyTheme(Theme theme);

/// Text that matters less, hints and placeholders too: between text and background, contrast ≥ 4.5.
QColor quietColor(const QPalette& palette);
/// A hairline between areas.
QColor lineColor(const QPalette& palette);
/// The border of what can be clicked or typed into: at least 3 : 1 on window and base.
QColor borderColor(const QPalette& palette);
/// The ring of what has the focus and the line of what is chosen; 3 : 1 on every ground, at least.
QColor focusColor(const QPalette& palette);
/// Colours of states for dots and small marks, each beside its name.
QColor goodColor(const QPalette& palette);
QColor carefulColor(const QPalette& palette);
QColor badColor(const QPalette& palette);

}  // namespace parapet::ui
