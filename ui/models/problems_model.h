// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/experiment/fixes.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/severity.h"

namespace parapet::ui {

/// Findings of the experiment, problems before warnings.
class ProblemsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kSeverity, kLocation, kMessage, kAccepted, kFix, kColumns };
  enum Role { kPointerRole = Qt::UserRole };

  explicit ProblemsModel(ExperimentEditor& editor, QObject* parent = nullptr);

  /// What takes the finding of a row away; a button each.
  [[nodiscard]] const std::vector<experiment::Fix>& fixes(int row) const;
  /// One step that can be taken back.
  void apply(const experiment::Fix& fix);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  struct Row {
    Severity severity = Severity::kNone;
    experiment::Problem problem;
    std::vector<experiment::Fix> fixes{};
  };
  void follow();

  ExperimentEditor& editor_;
  nlohmann::ordered_json document_;  ///< that the fixes are for
  std::vector<Row> rows_;
};

}  // namespace parapet::ui
