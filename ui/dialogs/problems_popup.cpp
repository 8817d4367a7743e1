// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/problems_popup.h"

#include <QHeaderView>
#include <QLabel>
#include <algorithm>

#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kMaxWidth = 940, kMaxListHeight = 320, kMargin = 16;
constexpr int kMinRow = 28;

}  // namespace

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
  // Who goes to the field, or is asked a question elsewhere, is done here.
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
  const int width = std::min(kMaxWidth, window->width() - 2 * kMargin);
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
