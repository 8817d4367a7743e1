// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace parapet::ui {

/// Text that this program did not write (titles, names, paths, error messages) as a widget may
/// show it.
///
/// A control character, a bidirectional control or an invisible one could hide what follows it or
/// turn its direction around; each is replaced by a visible mark: a C0 control by its picture
/// ("␛"), any other by its code point ("<U+202E>"), an invalid byte by U+FFFD. Line breaks and tabs
/// stay. Markup stays as it is: labels and tooltips of this program are plain text (ui/style/
/// plain_text_style.h).
///
/// For display alone; keys, file names and exported values stay as they are.
/// Thread   pure.
QString shownText(std::string_view utf8);
QString shownText(QString text);
inline QString shownText(const char* utf8) {
  return shownText(std::string_view(utf8));
}

}  // namespace parapet::ui
