// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QTableView>

#include "ui/models/runs_model.h"

namespace parapet::ui {

/// The table of runs: sorted by a click, renamed in place by F2 or a double click, several rows
/// chosen at once. What is chosen stays chosen while rows come, go and move.
class RunsTable : public QTableView {
  Q_OBJECT

 public:
  explicit RunsTable(RunsFilter& runs, QWidget* parent = nullptr);
  /// In the order in which they stand.
  [[nodiscard]] QStringList chosen() const;
  /// Chosen runs that the filter hides; they are chosen again when it shows them.
  [[nodiscard]] const QStringList& hidden() const { return hidden_; }
  void choose(const QStringList& runIds);
  /// Edits the current cell if it holds notes, else the name of the run.
  void editName();
  void copy() const;

 signals:
  void chosenChanged();
  /// Enter or a double click outside the cells that are edited.
  void opened(const QString& runId);
  /// The mouse came over the rows, or left them.
  void hovered(bool over);

 protected:
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void chooseAgain();

  RunsFilter& runs_;
  QStringList hidden_;
  bool filtering_ = false;
};

}  // namespace parapet::ui
