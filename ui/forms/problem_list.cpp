// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/problem_list.h"

#include <QApplication>
#include <QHeaderView>
#include <QToolButton>

#include "ui/bridge/shown_text.h"
#include "ui/forms/table_actions.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

ProblemList::ProblemList(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent), model_(new ProblemsModel(editor, this)), view_(new QTableView(this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(view_);
  setFocusProxy(view_);
  view_->setModel(model_);
  view_->setAccessibleName(tr("Problems and warnings"));
  view_->setToolTip(tr("A click on a line shows its field."));
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setShowGrid(false);
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(rowHeight());
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
  // A button goes with its problem; the focus stays in the list.
  connect(model_, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
    const QWidget* focus = QApplication::focusWidget();
    if (focus != nullptr && isAncestorOf(focus)) view_->setFocus(Qt::OtherFocusReason);
  });
  connect(model_, &QAbstractItemModel::modelReset, this, &ProblemList::addButtons);
  addButtons();
}

/// Two lines of text, apart from those of the next problem.
int ProblemList::rowHeight() const {
  constexpr int kApart = 8;
  return 2 * view_->fontMetrics().lineSpacing() + kApart;
}

int ProblemList::heightOf(int rows) const {
  return view_->horizontalHeader()->sizeHint().height() + rows * rowHeight() +
         2 * view_->frameWidth();
}

void ProblemList::take(const experiment::Fix& fix) {
  if (fix.kind == experiment::FixKind::kEdit)
    model_->apply(fix);
  else
    emit questionRequested(fix.kind);
}

void ProblemList::addButtons() {
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (model_->fixes(row).empty()) continue;
    auto* buttons = new QWidget(view_);
    // The text of the cell, for whoever copies the list, is not seen between the buttons.
    buttons->setBackgroundRole(QPalette::Base);
    buttons->setAutoFillBackground(true);
    auto* line = horizontalBox(buttons, 4, {2, 1, 2, 1});
    for (const experiment::Fix& fix : model_->fixes(row)) {
      auto* button = new QToolButton(buttons);
      button->setText(shownText(fix.label));
      button->setAccessibleName(button->text());
      button->setFocusPolicy(Qt::StrongFocus);
      button->setToolTip(
          fix.kind == experiment::FixKind::kEdit ? tr("Changes the document; Undo takes it back")
          : fix.kind == experiment::FixKind::kTrainVocabulary
              ? tr("Trains a WordPiece vocabulary on the texts and stores it beside them")
              : tr("Asks first"));
      button->setObjectName(QStringLiteral("fix.") + button->text());
      // The list is made anew while the button is still being clicked.
      connect(
          button, &QToolButton::clicked, this, [this, fix] { take(fix); }, Qt::QueuedConnection);
      line->addWidget(button);
    }
    line->addStretch(1);
    view_->setIndexWidget(model_->index(row, ProblemsModel::kFix), buttons);
  }
}

}  // namespace parapet::ui
