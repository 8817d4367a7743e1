// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "ui/bridge/background.h"
#include "ui/models/comparison_model.h"

namespace parapet::ui {

/// Two or more runs beside each other: the settings that differ, the metrics, how much their lists
/// have in common, and whether the lists of one are better for the same queries.
class ComparisonPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonPanel(workspace::Workspace& workspace, QWidget* parent = nullptr);
  /// In the order in which they are to stand.
  void setRuns(const QStringList& runIds);
  [[nodiscard]] ComparisonModel& settings() { return settings_; }
  [[nodiscard]] ComparisonModel& metrics() { return metrics_; }
  [[nodiscard]] PairedDifferencesModel& paired() { return paired_; }
  [[nodiscard]] bool running() const { return comparing_.running(); }
  /// Options of `compare` for what is chosen: empty for the last checkpoints on validation rows.
  [[nodiscard]] QString terminalOptions() const;

 signals:
  void failed(const QString& message);

 private:
  QTableView* table(QAbstractItemModel* model, const QString& name);
  QComboBox* choice(const QString& name, const QStringList& entries, const QString& tip);
  void start();
  void show(Result<workspace::Comparison> comparison);
  void showTables(bool shown);
  void copy();

  workspace::Workspace& workspace_;
  QStringList runIds_;
  ComparisonModel settings_{ComparisonModel::Part::kSettings};
  ComparisonModel metrics_{ComparisonModel::Part::kMetrics};
  PairedDifferencesModel paired_;
  /// A title with its sign, which go together.
  QWidget* headOf(QLabel* title, const QString& name);

  QLabel *state_, *settingsTitle_, *metricsTitle_, *pairedTitle_;
  QWidget *settingsHead_, *metricsHead_, *pairedHead_;
  QComboBox *split_, *checkpoint_;
  QPushButton* copy_;
  QTableView *settingsView_, *metricsView_, *pairedView_;
  Background comparing_;
};

}  // namespace parapet::ui
