// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/focus_history.h"

#include <QApplication>

namespace parapet::ui {

FocusHistory::FocusHistory(QObject* parent) : QObject(parent) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusHistory::watch(QWidget* page) {
  pages_.push_back({page, nullptr});
}

void FocusHistory::follow(QWidget* now) {
  if (now == nullptr) return;
  for (Watched& watched : pages_)
    if (watched.page && watched.page->isAncestorOf(now)) watched.last = now;
}

QWidget* FocusHistory::lastOf(const QWidget* page) const {
  for (const Watched& watched : pages_)
    if (watched.page == page) return watched.last;
  return nullptr;
}

void FocusHistory::give(QWidget* page, QWidget* last) {
  if (last != nullptr && last->isVisibleTo(page) && last->isEnabled())
    last->setFocus(Qt::OtherFocusReason);
  else
    page->setFocus(Qt::OtherFocusReason);
}

}  // namespace parapet::ui
