// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <nlohmann/json.hpp>
#include <optional>

#include "ui/plots/curve_plot.h"

namespace parapet::ui {

/// The bar above a chart: which metric, against what, logarithmic or not, how smooth, where in the
/// zoom history, and the way to files. Acts on the plot it is given.
class CurveControls : public QWidget {
  Q_OBJECT

 public:
  explicit CurveControls(QWidget* parent = nullptr);

  /// Sets the charts that the metric chooser offers; the chosen one stays if it is still there.
  void setCharts(const QStringList& charts);
  [[nodiscard]] QString chart() const;
  /// Shows a choice made elsewhere; chartChosen() is not told.
  void setChart(const QString& chart);
  /// The plot that the controls act on; it takes over axis, scale and smoothing.
  void setPlot(CurvePlot* plot);
  /// Plots beside it; they take over axis and smoothing.
  void setOthers(const QList<CurvePlot*>& plots);
  /// Charts that stand beside the chosen one.
  [[nodiscard]] const QStringList& pinned() const { return pinned_; }
  /// Pins a chart until a person pins another one.
  void pinByDefault(const QString& chart);
  /// The chosen smoothing in [0, 1); 0 is off.
  [[nodiscard]] double smoothing() const { return smoothing_->value() / 100.0; }
  /// Asks for a file and writes the plot as `ending`: png, pdf, svg, csv or json.
  void exportAs(const QString& ending);

  [[nodiscard]] nlohmann::json saveState() const;
  void restoreState(const nlohmann::json& state);

  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void chartChosen(const QString& chart);
  void pinnedChanged(const QStringList& charts);
  /// The curve of steps is smoothed, which needs all of them.
  void smoothed();
  void failed(const QString& message);
  void exported(const QString& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  /// One line where there is room, two lines where there is not.
  void fold();
  QToolButton* zoomButton(const QString& text, const QString& name, const QString& tip,
                          void (CurvePlot::*act)());
  void buildExport();
  void buildPins();
  void refreshPins();
  void pin(const QString& chart, bool on);
  void apply();
  void refreshZoom();

  QGridLayout* rows_ = nullptr;
  QWidget *head_ = nullptr, *tail_ = nullptr;
  std::optional<bool> folded_;
  CurvePlot* plot_ = nullptr;
  QList<QPointer<CurvePlot>> others_;
  QStringList pinned_;
  bool pinnedByHand_ = false;
  QComboBox* charts_;
  QComboBox* axis_;
  QCheckBox* logarithmic_;
  QSlider* smoothing_;
  QLabel* smoothingText_;
  QToolButton *back_ = nullptr, *forward_ = nullptr, *all_ = nullptr, *export_;
  QPushButton* pins_;
};

}  // namespace parapet::ui
