// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/theme.h"

#include <QApplication>
#include <QToolTip>

#include "ui/style/plain_text_style.h"

namespace parapet::ui {
namespace {

struct Shades {
  QColor window, base, alternate, button, text, disabled, accent, accentText, link, tip;
  QColor light, mid, dark, shadow;
};

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto channel = [share](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

constexpr double kQuiet = 0.66;

QPalette paletteOf(const Shades& s) {
  QPalette palette;
  palette.setColor(QPalette::Window, s.window);
  palette.setColor(QPalette::WindowText, s.text);
  palette.setColor(QPalette::Base, s.base);
  palette.setColor(QPalette::AlternateBase, s.alternate);
  palette.setColor(QPalette::Text, s.text);
  palette.setColor(QPalette::PlaceholderText, mix(s.window, s.text, kQuiet));
  palette.setColor(QPalette::Button, s.button);
  palette.setColor(QPalette::ButtonText, s.text);
  palette.setColor(QPalette::BrightText, s.accentText);
  palette.setColor(QPalette::Highlight, s.accent);
  palette.setColor(QPalette::HighlightedText, s.accentText);
  palette.setColor(QPalette::Link, s.link);
  palette.setColor(QPalette::LinkVisited, s.link);
  palette.setColor(QPalette::ToolTipBase, s.tip);
  palette.setColor(QPalette::ToolTipText, s.text);
  palette.setColor(QPalette::Light, s.light);
  palette.setColor(QPalette::Midlight, s.light);
  palette.setColor(QPalette::Mid, s.mid);
  palette.setColor(QPalette::Dark, s.dark);
  palette.setColor(QPalette::Shadow, s.shadow);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, s.disabled);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, s.mid);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, s.disabled);
  return palette;
}

}  // namespace

QString themeName(Theme theme) {
  switch (theme) {
    case Theme::kLight:
      return QStringLiteral("light");
    case Theme::kDark:
      return QStringLiteral("dark");
    case Theme::kFollow:
      break;
  }
  return QStringLiteral("follow");
}

Theme themeFromName(const QString& name) {
  for (const Theme theme : {Theme::kLight, Theme::kDark})
    if (name == themeName(theme)) return theme;
  return Theme::kFollow;
}

QPalette lightPalette() {
  return paletteOf({.window = 0xf4f5f7,
                    .base = 0xffffff,
                    .alternate = 0xf7f8fa,
                    .button = 0xfbfbfc,
                    .text = 0x1b1f24,
                    .disabled = 0x8b929b,
                    .accent = 0x2457c5,
                    .accentText = 0xffffff,
                    .link = 0x1f4fb8,
                    .tip = 0xffffff,
                    .light = 0xffffff,
                    .mid = 0xc3c8cf,
                    .dark = 0x9aa1aa,
                    .shadow = 0x6b727b});
}

QPalette darkPalette() {
  return paletteOf({.window = 0x1d2025,
                    .base = 0x15181c,
                    .alternate = 0x1a1d22,
                    .button = 0x2a2e35,
                    .text = 0xe6e9ee,
                    .disabled = 0x7d8590,
                    .accent = 0x3b6fe0,
                    .accentText = 0xffffff,
                    .link = 0x8fb3ff,
                    .tip = 0x2a2e35,
                    .light = 0x3a3f48,
                    .mid = 0x3c424b,
                    .dark = 0x101215,
                    .shadow = QColor(0, 0, 0)});
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() <
         palette.color(QPalette::WindowText).lightness();
}

void applyTheme(Theme theme) {
  static const bool kDesktopIsDark = isDark(QApplication::palette());
  const bool dark = theme == Theme::kDark || (theme == Theme::kFollow && kDesktopIsDark);
  const QPalette palette = dark ? darkPalette() : lightPalette();
  if (!qobject_cast<PlainTextStyle*>(QApplication::style()))
    QApplication::setStyle(new PlainTextStyle);
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
}

QColor quietColor(const QPalette& palette) {
  return mix(palette.color(QPalette::Window), palette.color(QPalette::WindowText), kQuiet);
}

QColor lineColor(const QPalette& palette) {
  return mix(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.16);
}

QColor borderColor(const QPalette& palette) {
  return mix(palette.color(QPalette::Window), palette.color(QPalette::WindowText), 0.5);
}

QColor focusColor(const QPalette& palette) {
  return palette.color(QPalette::Link);
}

QColor goodColor(const QPalette& palette) {
  return isDark(palette) ? QColor(0x57c785) : QColor(0x1e7d46);
}

QColor carefulColor(const QPalette& palette) {
  return isDark(palette) ? QColor(0xffc14d) : QColor(0x9a5b00);
}

QColor badColor(const QPalette& palette) {
  return isDark(palette) ? QColor(0xff6b6b) : QColor(0xc62828);
}

}  // namespace parapet::ui
