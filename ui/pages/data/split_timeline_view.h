// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "engine/workspace/source_questions.h"

namespace parapet::ui {

/// The parts of a split as stacked bars over time; without times as one bar of shares.
class SplitTimelineView : public QWidget {
  Q_OBJECT

 public:
  explicit SplitTimelineView(QWidget* parent = nullptr);
  void setTimeline(std::optional<workspace::SplitTimeline> timeline);
  [[nodiscard]] const std::optional<workspace::SplitTimeline>& timeline() const {
    return timeline_;
  }

  static QString partName(std::size_t part);
  /// "2003-02-28" of seconds since 1970, UTC.
  static QString dateOf(std::int64_t seconds);

  /// First, middle and last day under the bars; "" for a day that the one before it says, nothing
  /// without times.
  [[nodiscard]] QStringList dateLabels() const;

  [[nodiscard]] QSize sizeHint() const override { return {640, 180}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QRectF plotRect() const;
  [[nodiscard]] QColor colorOf(std::size_t part) const;
  void paintLegend(QPainter& painter) const;
  void paintBins(QPainter& painter) const;
  void paintShares(QPainter& painter) const;

  std::optional<workspace::SplitTimeline> timeline_;
};

}  // namespace parapet::ui
