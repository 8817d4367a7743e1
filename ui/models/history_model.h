// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// What one user did, newest first, and which part of the split each row fell into.
class HistoryModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kTitle, kLabel, kPart, kTime, kColumnCount };
  enum Role { kItemIdRole = Qt::UserRole + 1 };
  using QAbstractTableModel::QAbstractTableModel;

  void setHistory(std::vector<retrieval::HistoryItem> history);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] static QVariant text(const retrieval::HistoryItem& item, int column, int role);

  std::vector<retrieval::HistoryItem> history_;
};

}  // namespace parapet::ui
