// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <memory>
#include <vector>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

using retrieval::Move;
using retrieval::MoveKind;

/// A few users and the lists recommended to them while a run trains. A user is a row; the items of
/// the list are its children, each with the move since the list of an earlier step.
class WatchedUsersModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kTitle, kMove, kScore, kColumnCount };
  enum Role {
    kUserRole = Qt::UserRole + 1,  ///< id of the user of the row, text
    kMoveRole,                     ///< MoveKind as int; items with a move only
  };
  using QAbstractItemModel::QAbstractItemModel;

  [[nodiscard]] QModelIndex index(int row, int column,
                                  const QModelIndex& parent = {}) const override;
  [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

  /// False if the user is there already.
  bool addUser(const QString& user);
  void removeUser(const QString& user);
  [[nodiscard]] QStringList users() const;
  /// The list of a watched user; others are ignored. Moves are against the list shown so far if
  /// that is of another step.
  void setList(const retrieval::Recommendation& list);
  /// Why a user has no list.
  void setProblem(const QString& user, const QString& text);
  /// Keeps the users, forgets their lists: another run.
  void clearLists();
  /// Sets the items that the lists leave out because the user has seen them; shown beside the
  /// number of candidates.
  void setSeen(retrieval::SeenItems seen);
  /// Every list as CSV: user, step, candidates, rank, item, title, score, moved.
  [[nodiscard]] QString csv() const;

 private:
  struct Watched {
    QString user;
    retrieval::Recommendation list;
    std::vector<Move> moves;  ///< empty: nothing to compare with
    QString problem;
  };
  [[nodiscard]] int rowOf(const QString& user) const;
  [[nodiscard]] QVariant userData(const Watched& watched, int column, int role) const;
  [[nodiscard]] QVariant itemData(const Watched& watched, std::size_t item, int column,
                                  int role) const;
  void replaceItems(int row, retrieval::Recommendation list, std::vector<Move> moves);

  // Behind pointers: an item index carries the address of its user.
  std::vector<std::unique_ptr<Watched>> watched_;
  retrieval::SeenItems seen_ = retrieval::SeenItems::kKeep;
};

}  // namespace parapet::ui
