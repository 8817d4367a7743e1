// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

namespace parapet::ui {

/// Sizes of text, in steps of the size that the desktop has for its own.
enum class TextSize {
  kTitle,    ///< what a page shows, the numbers of a headline
  kHeading,  ///< of a card or a section
  kBody,
  kSmall,  ///< captions of numbers and pictures
};

/// The font of the program in that size.
QFont textFont(TextSize size, QFont::Weight weight = QFont::Normal);

/// The family that the window is set in, "" where it is not installed: one made for screens whose
/// digits are of one width, so that numbers of a column stand below each other.
QString uiFontFamily();

/// Sets the program in that family, in the size that the desktop has chosen. Where it is not
/// installed the font of the desktop stays.
void applyUiFont();

}  // namespace parapet::ui
