// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "ui/plots/curve_series.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// A zoomed part of a plot in its own coordinates.
struct PlotView {
  double left = 0.0, right = 1.0, bottom = 0.0, top = 1.0;
  bool operator==(const PlotView&) const = default;
};

/// Where a person has zoomed, like the pages of a browser. The first entry is always "everything"
/// (nullopt: the axes follow the data).
class ZoomHistory {
 public:
  /// Views kept; the oldest zooms are forgotten first.
  static constexpr std::size_t kDepth = 64;

  ZoomHistory() { reset(); }
  /// A new view; what was ahead of the present one is forgotten.
  void push(const PlotView& view);
  /// Changes the present view without a new entry: the turns of one wheel gesture are one zoom.
  /// While everything is shown, this is push().
  void replace(const PlotView& view);
  void back();
  void forward();
  void reset();
  [[nodiscard]] bool canGoBack() const { return now_ > 0; }
  [[nodiscard]] bool canGoForward() const { return now_ + 1 < views_.size(); }
  [[nodiscard]] const std::optional<PlotView>& current() const { return views_[now_]; }

 private:
  std::vector<std::optional<PlotView>> views_;
  std::size_t now_ = 0;
};

enum class PlotMarkKind {
  kCheckpoint,  ///< diamond
  kPause,       ///< two bars
  kResume,      ///< triangle to the right
  kWarning,     ///< triangle with its base below
  kNonFinite,   ///< cross
};

/// Something that happened during a run. A coordinate that is not known is NaN; the mark is then
/// left out on that axis. Step and epoch stand in for each other where stepsPerEpoch is known.
struct PlotMark {
  PlotMarkKind kind = PlotMarkKind::kWarning;
  double step = std::numeric_limits<double>::quiet_NaN();
  double epoch = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();
  QString text;  ///< tooltip
};

class CurveTableModel;

/// Curves over the steps, epochs or seconds of runs, live.
///
/// Data calls cost no drawing: they mark the plot dirty, and a coalescing timer refreshes it; a
/// hidden plot only stays dirty until it is shown. What a person chooses (axis, scale, zoom, curves)
/// does not wait for the timer: it is drawn in the next turn of the event loop. The crosshair goes from
/// value to value, and the curve under the mouse stands out from the others. Drag zooms, the wheel zooms along x (with Ctrl
/// along y), Alt+Left / Alt+Right walk the zoom history, Home shows everything again, the arrow
/// keys move.
///
/// Errors   InvalidArgument for an id that addX did not give or that was removed.
/// Thread   GUI.
class CurvePlot : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  using SeriesId = int;
  enum class AxisUse {
    kSetsAxes,  ///< the axes show all of the curve
    kNone,      ///< drawn where the other curves are: a published run
  };

  /// `quantity` and `unit` make the axis title ("loss", "nats" → "loss [nats]"; no unit:
  /// "recall@10").
  CurvePlot(const QString& quantity, const QString& unit, QWidget* parent = nullptr);
  ~CurvePlot() override;

  SeriesId addSteps(const QString& name, SeriesRole role = SeriesRole::kTraining);
  SeriesId addPoints(const QString& name, SeriesRole role = SeriesRole::kValidation,
                     AxisUse use = AxisUse::kSetsAxes);
  /// A labelled horizontal line.
  SeriesId addLevel(const QString& name, double value);
  void removeSeries(SeriesId id);
  void clear();

  void appendSteps(SeriesId id, std::span<const experiment::StepBucket> buckets);
  /// For a run resumed from a checkpoint of `step`.
  void truncateAfter(SeriesId id, std::int64_t step);
  void appendPoint(SeriesId id, const CurvePoint& point);
  void setPoints(SeriesId id, std::vector<CurvePoint> points);
  /// Lets curves known by step and curves known by epoch share an axis; 0: not known.
  void setStepsPerEpoch(SeriesId id, std::int64_t steps);
  void setMarks(std::vector<PlotMark> marks);
  /// Steps per epoch of the run that the marks belong to.
  void setMarksStepsPerEpoch(std::int64_t steps);

  void setXAxis(XAxis axis);
  [[nodiscard]] XAxis xAxis() const;
  void setLogarithmic(bool on);
  [[nodiscard]] bool logarithmic() const;
  /// Weight of the past in [0, 1) for every step curve; 0, the default, is off.
  void setSmoothing(double weight);
  /// Band between the smallest and largest value behind every step curve; on by default.
  void setBand(bool shown);
  /// While live, lines are drawn without antialiasing; a finished run may look smoother.
  void setLive(bool live);
  /// A table that mirrors the data from now on, what is here included; null ends it.
  void setTable(CurveTableModel* table);

  [[nodiscard]] const ZoomHistory& zoomHistory() const;
  /// The ranges that the axes show now.
  [[nodiscard]] PlotView view() const;
  void zoomTo(const PlotView& view);
  void zoomBack();
  void zoomForward();
  void zoomReset();
  /// The part of the axis that is zoomed to; nullopt while everything is shown.
  [[nodiscard]] std::optional<std::pair<double, double>> zoomedX() const;
  /// Shows a part of the axis that was chosen elsewhere, with the y range of what is there; nullopt:
  /// everything. Not an entry of the history.
  void followX(const std::optional<std::pair<double, double>>& range);
  /// Points at a position that was chosen elsewhere; nullopt: at none.
  void showCrosshair(std::optional<double> x);
  /// Where the crosshair is; nullopt while there is none.
  [[nodiscard]] std::optional<double> crosshair() const;

  /// One line per visible curve at a position, as the crosshair shows it: "train 5.83 (5.71
  /// … 9.2)".
  [[nodiscard]] QStringList readout(double x) const;
  /// A part for each curve: last, smallest and largest value, and the one at the crosshair.
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;
  [[nodiscard]] int chosenPart() const override;
  /// The steps of a step curve that the view shows.
  [[nodiscard]] StepRange shownSteps(SeriesId id) const;
  /// Pixels that a curve has along x.
  [[nodiscard]] int pixelWidth() const;
  /// Values drawn for a curve at the last refresh.
  [[nodiscard]] const DrawnCurve& drawn(SeriesId id) const;
  /// True while new data wait for a refresh.
  [[nodiscard]] bool dirty() const;
  /// Draws now what is waiting, shown or not; for pictures and benchmarks. Milliseconds it took.
  double refreshNow();

  /// Writes what the ending of `path` asks for: .png .pdf .svg (the picture) .csv .json (all the
  /// data). The answer is the note of formulaNote(), "" if there is none.
  /// Errors   kInvalidDocument for another ending, kIo if the file cannot be written.
  Result<std::string> exportTo(const QString& path);
  void copyPicture();
  void copyData();

 signals:
  void zoomChanged();
  /// The mouse is over a position of the axis, or no longer.
  void pointedAt(double x);
  void pointerLeft();
  /// All data are about to be written: whoever left some out adds them now.
  void dataWanted();
  /// A click on a curve or right beside it.
  void curveClicked(int series);
  /// An export chosen from the menu failed.
  void failed(const parapet::Error& error);

 protected:
  void changeEvent(QEvent* event) override;
  /// The ring of the focus.
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Parts;
  void build(const QString& quantity, const QString& unit);
  void buildActions();
  void connectInput();
  void markDirty();
  void refreshAtOnce();
  void refresh();
  void prepare();
  void refreshLegend();
  /// All names of the legend, if the pixel is in it.
  [[nodiscard]] QString legendTextAt(const QPoint& pixel) const;
  void refreshTicks();
  void placeLabels();
  void refreshMarks();
  void refreshName();
  void restyle();
  void wheelZoom(const QPointF& pixel, double turns, Qt::Orientation axis);
  void pan(double shareX, double shareY);
  void moveCrosshair(const QPointF& pixel);
  void pointAt(SeriesId id);
  void refreshCrosshair(double x);
  void chooseExport();
  SeriesId add(CurveSeries series);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parapet::ui
