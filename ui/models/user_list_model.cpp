// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/user_list_model.h"

#include <cmath>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

void UserListModel::setUsers(std::vector<retrieval::UserSummary> users) {
  beginResetModel();
  users_ = std::move(users);
  endResetModel();
}

QString UserListModel::userAt(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  return QString::fromStdString(users_[static_cast<std::size_t>(row)].id);
}

int UserListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(users_.size());
}

int UserListModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant UserListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const retrieval::UserSummary& user = users_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (index.column() >= kActivity ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole)
    return tr("User %1 · %2 · %3 training rows · recall@10 %4")
        .arg(shownText(user.id), shownText(user.attributes),
             QString::fromStdString(formatCount(user.trainRows)), percentText(user.recall));
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
    case kId:
      return role == Qt::EditRole ? QString::fromStdString(user.id) : shownText(user.id);
    case kAttributes:
      return role == Qt::EditRole ? QString::fromStdString(user.attributes)
                                  : shownText(user.attributes);
    case kActivity:
      if (role == Qt::EditRole) return static_cast<qlonglong>(user.trainRows);
      return QString::fromStdString(formatCount(user.trainRows));
    default:
      if (role == Qt::EditRole) return user.recall;
      return percentText(user.recall);
  }
}

QVariant UserListModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {"user", "attributes", "training_rows", "recall@10"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (section >= kActivity ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole) {
    const QString tips[] = {
        tr("Raw id in the data"), tr("What the catalogue of users says"),
        tr("Activity: training rows of the user"),
        tr("recall@10 on held-out rows, training items left out; – if nothing is held out")};
    return tips[section];
  }
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("User"), tr("About"), tr("Rows"), tr("Recall")};
  return titles[section];
}

}  // namespace parapet::ui
