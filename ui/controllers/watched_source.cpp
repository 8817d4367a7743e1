// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/watched_source.h"

#include <algorithm>

#include "ui/bridge/shown_text.h"

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

QString WatchedSource::drawUser() {
  if (!recommender_) return {};
  // By the id alone: what a user's summary tells, a ranking model computes for seconds.
  const std::vector<std::string> drawn = recommender_->randomUsers(kDrawSeed + draws_++, 1);
  return drawn.empty() ? QString() : QString::fromStdString(drawn.front());
}

}  // namespace parapet::ui
