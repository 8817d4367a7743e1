// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// "training items left out": how the recall of users is measured.
QString recallRuleText(const retrieval::RecallRule& rule);

/// Users that were found, in the order asked.
class UserListModel : public RowsModel<retrieval::UserSummary> {
  Q_OBJECT

 public:
  enum Column { kId, kAttributes, kActivity, kRecall, kSensitivity, kColumnCount };
  explicit UserListModel(QObject* parent = nullptr);

  /// What the header says of the recall.
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
