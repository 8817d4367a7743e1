// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/problems_popup.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

QString problemText(const experiment::Problem& problem) {
  QString text = shownText(problem.message);
  if (!problem.pointer.empty()) text.prepend(shownText(problem.pointer) + QStringLiteral(": "));
  if (!problem.accepted.empty())
    text += ProblemsPopup::tr("; accepted: %1").arg(shownText(problem.accepted));
  return text;
}

ProblemsPopup::ProblemsPopup(QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint), list_(new QListWidget) {
  setObjectName(QStringLiteral("problemsPopup"));
  setAccessibleName(tr("Problems of the experiment"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setWordWrap(true);
  list_->setTextElideMode(Qt::ElideNone);
  list_->setSpacing(4);
  list_->setAccessibleName(tr("Problems; Return shows the field"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* title = new QLabel(tr("Problems that keep this experiment from running"));
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 12, 16, 12);
  layout->setSpacing(8);
  layout->addWidget(title);
  layout->addWidget(list_);
  connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    hide();
    emit problemChosen(item->data(Qt::UserRole).toString());
  });
  connect(list_, &QListWidget::itemClicked, list_, &QListWidget::itemActivated);
}

void ProblemsPopup::add(const experiment::Problem& problem, bool stops) {
  auto* item = new QListWidgetItem(
      lineIcon(stops ? QStringLiteral("error") : QStringLiteral("warning")), problemText(problem));
  item->setData(Qt::UserRole, QString::fromStdString(problem.pointer));
  list_->addItem(item);
}

void ProblemsPopup::open(const experiment::Findings& findings, QWidget* anchor) {
  list_->clear();
  for (const experiment::Problem& problem : findings.problems) add(problem, true);
  for (const experiment::Problem& problem : findings.warnings) add(problem, false);
  const int rows = std::clamp(list_->count(), 1, 6);
  resize(520, 72 + rows * 56);
  QPoint at = anchor->mapToGlobal(QPoint(0, anchor->height() + 4));
  const QWidget* window = anchor->window();
  const int right = window->mapToGlobal(QPoint(window->width(), 0)).x();
  at.setX(std::min(at.x(), right - width() - 8));
  move(at);
  show();
  list_->setCurrentRow(0);
  list_->setFocus();
}

}  // namespace parapet::ui
