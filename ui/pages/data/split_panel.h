// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/forms/field.h"
#include "ui/models/rows_model.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// The parts of a split as stacked bars over time; without times as one bar of shares.
class SplitTimelineView : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  explicit SplitTimelineView(QWidget* parent = nullptr);
  void setTimeline(std::optional<workspace::SplitTimeline> timeline);
  [[nodiscard]] const std::optional<workspace::SplitTimeline>& timeline() const {
    return timeline_;
  }

  static QString partName(std::size_t part);

  /// First, middle and last day under the bars; "" for a day that the one before it says, nothing
  /// without times.
  [[nodiscard]] QStringList dateLabels() const;

  [[nodiscard]] QSize sizeHint() const override { return {640, 180}; }
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;

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

/// The parts of the split over time, and what of the one part is known in the other. Follows the
/// data and the document's split.
class SplitPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SplitPanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  /// Null: no data yet.
  void setDataset(std::shared_ptr<const workspace::Dataset> dataset);
  [[nodiscard]] SplitTimelineView& view() const { return *view_; }
  [[nodiscard]] ReportTableModel& parts() const { return *parts_; }
  [[nodiscard]] QString findingsText() const { return findings_->text(); }

 private:
  struct Picture;
  void follow();
  void draw();
  void showLeaks(const std::vector<workspace::LeakFinding>& leaks);
  void show(const Result<Picture>& picture);

  ExperimentEditor& editor_;
  std::shared_ptr<const workspace::Dataset> dataset_;
  std::string drawn_;  ///< the settings of the picture
  QTimer pause_;
  QLabel* hint_;
  FindingsLabel* findings_;
  SplitTimelineView* view_;
  ReportTableModel* parts_;
  QTableView* partView_;
  Background background_{"split"};
};

}  // namespace parapet::ui
