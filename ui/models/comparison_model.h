// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>

#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// Two or more runs beside each other: one column a run, first the settings that differ or the
/// metrics. The best value of a metric is bold.
class ComparisonModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum class Part {
    kSettings,  ///< only those that differ
    kMetrics,   ///< last known values
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
  [[nodiscard]] QVariant setting(int row, int column, int role) const;
  [[nodiscard]] QVariant metric(int row, int column, int role) const;

  Part part_;
  workspace::Comparison comparison_;
};

/// "The first two runs share 3.1 of their top 10 (31 %), over 400 users."; why not, if unknown.
QString overlapSentence(const workspace::Comparison& comparison);

}  // namespace parapet::ui
