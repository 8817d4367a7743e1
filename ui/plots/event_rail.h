// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <QString>
#include <vector>

#include "ui/plots/plot_mark.h"
#include "ui/plots/plot_theme.h"

namespace parapet::ui {

/// A mark at its position on the present x axis.
struct RailMark {
  double x;
  PlotMarkKind kind;
  QString text;
};

/// The strip above a plot that shows what happened during a run. Each kind has its own shape, so
/// that colour is never the only difference. Shares its x axis with the curves.
class EventRail final : public QCPAbstractItem {
 public:
  /// Pixels above the axis rectangle that the strip needs.
  static constexpr int kHeight = 18;

  explicit EventRail(QCustomPlot* plot);
  void setMarks(std::vector<RailMark> marks) { marks_ = std::move(marks); }
  void setColors(const PlotColors& colors) { colors_ = colors; }
  /// The texts of the marks under a pixel, one a line; empty if there is none.
  [[nodiscard]] QString textAt(const QPointF& pixel) const;

  double selectTest(const QPointF& pixel, bool onlySelectable, QVariant* details) const override;

 protected:
  void draw(QCPPainter* painter) override;

 private:
  [[nodiscard]] QColor colorOf(PlotMarkKind kind) const;
  [[nodiscard]] double pixelOf(const RailMark& mark) const;

  std::vector<RailMark> marks_;
  PlotColors colors_;
};

}  // namespace parapet::ui
