// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QTimer>
#include <memory>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/forms/field.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/data/split_timeline_view.h"

namespace parapet::ui {

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
