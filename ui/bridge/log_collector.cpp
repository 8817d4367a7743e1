// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/log_collector.h"

#include <fmt/format.h>

#include <QMetaObject>
#include <cstdio>
#include <utility>

namespace parapet::ui {

LogCollector::LogCollector(QObject* parent) : QObject(parent) {
  setLogHandler([this](LogLevel level, std::string_view message) {
    add(level, QString::fromUtf8(message.data(), static_cast<qsizetype>(message.size())));
  });
}

LogCollector::~LogCollector() {
  setLogHandler({});
}

void LogCollector::add(LogLevel level, const QString& message) {
  if (level != LogLevel::kInfo)
    fmt::print(stderr, "{}: {}\n", level == LogLevel::kError ? "error" : "warning",
               message.toStdString());
  bool first = false;
  {
    std::lock_guard lock(mutex_);
    first = waiting_.isEmpty();
    waiting_.append({QDateTime::currentDateTime(), level, message});
  }
  if (first) QMetaObject::invokeMethod(this, &LogCollector::deliver, Qt::QueuedConnection);
}

void LogCollector::deliver() {
  QVector<LogEntry> entries;
  {
    std::lock_guard lock(mutex_);
    entries = std::exchange(waiting_, {});
  }
  if (!entries.isEmpty()) emit arrived(entries);
}

}  // namespace parapet::ui
