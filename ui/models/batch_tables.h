// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "engine/experiment/batch_report.h"
#include "ui/models/report_table_model.h"

namespace parapet::ui {

/// One training step as tables: its examples, its ids, what was sent to the shards, the terms of
/// the loss, and the norms of parameters and gradients.
class BatchTables : public QObject {
  Q_OBJECT

 public:
  explicit BatchTables(QObject* parent = nullptr);

  void setReport(const experiment::BatchReport& report);
  /// "Step 41 of epoch 3: 100 examples, loss 0.7132".
  [[nodiscard]] QString sentence() const { return sentence_; }
  /// The columns of the examples are those of the data; replaced by setReport().
  [[nodiscard]] ReportTableModel& examples() { return *examples_; }
  [[nodiscard]] ReportTableModel& features() { return features_; }
  [[nodiscard]] ReportTableModel& routes() { return routes_; }
  [[nodiscard]] ReportTableModel& losses() { return losses_; }
  [[nodiscard]] ReportTableModel& parameters() { return parameters_; }

 signals:
  void changed();

 private:
  QString sentence_;
  ReportTableModel* examples_;
  ReportTableModel features_, routes_, losses_, parameters_;
};

}  // namespace parapet::ui
