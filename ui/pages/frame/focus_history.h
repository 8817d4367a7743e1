// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>
#include <vector>

namespace parapet::ui {

/// Remembers which widget of each page had the focus last, and gives it back when the page is shown
/// again: who comes back goes on where the keys were.
class FocusHistory : public QObject {
  Q_OBJECT

 public:
  explicit FocusHistory(QObject* parent = nullptr);

  void watch(QWidget* page);
  /// The widget of a page that had the focus last; null if none had, or it is gone. To be asked
  /// before the page is shown, which moves the focus.
  [[nodiscard]] QWidget* lastOf(const QWidget* page) const;
  /// Gives the focus to a widget of the page, or to the page itself where that is none, hidden or
  /// disabled.
  static void give(QWidget* page, QWidget* last);

 private:
  struct Watched {
    QPointer<QWidget> page, last;
  };
  void follow(QWidget* now);

  std::vector<Watched> pages_;
};

}  // namespace parapet::ui
