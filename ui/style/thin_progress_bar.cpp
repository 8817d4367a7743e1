// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/thin_progress_bar.h"

#include <QPainter>
#include <algorithm>

#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kHeight = 6;
/// QProgressBar counts in int; shares finer than a pixel are enough.
constexpr int kResolution = 10'000;
constexpr double kFaint = 0.35;

}  // namespace

ThinProgressBar::ThinProgressBar(QWidget* parent) : QProgressBar(parent) {
  setTextVisible(false);
  setFixedHeight(kHeight);
  setRange(0, kResolution);
}

void ThinProgressBar::showShare(std::int64_t done, std::int64_t total) {
  setRange(0, total > 0 ? kResolution : 0);
  if (total <= 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  setValue(static_cast<int>(kResolution * std::clamp(share, 0.0, 1.0)));
}

void ThinProgressBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const double radius = height() / 2.0;
  QRectF line = rect();
  painter.setBrush(lineColor(palette()));
  painter.drawRoundedRect(line, radius, radius);
  painter.setBrush(palette().highlight());
  if (maximum() == minimum()) {
    painter.setOpacity(kFaint);
  } else {
    if (value() <= minimum()) return;
    const double share =
        static_cast<double>(value() - minimum()) / static_cast<double>(maximum() - minimum());
    line.setWidth(std::max(2.0 * radius, share * line.width()));
  }
  painter.drawRoundedRect(line, radius, radius);
}

}  // namespace parapet::ui
