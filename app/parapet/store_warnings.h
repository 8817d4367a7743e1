// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <mutex>
#include <string>

namespace parapet::window {

/// Warnings of the workspace, from whatever thread, for the window. Those that come before it listens
/// are kept.
class StoreWarnings : public QObject {
  Q_OBJECT

 public:
  /// Any thread.
  void add(const std::string& message);
  /// From now on a warning is told when it comes; those before are told now.
  void deliver();

 signals:
  void arrived(const QString& message);

 private:
  std::mutex mutex_;
  QStringList early_;
  bool delivering_ = false;
};

}  // namespace parapet::window
