// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/problems_model.h"

#include <QGuiApplication>
#include <algorithm>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

/// Every fix is tried on the document; nobody reads the buttons of a hundred rows.
constexpr std::size_t kMaxFixedRows = 12;

}  // namespace

ProblemsModel::ProblemsModel(ExperimentEditor& editor, QObject* parent)
    : RowsModel(parent), editor_(editor) {
  std::vector<RowsColumn<ProblemRow>> columns{
      {.title = tr("Kind"),
       .text = [](const ProblemRow& of, int) { return severityName(of.severity); }},
      {.title = tr("Location"),
       .text =
           [](const ProblemRow& of, int) {
             return of.problem.pointer.empty() ? tr("document")
                                               : QString::fromStdString(of.problem.pointer);
           }},
      {.title = tr("Problem"),
       .text = [](const ProblemRow& of,
                  int) { return QString::fromStdString(of.problem.message); }},
      {.title = tr("Accepted"),
       .text = [](const ProblemRow& of,
                  int) { return QString::fromStdString(of.problem.accepted); }},
      {.title = tr("Fix"),
       .text =
           [](const ProblemRow& of, int) {
             QStringList labels;
             for (const experiment::Fix& fix : of.fixes)
               labels << QString::fromStdString(fix.label);
             return labels.join(QStringLiteral(" · "));
           }},
  };
  for (RowsColumn<ProblemRow>& column : columns) column.toolTip = column.text;
  setColumns(std::move(columns));
  connect(&editor, &ExperimentEditor::findingsChanged, this, &ProblemsModel::follow);
  follow();
}

QVariant ProblemsModel::more(const ProblemRow& row, int column, int role) const {
  if (role == kPointerRole) return QString::fromStdString(row.problem.pointer);
  if (role == Qt::DecorationRole && column == kSeverity)
    return severityIcon(QGuiApplication::palette(), row.severity);
  return {};
}

void ProblemsModel::apply(const experiment::Fix& fix) {
  nlohmann::json document(editor_.document());
  document = document.patch(fix.patch);
  editor_.setValue({}, document, shownText(fix.label));
}

void ProblemsModel::follow() {
  std::vector<ProblemRow> next;
  for (const auto& problem : editor_.findings().problems)
    next.push_back({Severity::kProblem, problem});
  for (const auto& problem : editor_.findings().warnings)
    next.push_back({Severity::kWarning, problem});
  const auto same = [](const ProblemRow& a, const ProblemRow& b) {
    return a.severity == b.severity && a.problem == b.problem;
  };
  if (std::ranges::equal(next, rows(), same) && document_ == editor_.document()) return;
  document_ = editor_.document();
  // Text that is no JSON has to be typed right first.
  if (!next.empty() && !editor_.draftError()) {
    const experiment::Fixes fixes{nlohmann::json(document_)};
    for (std::size_t row = 0; row < std::min(next.size(), kMaxFixedRows); ++row)
      next[row].fixes = fixes.of(next[row].problem);
  }
  replaceRows(std::move(next));
}

}  // namespace parapet::ui
