// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The events of one user, newest first where times are known, and which part of the split each row
/// fell into.
class HistoryModel : public RowsModel<retrieval::HistoryItem> {
  Q_OBJECT

 public:
  enum Column { kTitle, kLabel, kPart, kTime, kColumnCount };
  enum Role { kItemIdRole = Qt::UserRole + 1 };
  explicit HistoryModel(QObject* parent = nullptr);

  void setHistory(std::vector<retrieval::HistoryItem> history) { replaceRows(std::move(history)); }
  /// Whether a time of it is known.
  [[nodiscard]] bool hasTimes() const {
    return std::ranges::any_of(rows(), [](const auto& item) { return item.time != 0; });
  }

 protected:
  [[nodiscard]] QVariant more(const retrieval::HistoryItem& item, int column,
                              int role) const override;
};

/// "training items left out": how the recall of users is measured.
QString recallRuleText(const retrieval::RecallRule& rule);
/// "recall@10 40 % (training items left out)"; of NaN the reason why it is none.
QString recallText(double recall, const QString& rule);

/// Users that were found, in the order asked.
class UserListModel : public RowsModel<retrieval::UserSummary> {
  Q_OBJECT

 public:
  enum Column { kId, kAttributes, kActivity, kRecall, kSensitivity, kColumnCount };
  explicit UserListModel(QObject* parent = nullptr);

  /// Sets the rule that the header tells of the recall.
  void setRecallRule(const retrieval::RecallRule& rule);

  void setUsers(std::vector<retrieval::UserSummary> users) { replaceRows(std::move(users)); }
  [[nodiscard]] const std::vector<retrieval::UserSummary>& users() const { return rows(); }
  /// Raw id of a row; "" outside.
  [[nodiscard]] QString userAt(int row) const;

 protected:
  [[nodiscard]] QVariant more(const retrieval::UserSummary& user, int column,
                              int role) const override;

 private:
  QString rule_;
};

}  // namespace parapet::ui
