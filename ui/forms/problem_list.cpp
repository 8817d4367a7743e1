// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/problem_list.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxProblemRows = 4;

constexpr int kMaxPopupWidth = 940, kMaxListHeight = 320, kMargin = 16;
constexpr int kMinRow = 28;

}  // namespace

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
  view_->horizontalHeader()->setSectionResizeMode(ProblemsModel::kMessage, QHeaderView::Stretch);
  view_->horizontalHeader()->setSectionResizeMode(ProblemsModel::kAccepted, QHeaderView::Fixed);
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
  connect(model_, &QAbstractItemModel::modelReset, this, [this] {
    addButtons();
    fitColumns();
  });
  addButtons();
  fitColumns();
}

/// The accepted values get the width of the longest; where that is much, the problem has the larger share.
void ProblemList::fitColumns() {
  constexpr int kAround = 16;
  constexpr double kMaxShare = 0.4;
  int widest = 0;
  for (int row = 0; row < model_->rowCount(); ++row)
    widest = std::max(widest, view_->fontMetrics().horizontalAdvance(
                                  model_->index(row, ProblemsModel::kAccepted).data().toString()));
  view_->setColumnHidden(ProblemsModel::kAccepted, widest == 0);
  const int wanted = std::max(widest + kAround,
                              view_->horizontalHeader()->sectionSizeHint(ProblemsModel::kAccepted));
  view_->setColumnWidth(ProblemsModel::kAccepted,
                        std::min(wanted, static_cast<int>(kMaxShare * width())));
}

void ProblemList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
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

QString findingsSummary(const experiment::Findings& findings) {
  QStringList parts;
  const auto problems = static_cast<int>(findings.problems.size());
  const auto warnings = static_cast<int>(findings.warnings.size());
  if (problems == 1) parts << ProblemsPanel::tr("1 problem");
  if (problems > 1) parts << ProblemsPanel::tr("%n problems", nullptr, problems);
  if (warnings == 1) parts << ProblemsPanel::tr("1 warning");
  if (warnings > 1) parts << ProblemsPanel::tr("%n warnings", nullptr, warnings);
  return parts.isEmpty() ? ProblemsPanel::tr("No problems") : parts.join(", ");
}

ProblemsPanel::ProblemsPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      icon_(new QLabel(this)),
      summary_(new QLabel(this)),
      list_(new ProblemList(editor, this)) {
  setHoldsStill(*this);
  auto* layout = verticalBox(this, 8, {16, 8, 16, 8});
  auto* line = horizontalBox(nullptr, 8);
  line->addWidget(icon_);
  line->addWidget(summary_, 1);
  layout->addLayout(line);
  layout->addWidget(list_);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &ProblemsPanel::follow);
  follow();
}

void ProblemsPanel::setObstacle(const QString& reason) {
  obstacle_ = reason;
  follow();
}

void ProblemsPanel::follow() {
  const Severity severity = severityOf(editor_.findings());
  icon_->setPixmap(severityIcon(palette(), severity).pixmap(16, 16));
  icon_->setVisible(severity != Severity::kNone);
  QString text = findingsSummary(editor_.findings());
  // Nothing is promised of data that were not read yet.
  text += !obstacle_.isEmpty() ? QStringLiteral(". ") + obstacle_
          : editor_.runnable() ? tr(" in the settings. Run (F5) reads the data and trains.")
                               : tr(". The experiment cannot run before the problems are fixed.");
  summary_->setText(text);
  const int rows = std::min(list_->count(), kMaxProblemRows);
  const QWidget* focus = QApplication::focusWidget();
  const bool leaves = rows == 0 && focus != nullptr && list_->isAncestorOf(focus);
  if (leaves) emit focusLeft();
  list_->setVisible(rows > 0);
  list_->setFixedHeight(list_->heightOf(rows));
}

ProblemsPopup::ProblemsPopup(ExperimentEditor& editor, QWidget* anchor)
    : PopupDialog(anchor), editor_(editor), anchor_(anchor), list_(new ProblemList(editor)) {
  setObjectName(QStringLiteral("problemsPopup"));
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(tr("Problems of the experiment"));
  QTableView& view = list_->view();
  view.setFrameShape(QFrame::NoFrame);
  view.setTextElideMode(Qt::ElideNone);
  // There is room for whole sentences here.
  view.verticalHeader()->setMinimumSectionSize(kMinRow);
  view.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  auto* title = new QLabel(tr("Problems that keep this experiment from running"));
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  auto* layout = verticalBox(this, 8, {kMargin, 12, kMargin, 12});
  layout->addWidget(title);
  layout->addWidget(list_);
  // The list is done with a person who goes to the field, or is asked a question elsewhere.
  connect(list_, &ProblemList::jumpRequested, this, [this](const QString& pointer) {
    close();
    emit problemChosen(pointer);
  });
  connect(list_, &ProblemList::questionRequested, this, [this](experiment::FixKind kind) {
    close();
    emit questionRequested(kind);
  });
  connect(&editor_, &ExperimentEditor::findingsChanged, this, [this] {
    if (editor_.findings().problems.empty())
      close();
    else
      fit();
  });
  fit();
  show();
  view.setCurrentIndex(view.model()->index(0, ProblemsModel::kMessage));
  list_->setFocus();
}

void ProblemsPopup::fit() {
  const QWidget* window = anchor_->window();
  const int width = std::min(kMaxPopupWidth, window->width() - 2 * kMargin);
  resize(width, height());
  layout()->activate();
  list_->view().resizeRowsToContents();
  list_->setFixedHeight(
      std::min(kMaxListHeight, list_->heightOf(0) + list_->view().verticalHeader()->length()));
  adjustSize();
  resize(width, sizeHint().height());
  QPoint at = anchor_->mapToGlobal(QPoint(0, anchor_->height() + 4));
  const int right = window->mapToGlobal(QPoint(window->width(), 0)).x();
  at.setX(std::min(at.x(), right - width - kMargin));
  move(at);
}

}  // namespace parapet::ui
