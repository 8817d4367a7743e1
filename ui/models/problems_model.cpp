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
    : QAbstractTableModel(parent), editor_(editor) {
  connect(&editor, &ExperimentEditor::findingsChanged, this, &ProblemsModel::follow);
  follow();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kSeverity:
      return tr("Kind");
    case kLocation:
      return tr("Location");
    case kMessage:
      return tr("Problem");
    case kAccepted:
      return tr("Accepted");
    case kFix:
      return tr("Fix");
    default:
      return {};
  }
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& [severity, problem, fixes] = rows_[static_cast<std::size_t>(index.row())];
  const QString pointer = QString::fromStdString(problem.pointer);
  if (role == kPointerRole) return pointer;
  if (role == Qt::DecorationRole && index.column() == kSeverity)
    return severityIcon(QGuiApplication::palette(), severity);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  switch (index.column()) {
    case kSeverity:
      return severityName(severity);
    case kLocation:
      return pointer.isEmpty() ? tr("document") : shownText(pointer);
    case kMessage:
      return shownText(problem.message);
    case kAccepted:
      return shownText(problem.accepted);
    default:
      break;
  }
  QStringList labels;
  for (const experiment::Fix& fix : fixes) labels << shownText(fix.label);
  return labels.join(QStringLiteral(" · "));
}

const std::vector<experiment::Fix>& ProblemsModel::fixes(int row) const {
  return rows_[static_cast<std::size_t>(row)].fixes;
}

void ProblemsModel::apply(const experiment::Fix& fix) {
  nlohmann::json document(editor_.document());
  document = document.patch(fix.patch);
  editor_.setValue({}, document, shownText(fix.label));
}

void ProblemsModel::follow() {
  std::vector<Row> next;
  for (const auto& problem : editor_.findings().problems)
    next.push_back({Severity::kProblem, problem});
  for (const auto& problem : editor_.findings().warnings)
    next.push_back({Severity::kWarning, problem});
  const auto same = [](const Row& a, const Row& b) {
    return a.severity == b.severity && a.problem == b.problem;
  };
  if (std::ranges::equal(next, rows_, same) && document_ == editor_.document()) return;
  beginResetModel();
  document_ = editor_.document();
  // Text that is no JSON has to be typed right first.
  if (!next.empty() && !editor_.draftError()) {
    const experiment::Fixes fixes{nlohmann::json(document_)};
    for (std::size_t row = 0; row < std::min(next.size(), kMaxFixedRows); ++row)
      next[row].fixes = fixes.of(next[row].problem);
  }
  rows_ = std::move(next);
  endResetModel();
}

}  // namespace parapet::ui
