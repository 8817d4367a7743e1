// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/lanes_model.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// The use of time of each device: a stacked bar per rank under a legend. Hovering tells the
/// figures, the accessible description says them all; the table of the same model lists them.
/// Of many devices the bars become thinner, and their names are left to the tooltip.
class LaneView : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  explicit LaneView(const LanesModel& model, QWidget* parent = nullptr);

  /// Sets the time that the bars tell of: "now", "whole run".
  void setSpan(const QString& span);
  /// The rank under a point of the widget; −1: none.
  [[nodiscard]] int rankAt(const QPoint& point) const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void refresh();
  void resizeRows();
  void paintHead(QPainter& painter) const;
  void paintLane(QPainter& painter, int rank) const;
  [[nodiscard]] QColor colorOf(int part) const;
  [[nodiscard]] double rowHeight() const;
  [[nodiscard]] double headHeight() const;
  [[nodiscard]] double namesWidth() const;

  const LanesModel& model_;
  QString span_;
};

}  // namespace parapet::ui
