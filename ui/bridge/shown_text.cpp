// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/shown_text.h"

#include <algorithm>

namespace parapet::ui {
namespace {

constexpr char16_t kFirstControlPicture = 0x2400, kPictureOfDelete = 0x2421;

bool isC0(char16_t unit) {
  return (unit < 0x20 && unit != '\n' && unit != '\t') || unit == 0x7f;
}

/// Zero-width joiners (U+200C, U+200D) are part of ordinary Persian and Hindi words.
bool isHidden(char16_t unit) {
  return (unit >= 0x80 && unit < 0xa0) || unit == 0x61c || unit == 0x200b || unit == 0x200e ||
         unit == 0x200f || (unit >= 0x2028 && unit <= 0x202e) ||
         (unit >= 0x2060 && unit <= 0x206f) || unit == 0xfeff;
}

}  // namespace

QString shownText(std::string_view utf8) {
  return shownText(QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())));
}

QString shownText(QString text) {
  const auto changes = [](QChar letter) {
    return isC0(letter.unicode()) || isHidden(letter.unicode());
  };
  if (std::none_of(text.cbegin(), text.cend(), changes)) return text;
  QString shown;
  for (const QChar letter : text) {
    const char16_t unit = letter.unicode();
    if (isC0(unit))
      shown += QChar(unit == 0x7f ? kPictureOfDelete : char16_t(kFirstControlPicture + unit));
    else if (isHidden(unit))
      shown += QStringLiteral("<U+%1>").arg(uint(unit), 4, 16, QLatin1Char('0')).toUpper();
    else
      shown += letter;
  }
  return shown;
}

}  // namespace parapet::ui
