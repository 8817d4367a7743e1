// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/history_model.h"

#include <fmt/format.h>

#include <QDateTime>

#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

QString partText(experiment::SplitPart part) {
  switch (part) {
    case experiment::SplitPart::kTrain:
      return HistoryModel::tr("train");
    case experiment::SplitPart::kValidation:
      return HistoryModel::tr("validation");
    case experiment::SplitPart::kTest:
      return HistoryModel::tr("test");
    case experiment::SplitPart::kUnused:
      break;
  }
  return HistoryModel::tr("unused");
}

}  // namespace

void HistoryModel::setHistory(std::vector<retrieval::HistoryItem> history) {
  beginResetModel();
  history_ = std::move(history);
  endResetModel();
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(history_.size());
}

int HistoryModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant HistoryModel::text(const retrieval::HistoryItem& item, int column, int role) {
  switch (column) {
    case kTitle:
      return titleText(item.title, item.id);
    case kLabel:
      if (role == Qt::EditRole) return item.label;
      return QString::fromStdString(fmt::format("{:.3g}", item.label));
    case kPart:
      if (role == Qt::EditRole) return QString::fromLatin1(experiment::splitPartName(item.part));
      return partText(item.part);
    default:
      if (item.time == 0) return QString();
      if (role == Qt::EditRole) return static_cast<qlonglong>(item.time);
      return QDateTime::fromSecsSinceEpoch(item.time, Qt::UTC)
          .toString(QStringLiteral("yyyy-MM-dd"));
  }
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const retrieval::HistoryItem& item = history_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return shownText(text(item, index.column(), role).toString());
    case Qt::EditRole:
      return text(item, index.column(), role);
    case Qt::ToolTipRole:
      if (index.column() == kTime && item.time != 0)
        return QDateTime::fromSecsSinceEpoch(item.time, Qt::UTC).toString(Qt::ISODate);
      return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::AlignVCenter |
                                 (index.column() == kLabel ? Qt::AlignRight : Qt::AlignLeft));
    case kItemIdRole:
      return QString::fromStdString(item.id);
    default:
      return {};
  }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {"title", "label", "part", "time"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (section == kLabel ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole) {
    const QString tips[] = {tr("Items that the user rated, newest first"),
                            tr("Label as the source has it, e.g. stars"),
                            tr("Part of the split that holds the row"), tr("Day (UTC)")};
    return tips[section];
  }
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("History"), tr("Label"), tr("Part"), tr("Date")};
  return titles[section];
}

}  // namespace parapet::ui
