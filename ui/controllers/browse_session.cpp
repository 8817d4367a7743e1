// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/browse_session.h"

#include <fmt/format.h>

#include <numeric>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

using retrieval::Recommendation;
using retrieval::Recommender;
using retrieval::SeenItems;
using retrieval::UserSummary;

struct Question {
  RecommenderPtr shown, compared;
  QStringList users;
  std::int64_t k = 10;
  SeenItems seen = SeenItems::kKeep;
  std::map<QString, Recommendation> before;
};

/// A search gives users whose id merely contains the text, so the exact one is picked out.
UserSummary summaryOf(const Recommender& model, const std::string& id) {
  constexpr auto kAll = static_cast<std::size_t>(-1);
  // The search folds case; the whole list is the fallback for ids that it therefore misses.
  for (const std::string& text : {id, std::string()})
    for (UserSummary& user : model.findUsers(text, retrieval::UserOrder::kById, kAll))
      if (user.id == id) return user;
  return {};
}

Result<Recommendation> listOf(const Recommender& model, const std::string& user,
                              const Question& question) {
  PARAPET_ASSIGN(auto lists, model.recommend(std::span(&user, 1), question.k, question.seen));
  return std::move(lists.front());
}

// One user at a time: an unknown one must not take the lists of the others away.
ColumnAnswer answerFor(const Question& question, const QString& user) {
  const std::string id = user.toStdString();
  ColumnAnswer answer{user, {}, {}, {}, {}, {}, {}};
  auto list = listOf(*question.shown, id, question);
  if (!list.ok()) {
    answer.error = list.error();
    return answer;
  }
  answer.list = std::move(*list);
  answer.summary = summaryOf(*question.shown, id);
  if (auto history = question.shown->history(id)) answer.history = std::move(*history);
  if (question.compared)
    if (auto other = listOf(*question.compared, id, question)) answer.compared = std::move(*other);
  if (const auto found = question.before.find(user); found != question.before.end())
    answer.before = found->second;
  return answer;
}

Error noModel() {
  return {ErrorCode::kNotFound, "no model is open; choose a run first"};
}

}  // namespace

QString seenText(SeenItems seen) {
  switch (seen) {
    case SeenItems::kKeep:
      return BrowseSession::tr("seen items kept");
    case SeenItems::kExcludeTrain:
      return BrowseSession::tr("training items excluded");
    case SeenItems::kExcludeAll:
      break;
  }
  return BrowseSession::tr("all rated items excluded");
}

QString provenanceText(const Recommender& model, const QString& runName, std::int64_t candidates,
                       SeenItems seen) {
  return BrowseSession::tr("%1 · step %2 · data %3\n%4 candidates, %5")
      .arg(runName, QString::fromStdString(formatCount(model.model().step)),
           QString::fromStdString(model.dataset().hash().substr(0, 8)),
           QString::fromStdString(formatCount(candidates)), seenText(seen));
}

BrowseSession::BrowseSession(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {}

void BrowseSession::open(Side side, const ModelChoice& choice) {
  start(side, choice, false);
}

void BrowseSession::update(const ModelChoice& choice) {
  start(Side::kShown, choice, true);
}

void BrowseSession::start(Side side, const ModelChoice& choice, bool update) {
  struct Opened {
    RecommenderPtr model;
    std::vector<std::string> warnings;
  };
  openers_[at(side)].start(
      [workspace = &workspace_, run = choice.runId.toStdString(),
       checkpoint = choice.checkpoint](const WorkContext&) -> Result<Opened> {
        Opened opened;
        PARAPET_ASSIGN(opened.model, workspace->recommender(run, checkpoint, &opened.warnings));
        return opened;
      },
      [this, side, update](Result<Opened> opened) {
        if (!opened.ok()) {
          // An update that fails leaves the lists as they were.
          if (!update) close(side);
          emit openFailed(side, opened.error());
          return;
        }
        QStringList warnings;
        for (const std::string& text : opened->warnings) warnings << shownText(text);
        if (!warnings.isEmpty()) emit warned(warnings.join(QLatin1Char('\n')));
        install(side, std::move(opened->model), update);
      });
}

void BrowseSession::update(RecommenderPtr model) {
  openers_[at(Side::kShown)].cancel();
  install(Side::kShown, std::move(model), true);
}

void BrowseSession::adopt(RecommenderPtr model) {
  openers_[at(Side::kShown)].cancel();
  install(Side::kShown, std::move(model), false);
}

void BrowseSession::install(Side side, RecommenderPtr model, bool update) {
  const RecommenderPtr& other = models_[1 - at(side)];
  if (other && other->dataset().hash() != model->dataset().hash()) {
    // Lists of two catalogues have no common ranks; the one compared with gives way.
    if (side == Side::kCompared) {
      emit openFailed(side, {ErrorCode::kInvalidDocument,
                             fmt::format("it was trained on data {}, the lists shown on data {}; "
                                         "only runs of the same data can be compared",
                                         model->dataset().hash().substr(0, 8),
                                         other->dataset().hash().substr(0, 8))});
      return;
    }
    models_[at(Side::kCompared)].reset();
  }
  if (side == Side::kShown) {
    before_.clear();
    if (update)
      for (const ColumnAnswer& answer : answers_)
        if (!answer.error) before_[answer.user] = answer.list;
  }
  models_[at(side)] = std::move(model);
  emit opened(side);
  ask();
}

void BrowseSession::close(Side side) {
  openers_[at(side)].cancel();
  if (!models_[at(side)]) return;
  models_[at(side)].reset();
  ask();
}

void BrowseSession::setUsers(const QStringList& users) {
  QStringList kept = users;
  kept.removeDuplicates();
  kept.removeAll(QString());
  kept = kept.mid(0, kMaxUsers);
  if (kept == users_) return;
  users_ = kept;
  ask();
}

void BrowseSession::setList(std::int64_t k, SeenItems seen) {
  if (k == k_ && seen == seen_) return;
  k_ = k;
  seen_ = seen;
  before_.clear();
  ask();
}

void BrowseSession::ask() {
  const RecommenderPtr& shown = models_[at(Side::kShown)];
  if (!shown || users_.isEmpty()) {
    lists_.cancel();
    answers_.clear();
    emit answered();
    return;
  }
  const Question question{shown, models_[at(Side::kCompared)], users_, k_, seen_, before_};
  using Answers = std::vector<ColumnAnswer>;
  lists_.start(
      [question](const WorkContext& context) -> Result<Answers> {
        Answers answers;
        for (const QString& user : question.users) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          answers.push_back(answerFor(question, user));
        }
        return answers;
      },
      [this, users = users_](Result<Answers> answers) {
        answers_.clear();
        if (answers.ok())
          answers_ = std::move(*answers);
        else
          for (const QString& user : users)
            answers_.push_back({user, answers.error(), {}, {}, {}, {}, {}});
        emit answered();
      });
}

void BrowseSession::findUsers(const QString& text, Order order, std::uint64_t draw,
                              Done<UserList> done) {
  const RecommenderPtr model = models_[at(Side::kShown)];
  if (!model) return done(noModel());
  users_search_.start(
      [model, text = text.toStdString(), order, draw](const WorkContext&) -> Result<UserList> {
        using retrieval::UserOrder;
        if (order != Order::kRandom) {
          const UserOrder engineOrder =
              order == Order::kActiveFirst     ? UserOrder::kActivityDescending
              : order == Order::kInactiveFirst ? UserOrder::kActivityAscending
              : order == Order::kWorst         ? UserOrder::kWorst
                                               : UserOrder::kById;
          return model->findUsers(text, engineOrder, kUserLimit);
        }
        UserList all = model->findUsers(text, UserOrder::kById, static_cast<std::size_t>(-1));
        std::vector<std::int64_t> indices(all.size());
        std::iota(indices.begin(), indices.end(), std::int64_t{0});
        shuffle(indices, Random(draw, RandomPurpose::kSampling));
        UserList drawn;
        for (std::size_t i = 0; i < std::min(indices.size(), kUserLimit); ++i)
          drawn.push_back(std::move(all[static_cast<std::size_t>(indices[i])]));
        return drawn;
      },
      std::move(done));
}

void BrowseSession::findItems(const QString& text, Done<ItemList> done) {
  const RecommenderPtr model = models_[at(Side::kShown)];
  if (!model) return done(noModel());
  constexpr std::size_t kItemLimit = 50;
  items_search_.start(
      [model, text = text.toStdString()](const WorkContext&) -> Result<ItemList> {
        return model->findItems(text, kItemLimit);
      },
      std::move(done));
}

void BrowseSession::explain(const QString& user, const QString& item,
                            Done<retrieval::Explanation> done) {
  const RecommenderPtr model = models_[at(Side::kShown)];
  if (!model) return done(noModel());
  constexpr std::int64_t kNearest = 10;
  explain_.start([model, user = user.toStdString(), item = item.toStdString()](
                     const WorkContext&) { return model->explain(user, item, kNearest); },
                 std::move(done));
}

void BrowseSession::similar(const QString& item, std::int64_t count, Done<ItemList> done) {
  const RecommenderPtr model = models_[at(Side::kShown)];
  if (!model) return done(noModel());
  similar_.start([model, item = item.toStdString(),
                  count](const WorkContext&) { return model->similarItems(item, count); },
                 std::move(done));
}

void BrowseSession::itemRanks(const QString& item, Done<ItemRanks> done) {
  const RecommenderPtr model = models_[at(Side::kShown)];
  if (!model) return done(noModel());
  ranks_.start(
      [model, item = item.toStdString(), users = users_, k = k_,
       seen = seen_](const WorkContext& context) -> Result<ItemRanks> {
        ItemRanks rows;
        for (const QString& user : users) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          rows.push_back({user, model->rankOf(user.toStdString(), item, k, seen)});
        }
        return rows;
      },
      std::move(done));
}

}  // namespace parapet::ui
