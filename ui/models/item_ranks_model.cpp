// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/item_ranks_model.h"

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using retrieval::ItemRank;

void ItemRanksModel::setRows(std::vector<Row> rows, std::int64_t k) {
  beginResetModel();
  rows_ = std::move(rows);
  k_ = k;
  endResetModel();
}

int ItemRanksModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ItemRanksModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant ItemRanksModel::text(const ItemRank& rank, int column) const {
  switch (column) {
    case kRank:
      return tr("%1 of %2")
          .arg(QString::fromStdString(formatCount(rank.rank)),
               QString::fromStdString(formatCount(rank.candidates)));
    case kScore:
      return scoreText(static_cast<double>(rank.score));
    case kKthScore:
      return scoreText(static_cast<double>(rank.kthScore));
    case kGap:
      return (rank.gapToKth > 0.0f ? QStringLiteral("+") : QString()) +
             scoreText(static_cast<double>(rank.gapToKth));
    default:
      if (rank.excluded) return tr("excluded: already seen (rank without the exclusion)");
      return rank.rank <= k_ ? tr("in the list") : tr("outside the list");
  }
}

QVariant ItemRanksModel::value(const ItemRank& rank, int column) const {
  switch (column) {
    case kRank:
      return static_cast<qlonglong>(rank.rank);
    case kScore:
      return rank.score;
    case kKthScore:
      return rank.kthScore;
    case kGap:
      return rank.gapToKth;
    default:
      return rank.excluded     ? QStringLiteral("excluded")
             : rank.rank <= k_ ? QStringLiteral("inside")
                               : QStringLiteral("outside");
  }
}

QVariant ItemRanksModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::AlignVCenter | (column == kUser || column == kStatus ? Qt::AlignLeft : Qt::AlignRight));
  const bool shown = role == Qt::DisplayRole || role == Qt::ToolTipRole;
  if (!shown && role != Qt::EditRole) return {};
  if (column == kUser) return row.user;
  if (!row.rank.ok()) return column == kStatus ? shownText(row.rank.error().text()) : QString();
  return shown ? text(*row.rank, column) : value(*row.rank, column);
}

QVariant ItemRanksModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {"user", "rank", "score", "kth_score", "gap_to_kth", "status"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::AlignVCenter |
        (section == kUser || section == kStatus ? Qt::AlignLeft : Qt::AlignRight));
  if (role == Qt::ToolTipRole && section == kGap)
    return tr("Score minus the score of the last item of the list; negative when outside");
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {
      tr("User"),  tr("Rank"), tr("Score"), tr("Score of #%1").arg(k_), tr("Gap to #%1").arg(k_),
      tr("Status")};
  return titles[section];
}

}  // namespace parapet::ui
