// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/rank_panel.h"

#include <QHeaderView>
#include <QLineEdit>
#include <algorithm>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/pages/browse/item_table.h"
#include "ui/style/layouts.h"

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

RankPanel::RankPanel(BrowseSession& session, QWidget* parent) : QWidget(parent), session_(session) {
  found_ = new SimilarItemsModel(this);
  ranks_ = new ItemRanksModel(this);
  text_ = new QLineEdit(this);
  text_->setPlaceholderText(tr("Find an item: title or id"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Find an item"));
  text_->setToolTip(tr("Part of a title or an id; Enter shows the rank of the first match"));
  caption_ = new ElidedLabel(this);
  foundTable_ = new ItemTable(found_, tr("Items found"), this);
  foundTable_->setColumns(SimilarItemsModel::kTitle, {{SimilarItemsModel::kRank, 2}});
  foundTable_->setColumnHidden(SimilarItemsModel::kCosine, true);
  auto* table = rankTable_ = new ItemTable(ranks_, tr("Rank of the item"), this);
  using Column = ItemRanksModel;
  table->setColumns(Column::kStatus, {{Column::kUser, 6},
                                      {Column::kContext, 24},
                                      {Column::kModel, 16},
                                      {Column::kRank, 12},
                                      {Column::kScore, 7},
                                      {Column::kKthScore, 12},
                                      {Column::kGap, 10}});
  // Until some row says them.
  for (const int column : {Column::kContext, Column::kModel}) table->setColumnHidden(column, true);
  auto* left = verticalBox(nullptr, 4);
  left->addWidget(text_);
  left->addWidget(foundTable_, 1);
  auto* right = verticalBox(nullptr, 4);
  right->addWidget(caption_);
  right->addWidget(table, 1);
  auto* layout = horizontalBox(this, 16, {8, 8, 8, 8});
  layout->addLayout(left, 2);
  layout->addLayout(right, 5);
  constexpr int kTypingMs = 150;
  callAfterPause(typing_, kTypingMs, this, &RankPanel::search);
  connect(text_, &QLineEdit::textEdited, &typing_, qOverload<>(&QTimer::start));
  connect(text_, &QLineEdit::returnPressed, this, [this] {
    if (found_->rowCount() > 0) foundTable_->selectRow(0);
  });
  connect(foundTable_, &ItemTable::rowChosen, this, [this](int row) {
    const QModelIndex index = found_->index(row, SimilarItemsModel::kTitle);
    showItem(index.data(SimilarItemsModel::kItemIdRole).toString(), index.data().toString());
  });
  clear();
}

void RankPanel::clear() {
  item_.clear();
  ranks_->setRows({}, session_.k());
  caption_->setText(tr("Search an item, or select one of a list, to see its rank in every column"));
}

void RankPanel::focusSearch() {
  text_->setFocus();
  text_->selectAll();
}

void RankPanel::search() {
  const QString text = text_->text().trimmed();
  if (text.isEmpty()) return found_->setItems({});
  session_.findItems(text, [this, text](Result<BrowseSession::ItemList> items) {
    found_->setItems(items.ok() ? std::move(*items) : BrowseSession::ItemList());
    if (found_->rowCount() == 0)
      caption_->setText(tr("No item has “%1” in title or id").arg(shownText(text)));
  });
}

void RankPanel::showItem(const QString& item, const QString& title) {
  item_ = item;
  title_ = title;
  refresh();
}

void RankPanel::refresh() {
  if (item_.isEmpty()) return;
  session_.itemRanks(item_, [this, k = session_.k(),
                             seen = session_.seen()](Result<BrowseSession::ItemRanks> rows) {
    if (!rows.ok()) {
      ranks_->setRows({}, k);
      caption_->setText(shownText(rows.error().text()));
      return;
    }
    // Statements that hold for all lists are made over the lists.
    const auto some = [&](const auto& says) { return std::ranges::any_of(*rows, says); };
    rankTable_->setColumnHidden(ItemRanksModel::kContext, !some([](const ItemRanksModel::Row& row) {
                                  return !row.context.isEmpty();
                                }));
    rankTable_->setColumnHidden(ItemRanksModel::kModel, !some([&](const ItemRanksModel::Row& row) {
                                  return row.run != rows->front().run ||
                                         row.step != rows->front().step;
                                }));
    ranks_->setRows(std::move(*rows), k);
    caption_->setText(tr("“%1” · %2").arg(shownText(title_), seenText(seen)));
  });
}

}  // namespace parapet::ui
