// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <fmt/format.h>

#include <QMetaObject>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "ui/bridge/shown_text.h"

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

QString logLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kWarning:
      return LogModel::tr("warning");
    case LogLevel::kError:
      return LogModel::tr("error");
    case LogLevel::kInfo:
      break;
  }
  return LogModel::tr("info");
}

LogModel::LogModel(QObject* parent) : RowsModel(parent) {
  const auto message = [](const LogEntry& of, int) { return of.message; };
  setColumns({
      {.title = tr("Time"),
       .text = [](const LogEntry& of,
                  int) { return of.time.toString(QStringLiteral("HH:mm:ss.zzz")); }},
      {.title = tr("Level"),
       .text = [](const LogEntry& of, int) { return logLevelName(of.level); }},
      {.title = tr("Message"), .text = message, .toolTip = message},
  });
}

void LogModel::append(const QVector<LogEntry>& entries) {
  const QVector<LogEntry> fresh = entries.mid(std::max<qsizetype>(0, entries.size() - kMaxRows));
  removeRowsAt(0, rowCount() + static_cast<int>(fresh.size()) - kMaxRows);
  insertRowsAt(rowCount(), {fresh.begin(), fresh.end()});
}

QVariant LogModel::more(const LogEntry& entry, int /*column*/, int role) const {
  return role == kLevelRole ? QVariant(static_cast<int>(entry.level)) : QVariant();
}

void LogFilterModel::setMinLevel(LogLevel level) {
  minLevel_ = level;
  invalidateFilter();
}

void LogFilterModel::setText(const QString& text) {
  text_ = text;
  invalidateFilter();
}

bool LogFilterModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, LogModel::kMessage, parent);
  if (index.data(LogModel::kLevelRole).toInt() < static_cast<int>(minLevel_)) return false;
  return text_.isEmpty() || index.data().toString().contains(text_, Qt::CaseInsensitive);
}

QString LogFilterModel::asText() const {
  QStringList lines;
  for (int row = 0; row < rowCount(); ++row) {
    QStringList cells;
    for (int column = 0; column < columnCount(); ++column)
      cells.append(index(row, column).data().toString());
    lines.append(cells.join(QStringLiteral("  ")));
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace parapet::ui
