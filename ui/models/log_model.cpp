// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <algorithm>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {

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

void LogModel::append(const QVector<LogEntry>& entries) {
  const QVector<LogEntry> fresh = entries.mid(std::max<qsizetype>(0, entries.size() - kMaxRows));
  if (fresh.isEmpty()) return;
  const qsizetype surplus = entries_.size() + fresh.size() - kMaxRows;
  if (surplus > 0) {
    beginRemoveRows({}, 0, static_cast<int>(surplus) - 1);
    entries_.remove(0, surplus);
    endRemoveRows();
  }
  const int first = static_cast<int>(entries_.size());
  beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
  entries_ += fresh;
  endInsertRows();
}

void LogModel::clear() {
  beginResetModel();
  entries_.clear();
  endResetModel();
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const LogEntry& entry = entries_.at(index.row());
  if (role == kLevelRole) return static_cast<int>(entry.level);
  if (role == Qt::ToolTipRole && index.column() == kMessage) return shownText(entry.message);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case kTime:
      return entry.time.toString(QStringLiteral("HH:mm:ss.zzz"));
    case kLevel:
      return logLevelName(entry.level);
    default:
      return shownText(entry.message);
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kTime:
      return tr("Time");
    case kLevel:
      return tr("Level");
    default:
      return tr("Message");
  }
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
