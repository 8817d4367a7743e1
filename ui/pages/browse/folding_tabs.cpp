// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/folding_tabs.h"

#include <QStackedWidget>
#include <QTabBar>

#include "ui/style/flat_buttons.h"

namespace parapet::ui {

FoldingTabs::FoldingTabs(QWidget* parent) : QTabWidget(parent) {
  arrow_ = textButton(QString(), tr("Fold the panel"), this);
  arrow_->setObjectName(QStringLiteral("foldTabs"));
  arrow_->setArrowType(Qt::DownArrow);
  setCornerWidget(arrow_);
  connect(arrow_, &QToolButton::clicked, this, [this] { setFolded(!folded_); });
  connect(this, &QTabWidget::tabBarClicked, this, [this](int tab) {
    if (tab >= 0) setFolded(false);
  });
  connect(this, &QTabWidget::currentChanged, this, [this] { setFolded(false); });
}

void FoldingTabs::setFolded(bool folded) {
  if (folded_ == folded) return;
  folded_ = folded;
  const QString action = folded ? tr("Unfold the panel") : tr("Fold the panel");
  arrow_->setArrowType(folded ? Qt::UpArrow : Qt::DownArrow);
  arrow_->setToolTip(action);
  arrow_->setAccessibleName(action);
  // What cannot be seen takes no focus.
  if (auto* pages = findChild<QStackedWidget*>()) pages->setVisible(!folded);
  setMaximumHeight(folded ? tabBar()->sizeHint().height() : QWIDGETSIZE_MAX);
  emit foldedChanged(folded);
}

}  // namespace parapet::ui
