// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recommendation_model.h"

#include <fmt/format.h>

#include <QColor>
#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using retrieval::RecommendedItem;

QString scoreText(double score) {
  if (std::isnan(score)) return QStringLiteral("–");
  return QString::fromStdString(fmt::format("{:.4f}", score)).replace('-', QChar(0x2212));
}

QString percentText(double share) {
  if (std::isnan(share)) return QStringLiteral("–");
  return QString::fromStdString(fmt::format("{:.0f} %", share * 100.0));
}

QString titleText(const std::string& title, const std::string& id) {
  if (!title.empty()) return QString::fromStdString(title);
  return QCoreApplication::translate("parapet::ui::RecommendationModel", "Item %1")
      .arg(QString::fromStdString(id));
}

void RecommendationModel::setList(retrieval::Recommendation list, std::vector<Move> moves) {
  if (!moves.empty() && moves.size() != list.items.size())
    throw InvalidArgument("[models.RecommendationModel] one move per item is needed");
  beginResetModel();
  list_ = std::move(list);
  moves_ = std::move(moves);
  endResetModel();
}

bool RecommendationModel::shows(const retrieval::Recommendation& list,
                                const std::vector<Move>& moves) const {
  return list.user == list_.user && list.step == list_.step && list.context == list_.context &&
         list.candidates == list_.candidates && moves == moves_ &&
         std::ranges::equal(
             list.items, list_.items, [](const RecommendedItem& a, const RecommendedItem& b) {
               return a.row == b.row && a.score == b.score && a.heldOutHit == b.heldOutHit &&
                      a.seen == b.seen && a.popularity == b.popularity;
             });
}

int RecommendationModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(list_.items.size());
}

int RecommendationModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QString RecommendationModel::moveText(int row) const {
  if (moves_.empty()) return {};
  const Move& move = moves_[static_cast<std::size_t>(row)];
  switch (move.kind) {
    case MoveKind::kUp:
      return QStringLiteral("▲ %1").arg(move.by);
    case MoveKind::kDown:
      return QStringLiteral("▼ %1").arg(move.by);
    case MoveKind::kIn:
      return tr("new");
    case MoveKind::kOut:
      return tr("out");
    case MoveKind::kSame:
      break;
  }
  return {};
}

QVariant RecommendationModel::text(const RecommendedItem& item, int row, int column) const {
  switch (column) {
    case kRank:
      return QString::number(item.rank);
    case kMove:
      return moveText(row);
    case kTitle:
      return titleText(item.title, item.id);
    case kScore:
      return scoreText(static_cast<double>(item.score));
    case kPopularity:
      return percentText(item.popularityPercentile);
    default:
      return item.heldOutHit ? tr("hit") : item.seen ? tr("seen") : QString();
  }
}

QVariant RecommendationModel::value(const RecommendedItem& item, int row, int column) const {
  switch (column) {
    case kRank:
      return static_cast<qlonglong>(item.rank);
    case kScore:
      return item.score;
    case kPopularity:
      return item.popularityPercentile;
    case kHeldOut:
      return item.heldOutHit;
    default:
      return text(item, row, column);
  }
}

QString RecommendationModel::toolTip(const RecommendedItem& item, int row, int column) const {
  switch (column) {
    case kMove:
      if (moves_.empty()) return {};
      switch (moves_[static_cast<std::size_t>(row)].kind) {
        case MoveKind::kIn:
          return tr("Not in the other list");
        case MoveKind::kOut:
          return tr("Only in the list it is compared with");
        case MoveKind::kSame:
          return tr("The same rank in both lists");
        default:
          return tr("Ranks moved against the other list");
      }
    case kScore:
      return tr("Raw score (dot product): %1")
          .arg(QString::fromStdString(fmt::format("{}", item.score)));
    case kPopularity:
      return tr("%1 training rows; %2 of the candidates have as many or fewer")
          .arg(QString::fromStdString(formatCount(item.popularity)),
               percentText(item.popularityPercentile));
    case kHeldOut:
      if (item.heldOutHit) return tr("Held-out hit: the user has a validation or test row with it");
      return item.seen ? tr("The user has a training row with it") : QString();
    default:
      return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
  }
}

QVariant RecommendationModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const int row = index.row(), column = index.column();
  const RecommendedItem& item = list_.items[static_cast<std::size_t>(row)];
  switch (role) {
    case Qt::DisplayRole:
      return shownText(text(item, row, column).toString());
    case Qt::EditRole:
      return value(item, row, column);
    case Qt::ToolTipRole:
      return toolTip(item, row, column);
    case Qt::AccessibleTextRole:
      return column == kHeldOut && item.heldOutHit ? tr("held-out hit")
                                                   : shownText(text(item, row, column).toString());
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(
          Qt::AlignVCenter |
          (column == kRank || column == kScore ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::BackgroundRole:
      if (!moves_.empty()) {
        // Translucent, so that it reads on light and dark grounds.
        const MoveKind kind = moves_[static_cast<std::size_t>(row)].kind;
        if (kind == MoveKind::kUp) return QColor(0, 158, 115, 48);
        if (kind == MoveKind::kDown || kind == MoveKind::kOut) return QColor(230, 120, 0, 48);
        if (kind == MoveKind::kIn) return QColor(0, 114, 210, 52);
      }
      return {};
    case kItemIdRole:
      return QString::fromStdString(item.id);
    case kPercentileRole:
      return column == kPopularity ? QVariant(item.popularityPercentile) : QVariant();
    case kHitRole:
      return column == kHeldOut ? QVariant(item.heldOutHit) : QVariant();
    default:
      return {};
  }
}

QVariant RecommendationModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {
        "rank", "move", "title", "score", "popularity_percentile", "held_out_hit"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::AlignVCenter |
        (section == kRank || section == kScore ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole) {
    const QString tips[] = {tr("Rank in the list, from 1"),
                            tr("Ranks moved against the other list"),
                            tr("Title in the catalogue"),
                            tr("Raw score: dot product of the user's and the item's vectors"),
                            tr("Share of the candidates that are at most as popular in training"),
                            tr("Whether a held-out row of the user has the item")};
    return tips[section];
  }
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {QStringLiteral("#"), tr("Move"),       tr("Recommended"),
                            tr("Score"),         tr("Popularity"), tr("Held out")};
  return titles[section];
}

}  // namespace parapet::ui
