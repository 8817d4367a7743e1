// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/problems_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/table_actions.h"

namespace parapet::ui {
namespace {

constexpr int kMaxProblemRows = 4;
constexpr int kRowHeight = 28;

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
  view_->setWordWrap(true);
  view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  addTableActions(*view_);
  const auto jump = [this](const QModelIndex& index) {
    emit jumpRequested(index.data(ProblemsModel::kPointerRole).toString());
  };
  connect(view_, &QTableView::clicked, this, jump);
  connect(view_, &QTableView::activated, this, jump);
  connect(model_, &QAbstractItemModel::modelReset, this, &ProblemsPanel::addButtons);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &ProblemsPanel::follow);
  addButtons();
  follow();
}

void ProblemsPanel::addButtons() {
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (model_->fixes(row).empty()) continue;
    auto* buttons = new QWidget(view_);
    auto* line = new QHBoxLayout(buttons);
    line->setContentsMargins(2, 1, 2, 1);
    line->setSpacing(4);
    for (const experiment::Fix& fix : model_->fixes(row)) {
      auto* button = new QToolButton(buttons);
      button->setText(shownText(fix.label));
      button->setAccessibleName(button->text());
      button->setFocusPolicy(Qt::StrongFocus);
      button->setToolTip(fix.kind == experiment::FixKind::kEdit
                             ? tr("Changes the document; Undo takes it back")
                             : tr("Asks first"));
      button->setObjectName(QStringLiteral("fix.") + button->text());
      // The list is made anew while the button is still being clicked.
      connect(
          button, &QToolButton::clicked, this,
          [this, fix] {
            if (fix.kind == experiment::FixKind::kEdit)
              model_->apply(fix);
            else
              emit questionRequested(fix.kind);
          },
          Qt::QueuedConnection);
      line->addWidget(button);
    }
    line->addStretch(1);
    view_->setIndexWidget(model_->index(row, ProblemsModel::kFix), buttons);
  }
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
