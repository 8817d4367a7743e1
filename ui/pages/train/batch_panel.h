// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QScrollArea>
#include <QTableView>

#include "ui/models/batch_tables.h"

namespace parapet::ui {

/// The batch of the last single step (F10), from its examples to the norms of its gradients.
class BatchPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit BatchPanel(QWidget* parent = nullptr);
  void show(const experiment::BatchReport& report);
  [[nodiscard]] BatchTables& tables() { return tables_; }

 private:
  struct Part {
    QWidget* title;
    QTableView* view;
    int maxRows;
  };
  Part addPart(const QString& title, const QString& tip, QAbstractItemModel& model, int maxRows);
  static void fit(const Part& part);

  BatchTables tables_;
  QLabel* sentence_;
  Part losses_, features_, routes_, parameters_, examples_;
};

}  // namespace parapet::ui
