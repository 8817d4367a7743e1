// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QSyntaxHighlighter>

namespace parapet::ui {

/// Keys, texts, numbers and words of JSON, in colours that the palette's base can bear.
class JsonHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  JsonHighlighter(QTextDocument* document, const QPalette& palette);
  void setPalette(const QPalette& palette);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QTextCharFormat key_, string_, number_, word_;
};

}  // namespace parapet::ui
