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
  return QObject::tr("Item %1").arg(QString::fromStdString(id));
}

RecommendationModel::RecommendationModel(QObject* parent) : RowsModel(parent) {
  const auto whole = [](const RecommendedItem& item, int) {
    return tr("%1 (id %2)").arg(titleText(item.title, item.id), QString::fromStdString(item.id));
  };
  setColumns({
      {.title = QStringLiteral("#"),
       .fileKey = "rank",
       .tip = tr("Rank in the list, from 1"),
       .alignment = Qt::AlignRight,
       .text = [](const RecommendedItem& item, int) { return QString::number(item.rank); },
       .value = [](const RecommendedItem& item, int) { return static_cast<qlonglong>(item.rank); },
       .toolTip = whole},
      {.title = tr("Move"),
       .fileKey = "move",
       .tip = tr("Ranks moved against the other list"),
       .text = [this](const RecommendedItem&, int row) { return moveText(row); },
       .toolTip = [this](const RecommendedItem&, int row) { return moveTip(row); }},
      {.title = tr("Recommended"),
       .fileKey = "title",
       .tip = tr("Title in the catalogue"),
       .text = [this](const RecommendedItem& item, int) { return shownTitle(item); },
       .value = [](const RecommendedItem& item, int) { return titleText(item.title, item.id); },
       .toolTip = whole},
      {.title = tr("Score"),
       .fileKey = "score",
       .tip = tr("What the model ranks by; the tooltip of a score says what it is"),
       .alignment = Qt::AlignRight,
       .text = [](const RecommendedItem& item,
                  int) { return scoreText(static_cast<double>(item.score)); },
       .value = [](const RecommendedItem& item, int) { return item.score; },
       .toolTip = [this](const RecommendedItem&, int row) { return scoreTip(row); }},
      {.title = tr("Popularity"),
       .fileKey = "popularity_percentile",
       .tip = tr("Share of the candidates that are at most as popular in training"),
       .text = [](const RecommendedItem& item,
                  int) { return percentText(item.popularityPercentile); },
       .value = [](const RecommendedItem& item, int) { return item.popularityPercentile; },
       .toolTip =
           [](const RecommendedItem& item, int) {
             return tr("%1 training rows; %2 of the candidates have as many or fewer", nullptr,
                       static_cast<int>(item.popularity))
                 .arg(QString::fromStdString(formatCount(item.popularity)),
                      percentText(item.popularityPercentile));
           }},
      {.title = tr("Held out"),
       .fileKey = "held_out_hit",
       .tip = tr("Whether a held-out row of the user has the item"),
       .text =
           [](const RecommendedItem& item, int) {
             return item.heldOutHit  ? tr("hit")
                    : item.inHistory ? tr("history")
                    : item.seen      ? tr("seen")
                                     : QString();
           },
       .value = [](const RecommendedItem& item, int) { return item.heldOutHit; },
       .toolTip =
           [](const RecommendedItem& item, int) {
             if (item.heldOutHit)
               return tr("Held-out hit: the user has a validation or test row with it");
             if (item.inHistory) return tr("The model has read it in the history");
             return item.seen ? tr("The user has a training row with it") : QString();
           }},
  });
}

void RecommendationModel::setList(retrieval::Recommendation list, std::vector<Move> moves) {
  if (!moves.empty() && moves.size() != list.items.size())
    throw InvalidArgument("[models.RecommendationModel] one move per item is needed");
  list_ = std::move(list);
  moves_ = std::move(moves);
  std::set<std::string> titles;
  ambiguous_.clear();
  for (const RecommendedItem& item : list_.items)
    if (!titles.insert(item.title).second) ambiguous_.insert(item.title);
  replaceRows(list_.items);
}

void RecommendationModel::setScoreName(const QString& name) {
  scoreName_ = name;
}

QString RecommendationModel::shownTitle(const RecommendedItem& item) const {
  const QString title = titleText(item.title, item.id);
  if (item.title.empty() || !ambiguous_.contains(item.title)) return title;
  return tr("%1 (id %2)").arg(title, QString::fromStdString(item.id));
}

bool RecommendationModel::shows(const retrieval::Recommendation& list,
                                const std::vector<Move>& moves) const {
  return list.user == list_.user && list.step == list_.step && list.context == list_.context &&
         list.candidates == list_.candidates && moves == moves_ &&
         std::ranges::equal(
             list.items, list_.items, [](const RecommendedItem& a, const RecommendedItem& b) {
               return a.item == b.item && a.score == b.score && a.heldOutHit == b.heldOutHit &&
                      a.inHistory == b.inHistory && a.seen == b.seen &&
                      a.popularity == b.popularity && a.rowShared == b.rowShared;
             });
}

// Items of one score stand beside each other.
bool RecommendationModel::isTied(int row) const {
  const auto score = [this](int at) { return rows()[static_cast<std::size_t>(at)].score; };
  return (row > 0 && score(row - 1) == score(row)) ||
         (row + 1 < rowCount() && score(row + 1) == score(row));
}

QString RecommendationModel::note() const {
  qint64 tied = 0, shared = 0;
  for (int row = 0; row < rowCount(); ++row) {
    tied += isTied(row) ? 1 : 0;
    shared += rows()[static_cast<std::size_t>(row)].rowShared > 0 ? 1 : 0;
  }
  QStringList parts;
  if (tied > 0) parts << tr("equal scores, ordered by a hash of the id: %1").arg(tied);
  if (shared > 0) parts << tr("scores of a shared row: %1").arg(shared);
  return parts.join(QStringLiteral(" · "));
}

QString RecommendationModel::scoreTip(int row) const {
  const RecommendedItem& item = rows()[static_cast<std::size_t>(row)];
  QString tip =
      tr("Score (%1): %2").arg(scoreName_, QString::fromStdString(fmt::format("{}", item.score)));
  if (isTied(row))
    tip += tr("\nAnother item of the list has the same; a hash of the id orders them");
  if (item.rowShared > 0)
    tip += tr("\nIts hashed row is that of %n more items, which the model cannot tell apart",
              nullptr, static_cast<int>(item.rowShared));
  return tip;
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

QString RecommendationModel::moveTip(int row) const {
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
}

// Translucent, so that it reads on light and dark grounds.
QVariant RecommendationModel::background(const RecommendedItem& item) const {
  if (moves_.empty()) return {};
  switch (moves_[static_cast<std::size_t>(&item - rows().data())].kind) {
    case MoveKind::kUp:
      return QColor(0, 158, 115, 48);
    case MoveKind::kDown:
    case MoveKind::kOut:
      return QColor(230, 120, 0, 48);
    case MoveKind::kIn:
      return QColor(0, 114, 210, 52);
    default:
      return {};
  }
}

QVariant RecommendationModel::more(const RecommendedItem& item, int column, int role) const {
  switch (role) {
    case Qt::AccessibleTextRole:
      return column == kHeldOut && item.heldOutHit ? QVariant(tr("held-out hit")) : QVariant();
    case Qt::BackgroundRole:
      return background(item);
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

}  // namespace parapet::ui
