// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QSortFilterProxyModel>
#include <QString>
#include <QVector>
#include <mutex>

#include "engine/base/log.h"
#include "ui/models/rows_model.h"

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

/// The newest messages of this session, oldest first.
class LogModel : public RowsModel<LogEntry> {
  Q_OBJECT

 public:
  enum Column { kTime, kLevel, kMessage, kColumnCount };
  enum Role { kLevelRole = Qt::UserRole };
  /// More would only cost memory; the file of a run keeps its own events.
  static constexpr int kMaxRows = 5000;

  explicit LogModel(QObject* parent = nullptr);
  void append(const QVector<LogEntry>& entries);
  void clear() { replaceRows({}); }
  [[nodiscard]] const LogEntry& entry(int row) const { return recordAt(row); }

 protected:
  [[nodiscard]] QVariant more(const LogEntry& entry, int column, int role) const override;
};

/// Messages of at least a level that contain a text.
class LogFilterModel : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setMinLevel(LogLevel level);
  void setText(const QString& text);
  /// Rows as lines "time  level  message".
  [[nodiscard]] QString asText() const;

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  LogLevel minLevel_ = LogLevel::kInfo;
  QString text_;
};

/// "info", "warning", "error"
QString logLevelName(LogLevel level);

}  // namespace parapet::ui
