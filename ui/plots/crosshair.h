// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <vector>

#include "ui/plots/plot_theme.h"

namespace parapet::ui {

/// One curve at the crosshair.
struct ReadoutRow {
  QString name, value;
  QColor color;
  double y;  ///< NaN: no dot
};

/// Vertical line with a box of the values of all curves. Lives on a buffered layer of its own, so
/// that following the mouse never draws the curves again.
class Crosshair final : public QCPAbstractItem {
 public:
  explicit Crosshair(QCustomPlot* plot);
  void show(double x, QString title, std::vector<ReadoutRow> rows);
  void hide();
  [[nodiscard]] double x() const { return x_; }
  void setColors(const PlotColors& colors) { colors_ = colors; }
  /// Paints this layer alone.
  void repaint();

  double selectTest(const QPointF& pixel, bool onlySelectable, QVariant* details) const override;

 protected:
  void draw(QCPPainter* painter) override;

 private:
  void drawBox(QCPPainter& painter, double x, const QRect& area) const;

  double x_ = 0.0;
  QString title_;
  std::vector<ReadoutRow> rows_;
  PlotColors colors_;
};

}  // namespace parapet::ui
