// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace parapet::ui {

/// A key or a word of the schema in the language of the window: "initial_accumulator" to "Initial
/// accumulator".
QString wordName(const QString& word);

/// A name as it stands inside a sentence: with small letters in English, as it is in German.
QString insideSentence(const QString& name);

}  // namespace parapet::ui
