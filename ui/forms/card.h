// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QWidget>
#include <nlohmann/json.hpp>

#include "ui/style/fonts.h"

namespace parapet::ui {

/// Text that never asks for more room than there is: a line (parted by \n) that does not fit ends
/// in "…", and the tooltip tells it all.
class ElidedLabel : public QWidget {
  Q_OBJECT

 public:
  enum class Tone {
    kQuiet,  ///< secondary text
    kPlain,  ///< as other text
  };
  explicit ElidedLabel(QWidget* parent = nullptr, Tone tone = Tone::kQuiet);
  void setText(const QString& text);
  [[nodiscard]] const QString& text() const { return text_; }

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
  Tone tone_;
};

/// A sign beside a title that opens what the program says about it. `target`: a term of the
/// glossary, "glossary/placement", or a part of a document, "docs/data.md#your-own-data".
QToolButton* infoSign(const QString& target, const QString& title, QWidget* parent);

/// A title with its sign.
QWidget* titleWithSign(QWidget* title, const QString& target);

/// The scheme of addresses that the window opens as help.
inline constexpr const char* kHelpScheme = "parapet-help";

/// Sizes of the parts of a splitter, for a page to remember.
nlohmann::json splitterState(const QSplitter& splitter);
/// Sets them again; what is no list of as many integers is ignored.
void restoreSplitter(QSplitter& splitter, const nlohmann::json& pageState);

/// A light ground with round corners for things that belong together.
class Card : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// The heading of a card or a section.
QLabel* headingLabel(const QString& text, TextSize size = TextSize::kBody);

/// A button with room around its text.
QPushButton* roomyButton(const QString& text);

/// Text that matters less; it follows a change of theme.
class QuietLabel : public QLabel {
  Q_OBJECT

 public:
  explicit QuietLabel(const QString& text = {}, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void recolour();
  bool recolouring_ = false;
};

}  // namespace parapet::ui
