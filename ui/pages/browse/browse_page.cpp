// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_page.h"

#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/scrolling.h"
#include "ui/forms/table_actions.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/fill_mask_panel.h"
#include "ui/pages/browse/folding_tabs.h"
#include "ui/pages/browse/history_strip.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/message_panel.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/similar_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

/// Below it the lists would have room for two rows beside the panels.
constexpr int kLowPage = 520;
constexpr int kListsHeight = 400, kDetailsHeight = 220;

}  // namespace

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
  scroll->setFocusPolicy(Qt::NoFocus);
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
  down_->addWidget(board_);
  down_->addWidget(details_);
  down_->setStretchFactor(0, 2);
  down_->setStretchFactor(1, 1);
  across_ = new QSplitter(Qt::Horizontal, stack_);
  across_->addWidget(finder_);
  across_->addWidget(down_);
  across_->setStretchFactor(1, 1);
  across_->setSizes({260, 900});
  down_->setSizes({kListsHeight, kDetailsHeight});
  for (QSplitter* splitter : {across_, down_}) {
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

}  // namespace parapet::ui
