// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QListWidget>

#include "engine/experiment/problem.h"

namespace parapet::ui {

/// Why an experiment cannot run: one line per problem, where it is, what is accepted. A click on a
/// problem asks for its field in the document.
class ProblemsPopup : public QDialog {
  Q_OBJECT

 public:
  explicit ProblemsPopup(QWidget* parent);
  /// Shows the findings below `anchor`.
  void open(const experiment::Findings& findings, QWidget* anchor);

 signals:
  void problemChosen(const QString& pointer);

 private:
  void add(const experiment::Problem& problem, bool stops);

  QListWidget* list_;
};

/// "/training/epochs: found …; accepted: …"
QString problemText(const experiment::Problem& problem);

}  // namespace parapet::ui
