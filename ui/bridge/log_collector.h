// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QVector>
#include <mutex>

#include "engine/base/log.h"

namespace parapet::ui {

struct LogEntry {
  QDateTime time;
  LogLevel level = LogLevel::kInfo;
  QString message;
};

/// Carries the process's messages to the GUI thread, many in one signal. While it lives it is the
/// process's log handler; warnings and errors also go to stderr, for who started the window there.
///
/// Thread   add(): any. One at a time in a process.
class LogCollector : public QObject {
  Q_OBJECT

 public:
  explicit LogCollector(QObject* parent = nullptr);
  ~LogCollector() override;
  void add(LogLevel level, const QString& message);

 signals:
  void arrived(const QVector<parapet::ui::LogEntry>& entries);

 private:
  void deliver();

  std::mutex mutex_;
  QVector<LogEntry> waiting_;
};

}  // namespace parapet::ui
