// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "ui/models/problems_model.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// All findings of the document, a row each, with a button for every fix. A click on a row, or
/// Return, asks for its field.
class ProblemList : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemList(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] QTableView& view() const { return *view_; }
  [[nodiscard]] int count() const { return model_->rowCount(); }
  /// Height of the header and so many rows.
  [[nodiscard]] int heightOf(int rows) const;

 signals:
  void jumpRequested(const QString& pointer);
  /// A fix that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] int rowHeight() const;
  void addButtons();
  void fitColumns();
  void take(const experiment::Fix& fix);

  ProblemsModel* model_;
  QTableView* view_;
};

/// All findings in one list at the bottom; one line while there are none.
class ProblemsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemsPanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] ProblemList& list() const { return *list_; }
  /// Why nothing can train here, whatever the experiment; "" if it can.
  void setObstacle(const QString& reason);

 signals:
  /// The list had the focus, and goes: its last problem was fixed.
  void focusLeft();

 private:
  void follow();

  ExperimentEditor& editor_;
  QLabel* icon_;
  QLabel* summary_;
  ProblemList* list_;
  QString obstacle_;
};

/// "2 problems, 1 warning"; "No problems" if there is nothing.
QString findingsSummary(const experiment::Findings& findings);

/// Why an experiment cannot run: its problems below the button that asked, with their fixes. Closes
/// when the last problem is gone, and deletes itself.
class ProblemsPopup : public PopupDialog {
  Q_OBJECT

 public:
  ProblemsPopup(ExperimentEditor& editor, QWidget* anchor);

 signals:
  void problemChosen(const QString& pointer);
  /// A fix that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 private:
  void fit();

  ExperimentEditor& editor_;
  QWidget* anchor_;
  ProblemList* list_;
};

}  // namespace parapet::ui
