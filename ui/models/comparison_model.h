// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/models/rows_model.h"
#include "ui/models/setting_names.h"

namespace parapet::ui {

/// Metrics of lists of the first of two compared runs minus those of the second, over the same
/// held-out queries: mean, standard error over the users, and which run it speaks for.
class PairedDifferencesModel : public RowsModel<workspace::Comparison::PairedMetric> {
  Q_OBJECT

 public:
  explicit PairedDifferencesModel(QObject* parent = nullptr);
  void setComparison(const workspace::Comparison& comparison) { replaceRows(comparison.paired); }
};

/// "First run minus second, over the same held-out queries of 943 users"; "" if nothing is paired.
QString pairedSentence(const workspace::Comparison& comparison);

/// Two or more runs beside each other: one column a run. First the settings that differ, by the step
/// of the Experiment page that has them, or the metrics. The value of a run that is better than
/// each other one, beyond their noise, is bold (see workspace::Comparison::MetricRow); where no value
/// makes a better run, kNotComparableRole says why.
class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum class Part {
    kSettings,  ///< only those that differ
    kMetrics,   ///< last known values
  };
  enum Role {
    kNotComparableRole = Qt::UserRole + 1,  ///< why the values of a metric do not rank the runs
  };
  explicit ComparisonModel(Part part, QObject* parent = nullptr)
      : QAbstractTableModel(parent), part_(part) {}

  void setComparison(workspace::Comparison comparison);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  /// Columns before those of the runs: section and setting, or the metric.
  [[nodiscard]] int labelColumns() const { return part_ == Part::kSettings ? 2 : 1; }
  void nameSettings();
  [[nodiscard]] QVariant setting(int row, int column, int role) const;
  [[nodiscard]] QVariant metric(int row, int column, int role) const;

  Part part_;
  workspace::Comparison comparison_;
  std::vector<SettingName> names_;  ///< of the settings, in their order
};

/// "The first two runs share 3.1 of their top 10 (31 %), over 400 users."; why not, if unknown.
QString overlapSentence(const workspace::Comparison& comparison);

/// The meaning of bold values of the metrics, or why none is bold.
QString rankingSentence(const workspace::Comparison& comparison);

}  // namespace parapet::ui
