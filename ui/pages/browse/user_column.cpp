// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/user_column.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/elided_label.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/message_panel.h"

namespace parapet::ui {
namespace {

// Below this, lists side by side would cut their titles to nothing.
constexpr int kSideBySideWidth = 640;

void setListColumns(ItemTable& table, bool moves) {
  table.setColumns(RecommendationModel::kTitle, {{RecommendationModel::kRank, 2},
                                                 {RecommendationModel::kMove, 4},
                                                 {RecommendationModel::kScore, 6},
                                                 {RecommendationModel::kPopularity, 10},
                                                 {RecommendationModel::kHeldOut, 6}});
  table.setColumnHidden(RecommendationModel::kMove, !moves);
}

}  // namespace

UserColumn::UserColumn(QWidget* parent) : QFrame(parent) {
  list_ = new RecommendationModel(this);
  compared_ = new RecommendationModel(this);
  history_ = new HistoryModel(this);
  setFrameShape(QFrame::StyledPanel);
  setMinimumWidth(400);
  lists_ = new QSplitter(Qt::Horizontal, this);
  lists_->setChildrenCollapsible(false);
  shownSection_ = buildSection(list_, tr("Recommendations"), RecommendationModel::kItemIdRole,
                               RecommendationModel::kTitle);
  comparedSection_ = buildSection(compared_, tr("Recommendations of the second model"),
                                  RecommendationModel::kItemIdRole, RecommendationModel::kTitle);
  historySection_ =
      buildSection(history_, tr("History"), HistoryModel::kItemIdRole, HistoryModel::kTitle);
  historySection_.table->setColumns(
      HistoryModel::kTitle,
      {{HistoryModel::kLabel, 4}, {HistoryModel::kPart, 9}, {HistoryModel::kTime, 10}});
  error_ = new MessagePanel(this);
  error_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(4);
  layout->addWidget(buildHeader());
  layout->addWidget(lists_, 1);
  layout->addWidget(error_, 1);
  comparedSection_.box->hide();
}

QWidget* UserColumn::buildHeader() {
  auto* box = new QWidget(this);
  name_ = new QLabel(box);
  name_->setTextFormat(Qt::PlainText);
  QFont font = name_->font();
  font.setBold(true);
  font.setPointSizeF(font.pointSizeF() * 1.15);
  name_->setFont(font);
  about_ = new ElidedLabel(box);
  changes_ = new ElidedLabel(box);
  changes_->hide();
  remove_ = new QToolButton(box);
  remove_->setText(QStringLiteral("✕"));
  remove_->setAutoRaise(true);
  remove_->setAccessibleName(tr("Remove this user"));
  remove_->setToolTip(tr("Removes this user from the page"));
  connect(remove_, &QToolButton::clicked, this, &UserColumn::removeRequested);
  auto* line = new QHBoxLayout;
  line->setSpacing(12);
  line->addWidget(name_);
  line->addWidget(about_, 1);
  line->addWidget(remove_);
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(line);
  layout->addWidget(changes_);
  return box;
}

UserColumn::Section UserColumn::buildSection(QAbstractItemModel* model, const QString& name,
                                             int idRole, int titleColumn) {
  Section section;
  section.box = new QWidget(lists_);
  section.caption = new ElidedLabel(section.box);
  section.table = new ItemTable(model, name, section.box);
  auto* layout = new QVBoxLayout(section.box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(section.caption);
  layout->addWidget(section.table, 1);
  lists_->addWidget(section.box);
  const auto tell = [model, idRole, titleColumn](int row) {
    const QModelIndex index = model->index(row, titleColumn);
    return std::pair(index.data(idRole).toString(), index.data().toString());
  };
  connect(section.table, &ItemTable::rowChosen, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit entered();
    emit itemChosen(item, title);
  });
  connect(section.table, &ItemTable::opened, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit itemOpened(item, title);
  });
  connect(section.table, &QTableView::clicked, this, &UserColumn::entered);
  connect(section.table, &ItemTable::sideways, this, &UserColumn::sideways);
  return section;
}

void UserColumn::setAnswer(const ColumnAnswer& answer, const ModelNames& names) {
  user_ = answer.user;
  name_->setText(tr("User %1").arg(shownText(user_)));
  setAccessibleName(name_->text());
  lists_->setVisible(!answer.error);
  error_->setVisible(answer.error.has_value());
  if (answer.error || !names.shown) {
    about_->setText(QString());
    changes_->hide();
    list_->clear();
    compared_->clear();
    history_->setHistory({});
    if (answer.error)
      error_->setMessage(tr("No lists for this user"), shownText(answer.error->text()));
    return;
  }
  QString about = shownText(answer.summary.attributes);
  if (!about.isEmpty()) about += QStringLiteral(" · ");
  about += tr("%1 rows · recall@10 %2")
               .arg(QString::fromStdString(formatCount(answer.summary.trainRows)),
                    percentText(answer.summary.recall));
  about_->setText(about);
  shownSection_.caption->setText(
      provenanceText(*names.shown, names.shownName, answer.list.candidates, names.seen));
  showMoves(answer);
  if (answer.compared && names.compared)
    comparedSection_.caption->setText(provenanceText(*names.compared, names.comparedName,
                                                     answer.compared->candidates, names.seen));
  historySection_.caption->setText(tr("History\n%1 rows, newest first")
                                       .arg(QString::fromStdString(formatCount(
                                           static_cast<std::int64_t>(answer.history.size())))));
  history_->setHistory(answer.history);
  arrange();
}

// Two models: what leaves is marked on the left, what comes and moves on the right. An update: what
// moved since the model before.
void UserColumn::showMoves(const ColumnAnswer& answer) {
  const auto& other = answer.compared ? answer.compared : answer.before;
  const bool both = answer.compared.has_value();
  comparedSection_.box->setVisible(both);
  changes_->setVisible(other.has_value());
  if (both) {
    list_->setList(answer.list, leavingFor(answer.list.items, answer.compared->items));
    compared_->setList(*answer.compared, movesSince(answer.list.items, answer.compared->items));
  } else {
    list_->setList(answer.list,
                   other ? movesSince(other->items, answer.list.items) : std::vector<Move>());
    compared_->clear();
  }
  setListColumns(*shownSection_.table, list_->hasMoves());
  setListColumns(*comparedSection_.table, true);
  if (!other) return;
  const auto& earlier = both ? answer.list : *other;
  const auto& later = both ? *other : answer.list;
  const Overlap common = overlap(earlier.items, later.items);
  const auto moves = movesSince(earlier.items, later.items);
  const auto moved = std::count_if(moves.begin(), moves.end(), [](const Move& move) {
    return move.kind == MoveKind::kUp || move.kind == MoveKind::kDown;
  });
  const QString line = tr("overlap@%1 %2 · %3 of %1 shared · %4 in, %5 out · %6 moved")
                           .arg(common.length)
                           .arg(percentText(common.share))
                           .arg(common.shared)
                           .arg(static_cast<qint64>(later.items.size()) - common.shared)
                           .arg(static_cast<qint64>(earlier.items.size()) - common.shared)
                           .arg(moved);
  changes_->setText(both ? line : tr("Since step %1: %2").arg(earlier.step).arg(line));
}

void UserColumn::arrange() {
  const int needed = comparedSection_.box->isHidden() ? kSideBySideWidth : kSideBySideWidth * 3 / 2;
  const auto wanted = width() >= needed ? Qt::Horizontal : Qt::Vertical;
  if (lists_->orientation() == wanted) return;
  lists_->setOrientation(wanted);
  lists_->setSizes({3, 3, 2});
}

void UserColumn::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  arrange();
}

QString UserColumn::errorText() const {
  return error_->isHidden() ? QString() : error_->text();
}

void UserColumn::focusList() {
  ItemTable* table = shownSection_.table;
  if (!table->currentIndex().isValid() && list_->rowCount() > 0) table->selectRow(0);
  table->setFocus();
}

void UserColumn::selectItem(const QString& item) {
  int row = 0;
  for (int i = 0; i < list_->rowCount(); ++i)
    if (list_->index(i, 0).data(RecommendationModel::kItemIdRole).toString() == item) row = i;
  if (list_->rowCount() > 0) shownSection_.table->selectRow(row);
}

void UserColumn::setCurrent(bool current) {
  name_->setForegroundRole(current ? QPalette::Link : QPalette::WindowText);
}

ItemTable* UserColumn::activeTable() const {
  for (const Section* section : {&historySection_, &comparedSection_})
    if (section->table->hasFocus()) return section->table;
  return shownSection_.table;
}

void UserColumn::setRemovable(bool removable) {
  remove_->setVisible(removable);
}

}  // namespace parapet::ui
