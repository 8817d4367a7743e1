// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/problems_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/forms/table_actions.h"

namespace parapet::ui {
namespace {

constexpr int kMaxProblemRows = 4;
constexpr int kRowHeight = 24;

QString counted(std::size_t count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(count);
}

}  // namespace

QString findingsSummary(const experiment::Findings& findings) {
  QStringList parts;
  if (!findings.problems.empty())
    parts << counted(findings.problems.size(), ProblemsPanel::tr("1 problem"),
                     ProblemsPanel::tr("%1 problems"));
  if (!findings.warnings.empty())
    parts << counted(findings.warnings.size(), ProblemsPanel::tr("1 warning"),
                     ProblemsPanel::tr("%1 warnings"));
  return parts.isEmpty() ? ProblemsPanel::tr("No problems") : parts.join(", ");
}

ProblemsPanel::ProblemsPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      model_(new ProblemsModel(editor, this)),
      icon_(new QLabel(this)),
      summary_(new QLabel(this)),
      view_(new QTableView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 8, 16, 8);
  layout->setSpacing(8);
  auto* line = new QHBoxLayout();
  line->setSpacing(8);
  line->addWidget(icon_);
  line->addWidget(summary_, 1);
  layout->addLayout(line);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setAccessibleName(tr("Problems and warnings"));
  view_->setToolTip(tr("A click on a line shows its field."));
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setShowGrid(false);
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(kRowHeight);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  for (const int column : {ProblemsModel::kMessage, ProblemsModel::kAccepted})
    view_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  addTableActions(*view_);
  const auto jump = [this](const QModelIndex& index) {
    emit jumpRequested(index.data(ProblemsModel::kPointerRole).toString());
  };
  connect(view_, &QTableView::clicked, this, jump);
  connect(view_, &QTableView::activated, this, jump);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &ProblemsPanel::follow);
  follow();
}

void ProblemsPanel::follow() {
  const Severity severity = severityOf(editor_.findings());
  icon_->setPixmap(severityIcon(palette(), severity).pixmap(16, 16));
  icon_->setVisible(severity != Severity::kNone);
  QString text = findingsSummary(editor_.findings());
  text += editor_.runnable() ? tr(". The experiment can run.")
                             : tr(". The experiment cannot run before the problems are fixed.");
  summary_->setText(text);
  const int rows = std::min(model_->rowCount(), kMaxProblemRows);
  view_->setVisible(rows > 0);
  view_->setFixedHeight(view_->horizontalHeader()->sizeHint().height() + rows * kRowHeight +
                        2 * view_->frameWidth());
}

}  // namespace parapet::ui
