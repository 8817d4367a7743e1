// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/user_finder.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/item_table.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

UserFinder::UserFinder(BrowseSession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  model_ = new UserListModel(this);
  table_ = new ItemTable(model_, tr("Users found"), this);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setToolTip(tr("Enter shows the user, Ctrl+Enter adds the user beside the others"));
  fitColumns();
  table_->setColumnHidden(UserListModel::kSensitivity, true);
  count_ = new QLabel(this);
  count_->setWordWrap(true);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(buildSearch());
  layout->addWidget(buildProgress());
  layout->addWidget(table_, 1);
  layout->addWidget(count_);
  layout->addWidget(buildButtons());
  // Long enough that a word typed at ease asks once.
  constexpr int kTypingMs = 150;
  callAfterPause(typing_, kTypingMs, this, &UserFinder::search);
  connect(text_, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
  connect(text_, &QLineEdit::returnPressed, this, &UserFinder::openTyped);
  connect(table_, &ItemTable::opened, this,
          [this](int row) { emit showRequested(model_->userAt(row)); });
  connect(order_, &QComboBox::currentIndexChanged, this, [this] {
    draw_->setVisible(order() == BrowseSession::Order::kRandom);
    table_->setColumnHidden(UserListModel::kSensitivity,
                            order() != BrowseSession::Order::kSensitive);
    search();
  });
  connect(draw_, &QToolButton::clicked, this, [this] {
    ++drawn_;
    search();
  });
}

// Where a catalogue says nothing of the users, their ids have the space.
void UserFinder::fitColumns() {
  const bool hasAttributes = std::ranges::any_of(
      model_->users(), [](const auto& user) { return !user.attributes.empty(); });
  using M = UserListModel;
  table_->setColumnHidden(M::kAttributes, !hasAttributes);
  table_->setColumns(hasAttributes ? M::kAttributes : M::kId,
                     {{hasAttributes ? M::kId : M::kAttributes, 4},
                      {M::kActivity, 4},
                      {M::kRecall, 5},
                      {M::kSensitivity, 5}});
}

QWidget* UserFinder::buildSearch() {
  auto* box = new QWidget(this);
  text_ = new QLineEdit(box);
  text_->setPlaceholderText(tr("Find a user: id or attribute"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Find a user"));
  text_->setToolTip(tr("Part of an id or of an attribute; Enter shows the user"));
  order_ = new QComboBox(box);
  order_->addItems({tr("By id"), tr("Random"), tr("Most active first"), tr("Least active first"),
                    tr("Worst recall first"), tr("Most sensitive to context first")});
  order_->setAccessibleName(tr("Order of the users"));
  order_->setToolTip(tr(
      "Order of the list; recall is recall@10 on held-out rows, sensitivity the share of the top "
      "10 that another context changes"));
  draw_ = new QToolButton(box);
  draw_->setText(tr("Shuffle"));
  draw_->setAccessibleName(tr("Shuffle"));
  draw_->setToolTip(tr("Another random order"));
  draw_->hide();
  auto* line = horizontalBox(nullptr, 8);
  line->addWidget(order_, 1);
  line->addWidget(draw_);
  auto* layout = verticalBox(box, 8);
  layout->addWidget(text_);
  layout->addLayout(line);
  return box;
}

QWidget* UserFinder::buildProgress() {
  progress_ = new QWidget(this);
  share_ = new ThinProgressBar(progress_);
  share_->setAccessibleName(tr("Users measured"));
  stage_ = new QLabel(progress_);
  auto* cancel = new QPushButton(tr("Cancel"), progress_);
  cancel->setObjectName(QStringLiteral("cancelSensitivity"));
  cancel->setAccessibleName(tr("Cancel measuring the sensitivity"));
  cancel->setToolTip(tr("Stops measuring and lists the users by id"));
  auto* line = new QHBoxLayout;
  line->addWidget(stage_, 1);
  line->addWidget(cancel);
  auto* layout = verticalBox(progress_, 4);
  layout->addLayout(line);
  layout->addWidget(share_);
  progress_->hide();
  Background& search = session_.userSearch();
  connect(&search, &Background::progressed, this,
          [this](const QString& stage, qint64 done, qint64 total) {
            stage_->setText(progressText(stage, done, total));
            share_->showShare(done, total);
            progress_->setVisible(order() == BrowseSession::Order::kSensitive);
          });
  connect(&search, &Background::runningChanged, this, [this](bool running) {
    if (!running) progress_->hide();
  });
  connect(cancel, &QPushButton::clicked, this, [this] {
    session_.userSearch().cancel();
    setOrder(BrowseSession::Order::kById);
  });
  return progress_;
}

void UserFinder::setReadsContext(bool reads) {
  constexpr int kRow = static_cast<int>(BrowseSession::Order::kSensitive);
  auto* item = qobject_cast<QStandardItemModel*>(order_->model())->item(kRow);
  item->setEnabled(reads);
  item->setToolTip(reads ? QString() : tr("The model reads no context"));
  if (!reads && order() == BrowseSession::Order::kSensitive) setOrder(BrowseSession::Order::kById);
}

QWidget* UserFinder::buildButtons() {
  auto* box = new QWidget(this);
  open_ = new QPushButton(tr("Show"), box);
  open_->setToolTip(tr("Show the selected user in the current column (Enter)"));
  add_ = new QPushButton(tr("Add beside"), box);
  add_->setToolTip(tr("Show the selected user beside the others, up to %1 (Ctrl+Enter)")
                       .arg(BrowseSession::kMaxColumns));
  auto* layout = horizontalBox(box, 8);
  for (QPushButton* button : {open_, add_}) {
    button->setAccessibleName(button->text());
    layout->addWidget(button, 1);
  }
  const auto selected = [this] { return model_->userAt(table_->currentIndex().row()); };
  connect(open_, &QPushButton::clicked, this, [=, this] {
    if (!selected().isEmpty()) emit showRequested(selected());
  });
  const auto add = [=, this] {
    if (!selected().isEmpty()) emit addRequested(selected());
  };
  connect(add_, &QPushButton::clicked, this, add);
  auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
  shortcut->setContext(Qt::WidgetWithChildrenShortcut);
  connect(shortcut, &QShortcut::activated, this, add);
  return box;
}

BrowseSession::Order UserFinder::order() const {
  return static_cast<BrowseSession::Order>(order_->currentIndex());
}

void UserFinder::setOrder(BrowseSession::Order order) {
  order_->setCurrentIndex(static_cast<int>(order));
}

void UserFinder::focusSearch() {
  text_->setFocus();
  text_->selectAll();
}

void UserFinder::refresh() {
  search();
  toShown_ = true;
}

void UserFinder::search() {
  toShown_ = false;
  typing_.stop();
  session_.findUsers(text_->text().trimmed(), order(), drawn_,
                     [this](Result<BrowseSession::UserList> users) { show(std::move(users)); });
}

void UserFinder::show(Result<BrowseSession::UserList> users) {
  if (!users.ok()) {
    model_->setUsers({});
    count_->setText(shownText(users.error().text()));
    return;
  }
  const std::size_t found = users->size();
  if (session_.model()) model_->setRecallRule(session_.model()->recallRule());
  model_->setUsers(std::move(*users));
  fitColumns();
  const QString number = QString::fromStdString(formatCount(static_cast<std::int64_t>(found)));
  if (found == 0)
    count_->setText(tr("No user has “%1” in id or attributes").arg(text_->text()));
  else if (found == BrowseSession::kUserLimit)
    count_->setText(tr("First %1 users; type to narrow").arg(number));
  else
    count_->setText(found == 1 ? tr("1 user")
                               : tr("%1 users", nullptr, static_cast<int>(found)).arg(number));
  if (found > 0) toShown_ ? selectShown() : table_->selectRow(0);
  emit foundUsers();
}

// Where the list ends before the user that is shown, no other one looks like it.
void UserFinder::selectShown() {
  const QStringList shown = session_.users();
  if (shown.isEmpty()) return table_->selectRow(0);
  table_->clearSelection();
  table_->setCurrentIndex({});
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->userAt(row) == shown.front()) return table_->selectRow(row);
}

// An id typed in full wins over the rows found: an unknown one gets the engine's own message.
void UserFinder::openTyped() {
  const QString typed = text_->text().trimmed();
  if (typed.isEmpty()) return;
  for (const retrieval::UserSummary& user : model_->users())
    if (QString::fromStdString(user.id) == typed) return emit showRequested(typed);
  if (!typing_.isActive() && model_->rowCount() > 0) return emit showRequested(model_->userAt(0));
  emit showRequested(typed);
}

}  // namespace parapet::ui
