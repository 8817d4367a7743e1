// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_page.h"

#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/message_panel.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/similar_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

namespace parapet::ui {

using Side = BrowseSession::Side;

BrowsePage::BrowsePage(const Workbench& workbench, QWidget* parent)
    : Page(parent), workbench_(workbench) {
  session_ = new BrowseSession(workbench_.workspace, this);
  bar_ = new BrowseBar(workbench_.workspace, this);
  stack_ = new QStackedWidget(this);
  buildContent();
  buildMessage();
  buildActions();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 12, 12, 12);
  layout->setSpacing(8);
  layout->addWidget(bar_);
  layout->addWidget(stack_, 1);
  connectSession();
  connectBar();
  connectRuns();
  showMessage(tr("Reading the runs…"), QString());
  bar_->shown().reload();
  bar_->compared().reload();
}

BrowsePage::~BrowsePage() = default;

void BrowsePage::buildContent() {
  finder_ = new UserFinder(*session_);
  board_ = new UserBoard;
  why_ = new WhyPanel(*session_);
  rankPanel_ = new RankPanel(*session_);
  similar_ = new SimilarPanel(*session_);
  details_ = new QTabWidget;
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
  down_->setSizes({400, 220});
  for (QSplitter* splitter : {across_, down_}) {
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(8);
  }
  stack_->addWidget(across_);
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

void BrowsePage::addAction(const QString& text, const QKeySequence& keys,
                           const std::function<void()>& act) {
  auto* action = new QAction(text, this);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, act);
  QWidget::addAction(action);
  actions_ << action;
}

void BrowsePage::buildActions() {
  addAction(tr("Find a user"), QKeySequence::Find, [this] { finder_->focusSearch(); });
  addAction(tr("Find the rank of an item"), Qt::CTRL | Qt::Key_G, [this] {
    details_->setCurrentWidget(rankPanel_);
    rankPanel_->focusSearch();
  });
  addAction(tr("Remove the current user"), Qt::CTRL | Qt::Key_Backspace, [this] {
    if (const UserColumn* column = board_->currentColumn(); column && session_->users().size() > 1)
      emit board_->removeRequested(column->user());
  });
  addAction(tr("Update to the newer model"), Qt::CTRL | Qt::Key_U, [this] {
    if (bar_->offersNewer()) updateModel();
  });
  for (QAction* action : bar_->exports()) {
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QWidget::addAction(action);
    actions_ << action;
  }
}

void BrowsePage::connectSession() {
  connect(session_, &BrowseSession::opened, this, &BrowsePage::openedModel);
  connect(session_, &BrowseSession::openFailed, this, &BrowsePage::openFailed);
  connect(session_, &BrowseSession::warned, bar_, &BrowseBar::setNotice);
  connect(session_, &BrowseSession::answered, this, &BrowsePage::showAnswers);
  connect(finder_, &UserFinder::showRequested, this, &BrowsePage::showUserHere);
  connect(finder_, &UserFinder::addRequested, this, &BrowsePage::addUser);
  connect(finder_, &UserFinder::foundUsers, this, [this] {
    // A page is never empty while there is somebody to show.
    if (session_->users().isEmpty()) session_->setUsers({finder_->found().userAt(0)});
  });
  connect(board_, &UserBoard::removeRequested, this, [this](const QString& user) {
    QStringList users = session_->users();
    users.removeAll(user);
    session_->setUsers(users);
  });
  const auto select = [this](const QString& user, const QString& item, const QString& itemTitle) {
    itemUser_ = user;
    item_ = item;
    itemTitle_ = itemTitle;
    showDetail();
  };
  connect(board_, &UserBoard::itemChosen, this, select);
  connect(board_, &UserBoard::itemOpened, this,
          [this, select](const QString& user, const QString& item, const QString& itemTitle) {
            details_->setCurrentWidget(similar_);
            select(user, item, itemTitle);
          });
  connect(details_, &QTabWidget::currentChanged, this, &BrowsePage::showDetail);
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
  connect(&bar_->compared(), &ModelPicker::chosen, this, [this](const ModelChoice& choice) {
    bar_->setNotice(QString());
    session_->open(Side::kCompared, choice);
  });
  connect(&bar_->compared(), &ModelPicker::cleared, this, [this] {
    bar_->setNotice(QString());
    session_->close(Side::kCompared);
  });
  connect(bar_, &BrowseBar::listChanged, this,
          [this] { session_->setList(bar_->k(), bar_->seen()); });
  connect(bar_, &BrowseBar::updateRequested, this, &BrowsePage::updateModel);
  connect(bar_, &BrowseBar::copyRequested, this,
          [this] { QApplication::clipboard()->setText(listsAsTsv(session_->answers(), names())); });
  connect(bar_, &BrowseBar::exportRequested, this, &BrowsePage::exportLists);
}

ModelNames BrowsePage::names() const {
  const auto& shown = session_->model(Side::kShown);
  const auto& compared = session_->model(Side::kCompared);
  const auto nameOf = [this](const RecommenderPtr& model) {
    return model ? bar_->shown().runName(QString::fromStdString(model->model().runId)) : QString();
  };
  return {shown, compared, nameOf(shown), nameOf(compared), session_->seen()};
}

void BrowsePage::showAnswers() {
  board_->setAnswers(session_->answers(), names());
  rankPanel_->refresh();
  if (UserColumn* column = board_->currentColumn()) {
    column->selectItem(item_);
  } else {
    why_->clear();
    similar_->clear();
  }
}

void BrowsePage::showDetail() {
  if (item_.isEmpty() || !session_->model(Side::kShown)) return;
  switch (static_cast<Detail>(details_->currentIndex())) {
    case Detail::kWhy:
      return why_->showItem(itemUser_, item_, itemTitle_);
    case Detail::kRank:
      return rankPanel_->showItem(item_, itemTitle_);
    case Detail::kSimilar:
      return similar_->showItem(item_, itemTitle_);
  }
}

void BrowsePage::showUserHere(const QString& user) {
  QStringList users = session_->users();
  if (const auto at = users.indexOf(user); at >= 0)
    return board_->focusColumn(static_cast<int>(at));
  if (board_->current() >= 0 && board_->current() < users.size())
    users[board_->current()] = user;
  else
    users = QStringList{user};
  session_->setUsers(users);
}

void BrowsePage::addUser(const QString& user) {
  QStringList users = session_->users();
  if (const auto at = users.indexOf(user); at >= 0)
    return board_->focusColumn(static_cast<int>(at));
  if (users.size() >= BrowseSession::kMaxUsers) {
    bar_->setNotice(
        tr("At most %1 users fit side by side; remove one first").arg(BrowseSession::kMaxUsers));
    return;
  }
  session_->setUsers(users << user);
}

void BrowsePage::exportLists(const QString& format) {
  const bool csv = format == QLatin1String("csv");
  saveText(
      this, QStringLiteral("recommendations.") + format,
      csv ? tr("CSV files (*.csv)") : tr("JSON files (*.json)"),
      csv ? listsAsCsv(session_->answers(), names()) : listsAsJson(session_->answers(), names()));
}

}  // namespace parapet::ui
