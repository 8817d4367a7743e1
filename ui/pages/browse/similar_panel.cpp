// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/similar_panel.h"

#include "ui/bridge/shown_text.h"
#include "ui/forms/elided_label.h"
#include "ui/pages/browse/item_table.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

SimilarPanel::SimilarPanel(BrowseSession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  model_ = new SimilarItemsModel(this);
  caption_ = new ElidedLabel(this);
  auto* table = new ItemTable(model_, tr("Similar items"), this);
  table->setColumns(SimilarItemsModel::kTitle,
                    {{SimilarItemsModel::kRank, 2}, {SimilarItemsModel::kCosine, 8}});
  // Enter walks on: the neighbours of the neighbour.
  connect(table, &ItemTable::opened, this, [this](int row) {
    const QModelIndex index = model_->index(row, SimilarItemsModel::kTitle);
    showItem(column_, index.data(SimilarItemsModel::kItemIdRole).toString(),
             index.data().toString());
  });
  auto* layout = verticalBox(this, 4, {8, 8, 8, 8});
  layout->addWidget(caption_);
  layout->addWidget(table, 1);
  clear();
}

void SimilarPanel::clear() {
  model_->setItems({});
  caption_->setText(tr("Select an item of a list to see what is like it"));
}

void SimilarPanel::showItem(int column, const QString& item, const QString& title) {
  column_ = column;
  constexpr std::int64_t kNeighbours = 20;
  session_.similar(column, item, kNeighbours, [this, title](Result<BrowseSession::ItemList> items) {
    if (!items.ok()) {
      clear();
      caption_->setText(shownText(items.error().text()));
      return;
    }
    model_->setItems(std::move(*items));
    caption_->setText(
        tr("Nearest to “%1”, by cosine in the model's own space").arg(shownText(title)));
  });
}

}  // namespace parapet::ui
