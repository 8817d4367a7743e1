// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/problems_model.h"

#include <QGuiApplication>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {

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
    default:
      return {};
  }
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto& [severity, problem] = rows_[static_cast<std::size_t>(index.row())];
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
    default:
      return shownText(problem.accepted);
  }
}

void ProblemsModel::follow() {
  std::vector<Row> next;
  for (const auto& problem : editor_.findings().problems)
    next.push_back({Severity::kProblem, problem});
  for (const auto& problem : editor_.findings().warnings)
    next.push_back({Severity::kWarning, problem});
  if (next == rows_) return;
  beginResetModel();
  rows_ = std::move(next);
  endResetModel();
}

}  // namespace parapet::ui
