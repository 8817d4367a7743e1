// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/watched_users_model.h"

#include <fmt/format.h>

#include <QColor>
#include <QFont>
#include <algorithm>

#include "engine/base/quoting.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

/// Translucent, so that it reads on light and on dark.
QColor tintOf(MoveKind kind) {
  switch (kind) {
    case MoveKind::kUp:
      return {0, 158, 115, 60};
    case MoveKind::kDown:
      return {213, 94, 0, 60};
    case MoveKind::kIn:
      return {0, 114, 178, 60};
    default:
      return {};
  }
}

QString moveText(const Move& move) {
  switch (move.kind) {
    case MoveKind::kUp:
      return QStringLiteral("▲ %1").arg(move.by);
    case MoveKind::kDown:
      return QStringLiteral("▼ %1").arg(move.by);
    case MoveKind::kIn:
      return WatchedUsersModel::tr("new");
    default:
      return {};
  }
}

QString moveSentence(const Move& move) {
  switch (move.kind) {
    case MoveKind::kUp:
      return WatchedUsersModel::tr("Up by %1 since the previous list").arg(move.by);
    case MoveKind::kDown:
      return WatchedUsersModel::tr("Down by %1 since the previous list").arg(move.by);
    case MoveKind::kIn:
      return WatchedUsersModel::tr("Not in the previous list");
    default:
      return {};
  }
}

/// A line on who the user is, if the data tell.
QString about(const std::string& userTitle) {
  return userTitle.empty() ? QString() : QString::fromStdString(userTitle) + QLatin1Char('\n');
}

}  // namespace

QModelIndex WatchedUsersModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (!parent.isValid()) return createIndex(row, column, nullptr);
  return createIndex(row, column, watched_[static_cast<std::size_t>(parent.row())].get());
}

QModelIndex WatchedUsersModel::parent(const QModelIndex& child) const {
  const void* owner = child.internalPointer();
  if (!child.isValid() || !owner) return {};
  const auto found =
      std::ranges::find_if(watched_, [&](const auto& watched) { return watched.get() == owner; });
  if (found == watched_.end()) return {};
  return createIndex(static_cast<int>(found - watched_.begin()), 0, nullptr);
}

int WatchedUsersModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(watched_.size());
  if (parent.internalPointer() || parent.column() != 0) return 0;
  return static_cast<int>(watched_[static_cast<std::size_t>(parent.row())]->list.items.size());
}

int WatchedUsersModel::columnCount(const QModelIndex&) const {
  return kColumnCount;
}

QVariant WatchedUsersModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole && index.column() != kTitle)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  const auto* owner = static_cast<const Watched*>(index.internalPointer());
  const Watched& watched = owner ? *owner : *watched_[static_cast<std::size_t>(index.row())];
  if (role == kUserRole) return watched.user;
  return owner ? itemData(watched, static_cast<std::size_t>(index.row()), index.column(), role)
               : userData(watched, index.column(), role);
}

QVariant WatchedUsersModel::userData(const Watched& watched, int column, int role) const {
  if (column != kTitle) return {};
  if (role == Qt::FontRole) {
    QFont font;
    font.setBold(true);
    return font;
  }
  const QString name = tr("User %1").arg(shownText(watched.user));
  if (!watched.problem.isEmpty()) {
    if (role == Qt::DisplayRole) return tr("%1 — %2").arg(name, watched.problem);
    if (role == Qt::ToolTipRole) return watched.problem;
    return {};
  }
  if (watched.list.items.empty())
    return role == Qt::DisplayRole ? QVariant(tr("%1 — waiting for a model").arg(name))
                                   : QVariant();
  const QString step = countText(watched.list.step), from = countText(watched.list.candidates);
  if (role == Qt::DisplayRole) return tr("%1 — step %2 · %3 candidates").arg(name, step, from);
  if (role == Qt::ToolTipRole)
    return shownText(about(watched.list.userTitle)) +
           (seen_ != retrieval::SeenItems::kKeep
                ? tr("Best of %1 items at step %2; items of the training rows are left out")
                      .arg(from, step)
                : tr("Best of %1 items at step %2; items the user has seen stay in")
                      .arg(from, step));
  return {};
}

QVariant WatchedUsersModel::itemData(const Watched& watched, std::size_t at, int column,
                                     int role) const {
  const retrieval::RecommendedItem& item = watched.list.items[at];
  const Move move = at < watched.moves.size() ? watched.moves[at] : Move{};
  switch (role) {
    case Qt::DisplayRole:
      if (column == kMove) return moveText(move);
      if (column == kScore) return scoreText(static_cast<double>(item.score));
      // A figure space is as wide as a digit, so titles stand in line.
      return QStringLiteral("%1  %2")
          .arg(item.rank, 2, 10, QChar(0x2007))
          .arg(shownText(titleText(item.title, item.id)));
    case Qt::ToolTipRole:
      return column == kMove && move.kind != MoveKind::kSame
                 ? moveSentence(move)
                 : shownText(titleText(item.title, item.id));
    case Qt::AccessibleTextRole:
      return tr("Rank %1: %2. %3")
          .arg(item.rank)
          .arg(shownText(titleText(item.title, item.id)), moveSentence(move));
    case Qt::BackgroundRole: {
      const QColor tint = tintOf(move.kind);
      return tint.isValid() && move.kind != MoveKind::kSame ? QVariant(tint) : QVariant();
    }
    case kMoveRole:
      return watched.moves.empty() ? QVariant() : QVariant(static_cast<int>(move.kind));
    default:
      return {};
  }
}

QVariant WatchedUsersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section != kTitle)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kTitle:
      return tr("Item");
    case kMove:
      return tr("Move");
    default:
      return tr("Score");
  }
}

int WatchedUsersModel::rowOf(const QString& user) const {
  const auto found =
      std::ranges::find_if(watched_, [&](const auto& watched) { return watched->user == user; });
  return found == watched_.end() ? -1 : static_cast<int>(found - watched_.begin());
}

bool WatchedUsersModel::addUser(const QString& user) {
  if (user.isEmpty() || rowOf(user) >= 0) return false;
  beginInsertRows({}, rowCount(), rowCount());
  watched_.push_back(std::make_unique<Watched>());
  watched_.back()->user = user;
  endInsertRows();
  return true;
}

void WatchedUsersModel::removeUser(const QString& user) {
  const int row = rowOf(user);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  watched_.erase(watched_.begin() + row);
  endRemoveRows();
}

QStringList WatchedUsersModel::users() const {
  QStringList users;
  for (const auto& watched : watched_) users << watched->user;
  return users;
}

void WatchedUsersModel::replaceItems(int row, retrieval::Recommendation list,
                                     std::vector<Move> moves) {
  Watched& watched = *watched_[static_cast<std::size_t>(row)];
  const QModelIndex user = index(row, 0);
  const int before = rowCount(user), after = static_cast<int>(list.items.size());
  if (after < before) {
    beginRemoveRows(user, after, before - 1);
    watched.list.items.resize(static_cast<std::size_t>(after));
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows(user, before, after - 1);
    watched.list.items.resize(static_cast<std::size_t>(after));
    endInsertRows();
  }
  watched.list = std::move(list);
  watched.moves = std::move(moves);
  if (after > 0) emit dataChanged(index(0, 0, user), index(after - 1, kColumnCount - 1, user));
  emit dataChanged(user, index(row, kColumnCount - 1));
}

void WatchedUsersModel::setList(const retrieval::Recommendation& list) {
  const int row = rowOf(QString::fromStdString(list.user));
  if (row < 0) return;
  Watched& watched = *watched_[static_cast<std::size_t>(row)];
  watched.problem.clear();
  std::vector<Move> moves = watched.moves;
  if (!watched.list.items.empty() && watched.list.step != list.step)
    moves = retrieval::movesSince(itemsOf(watched.list.items), itemsOf(list.items));
  replaceItems(row, list, std::move(moves));
}

void WatchedUsersModel::setProblem(const QString& user, const QString& text) {
  const int row = rowOf(user);
  if (row < 0) return;
  watched_[static_cast<std::size_t>(row)]->problem = text;
  replaceItems(row, {}, {});
}

void WatchedUsersModel::clearLists() {
  for (int row = 0; row < rowCount(); ++row) {
    watched_[static_cast<std::size_t>(row)]->problem.clear();
    replaceItems(row, {}, {});
  }
}

void WatchedUsersModel::setSeen(retrieval::SeenItems seen) {
  seen_ = seen;
}

QString WatchedUsersModel::csv() const {
  QString text = QStringLiteral("user,step,candidates,rank,item,title,score,moved\n");
  for (const auto& watched : watched_)
    for (std::size_t i = 0; i < watched->list.items.size(); ++i) {
      const retrieval::RecommendedItem& item = watched->list.items[i];
      const Move move = i < watched->moves.size() ? watched->moves[i] : Move{};
      const std::int64_t by = move.kind == MoveKind::kDown ? -move.by : move.by;
      const std::string cells = fmt::format(
          "{},{},{},{},{},{},{},{}\n", csvField(watched->list.user), watched->list.step,
          watched->list.candidates, item.rank, csvField(item.id), csvField(item.title), item.score,
          move.kind == MoveKind::kIn ? std::string("new") : fmt::format("{}", by));
      text += QString::fromStdString(cells);
    }
  return text;
}

}  // namespace parapet::ui
