// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/browse_session.h"

#include <algorithm>

#include "ui/bridge/pause.h"
#include "ui/controllers/browse_query.h"
#include "ui/models/recommendation_model.h"

namespace parapet::ui {

using retrieval::ContextValue;
using retrieval::Recommendation;
using retrieval::Recommender;
using retrieval::SeenItems;
using retrieval::UserSummary;

namespace {

/// A column that is to be answered.
struct Asked {
  ColumnQuery query;
  RecommenderPtr model;
  std::optional<Recommendation> before;
  std::vector<retrieval::HistoryItem> history;  ///< if it is known already
  bool knowsHistory = false;
};

/// Values that nobody gave are marked as such, although the query of an unknown user names them.
void markDefaults(Recommendation& list, const ColumnQuery& column) {
  for (ContextValue& value : list.context)
    value.given = column.context.contains(QString::fromStdString(value.name));
}

/// Titles of the items of a history; ids where there are none.
QStringList titlesOf(const retrieval::QueryHistory& history, const Recommender& model) {
  const data::ItemIndex& items = model.interactions()->index();
  QStringList titles;
  for (const std::string& id : history.items) {
    const auto item = items.find(id);
    titles << titleText(item ? std::string(items.title(*item)) : std::string(), id);
  }
  return titles;
}

// One column at a time: an unknown user must not take the lists of the others away.
ColumnAnswer answerFor(const Asked& asked, std::int64_t k, SeenItems seen) {
  ColumnAnswer answer{.query = asked.query, .ready = true, .model = asked.model};
  const retrieval::Query query = queryOf(asked.query, *asked.model);
  auto lists = asked.model->recommend(std::span(&query, 1), k, seen);
  if (!lists.ok()) {
    answer.error = lists.error();
    return answer;
  }
  answer.hasLastRow = asked.model->hasTrainingRows(query.user);
  answer.list = std::move(lists->front());
  markDefaults(answer.list, asked.query);
  if (answer.list.history) answer.historyTitles = titlesOf(*answer.list.history, *asked.model);
  answer.before = asked.before;
  answer.history = asked.history;
  if (!asked.knowsHistory)
    if (auto history = asked.model->history(query.user)) answer.history = std::move(*history);
  return answer;
}

}  // namespace

retrieval::Query queryOf(const ColumnQuery& column, const Recommender& model) {
  retrieval::Query query(column.user.toStdString());
  for (const retrieval::ContextColumn& context : model.contexts())
    if (const auto given = column.context.find(QString::fromStdString(context.name));
        given != column.context.end())
      query.context.push_back({context.name, given->second.toStdString(), true});
  if (column.history && model.readsHistory()) {
    query.history.emplace();
    for (const QString& item : *column.history) query.history->push_back(item.toStdString());
  }
  // Somebody whom nobody knows is asked in the context that is usual.
  if (!model.contexts().empty() && !model.userRow(query.user))
    for (ContextValue& usual : model.usualContext())
      if (std::ranges::find(query.context, usual.name, &ContextValue::name) == query.context.end())
        query.context.push_back(std::move(usual));
  return query;
}

BrowseSession::BrowseSession(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  constexpr int kRestMs = 400;
  callAfterPause(rest_, kRestMs, this, &BrowseSession::measureSummaries);
}

void BrowseSession::setList(std::int64_t k, SeenItems seen) {
  if (k == k_ && seen == seen_) return;
  k_ = k;
  seen_ = seen;
  for (Column& column : columns_) column.answer.before.reset();
  ask();
}

std::vector<ColumnAnswer> BrowseSession::answers() const {
  std::vector<ColumnAnswer> answers;
  if (!model_) return answers;
  for (const Column& column : columns_) {
    answers.push_back(column.answer);
    if (column.fault) {
      answers.back() = {.query = column.query, .ready = true, .error = column.fault};
    } else if (!column.answer.ready) {
      answers.back().query = column.query;
    }
  }
  return answers;
}

BrowseSession::Stamp BrowseSession::stampOf(const Column& column) const {
  return {column.query, modelFor(column).get(), k_, seen_};
}

void BrowseSession::ask() {
  std::vector<Asked> asked;
  std::vector<std::pair<std::size_t, Stamp>> stamps;
  for (Column& column : columns_) {
    const RecommenderPtr& model = modelFor(column);
    const Stamp stamp = stampOf(column);
    const bool waits = column.query.model && columnOpeners_[column.slot].running();
    if (!model || column.fault || waits || column.stamp == stamp) continue;
    Asked& question =
        asked.emplace_back(Asked{column.query, model, column.answer.before, {}, false});
    question.knowsHistory = column.answer.ready && !column.answer.error &&
                            column.answer.query.user == column.query.user &&
                            column.answer.model->dataset().hash() == model->dataset().hash();
    if (question.knowsHistory) question.history = column.answer.history;
    stamps.emplace_back(column.slot, stamp);
  }
  if (asked.empty()) {
    lists_.cancel();
    rest_.start();
    emit answered();
    return;
  }
  using Answers = std::vector<ColumnAnswer>;
  lists_.start(
      [asked = std::move(asked), k = k_,
       seen = seen_](const WorkContext& context) -> Result<Answers> {
        Answers answers;
        for (const Asked& question : asked) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          answers.push_back(answerFor(question, k, seen));
        }
        return answers;
      },
      [this, stamps = std::move(stamps)](Result<Answers> answers) {
        for (std::size_t i = 0; i < stamps.size(); ++i) {
          Column* column = ofSlot(stamps[i].first);
          if (!column || stampOf(*column) != stamps[i].second) continue;
          ColumnAnswer answer =
              answers.ok()
                  ? std::move((*answers)[i])
                  : ColumnAnswer{.query = column->query, .ready = true, .error = answers.error()};
          if (answer.query.user == column->answer.query.user &&
              answer.model == column->answer.model)
            answer.summary = column->answer.summary;
          column->answer = std::move(answer);
          column->stamp = stamps[i].second;
        }
        rest_.start();
        emit answered();
      });
}

/// Once nothing changes: the recall of one user takes the lists of all.
void BrowseSession::measureSummaries() {
  using Summaries = std::vector<std::pair<Stamp, UserSummary>>;
  std::vector<std::tuple<Stamp, RecommenderPtr, std::string>> wanted;
  for (const Column& column : columns_)
    if (column.stamp == stampOf(column) && column.answer.model && !column.answer.error &&
        !column.answer.summary)
      wanted.emplace_back(*column.stamp, column.answer.model, column.query.user.toStdString());
  if (wanted.empty()) return;
  summaries_.start(
      [wanted = std::move(wanted)](const WorkContext& context) -> Result<Summaries> {
        Summaries found;
        for (const auto& [stamp, model, user] : wanted) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          if (auto summary = model->userSummary(user))
            found.emplace_back(stamp, std::move(*summary));
        }
        return found;
      },
      [this](const Result<Summaries>& found) {
        if (!found.ok()) return;
        for (const auto& [stamp, summary] : *found)
          for (Column& column : columns_)
            if (column.stamp == stamp) column.answer.summary = summary;
        if (!found->empty()) emit answered();
      });
}

}  // namespace parapet::ui
