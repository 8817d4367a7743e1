// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/fonts.h"

#include <QApplication>
#include <QFontDatabase>

namespace parapet::ui {
namespace {

double shareOf(TextSize size) {
  switch (size) {
    case TextSize::kTitle:
      return 1.5;
    case TextSize::kHeading:
      return 1.2;
    case TextSize::kSmall:
      return 0.9;
    case TextSize::kBody:
      break;
  }
  return 1.0;
}

}  // namespace

QFont textFont(TextSize size, QFont::Weight weight) {
  QFont font = QApplication::font();
  // A desktop may give its size in pixels.
  if (font.pointSizeF() > 0.0)
    font.setPointSizeF(font.pointSizeF() * shareOf(size));
  else
    font.setPixelSize(qRound(font.pixelSize() * shareOf(size)));
  font.setWeight(weight);
  return font;
}

QString uiFontFamily() {
  // Inter has digits of one width only as a feature, which Qt asks for from 6.7 on.
  const QString family = QStringLiteral("Noto Sans");
  return QFontDatabase::hasFamily(family) ? family : QString();
}

void applyUiFont() {
  const QString family = uiFontFamily();
  if (family.isEmpty()) return;
  QFont font = QApplication::font();
  font.setFamilies({family});
  QApplication::setFont(font);
}

}  // namespace parapet::ui
