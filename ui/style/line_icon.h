// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>

namespace parapet::ui {

/// An icon of resources/icons by its name without ".svg". It is drawn at the size and resolution
/// asked for, in the text colour of the palette that holds at that moment, so a change of theme
/// needs no new icons. A name that is not there gives an empty picture.
QIcon lineIcon(const QString& name);

/// The picture of the program itself, in its own colours.
QIcon programIcon();

}  // namespace parapet::ui
