// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

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

}  // namespace parapet::ui
