// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/experiment/fixes.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"
#include "ui/models/severity.h"

namespace parapet::ui {

/// A finding, and what takes it away.
struct ProblemRow {
  Severity severity = Severity::kNone;
  experiment::Problem problem;
  std::vector<experiment::Fix> fixes{};
};

/// Findings of the experiment, problems before warnings.
class ProblemsModel : public RowsModel<ProblemRow> {
  Q_OBJECT

 public:
  enum Column { kSeverity, kLocation, kMessage, kAccepted, kFix, kColumns };
  enum Role { kPointerRole = Qt::UserRole };

  explicit ProblemsModel(ExperimentEditor& editor, QObject* parent = nullptr);

  /// What takes the finding of a row away; a button each.
  [[nodiscard]] const std::vector<experiment::Fix>& fixes(int row) const {
    return recordAt(row).fixes;
  }
  /// One step that can be taken back.
  void apply(const experiment::Fix& fix);

 protected:
  [[nodiscard]] QVariant more(const ProblemRow& row, int column, int role) const override;

 private:
  void follow();

  ExperimentEditor& editor_;
  nlohmann::ordered_json document_;  ///< that the fixes are for
};

}  // namespace parapet::ui
