// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/json_highlighter.h"

#include <QRegularExpression>

namespace parapet::ui {

JsonHighlighter::JsonHighlighter(QTextDocument* document, const QPalette& palette)
    : QSyntaxHighlighter(document) {
  setPalette(palette);
}

void JsonHighlighter::setPalette(const QPalette& palette) {
  const bool dark = palette.color(QPalette::Base).lightness() < 128;
  // Each at least 4.5 : 1 against black or white.
  key_.setForeground(QColor(dark ? "#7cb7ff" : "#0b57a4"));
  string_.setForeground(QColor(dark ? "#9ccc7a" : "#2e6b1f"));
  number_.setForeground(QColor(dark ? "#e0a86e" : "#8f4a00"));
  word_.setForeground(QColor(dark ? "#c99af0" : "#7a2ea0"));
  rehighlight();
}

void JsonHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression token(
      R"re(("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b)re");
  for (auto matches = token.globalMatch(text); matches.hasNext();) {
    const QRegularExpressionMatch match = matches.next();
    const auto color = [&](int group, const QTextCharFormat& format) {
      setFormat(static_cast<int>(match.capturedStart(group)),
                static_cast<int>(match.capturedLength(group)), format);
    };
    if (match.capturedLength(1) > 0) {
      color(1, match.capturedLength(2) > 0 ? key_ : string_);
    } else if (match.capturedLength(3) > 0) {
      color(3, number_);
    } else {
      color(4, word_);
    }
  }
}

}  // namespace parapet::ui
