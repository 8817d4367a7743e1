// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_page.h"

#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/candidate_bar.h"
#include "ui/pages/browse/context_control.h"
#include "ui/pages/browse/fill_mask_panel.h"
#include "ui/pages/browse/history_strip.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/user_column.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

using workspace::WhichCheckpoint;

namespace {

/// Below it the lists would have room for two rows beside the panels.
constexpr int kLowPage = 520;
constexpr int kListsHeight = 400, kDetailsHeight = 220;

}  // namespace

FoldingTabs::FoldingTabs(QWidget* parent) : QTabWidget(parent) {
  arrow_ = textButton(QString(), tr("Fold the panel"), this);
  arrow_->setObjectName(QStringLiteral("foldTabs"));
  arrow_->setArrowType(Qt::DownArrow);
  setCornerWidget(arrow_);
  connect(arrow_, &QToolButton::clicked, this, [this] { setFolded(!folded_); });
  connect(this, &QTabWidget::tabBarClicked, this, [this](int tab) {
    if (tab >= 0) setFolded(false);
  });
  connect(this, &QTabWidget::currentChanged, this, [this] { setFolded(false); });
}

void FoldingTabs::setFolded(bool folded) {
  if (folded_ == folded) return;
  folded_ = folded;
  const QString action = folded ? tr("Unfold the panel") : tr("Fold the panel");
  arrow_->setArrowType(folded ? Qt::UpArrow : Qt::DownArrow);
  arrow_->setToolTip(action);
  arrow_->setAccessibleName(action);
  // A hidden page takes no focus.
  if (auto* pages = findChild<QStackedWidget*>()) pages->setVisible(!folded);
  setMaximumHeight(folded ? tabBar()->sizeHint().height() : QWIDGETSIZE_MAX);
  emit foldedChanged(folded);
}

BrowsePage::BrowsePage(const Workbench& workbench, QWidget* parent)
    : Page(parent), workbench_(workbench) {
  session_ = new BrowseSession(workbench_.workspace, this);
  bar_ = new BrowseBar(workbench_.workspace, this);
  stack_ = new LowWidget<QStackedWidget>(this);
  buildContent();
  buildMessage();
  buildActions();
  // Where a model reads many contexts a low page scrolls, and the lists keep their rows.
  auto* inside = new QWidget;
  auto* column = verticalBox(inside, 8, {12, 12, 12, 12});
  column->addWidget(bar_);
  column->addWidget(history_);
  column->addWidget(stack_, 1);
  QScrollArea* scroll = scrolling(inside, tr("Lists of the model"));
  auto* layout = verticalBox(this);
  layout->addWidget(scroll);
  connectSession();
  connectBar();
  connectColumns();
  connectRuns();
  showMessage(tr("Reading the runs…"), QString());
  bar_->shown().reload();
  bar_->column().model().reload();
}

BrowsePage::~BrowsePage() = default;

void BrowsePage::buildContent() {
  finder_ = new UserFinder(*session_);
  history_ = new HistoryStrip(*session_, this);
  board_ = new UserBoard;
  why_ = new WhyPanel(*session_);
  rankPanel_ = new RankPanel(*session_);
  similar_ = new SimilarPanel(*session_);
  details_ = new FoldingTabs;
  details_->addTab(why_, tr("&Why"));
  details_->addTab(rankPanel_, tr("&Rank of an item"));
  details_->addTab(similar_, tr("&Similar items"));
  details_->setAccessibleName(tr("About the selected item"));
  down_ = new QSplitter(Qt::Vertical);
  // One history under all lists: beside each of them it would push their ranks apart.
  past_ = new HistoryPanel;
  below_ = new QSplitter(Qt::Horizontal);
  below_->addWidget(past_);
  below_->addWidget(details_);
  below_->setSizes({400, 500});
  below_->setMinimumWidth(1);  // the lists above are narrower than both side by side
  down_->addWidget(board_);
  down_->addWidget(below_);
  down_->setStretchFactor(0, 2);
  down_->setStretchFactor(1, 1);
  across_ = new QSplitter(Qt::Horizontal, stack_);
  across_->addWidget(finder_);
  across_->addWidget(down_);
  across_->setStretchFactor(1, 1);
  across_->setSizes({260, 900});
  down_->setSizes({kListsHeight, kDetailsHeight});
  for (QSplitter* splitter : {across_, down_, below_}) {
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(8);
  }
  stack_->addWidget(across_);
  fillMask_ = new FillMaskPanel(workbench_.workspace, stack_);
  stack_->addWidget(fillMask_);
  connect(&fillMask_->first(), &MaskedColumn::opened, this, [this] {
    refreshStrip();
    showColumn();
  });
  connect(stack_, &QStackedWidget::currentChanged, this,
          [this] { bar_->setHasLists(!asksTexts()); });
}

/// Folds the panels where the page becomes low, and unfolds them where it is high again; what a
/// person chose holds until then.
void BrowsePage::resizeEvent(QResizeEvent* event) {
  Page::resizeEvent(event);
  const bool low = height() < kLowPage;
  if (low == low_) return;
  low_ = low;
  details_->setFolded(low);
}

/// Unfolded panels have the share that they had, or the usual one.
void BrowsePage::shareHeight() {
  past_->setVisible(!details_->isFolded());
  below_->setMaximumHeight(details_->maximumHeight());
  if (details_->isFolded() || down_->sizes().last() > details_->minimumSizeHint().height()) return;
  down_->setSizes({kListsHeight, kDetailsHeight});
}

void BrowsePage::buildMessage() {
  message_ = new MessagePanel(stack_);
  auto* live = message_->addButton(tr("Take the model as it is now"),
                                   tr("Copies the model of the run that trains, at its next step"));
  auto* sample =
      message_->addButton(tr("Train the sample"),
                          tr("A small generated data set; takes seconds and needs no download"));
  auto* runs = message_->addButton(tr("Choose another run"), tr("Opens the page of all runs"));
  liveButton_ = live;
  sampleButton_ = sample;
  runsButton_ = runs;
  connect(live, &QPushButton::clicked, this, &BrowsePage::updateModel);
  connect(sample, &QPushButton::clicked, this, &BrowsePage::trainSample);
  connect(runs, &QPushButton::clicked, this,
          [this] { emit pageRequested(QStringLiteral("runs")); });
  stack_->addWidget(message_);
}

void BrowsePage::buildActions() {
  offer(tr("Find a user"), QKeySequence::Find, [this] { finder_->focusSearch(); });
  offer(tr("Find the rank of an item"), Qt::CTRL | Qt::Key_G, [this] {
    details_->setCurrentWidget(rankPanel_);
    details_->setFolded(false);
    rankPanel_->focusSearch();
  });
  offer(tr("Choose which items are listed"), Qt::CTRL | Qt::Key_L,
        [this] { bar_->column().candidates().focusAttribute(); });
  offer(tr("Duplicate the column"), Qt::CTRL | Qt::Key_D,
        [this] { duplicateColumn(currentIndex()); });
  offer(tr("Remove the current column"), Qt::CTRL | Qt::Key_Backspace,
        [this] { session_->remove(currentIndex()); });
  offer(tr("Make the current column the first"), Qt::CTRL | Qt::Key_Home,
        [this] { makeFirst(currentIndex()); });
  offer(tr("Update to the newer model"), Qt::CTRL | Qt::Key_U, [this] {
    if (bar_->offersNewer()) updateModel();
  });
  for (QAction* action : bar_->exports()) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    pageActions_ << action;
  }
}

void BrowsePage::connectSession() {
  constexpr int kFinderRestMs = 1000;
  callAfterPause(finderRest_, kFinderRestMs, finder_, &UserFinder::refresh);
  connect(session_, &BrowseSession::opened, this, &BrowsePage::openedModel);
  connect(session_, &BrowseSession::openFailed, this, &BrowsePage::openFailed);
  connect(session_, &BrowseSession::warned, bar_, &BrowseBar::setNotice);
  connect(session_, &BrowseSession::answered, this, &BrowsePage::showAnswers);
  connect(finder_, &UserFinder::showRequested, this, &BrowsePage::showUserHere);
  connect(finder_, &UserFinder::addRequested, this, &BrowsePage::addUser);
  connect(finder_, &UserFinder::foundUsers, this, [this] {
    // A page is never empty while there is somebody to show.
    if (session_->count() == 0) session_->setUsers({finder_->found().userAt(0)});
  });
  connect(details_, &QTabWidget::currentChanged, this, &BrowsePage::showDetail);
  connect(details_, &FoldingTabs::foldedChanged, this, &BrowsePage::shareHeight);
}

void BrowsePage::connectBar() {
  connect(&bar_->shown(), &ModelPicker::loaded, this, &BrowsePage::runsLoaded);
  connect(&bar_->shown(), &ModelPicker::loadFailed, this, [this](const Error& error) {
    showMessage(tr("The runs cannot be read"), shownText(error.text()));
  });
  connect(&bar_->shown(), &ModelPicker::chosen, this, [this](const ModelChoice& choice) {
    bar_->setPinned(choice.runId != followed_);
    openModel(choice);
  });
  connect(bar_, &BrowseBar::pinChanged, this, &BrowsePage::catchUp);
  connect(bar_, &BrowseBar::newestRequested, this, &BrowsePage::showNewest);
  connect(bar_, &BrowseBar::listChanged, this,
          [this] { session_->setList(bar_->k(), bar_->seen()); });
  connect(bar_, &BrowseBar::updateRequested, this, &BrowsePage::updateModel);
  connect(bar_, &BrowseBar::copyRequested, this, [this] {
    QApplication::clipboard()->setText(listsAsTsv(session_->answers(), session_->seen()));
  });
  connect(bar_, &BrowseBar::exportRequested, this, &BrowsePage::exportLists);
}

void BrowsePage::exportLists(const QString& format) {
  const bool csv = format == QLatin1String("csv");
  saveText(this, QStringLiteral("recommendations.") + format,
           csv ? tr("CSV files (*.csv)") : tr("JSON files (*.json)"),
           csv ? listsAsCsv(session_->answers(), session_->seen())
               : listsAsJson(session_->answers(), session_->seen()));
}

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
  connect(past_, &HistoryPanel::itemChosen, this,
          [this, select](const QString& item, const QString& itemTitle) {
            select(currentIndex(), item, itemTitle);
          });
  connect(past_, &HistoryPanel::itemOpened, this,
          [this](const QString& item, const QString& itemTitle) {
            emit board_->itemOpened(currentIndex(), item, itemTitle);
          });
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
  CandidateBar& candidates = column.candidates();
  connect(&candidates, &CandidateBar::valuesWanted, this, [this, &candidates](const QString& name) {
    session_->attributeValues(name, [&candidates](const Result<BrowseSession::Values>& values) {
      candidates.setValues(values.ok() ? *values : BrowseSession::Values());
    });
  });
  connect(&candidates, &CandidateBar::changed, this, [this, &candidates] {
    retrieval::CandidateFilter filter;
    if (auto condition = candidates.condition()) filter.where.push_back(std::move(*condition));
    session_->setFilter(std::move(filter));
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

/// Shows the current column in the bar.
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
  if (columns.empty()) {
    past_->setAnswer(nullptr);
    return history_->hide();
  }
  const int index = std::min(currentIndex(), static_cast<int>(columns.size()) - 1);
  const ColumnQuery& query = columns[static_cast<std::size_t>(index)];
  const auto shown = session_->answers();
  const bool answered = index < static_cast<int>(shown.size());
  if (answered) history_->setColumn(query, shown[static_cast<std::size_t>(index)]);
  past_->setAnswer(answered ? &shown[static_cast<std::size_t>(index)] : nullptr);
  bar.setTitle(columns.size() > 1 ? tr("Column %1 of %2").arg(index + 1).arg(columns.size())
                                  : QString());
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
