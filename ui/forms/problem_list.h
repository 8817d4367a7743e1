// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include "ui/models/problems_model.h"

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

 private:
  [[nodiscard]] int rowHeight() const;
  void addButtons();
  void take(const experiment::Fix& fix);

  ProblemsModel* model_;
  QTableView* view_;
};

}  // namespace parapet::ui
