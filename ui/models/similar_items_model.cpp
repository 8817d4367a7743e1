// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/similar_items_model.h"

#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

void SimilarItemsModel::setItems(std::vector<retrieval::SimilarItem> items) {
  beginResetModel();
  items_ = std::move(items);
  endResetModel();
}

int SimilarItemsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(items_.size());
}

int SimilarItemsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

QVariant SimilarItemsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const retrieval::SimilarItem& item = items_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (index.column() == kTitle ? Qt::AlignLeft : Qt::AlignRight));
  if (role == kItemIdRole) return QString::fromStdString(item.id);
  if (role == Qt::ToolTipRole)
    return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
    case kRank:
      return index.row() + 1;
    case kTitle:
      return role == Qt::EditRole ? titleText(item.title, item.id)
                                  : shownText(titleText(item.title, item.id));
    default:
      if (role == Qt::EditRole) return item.cosine;
      return scoreText(item.cosine);
  }
}

QVariant SimilarItemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole) {
    constexpr const char* kKeys[] = {"rank", "title", "cosine"};
    return QString::fromLatin1(kKeys[section]);
  }
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (section == kTitle ? Qt::AlignLeft : Qt::AlignRight));
  if (role == Qt::ToolTipRole && section == kCosine)
    return tr("Cosine of the two item vectors in the model's own space, in −1 … 1");
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {QStringLiteral("#"), tr("Item"), tr("Cosine")};
  return titles[section];
}

}  // namespace parapet::ui
