// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include "engine/base/result.h"
#include "ui/controllers/plan_watch.h"
#include "ui/forms/field.h"
#include "ui/models/rows_model.h"
#include "ui/pages/mesh/plan_view.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// The plan: what a step takes, the picture of devices and tables, the same in words, and the
/// button that writes it into the document.
class PlanPanel : public QWidget {
  Q_OBJECT

 public:
  PlanPanel(PlanWatch& watch, ExperimentEditor& editor, QWidget* parent = nullptr);

  /// Another view of the mesh, behind the ones of the plan.
  void addTab(const QString& title, const QString& toolTip, QWidget* widget);
  /// Null: the picture.
  void showTab(QWidget* widget);
  [[nodiscard]] PlanView& view() const { return *view_; }
  [[nodiscard]] const ReportTableModel& tables() const { return *tables_; }
  [[nodiscard]] const ReportTableModel& devices() const { return *devices_; }
  [[nodiscard]] QPushButton& planButton() const { return *plan_; }
  [[nodiscard]] QPushButton& cancelButton() const { return *cancel_; }
  [[nodiscard]] QPushButton& applyButton() const { return *apply_; }
  /// Shown while sizes are missing that an import finds.
  [[nodiscard]] QPushButton& importButton() const { return *import_; }
  [[nodiscard]] QString headline() const { return headline_->text(); }
  /// Shows a table in picture and list.
  void selectTable(int table);
  /// Errors  kIo.
  Status exportPicture(const QString& path);

 signals:
  void tableChosen(int table);
  void failed(const QString& message);

 private:
  QLayout* makeButtons();
  QLayout* makeTools();
  void makeViews();
  void connectParts();
  void follow();
  void followRunning();
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void showPlan();
  [[nodiscard]] QString headlineText() const;
  [[nodiscard]] QString emptyText() const;
  [[nodiscard]] bool lacksRows() const;
  void chooseExport();

  PlanWatch& watch_;
  ExperimentEditor& editor_;
  QPushButton *plan_, *cancel_, *apply_, *import_;
  ThinProgressBar* progress_;
  QLabel *headline_, *empty_;
  QString stage_;  ///< what is being done now; "" before it says so
  FindingsLabel* findings_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QComboBox* colorBy_;
  bool colorChosen_ = false;  ///< by the user; until then it follows the plan
  QToolButton* export_;
  QScrollArea* scroll_;
  PlanView* view_;
  ReportTableModel *tables_, *devices_;
  QTableView *tablesView_, *devicesView_;
};

}  // namespace parapet::ui
