// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QWidget>

#include "ui/controllers/side_files.h"
#include "ui/controllers/source_watch.h"
#include "ui/forms/field.h"
#include "ui/models/preview_model.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/data/role_header.h"

namespace parapet::ui {

/// The first rows of the source under boxes that give the columns their roles; beside them, in a
/// tab of their own, rejected lines.
class PreviewPanel : public QWidget {
  Q_OBJECT

 public:
  PreviewPanel(ExperimentEditor& editor, SourceWatch& watch, SideFiles& files,
               QWidget* parent = nullptr);

  [[nodiscard]] PreviewModel& model() const { return *model_; }
  [[nodiscard]] ReportTableModel& rejectedLines() const { return *rejectedLines_; }
  [[nodiscard]] RoleHeader& header() const { return *header_; }
  [[nodiscard]] QString summary() const { return summary_->text(); }

 private:
  void follow();
  void showPreview();
  void showMessage(const QString& text);
  /// The columns of a catalogue that was added stand behind the others; they come into sight.
  void showTitles();

  SourceWatch& watch_;
  PreviewModel* model_;
  ReportTableModel* rejectedLines_;
  QLabel* summary_;
  FindingsLabel* findings_;
  QTabWidget* tabs_;
  QTableView* rows_;
  QTableView* rejectedLineView_;
  RoleHeader* header_;
  std::string file_;  ///< that is shown
  int titles_ = 0;    ///< columns of catalogues that are shown
};

}  // namespace parapet::ui
