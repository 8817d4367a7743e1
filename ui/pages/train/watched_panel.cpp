// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/watched_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <algorithm>
#include <utility>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// Length of a watched list.
constexpr std::int64_t kTop = 10;
/// Draws of users repeat from one start of the program to the next.
constexpr std::uint64_t kDrawSeed = 1;

struct Ranked {
  QString user;
  Result<std::vector<retrieval::Recommendation>> lists;
};

/// Watched at the first model until somebody chooses.
constexpr int kFirstUsers = 2;
constexpr int kCellRoom = 16;
const QString kScoreRoom = QStringLiteral("−00.0000");

/// Rows as high as those of the tables.
class RowDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                               const QModelIndex& index) const override {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {size.width(), std::max(size.height(), 22)};
  }
};

/// Where titles would be cut soonest, the scores give way: the lists are in their order.
class ListsView final : public QTreeView {
 public:
  using QTreeView::QTreeView;

 protected:
  void resizeEvent(QResizeEvent* event) override {
    constexpr int kTitle = 22;  // characters
    const auto width = [this](const QString& text) {
      return fontMetrics().horizontalAdvance(text) + kCellRoom;
    };
    const int others = header()->sectionSize(WatchedUsersModel::kMove) + width(kScoreRoom);
    setColumnHidden(WatchedUsersModel::kScore,
                    viewport()->width() < others + width(QString(kTitle, QLatin1Char('0'))));
    QTreeView::resizeEvent(event);
  }
};

}  // namespace

WatchedSource::WatchedSource(workspace::Workspace& workspace, RunController& controller,
                             WatchedUsersModel& model, QObject* parent)
    : QObject(parent), workspace_(workspace), controller_(controller), model_(model) {
  connect(&timer_, &QTimer::timeout, this, [this] {
    // Steps of a paused run stand still.
    if (isOwn() && controller_.state() == experiment::RunState::kRunning) refresh();
  });
  connect(&controller_, &RunController::recommenderReady, this, &WatchedSource::take);
}

bool WatchedSource::isOwn() const {
  return !runId_.isEmpty() && controller_.active() && controller_.runId() == runId_;
}

void WatchedSource::setRun(const QString& runId, retrieval::SeenItems seen) {
  const bool another = runId_ != runId;
  runId_ = runId;
  seen_ = seen;
  model_.setSeen(seen);
  if (another) {
    opening_.cancel();
    ranking_.cancel();
    recommender_.reset();
    model_.clearLists();
    emit readyChanged();
  }
  refresh();
}

void WatchedSource::setActive(bool active) {
  active_ = active;
  if (!active) return timer_.stop();
  timer_.start(kRefreshMs);
  if (stale_) refresh();
}

void WatchedSource::refresh() {
  stale_ = !active_;
  if (!active_ || runId_.isEmpty()) return;
  if (!isOwn()) return openCheckpoint();
  // One at a time; the timer asks again.
  (void)controller_.requestRecommender();
}

void WatchedSource::openCheckpoint() {
  using Answer = Result<Model>;
  opening_.start([&workspace = workspace_, id = runId_.toStdString()](
                     const WorkContext&) -> Answer { return workspace.recommender(id, {}); },
                 [this, id = runId_](const Answer& answer) {
                   if (answer) return take(id, *answer);
                   for (const QString& user : model_.users())
                     model_.setProblem(user, answer.error().code == ErrorCode::kNotFound
                                                 ? tr("no checkpoint yet")
                                                 : shownText(answer.error().text()));
                 });
}

void WatchedSource::take(const QString& runId, Model recommender) {
  if (runId != runId_) return;
  const bool first = !recommender_;
  recommender_ = std::move(recommender);
  if (first) emit readyChanged();
  rank();
}

void WatchedSource::rank() {
  const QStringList users = model_.users();
  if (!recommender_ || users.isEmpty()) return;
  ranking_.start(
      [recommender = recommender_, users,
       seen = seen_](const WorkContext& context) -> Result<std::vector<Ranked>> {
        const std::int64_t k = std::min(kTop, recommender->candidates());
        std::vector<Ranked> answers;
        for (const QString& user : users) {
          if (context.cancelled()) break;
          const std::string id = user.toStdString();
          // One by one: an id that is not in this data set must not spoil the others.
          answers.push_back({user, recommender->recommend(std::span(&id, 1), k, seen)});
        }
        return answers;
      },
      [this](const Result<std::vector<Ranked>>& answers) {
        if (!answers) return emit failed(shownText(answers.error().text()));
        for (const Ranked& ranked : *answers) {
          if (!ranked.lists)
            model_.setProblem(ranked.user, shownText(ranked.lists.error().text()));
          else if (!ranked.lists->empty())
            model_.setList(ranked.lists->front());
        }
      });
}

QString WatchedSource::dataHash() const {
  return recommender_ ? QString::fromStdString(recommender_->dataset().hash()) : QString();
}

bool WatchedSource::knows(const QString& user) const {
  return recommender_ && recommender_->userRow(user.toStdString()).ok();
}

QString WatchedSource::drawUser() {
  if (!recommender_) return {};
  // By the id alone: what a user's summary tells, a ranking model computes for seconds.
  const std::vector<std::string> drawn = recommender_->randomUsers(kDrawSeed + draws_++, 1);
  return drawn.empty() ? QString() : QString::fromStdString(drawn.front());
}

WatchedPanel::WatchedPanel(workspace::Workspace& workspace, RunController& controller,
                           QWidget* parent)
    : QWidget(parent),
      source_(workspace, controller, model_),
      entry_(new QLineEdit(this)),
      random_(new QPushButton(tr("Random"), this)),
      remove_(new QPushButton(tr("Remove"), this)),
      view_(new ListsView(this)),
      empty_(new QLabel(this)) {
  build();
  buildActions();
  connect(entry_, &QLineEdit::returnPressed, this, [this] {
    addUser(entry_->text().trimmed());
    entry_->clear();
  });
  connect(random_, &QPushButton::clicked, this, &WatchedPanel::addRandomUser);
  connect(remove_, &QPushButton::clicked, this, &WatchedPanel::removeCurrent);
  connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    emit userActivated(index.data(WatchedUsersModel::kUserRole).toString());
  });
  const auto refresh = [this] {
    setUsable(*random_, source_.ready(), tr("There is no model yet"));
    setUsable(*remove_, !currentUser().isEmpty(),
              model_.rowCount() == 0 ? tr("Nobody is watched yet") : tr("Choose a user first"));
    empty_->setVisible(model_.rowCount() == 0);
    view_->setVisible(model_.rowCount() > 0);
    expandAll();
  };
  connect(&model_, &QAbstractItemModel::rowsInserted, this, refresh);
  connect(&model_, &QAbstractItemModel::rowsRemoved, this, refresh);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, refresh);
  connect(&source_, &WatchedSource::readyChanged, this, [this, refresh] {
    followData();
    refresh();
    if (!source_.ready() || touched_) return;
    for (int i = model_.rowCount(); i < kFirstUsers; ++i) model_.addUser(source_.drawUser());
  });
  refresh();
}

void WatchedPanel::build() {
  entry_->setObjectName(QStringLiteral("watch"));
  entry_->setPlaceholderText(tr("User id"));
  entry_->setAccessibleName(tr("Id of a user to watch"));
  entry_->setToolTip(tr("Raw id of a user; Enter adds the user"));
  entry_->setClearButtonEnabled(true);
  random_->setAccessibleName(tr("Watch a random user"));
  random_->setToolTip(tr("Watch a user drawn from the data set; needs a model"));
  remove_->setAccessibleName(tr("Stop watching the user"));
  remove_->setToolTip(tr("Stop watching the chosen user (Delete)"));
  view_->setModel(&model_);
  view_->setAccessibleName(tr("Lists of the watched users"));
  view_->setToolTip({});
  view_->setRootIsDecorated(false);
  view_->setItemsExpandable(true);
  view_->setUniformRowHeights(true);
  view_->setItemDelegate(new RowDelegate(view_));
  view_->setIndentation(12);
  view_->setTextElideMode(Qt::ElideRight);
  view_->header()->setStretchLastSection(false);
  view_->header()->setSectionResizeMode(WatchedUsersModel::kTitle, QHeaderView::Stretch);
  view_->header()->setSectionResizeMode(WatchedUsersModel::kMove, QHeaderView::Fixed);
  view_->header()->setSectionResizeMode(WatchedUsersModel::kScore, QHeaderView::Fixed);
  // Fixed, so that numbers do not move the titles while a run trains.
  const auto width = [this](const QString& text) {
    return view_->fontMetrics().horizontalAdvance(text) + kCellRoom;
  };
  view_->header()->resizeSection(WatchedUsersModel::kMove, width(tr("Move")));
  view_->header()->resizeSection(WatchedUsersModel::kScore, width(kScoreRoom));
  empty_->setText(
      tr("Add a user by id or at random, and see the top 10 of that user change while the run "
         "trains."));
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);

  auto* bar = horizontalBox(nullptr, 8);
  bar->addWidget(entry_, 1);
  bar->addWidget(random_);
  bar->addWidget(remove_);
  auto* column = verticalBox(this, 8);
  column->addWidget(
      titleWithSign(headingLabel(tr("Watched users")), QStringLiteral("docs/window.md#train")));
  column->addLayout(bar);
  column->addWidget(view_, 1);
  column->addWidget(empty_, 1);
}

void WatchedPanel::buildActions() {
  auto* remove = new QAction(tr("Stop watching"), view_);
  remove->setShortcut(QKeySequence::Delete);
  auto* look = new QAction(tr("Open in Browse"), view_);
  auto* copy = new QAction(tr("Copy the lists as CSV"), view_);
  copy->setShortcut(QKeySequence::Copy);
  for (QAction* action : {look, copy, remove}) {
    action->setShortcutContext(Qt::WidgetShortcut);
    view_->addAction(action);
  }
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(remove, &QAction::triggered, this, &WatchedPanel::removeCurrent);
  connect(look, &QAction::triggered, this, [this] { emit userActivated(currentUser()); });
  connect(copy, &QAction::triggered, this, [this] { copyCsv(this, model_.csv().toStdString()); });
}

QString WatchedPanel::currentUser() const {
  return view_->currentIndex().data(WatchedUsersModel::kUserRole).toString();
}

void WatchedPanel::expandAll() {
  for (int row = 0; row < model_.rowCount(); ++row) {
    const QModelIndex user = model_.index(row, 0);
    view_->setFirstColumnSpanned(row, {}, true);
    view_->setExpanded(user, true);
  }
}

/// Users of other data are none of these: each data set has its own, which come back with it.
void WatchedPanel::followData() {
  const QString hash = source_.dataHash();
  if (hash.isEmpty() || hash == data_) return;
  const QString before = std::exchange(data_, hash);
  if (before.isEmpty()) {
    // Users of an earlier session may be of other data.
    if (!std::exchange(restored_, false)) return;
    for (const QString& user : model_.users())
      if (!source_.knows(user)) model_.removeUser(user);
    touched_ = model_.rowCount() > 0;
    return;
  }
  usersOf_[before] = model_.users();
  for (const QString& user : model_.users()) model_.removeUser(user);
  touched_ = usersOf_.contains(hash);
  for (const QString& user : usersOf_.value(hash)) model_.addUser(user);
}

void WatchedPanel::addUser(const QString& user) {
  touched_ = true;
  if (model_.addUser(user)) source_.rank();
}

void WatchedPanel::addRandomUser() {
  // A draw may give somebody who is watched already.
  for (int attempt = 0; attempt < 20; ++attempt) {
    const QString user = source_.drawUser();
    if (user.isEmpty()) return;
    if (!model_.users().contains(user)) return addUser(user);
  }
}

void WatchedPanel::setUsers(const QStringList& users) {
  touched_ = touched_ || !users.isEmpty();
  restored_ = true;
  for (const QString& user : users) model_.addUser(user);
  source_.rank();
}

void WatchedPanel::removeCurrent() {
  touched_ = true;
  model_.removeUser(currentUser());
}

}  // namespace parapet::ui
