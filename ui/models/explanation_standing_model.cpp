// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/explanation_standing_model.h"

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using retrieval::ItemRank;

void ExplanationStandingModel::setRows(std::vector<Row> rows, std::int64_t k) {
  beginResetModel();
  rows_ = std::move(rows);
  k_ = k;
  endResetModel();
}

int ExplanationStandingModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ExplanationStandingModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant ExplanationStandingModel::text(const ItemRank& standing, int column) const {
  switch (column) {
    case kRank:
      return tr("%1 of %2")
          .arg(QString::fromStdString(formatCount(standing.rank)),
               QString::fromStdString(formatCount(standing.candidates)));
    case kScore:
      return scoreText(static_cast<double>(standing.score));
    case kKthScore:
      return scoreText(static_cast<double>(standing.kthScore));
    case kGap:
      return (standing.gapToKth > 0.0f ? QStringLiteral("+") : QString()) +
             scoreText(static_cast<double>(standing.gapToKth));
    default:
      if (standing.excluded) return tr("excluded: already seen (rank if it were not)");
      return standing.rank <= k_ ? tr("in the list") : tr("outside the list");
  }
}

QVariant ExplanationStandingModel::value(const ItemRank& standing, int column) const {
  switch (column) {
    case kRank:
      return static_cast<qlonglong>(standing.rank);
    case kScore:
      return standing.score;
    case kKthScore:
      return standing.kthScore;
    case kGap:
      return standing.gapToKth;
    default:
      return standing.excluded     ? QStringLiteral("excluded")
             : standing.rank <= k_ ? QStringLiteral("inside")
                                   : QStringLiteral("outside");
  }
}

QVariant ExplanationStandingModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::AlignVCenter | (column == kUser || column == kStatus ? Qt::AlignLeft : Qt::AlignRight));
  const bool shown = role == Qt::DisplayRole || role == Qt::ToolTipRole;
  if (!shown && role != Qt::EditRole) return {};
  if (column == kUser) return row.user;
  if (!row.standing.ok())
    return column == kStatus ? shownText(row.standing.error().text()) : QString();
  return shown ? text(*row.standing, column) : value(*row.standing, column);
}

QVariant ExplanationStandingModel::headerData(int section, Qt::Orientation orientation,
                                              int role) const {
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
