// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/problems_panel.h"

#include <QApplication>
#include <algorithm>

#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kMaxProblemRows = 4;

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
      icon_(new QLabel(this)),
      summary_(new QLabel(this)),
      list_(new ProblemList(editor, this)) {
  auto* layout = verticalBox(this, 8, {16, 8, 16, 8});
  auto* line = horizontalBox(nullptr, 8);
  line->addWidget(icon_);
  line->addWidget(summary_, 1);
  layout->addLayout(line);
  layout->addWidget(list_);
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
  const int rows = std::min(list_->count(), kMaxProblemRows);
  const QWidget* focus = QApplication::focusWidget();
  const bool leaves = rows == 0 && focus != nullptr && list_->isAncestorOf(focus);
  if (leaves) emit focusLeft();
  list_->setVisible(rows > 0);
  list_->setFixedHeight(list_->heightOf(rows));
}

}  // namespace parapet::ui
