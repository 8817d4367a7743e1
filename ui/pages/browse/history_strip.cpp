// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/history_strip.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/recommendation_model.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kIdRole = Qt::UserRole;
constexpr int kSearchPauseMs = 150, kSearchWidth = 176, kMaxTitle = 28, kChipSpace = 4;

QString shortTitle(const QString& title) {
  return title.size() <= kMaxTitle ? title : title.left(kMaxTitle - 1) + QChar(0x2026);
}

QListWidgetItem* makeChip(const QString& id, const QString& title) {
  auto* chip = new QListWidgetItem(shownText(shortTitle(title)));
  chip->setData(kIdRole, id);
  chip->setToolTip(title == id
                       ? shownText(id)
                       : HistoryStrip::tr("%1 (id %2)").arg(shownText(title), shownText(id)));
  return chip;
}

}  // namespace

HistoryStrip::HistoryStrip(BrowseSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      items_(new QListWidget(this)),
      text_(new QLineEdit(this)),
      completer_(new QCompleter(this)),
      found_(new QStandardItemModel(this)) {
  setObjectName(QStringLiteral("historyStrip"));
  auto* title = new QLabel(tr("History"), this);
  title->setObjectName(QStringLiteral("sectionTitle"));
  title->setToolTip(tr("The items that the list rests on, oldest first"));
  earlier_ = textButton(QStringLiteral("←"), tr("Move the item one earlier (Alt+←)"), this);
  later_ = textButton(QStringLiteral("→"), tr("Move the item one later (Alt+→)"), this);
  remove_ = textButton(tr("Remove"), tr("Take the item out of the history (Del)"), this);
  own_ = textButton(tr("Own"), tr("Back to the history that the user has"), this);
  auto* layout = horizontalBox(this, 8);
  layout->addWidget(titleWithSign(title, QStringLiteral("docs/window.md#browse")));
  layout->addWidget(items_, 1);
  layout->addWidget(text_);
  for (QToolButton* button : {earlier_, later_, remove_, own_}) layout->addWidget(button);
  buildList();
  buildSearch();
  connect(earlier_, &QToolButton::clicked, this, [this] { move(-1); });
  connect(later_, &QToolButton::clicked, this, [this] { move(1); });
  connect(remove_, &QToolButton::clicked, this, &HistoryStrip::removeSelected);
  connect(own_, &QToolButton::clicked, this, [this] { emit changed(std::nullopt); });
  hide();
}

void HistoryStrip::buildList() {
  items_->setAccessibleName(tr("Items of the history, oldest first"));
  items_->setFlow(QListView::LeftToRight);
  items_->setWrapping(false);
  items_->setSpacing(kChipSpace / 2);
  items_->setDragDropMode(QAbstractItemView::InternalMove);
  items_->setSelectionMode(QAbstractItemView::SingleSelection);
  items_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  items_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  items_->setFixedHeight(items_->fontMetrics().height() + 2 * kChipSpace +
                         2 * items_->frameWidth() +
                         items_->horizontalScrollBar()->sizeHint().height() + kChipSpace);
  items_->installEventFilter(this);
  connect(items_, &QListWidget::itemSelectionChanged, this, &HistoryStrip::followSelection);
  // A drag inserts the item before it takes the old one away.
  connect(items_->model(), &QAbstractItemModel::rowsMoved, this, &HistoryStrip::tell,
          Qt::QueuedConnection);
}

void HistoryStrip::buildSearch() {
  text_->setPlaceholderText(tr("Add an item…"));
  text_->setFixedWidth(kSearchWidth);
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Add an item to the history"));
  text_->setToolTip(tr("Part of a title or an id; Enter adds the first match"));
  completer_->setModel(found_);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setWidget(text_);
  callAfterPause(typing_, kSearchPauseMs, this, &HistoryStrip::search);
  // As wide as its titles: under a scroll bar a single row would be hidden.
  completer_->popup()->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(text_, &QLineEdit::textEdited, this, [this] {
    takesFirst_ = false;
    typing_.start();
  });
  connect(text_, &QLineEdit::returnPressed, this, &HistoryStrip::enter);
  connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
          &HistoryStrip::takeFound);
}

void HistoryStrip::search() {
  const QString text = text_->text().trimmed();
  found_->clear();
  if (text.isEmpty()) return completer_->popup()->hide();
  session_.findItems(text, [this, text](const Result<BrowseSession::ItemList>& items) {
    if (!items.ok() || text != text_->text().trimmed()) return;
    for (const retrieval::SimilarItem& item : *items) {
      const QString title = titleText(item.title, item.id);
      auto* row = new QStandardItem(shownText(title));
      row->setData(QString::fromStdString(item.id), kIdRole);
      row->setData(title, kIdRole + 1);
      found_->appendRow(row);
    }
    if (found_->rowCount() == 0) {
      auto* none = new QStandardItem(tr("No item has this in title or id"));
      none->setEnabled(false);
      found_->appendRow(none);
    }
    if (std::exchange(takesFirst_, false)) return takeFirst();
    if (text_->hasFocus()) offer();
  });
}

void HistoryStrip::offer() {
  QAbstractItemView* popup = completer_->popup();
  const int wanted = popup->sizeHintForColumn(0) + 2 * popup->frameWidth() +
                     popup->verticalScrollBar()->sizeHint().width();
  completer_->complete({0, 0, std::max(text_->width(), wanted), text_->height()});
}

// Also before the search has begun, or while it goes on.
void HistoryStrip::enter() {
  if (text_->text().trimmed().isEmpty()) return;
  if (!typing_.isActive() && found_->rowCount() > 0) return takeFirst();
  typing_.stop();
  takesFirst_ = true;
  search();
}

void HistoryStrip::takeFirst() {
  const QModelIndex first = found_->index(0, 0);
  if (!first.data(kIdRole).toString().isEmpty()) return takeFound(first);
  completer_->popup()->hide();
  emit notFound(text_->text().trimmed());
}

void HistoryStrip::takeFound(const QModelIndex& index) {
  // The popup shows rows of its own model, in the same order.
  const QModelIndex row = found_->index(index.row(), 0);
  const QString id = row.data(kIdRole).toString();
  if (id.isEmpty()) return;
  addItem(id, row.data(kIdRole + 1).toString());
  completer_->popup()->hide();
  text_->clear();
  found_->clear();
}

void HistoryStrip::setColumn(const ColumnQuery& query, const ColumnAnswer& answer) {
  const bool reads = answer.model && answer.model->readsHistory();
  setVisible(reads);
  // An answer that is on its way brings what belongs to the question.
  const bool isOfQuery =
      answer.ready && answer.query.user == query.user && answer.query.history == query.history;
  if (!reads || !isOfQuery) return;
  QStringList wanted;
  if (answer.list.history)
    for (const std::string& id : answer.list.history->items) wanted << QString::fromStdString(id);
  for (qsizetype i = 0; i < std::min(wanted.size(), answer.historyTitles.size()); ++i)
    titles_[wanted[i]] = answer.historyTitles[i];
  // Items of a longer history that the model leaves out stay to be edited.
  if (query.history) wanted = *query.history;
  setUsable(*own_, query.history.has_value(), tr("This is the history that the user has"));
  if (wanted != ids()) showItems(wanted);
}

void HistoryStrip::showItems(const QStringList& ids) {
  items_->clear();
  for (const QString& id : ids) items_->addItem(makeChip(id, titles_.value(id, id)));
  items_->doItemsLayout();
  items_->horizontalScrollBar()->setValue(items_->horizontalScrollBar()->maximum());
  followSelection();
}

QStringList HistoryStrip::ids() const {
  QStringList ids;
  for (int row = 0; row < items_->count(); ++row)
    ids << items_->item(row)->data(kIdRole).toString();
  return ids;
}

void HistoryStrip::addItem(const QString& id, const QString& title) {
  titles_[id] = title;
  const int row = items_->selectedItems().isEmpty() ? items_->count() : items_->currentRow() + 1;
  items_->insertItem(row, makeChip(id, title));
  items_->scrollToItem(items_->item(row));
  tell();
}

void HistoryStrip::move(int by) {
  const int from = items_->currentRow(), to = from + by;
  if (items_->selectedItems().isEmpty() || to < 0 || to >= items_->count()) return;
  QListWidgetItem* chip = items_->takeItem(from);
  items_->insertItem(to, chip);
  items_->setCurrentItem(chip);
  items_->scrollToItem(chip);
  tell();
}

void HistoryStrip::removeSelected() {
  if (items_->selectedItems().isEmpty()) return;
  const int row = items_->currentRow();
  delete items_->takeItem(row);
  if (items_->count() > 0) items_->setCurrentRow(std::min(row, items_->count() - 1));
  tell();
}

void HistoryStrip::tell() {
  followSelection();
  emit changed(ids());
}

void HistoryStrip::followSelection() {
  const bool any = !items_->selectedItems().isEmpty();
  const int row = items_->currentRow();
  const QString none = tr("Select an item of the history first");
  setUsable(*earlier_, any && row > 0, any ? tr("This is the oldest item") : none);
  setUsable(*later_, any && row + 1 < items_->count(), any ? tr("This is the newest item") : none);
  setUsable(*remove_, any, none);
}

bool HistoryStrip::eventFilter(QObject* watched, QEvent* event) {
  if (watched != items_ || event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool alt = key->modifiers() == Qt::AltModifier;
  if (key->key() == Qt::Key_Delete || key->key() == Qt::Key_Backspace)
    removeSelected();
  else if (alt && key->key() == Qt::Key_Left)
    move(-1);
  else if (alt && key->key() == Qt::Key_Right)
    move(1);
  else
    return false;
  return true;
}

}  // namespace parapet::ui
