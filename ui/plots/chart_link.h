// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>

#include "ui/plots/curve_plot.h"

namespace parapet::ui {

/// Plots over the same axis that show the same part of it and point at the same position: a zoom
/// along x in one is followed by the others, each with the y range of its own values.
class ChartLink : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  /// A plot leaves by being deleted. A late one takes over what the others show.
  void add(CurvePlot* plot);

 private:
  void follow(const CurvePlot& leader);
  void point(const CurvePlot& leader, std::optional<double> x);

  QList<QPointer<CurvePlot>> plots_;
  bool following_ = false;
};

}  // namespace parapet::ui
