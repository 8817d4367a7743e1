// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QTest>

namespace parapet::ui {

/// Waits until the window looks the same twice in a row with every event between handled: what a
/// page fetches from the background has arrived.
inline bool comesToRest(QWidget& window, int timeoutMs) {
  QImage last;
  int same = 0;
  return QTest::qWaitFor(
      [&] {
        QCoreApplication::sendPostedEvents();
        const QImage now = window.grab().toImage();
        same = now == last ? same + 1 : 0;
        last = now;
        return same >= 3;
      },
      timeoutMs);
}

inline QString textOf(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->currentText();
  return {};
}

inline QSize wantedBy(const QWidget& widget) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  if (label && label->wordWrap()) return {0, label->heightForWidth(label->width())};
  return widget.minimumSizeHint();
}

/// Where a widget is seen, in its window.
inline QRect shownRect(const QWidget& widget, const QWidget& window) {
  return widget.visibleRegion().boundingRect().translated(widget.mapTo(&window, QPoint()));
}

/// Visible texts and controls that are smaller than what they show, or that cover each other.
inline QStringList faultsOf(const QWidget& window) {
  QStringList faults;
  QList<const QWidget*> seen;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || textOf(*widget).isEmpty()) continue;
    if (widget->visibleRegion().isEmpty()) continue;
    const QString name =
        QString("%1 \"%2\"").arg(widget->metaObject()->className(), textOf(*widget).left(60));
    const QSize wanted = wantedBy(*widget);
    if (widget->width() < wanted.width() || widget->height() < wanted.height())
      faults << QString("%1 is %2×%3, wants %4×%5")
                    .arg(name)
                    .arg(widget->width())
                    .arg(widget->height())
                    .arg(wanted.width())
                    .arg(wanted.height());
    const QRect here = shownRect(*widget, window);
    for (const QWidget* other : seen) {
      const bool within = other->isAncestorOf(widget) || widget->isAncestorOf(other);
      if (!within && shownRect(*other, window).intersects(here))
        faults << name + " covers " + textOf(*other).left(60);
    }
    seen.append(widget);
  }
  return faults;
}

}  // namespace parapet::ui
