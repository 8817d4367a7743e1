// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// Users that were found, in the order asked.
class UserListModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kId, kAttributes, kActivity, kRecall, kColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setUsers(std::vector<retrieval::UserSummary> users);
  [[nodiscard]] const std::vector<retrieval::UserSummary>& users() const { return users_; }
  /// Raw id of a row; "" outside.
  [[nodiscard]] QString userAt(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  std::vector<retrieval::UserSummary> users_;
};

}  // namespace parapet::ui
