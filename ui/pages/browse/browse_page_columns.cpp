// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the page: what they ask, what they show, and what is said about one of their items.
#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/browse/context_control.h"
#include "ui/pages/browse/fill_mask_panel.h"
#include "ui/pages/browse/folding_tabs.h"
#include "ui/pages/browse/history_strip.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/similar_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

namespace parapet::ui {

using workspace::WhichCheckpoint;

void BrowsePage::connectColumns() {
  connect(board_, &UserBoard::currentChanged, this, &BrowsePage::showColumn);
  connect(board_, &UserBoard::duplicateRequested, this, &BrowsePage::duplicateColumn);
  connect(board_, &UserBoard::removeRequested, session_, &BrowseSession::remove);
  connect(board_, &UserBoard::firstRequested, this, &BrowsePage::makeFirst);
  connect(board_, &UserBoard::stepRequested, this, [this](int by) {
    if (!bar_->column().step(by)) board_->focusColumn(board_->current() + by);
  });
  const auto select = [this](int column, const QString& item, const QString& itemTitle) {
    itemColumn_ = column;
    item_ = item;
    itemTitle_ = itemTitle;
    showDetail();
  };
  connect(board_, &UserBoard::itemChosen, this, select);
  connect(board_, &UserBoard::itemOpened, this,
          [this, select](int column, const QString& item, const QString& itemTitle) {
            details_->setCurrentWidget(similar_);
            details_->setFolded(false);
            select(column, item, itemTitle);
          });
  ColumnBar& column = bar_->column();
  connect(&column, &ColumnBar::duplicateRequested, this,
          [this] { duplicateColumn(currentIndex()); });
  connect(&column, &ColumnBar::contextChosen, this,
          [this](const QString& name, const std::optional<QString>& value) {
            session_->setContext(currentIndex(), name, value);
          });
  connect(history_, &HistoryStrip::changed, this, [this](const std::optional<QStringList>& items) {
    session_->setHistory(currentIndex(), items);
  });
  connect(history_, &HistoryStrip::notFound, this, [this](const QString& text) {
    bar_->setNotice(tr("No item has “%1” in title or id").arg(shownText(text)));
  });
  connect(&column.model(), &ModelPicker::chosen, this, [this](const ModelChoice& choice) {
    bar_->setNotice(QString());
    session_->setModel(currentIndex(), choice);
  });
  connect(&column.model(), &ModelPicker::cleared, this, [this] {
    bar_->setNotice(QString());
    session_->setModel(currentIndex(), std::nullopt);
  });
  for (const ModelPicker* picker : {&bar_->shown(), &column.model()})
    connect(picker, &ModelPicker::stepsChanged, this, &BrowsePage::showColumn);
  connect(&bar_->replay(), &ReplayBar::stepRequested, this, &BrowsePage::replay);
  connect(&bar_->replay(), &ReplayBar::cancelRequested, this, [this] {
    session_->cancelOpening(currentIndex());
    showChoice();
  });
}

void BrowsePage::makeFirst(int column) {
  const RecommenderPtr before = session_->model();
  session_->makeFirst(column);
  if (session_->model() != before) showChoice();
}

/// The checkpoint that answers, in the picker.
void BrowsePage::showChoice() {
  if (const RecommenderPtr& model = session_->model())
    bar_->shown().setChoice({QString::fromStdString(model->model().runId),
                             {WhichCheckpoint::kStep, model->model().step}});
}

int BrowsePage::currentIndex() const {
  return std::max(0, board_->current());
}

ListNames BrowsePage::names() const {
  return {[this](const QString& run) { return bar_->shown().runName(run); }, session_->seen()};
}

void BrowsePage::showAnswers() {
  board_->setAnswers(session_->answers(), names());
  rankPanel_->refresh();
  showColumn();
  if (UserColumn* column = board_->currentColumn()) {
    column->selectItem(item_);
  } else {
    why_->clear();
    similar_->clear();
  }
}

/// What the bar says of the current column.
void BrowsePage::showColumn() {
  if (asksTexts()) {
    bar_->replay().setSteps(bar_->shown().steps());
    // Lists that were being opened before this turned out to be a model of texts.
    bar_->replay().setOpening(false);
    return bar_->replay().setStep(fillMask_->first().step());
  }
  const std::vector<ColumnQuery> columns = session_->columns();
  ColumnBar& bar = bar_->column();
  bar.setVisible(!columns.empty() && session_->model());
  if (columns.empty()) return history_->hide();
  const int index = std::min(currentIndex(), static_cast<int>(columns.size()) - 1);
  const ColumnQuery& query = columns[static_cast<std::size_t>(index)];
  if (const auto answers = session_->answers(); index < static_cast<int>(answers.size()))
    history_->setColumn(query, answers[static_cast<std::size_t>(index)]);
  bar.setTitle(tr("Column %1 of %2").arg(index + 1).arg(columns.size()));
  bar.setIsFirst(index == 0);
  bar.setCanDuplicate(session_->count() < BrowseSession::kMaxColumns);
  if (bar.model().choice() != query.model) {
    if (query.model)
      bar.model().setChoice(*query.model);
    else
      bar.model().clearChoice();
  }
  const ModelPicker& picker = query.model ? bar.model() : bar_->shown();
  bar_->replay().setSteps(picker.steps());
  bar_->replay().setOpening(session_->isOpening(index));
  if (const RecommenderPtr model = session_->modelOf(index))
    bar_->replay().setStep(model->model().step);
  session_->contextDomains(index, [this, index](Result<BrowseSession::Domains> domains) {
    // Late for another column: that one asks by itself.
    if (index != currentIndex()) return;
    bar_->column().setDomains(domains.ok() ? *domains : BrowseSession::Domains());
    const auto answers = session_->answers();
    if (index < static_cast<int>(answers.size()))
      bar_->column().setContext(answers[static_cast<std::size_t>(index)].list.context);
  });
}

void BrowsePage::replay(std::int64_t step) {
  if (asksTexts()) {
    const ModelChoice choice{runId_, {WhichCheckpoint::kStep, step}};
    bar_->shown().setChoice(choice);
    return fillMask_->open(choice, bar_->shown().runName(runId_));
  }
  const int index = currentIndex();
  const std::vector<ColumnQuery> columns = session_->columns();
  if (index >= static_cast<int>(columns.size())) return;
  const auto& own = columns[static_cast<std::size_t>(index)].model;
  if (own)
    return session_->setModel(index, ModelChoice{own->runId, {WhichCheckpoint::kStep, step}});
  const ModelChoice choice{runId_, {WhichCheckpoint::kStep, step}};
  bar_->shown().setChoice(choice);
  session_->update(choice);
}

void BrowsePage::duplicateColumn(int column) {
  if (session_->duplicate(column))
    board_->focusColumn(column + 1);
  else
    sayFull();
}

void BrowsePage::sayFull() {
  bar_->setNotice(
      tr("At most %1 columns fit side by side; remove one first").arg(BrowseSession::kMaxColumns));
}

void BrowsePage::showDetail() {
  if (item_.isEmpty() || !session_->model()) return;
  switch (static_cast<Detail>(details_->currentIndex())) {
    case Detail::kWhy: {
      const std::vector<ColumnQuery> columns = session_->columns();
      if (itemColumn_ >= static_cast<int>(columns.size())) return why_->clear();
      return why_->showItem(itemColumn_, columns[static_cast<std::size_t>(itemColumn_)].user, item_,
                            itemTitle_);
    }
    case Detail::kRank:
      return rankPanel_->showItem(item_, itemTitle_);
    case Detail::kSimilar:
      return similar_->showItem(itemColumn_, item_, itemTitle_);
  }
}

/// The current column with another user; nullopt where a column that is there shows it already, or
/// the first one now does. `shown` is said of one that is there.
std::optional<ColumnQuery> BrowsePage::columnFor(const QString& user, const QString& shown) {
  const std::vector<ColumnQuery> columns = session_->columns();
  if (columns.empty()) {
    session_->setUsers({user});
    return std::nullopt;
  }
  ColumnQuery wanted = columns[static_cast<std::size_t>(currentIndex())];
  if (wanted.user != user) wanted.history.reset();
  wanted.user = user;
  const auto at = std::ranges::find(columns, wanted);
  if (at == columns.end()) return wanted;
  board_->focusColumn(static_cast<int>(at - columns.begin()));
  bar_->setNotice(shown.arg(shownText(user)));
  return std::nullopt;
}

void BrowsePage::showUserHere(const QString& user) {
  if (columnFor(user, tr("The list of %1 is shown already")))
    session_->setUser(currentIndex(), user);
}

void BrowsePage::addUser(const QString& user) {
  std::optional<ColumnQuery> wanted =
      columnFor(user, tr("The list of %1 is shown already; select another user to add beside it"));
  if (!wanted) return;
  if (session_->count() >= BrowseSession::kMaxColumns) return sayFull();
  std::vector<ColumnQuery> columns = session_->columns();
  columns.push_back(std::move(*wanted));
  session_->setColumns(std::move(columns));
}

}  // namespace parapet::ui
