// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/similar_items_model.h"

#include "ui/models/recommendation_model.h"

namespace parapet::ui {

using retrieval::SimilarItem;

SimilarItemsModel::SimilarItemsModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = QStringLiteral("#"),
       .fileKey = "rank",
       .alignment = Qt::AlignRight,
       .text = [](const SimilarItem&, int row) { return QString::number(row + 1); },
       .value = [](const SimilarItem&, int row) { return QVariant(row + 1); }},
      {.title = tr("Item"),
       .fileKey = "title",
       .text = [](const SimilarItem& of, int) { return titleText(of.title, of.id); }},
      {.title = tr("Cosine"),
       .fileKey = "cosine",
       .tip = tr("Cosine of the two item vectors in the model's own space, in −1 … 1"),
       .alignment = Qt::AlignRight,
       .text = [](const SimilarItem& of, int) { return scoreText(of.cosine); },
       .value = [](const SimilarItem& of, int) { return QVariant(of.cosine); }},
  });
}

QVariant SimilarItemsModel::more(const SimilarItem& item, int, int role) const {
  if (role == kItemIdRole) return QString::fromStdString(item.id);
  if (role == Qt::ToolTipRole)
    return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
  return {};
}

}  // namespace parapet::ui
