// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QTimer>
#include <functional>

#include "ui/bridge/background.h"
#include "ui/models/settings_file.h"

namespace parapet::ui {

/// Where the window stood and what its pages showed. It is looked at twice a second and written
/// when it differs, so a window that is killed comes back as it was; nothing waits for a close.
class WindowMemory : public QObject {
  Q_OBJECT

 public:
  /// What is remembered beside geometry and docks: an object.
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
