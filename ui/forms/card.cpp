// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/card.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>

#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kRadius = 8.0;

}  // namespace

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(lineColor(palette()), 1));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
}

QLabel* headingLabel(const QString& text, double scale) {
  auto* label = new QLabel(text);
  QFont font = label->font();
  font.setPointSizeF(font.pointSizeF() * scale);
  font.setBold(true);
  label->setFont(font);
  label->setObjectName(QStringLiteral("sectionTitle"));
  return label;
}

QPushButton* roomyButton(const QString& text) {
  auto* button = new QPushButton(text);
  button->setMinimumSize(button->sizeHint() + QSize(16, 6));
  return button;
}

QuietLabel::QuietLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  recolour();
}

void QuietLabel::recolour() {
  if (std::exchange(recolouring_, true)) return;
  // Only this role: a label with a palette of its own would hear of no change of theme.
  QPalette colors;
  colors.setColor(QPalette::WindowText, quietColor(QApplication::palette()));
  setPalette(colors);
  recolouring_ = false;
}

void QuietLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange)
    recolour();
}

}  // namespace parapet::ui
