// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace parapet::ui {

/// A sign beside a title that opens what the program says about it. `target`: a term of the
/// glossary, "glossary/placement", or a part of a document, "docs/data.md#your-own-data".
QToolButton* infoSign(const QString& target, const QString& title, QWidget* parent);

/// A title with its sign.
QWidget* titleWithSign(QWidget* title, const QString& target);

/// The scheme of addresses that the window opens as help.
inline constexpr const char* kHelpScheme = "parapet-help";

}  // namespace parapet::ui
