// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/bridge/background.h"
#include "ui/models/app_settings.h"

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

/// Where the window stood and what its pages showed. It is looked at twice a second and written
/// when it differs, so a window that is killed comes back as it was; nothing waits for a close.
class WindowMemory : public QObject {
  Q_OBJECT

 public:
  /// Collects the state that is remembered beside geometry and docks: an object.
  using Collect = std::function<nlohmann::json()>;

  WindowMemory(QMainWindow& window, const std::filesystem::path& folder, Collect collect);

  /// Puts the window back and returns what was collected; an empty object if there was nothing, or
  /// if it made no sense (see warning()).
  nlohmann::json restore();
  /// Watches from now on.
  void begin();
  [[nodiscard]] QString warning() const;

 signals:
  void failed(const QString& reason);

 private:
  [[nodiscard]] nlohmann::json current() const;
  void look();

  QMainWindow& window_;
  SettingsFile file_;
  Collect collect_;
  QTimer timer_;
  nlohmann::json written_;
  bool complained_ = false;
  Background writer_;
};

}  // namespace parapet::ui
