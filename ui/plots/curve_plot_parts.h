// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <QElapsedTimer>
#include <QPointer>
#include <QString>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/bridge/pause.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_series.h"
#include "ui/plots/curve_table_model.h"
#include "ui/plots/plot_theme.h"

namespace parapet::ui {

/// One curve at the crosshair.
struct ReadoutRow {
  QString name, value;
  QColor color;
  double y;  ///< NaN: no dot
  double x;  ///< of the value, which may stand beside the line
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

/// The parts of a QCustomPlot that show one curve: its line, the band of extremes behind it, and
/// for a level its label. Made and removed together.
class CurveGraphs {
 public:
  CurveGraphs(QCustomPlot& plot, const CurveSeries& series);
  ~CurveGraphs();
  CurveGraphs(const CurveGraphs&) = delete;
  CurveGraphs& operator=(const CurveGraphs&) = delete;

  void setStyle(const SeriesStyle& style, const PlotColors& colors);
  /// Appends the line to the legend under a name that may be cut.
  void addToLegend(const QString& name);
  void setData(const DrawnCurve& drawn);
  /// Whether this is a level with a label. The label stands on `y` of the axis while it is in
  /// sight.
  [[nodiscard]] bool hasLabel() const { return label_ != nullptr; }
  /// Pixels from the line; negative outside the axes and where nothing is drawn.
  [[nodiscard]] double distance(const QPointF& pixel) const;
  /// Draws the line faintly while another is pointed at.
  void setFaded(bool faded);
  void placeLabel(double y, bool inSight);

 private:
  QCustomPlot& plot_;
  QCPGraph* lower_ = nullptr;
  QCPGraph* upper_ = nullptr;
  QCPGraph* line_ = nullptr;
  QCPItemText* label_ = nullptr;
  std::unique_ptr<QCPScatterStyle> marks_;  ///< of few points; null: none
};

/// One curve of the plot: its data, its graphs and what they show.
struct PlottedCurve {
  CurvePlot::SeriesId id;
  int styleIndex;
  CurveSeries data;
  std::unique_ptr<CurveGraphs> graphs;
  DrawnCurve drawn;
};

/// The id of no curve.
inline constexpr CurvePlot::SeriesId kNoSeries = -1;

/// Places the parts of a plot now, which otherwise happens when it is drawn.
void layOut(QCustomPlot& plot);

/// State of a plot, shared by the curve_plot*.cpp; keeps QCustomPlot out of the public header.
struct CurvePlot::Parts {
  QCustomPlot* plot = nullptr;
  EventRail* rail = nullptr;
  Crosshair* crosshair = nullptr;
  ReplotTimer timer;
  std::vector<std::unique_ptr<PlottedCurve>> curves;
  /// Entries of the legend, kNoSeries for the number of curves that have no place in it.
  std::vector<std::pair<SeriesId, QString>> legendEntries;
  QPointer<QCPTextElement> legendRest;
  std::vector<PlotMark> marks;
  std::int64_t marksStepsPerEpoch = 0;
  QPointer<CurveTableModel> table;
  ZoomHistory zoom;
  /// Part of the axis that a linked plot shows; counts while nothing is zoomed here.
  std::optional<std::pair<double, double>> followed;
  QElapsedTimer lastWheel;
  XAxis axis = XAxis::kStep;
  QString quantity;
  double smoothing = 0.0, prepareMs = 0.0;
  bool logarithmic = false, band = true, dirty = true;
  SeriesId nextId = 1, pointed = kNoSeries;  ///< pointed: the curve under the mouse
  QPoint pressed;                            ///< where the mouse button went down
  int nextStyle = 0;
  QAction *back = nullptr, *forward = nullptr, *log = nullptr;

  PlottedCurve& curve(SeriesId id);
  /// The curve next to a pixel; kNoSeries if none is near.
  SeriesId curveAt(const QPointF& pixel) const;
  /// The position of a drawn value next to x.
  double snapped(double x) const;
  std::vector<const CurveSeries*> series() const;
  /// Whether it has something to draw on this axis.
  [[nodiscard]] bool isDrawn(const PlottedCurve& curve) const;
  std::pair<double, double> xRange() const;
  std::pair<double, double> yRange() const;
};

}  // namespace parapet::ui
