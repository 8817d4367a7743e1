// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/standing_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/elided_label.h"
#include "ui/pages/browse/item_table.h"

namespace parapet::ui {

StandingPanel::StandingPanel(BrowseSession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  found_ = new SimilarItemsModel(this);
  standings_ = new ExplanationStandingModel(this);
  text_ = new QLineEdit(this);
  text_->setPlaceholderText(tr("Where is… title or id of an item"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Find an item"));
  text_->setToolTip(tr("Part of a title or an id; Enter shows where the first match stands"));
  caption_ = new ElidedLabel(this);
  foundTable_ = new ItemTable(found_, tr("Items found"), this);
  foundTable_->setColumns(SimilarItemsModel::kTitle, {{SimilarItemsModel::kPlace, 2}});
  foundTable_->setColumnHidden(SimilarItemsModel::kCosine, true);
  auto* table = new ItemTable(standings_, tr("Where the item stands"), this);
  using Standing = ExplanationStandingModel;
  table->setColumns(Standing::kStatus, {{Standing::kUser, 6},
                                        {Standing::kRank, 12},
                                        {Standing::kScore, 7},
                                        {Standing::kKthScore, 12},
                                        {Standing::kGap, 10}});
  auto* left = new QVBoxLayout;
  left->setSpacing(4);
  left->addWidget(text_);
  left->addWidget(foundTable_, 1);
  auto* right = new QVBoxLayout;
  right->setSpacing(4);
  right->addWidget(caption_);
  right->addWidget(table, 1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(16);
  layout->addLayout(left, 2);
  layout->addLayout(right, 5);
  constexpr int kTypingMs = 150;
  typing_.setSingleShot(true);
  typing_.setInterval(kTypingMs);
  connect(&typing_, &QTimer::timeout, this, &StandingPanel::search);
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

void StandingPanel::clear() {
  item_.clear();
  standings_->setRows({}, session_.k());
  caption_->setText(tr("Search an item, or select one of a list, to see its rank for every user"));
}

void StandingPanel::focusSearch() {
  text_->setFocus();
  text_->selectAll();
}

void StandingPanel::search() {
  const QString text = text_->text().trimmed();
  if (text.isEmpty()) return found_->setItems({});
  session_.findItems(text, [this, text](Result<BrowseSession::ItemList> items) {
    found_->setItems(items.ok() ? std::move(*items) : BrowseSession::ItemList());
    if (found_->rowCount() == 0)
      caption_->setText(tr("No item has “%1” in title or id").arg(shownText(text)));
  });
}

void StandingPanel::showItem(const QString& item, const QString& title) {
  item_ = item;
  title_ = title;
  refresh();
}

void StandingPanel::refresh() {
  if (item_.isEmpty()) return;
  session_.standings(item_, [this, k = session_.k(),
                             seen = session_.seen()](Result<BrowseSession::Standings> rows) {
    if (!rows.ok()) {
      standings_->setRows({}, k);
      caption_->setText(shownText(rows.error().text()));
      return;
    }
    standings_->setRows(std::move(*rows), k);
    caption_->setText(tr("“%1” · %2").arg(shownText(title_), seenText(seen)));
  });
}

}  // namespace parapet::ui
