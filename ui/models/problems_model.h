// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>

#include "engine/experiment/fixes.h"
#include "engine/experiment/problem.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// How bad something is; the greater, the worse.
enum class Severity {
  kNone,
  kWarning,  ///< a run can start
  kProblem,  ///< a run cannot start
};

/// The worst of some findings.
Severity severityOf(const experiment::Findings& findings);
/// "Problem" or "Warning", for readers who see no colour.
QString severityName(Severity severity);
/// Readable as text on the palette's base, light or dark.
QColor severityColor(const QPalette& palette, Severity severity);
/// A disc with a cross, or a triangle with a bar: the shapes differ, not the colours alone.
QIcon severityIcon(const QPalette& palette, Severity severity);
/// Where a finding is, in the words of the forms: "Data › Label column".
QString locationOf(const experiment::Problem& problem, const nlohmann::ordered_json& document);
/// "Training › Epochs: what was found; accepted: what is accepted"
QString problemText(const experiment::Problem& problem, const nlohmann::ordered_json& document);
/// "what was found. Accepted: what is accepted"; one line a finding, problems first.
QString findingsText(const experiment::Findings& findings);

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

  /// The fixes for the finding of a row; a button each.
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
