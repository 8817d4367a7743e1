// SPDX-License-Identifier: GPL-3.0-or-later
// The models of the page and of columns: opened, taken from a living run, replaced.
// What the columns ask: added, changed, exchanged.
#include "ui/controllers/browse_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"

namespace parapet::ui {

using retrieval::ContextValue;
using retrieval::Recommendation;
using retrieval::Recommender;
using retrieval::SeenItems;
using retrieval::UserSummary;

namespace {

std::uint64_t vectorBytes(const RecommenderPtr& model) {
  return (model->model().queries.size() + model->model().candidates.size()) * sizeof(float);
}

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

QString scoreNameOf(workspace::Workspace& workspace, const Recommender& model) {
  if (model.model().scorer) return BrowseSession::tr("output of the model");
  const auto document = workspace.experimentOf(model.model().runId);
  const bool cosine = document.ok() && document->model.score == experiment::Score::kCosine;
  return cosine ? BrowseSession::tr("cosine") : BrowseSession::tr("dot product");
}

// One column at a time: an unknown user must not take the lists of the others away.
ColumnAnswer answerFor(const Asked& asked, std::int64_t k, SeenItems seen,
                       const retrieval::CandidateFilter& filter) {
  ColumnAnswer answer{.query = asked.query, .ready = true, .model = asked.model};
  retrieval::Query query = queryOf(asked.query, *asked.model);
  auto candidates = asked.model->candidatesOf(filter);
  if (!candidates.ok()) {
    answer.error = candidates.error();
    return answer;
  }
  query.candidates = std::move(*candidates);
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

RecommenderPtr ModelCache::find(const ModelChoice& choice) {
  if (choice.checkpoint.which != workspace::WhichCheckpoint::kStep) return nullptr;
  const std::string run = choice.runId.toStdString();
  const auto found = std::ranges::find_if(models_, [&](const RecommenderPtr& model) {
    return model->model().runId == run && model->model().step == choice.checkpoint.step;
  });
  if (found == models_.end()) return nullptr;
  models_.splice(models_.begin(), models_, found);
  return models_.front();
}

void ModelCache::add(const RecommenderPtr& model) {
  models_.remove_if([&](const RecommenderPtr& other) {
    return other->model().runId == model->model().runId &&
           other->model().step == model->model().step;
  });
  models_.push_front(model);
  std::uint64_t bytes = 0;
  std::size_t kept = 0;
  for (const RecommenderPtr& each : models_) {
    bytes += vectorBytes(each);
    if (kept > 0 && (kept == kModels || bytes > kBytes)) break;
    ++kept;
  }
  models_.resize(kept);
}

RecommenderPtr ModelCache::ofRun(const QString& runId) const {
  const std::string run = runId.toStdString();
  const auto found = std::ranges::find_if(
      models_, [&](const RecommenderPtr& model) { return model->model().runId == run; });
  return found == models_.end() ? nullptr : *found;
}

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

SeenItems BrowseSession::seen() const {
  return seen_.value_or(model_ ? model_->recallRule().seen : SeenItems::kKeep);
}

void BrowseSession::setList(std::int64_t k, std::optional<SeenItems> seen) {
  if (k == k_ && seen == seen_) return;
  k_ = k;
  seen_ = seen;
  for (Column& column : columns_) column.answer.before.reset();
  ask();
}

void BrowseSession::setFilter(retrieval::CandidateFilter filter) {
  if (filter == filter_) return;
  filter_ = std::move(filter);
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
  return {column.query, modelFor(column).get(), k_, seen(), filter_};
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
      [&workspace = workspace_, asked = std::move(asked), k = k_, seen = seen(),
       filter = filter_](const WorkContext& context) -> Result<Answers> {
        Answers answers;
        for (const Asked& question : asked) {
          if (context.cancelled()) return Error{ErrorCode::kCancelled, "superseded"};
          answers.push_back(answerFor(question, k, seen, filter));
          answers.back().scoreName = scoreNameOf(workspace, *question.model);
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

std::function<Result<BrowseSession::Opened>(const WorkContext&)> BrowseSession::opening(
    const ModelChoice& choice) const {
  return [workspace = &workspace_, run = choice.runId.toStdString(), checkpoint = choice.checkpoint,
          sibling = cache_.ofRun(choice.runId)](const WorkContext& context) -> Result<Opened> {
    Opened opened;
    PARAPET_ASSIGN(opened.model, workspace->recommender(run, checkpoint, &opened.warnings, context,
                                                        sibling.get()));
    return opened;
  };
}

void BrowseSession::warn(const std::vector<std::string>& warnings) {
  QStringList texts;
  for (const std::string& text : warnings) texts << shownText(text);
  if (!texts.isEmpty()) emit warned(texts.join(QLatin1Char('\n')));
}

void BrowseSession::open(const ModelChoice& choice) {
  start(choice, ListsBefore::kForget);
}

void BrowseSession::update(const ModelChoice& choice) {
  start(choice, ListsBefore::kKeep);
}

void BrowseSession::start(const ModelChoice& choice, ListsBefore before) {
  if (RecommenderPtr known = cache_.find(choice)) {
    opener_.cancel();
    return install(std::move(known), before);
  }
  opener_.start(opening(choice), [this, before](Result<Opened> opened) {
    if (!opened.ok()) {
      // An update that fails leaves the lists as they were.
      if (before == ListsBefore::kForget && model_) {
        model_.reset();
        emit answered();
      }
      emit openFailed(opened.error());
      return;
    }
    warn(opened->warnings);
    install(std::move(opened->model), before);
  });
  emit answered();
}

void BrowseSession::update(RecommenderPtr model) {
  opener_.cancel();
  install(std::move(model), ListsBefore::kKeep);
}

void BrowseSession::adopt(RecommenderPtr model) {
  opener_.cancel();
  install(std::move(model), ListsBefore::kForget);
}

void BrowseSession::install(RecommenderPtr model, ListsBefore before) {
  const bool otherData = model_ && model_->dataset().hash() != model->dataset().hash();
  if (before == ListsBefore::kForget || otherData)
    for (Column& column : columns_) column.answer.before.reset();
  // Lists of two catalogues have no common ranks; columns of the data before give way.
  if (otherData)
    std::erase_if(columns_, [&](const Column& column) {
      if (column.query.model) columnOpeners_[column.slot].cancel();
      return column.query.model.has_value();
    });
  if (before == ListsBefore::kKeep && !otherData)
    for (Column& column : columns_)
      if (!column.query.model && column.answer.ready && !column.answer.error)
        column.answer.before = column.answer.list;
  model_ = std::move(model);
  std::erase_if(filter_.where, [&](const retrieval::AttributeCondition& condition) {
    return std::ranges::find(model_->attributes(), condition.name) == model_->attributes().end();
  });
  cache_.add(model_);
  if (sensitivities_.model != model_) sensitivities_ = {model_, {}};
  emit opened();
  ask();
}

const RecommenderPtr& BrowseSession::modelFor(const Column& column) const {
  return column.query.model ? column.own : model_;
}

RecommenderPtr BrowseSession::modelOf(int column) const {
  const Column* found = at(column);
  return found ? modelFor(*found) : model_;
}

bool BrowseSession::isOpening(int column) const {
  const Column* found = at(column);
  if (!found || !found->query.model) return opener_.running();
  return columnOpeners_[found->slot].running();
}

void BrowseSession::cancelOpening(int column) {
  Column* found = at(column);
  if (!found || !found->query.model) {
    opener_.cancel();
  } else {
    columnOpeners_[found->slot].cancel();
    // Back to the model that is shown.
    found->query.model.reset();
    if (found->own)
      found->query.model =
          ModelChoice{QString::fromStdString(found->own->model().runId),
                      {workspace::WhichCheckpoint::kStep, found->own->model().step}};
  }
  ask();
}

void BrowseSession::startOwn(Column& column) {
  const ModelChoice choice = *column.query.model;
  const std::size_t slot = column.slot;
  columnOpeners_[slot].cancel();
  column.fault.reset();
  if (RecommenderPtr known = cache_.find(choice))
    return installOwn(slot, choice, Opened{std::move(known), {}});
  columnOpeners_[slot].start(opening(choice), [this, slot, choice](const Result<Opened>& opened) {
    installOwn(slot, choice, opened);
    ask();
  });
}

void BrowseSession::installOwn(std::size_t slot, const ModelChoice& choice,
                               const Result<Opened>& opened) {
  Column* column = ofSlot(slot);
  if (!column || column->query.model != choice) return;
  if (!opened.ok()) {
    column->fault = opened.error();
    column->own.reset();
    return;
  }
  warn(opened->warnings);
  if (model_ && model_->dataset().hash() != opened->model->dataset().hash()) {
    column->own.reset();
    column->fault = Error{
        ErrorCode::kInvalidDocument,
        fmt::format("it was trained on data {}, the first column on data {}; only runs of the "
                    "same data can be compared",
                    opened->model->dataset().hash().substr(0, 8),
                    model_->dataset().hash().substr(0, 8))};
    return;
  }
  // A checkpoint of the same run shows what changed since the list before.
  const bool grew = column->own && column->own->model().runId == opened->model->model().runId;
  column->answer.before = grew && column->answer.ready && !column->answer.error
                              ? std::optional(column->answer.list)
                              : std::nullopt;
  column->own = opened->model;
  cache_.add(column->own);
}

BrowseSession::Column* BrowseSession::at(int column) {
  return column < 0 || column >= count() ? nullptr : &columns_[static_cast<std::size_t>(column)];
}

const BrowseSession::Column* BrowseSession::at(int column) const {
  return column < 0 || column >= count() ? nullptr : &columns_[static_cast<std::size_t>(column)];
}

BrowseSession::Column* BrowseSession::ofSlot(std::size_t slot) {
  const auto found = std::ranges::find(columns_, slot, &Column::slot);
  return found == columns_.end() ? nullptr : &*found;
}

std::size_t BrowseSession::freeSlot() const {
  std::size_t slot = 0;
  while (std::ranges::find(columns_, slot, &Column::slot) != columns_.end()) ++slot;
  return slot;
}

void BrowseSession::setColumns(std::vector<ColumnQuery> wanted) {
  std::vector<Column> kept;
  for (ColumnQuery& query : wanted) {
    if (query.user.isEmpty() || static_cast<int>(kept.size()) == kMaxColumns) continue;
    if (kept.empty()) query.model.reset();
    if (std::ranges::find(kept, query, &Column::query) != kept.end()) continue;
    const auto same = std::ranges::find(columns_, query, &Column::query);
    if (same != columns_.end()) {
      kept.push_back(std::move(*same));
      columns_.erase(same);
    } else {
      kept.push_back({.query = std::move(query), .slot = kMaxColumns});
    }
  }
  for (const Column& column : columns_) columnOpeners_[column.slot].cancel();
  columns_ = std::move(kept);
  for (Column& column : columns_)
    if (column.slot == kMaxColumns) {
      column.slot = freeSlot();
      if (column.query.model) startOwn(column);
    }
  ask();
}

std::vector<ColumnQuery> BrowseSession::columns() const {
  std::vector<ColumnQuery> queries;
  for (const Column& column : columns_) queries.push_back(column.query);
  return queries;
}

void BrowseSession::setUsers(const QStringList& users) {
  std::vector<ColumnQuery> wanted;
  for (const QString& user : users) wanted.push_back({.user = user});
  setColumns(std::move(wanted));
}

QStringList BrowseSession::users() const {
  QStringList users;
  for (const Column& column : columns_)
    if (!users.contains(column.query.user)) users << column.query.user;
  return users;
}

void BrowseSession::setUser(int column, const QString& user) {
  Column* changed = at(column);
  if (!changed || user.isEmpty() || changed->query.user == user) return;
  changed->query.user = user;
  changed->query.history.reset();
  changed->answer.before.reset();
  ask();
}

void BrowseSession::setHistory(int column, const std::optional<QStringList>& items) {
  Column* changed = at(column);
  if (!changed || changed->query.history == items) return;
  changed->query.history = items;
  changed->answer.before.reset();
  ask();
}

void BrowseSession::setContext(int column, const QString& name,
                               const std::optional<QString>& value) {
  Column* changed = at(column);
  if (!changed) return;
  const auto found = changed->query.context.find(name);
  const bool same = value ? found != changed->query.context.end() && found->second == *value
                          : found == changed->query.context.end();
  if (same) return;
  if (value)
    changed->query.context[name] = *value;
  else
    changed->query.context.erase(found);
  changed->answer.before.reset();
  ask();
}

void BrowseSession::setModel(int column, const std::optional<ModelChoice>& model) {
  Column* changed = at(column);
  if (!changed || column == 0 || changed->query.model == model) return;
  columnOpeners_[changed->slot].cancel();
  changed->query.model = model;
  changed->fault.reset();
  if (!model) {
    changed->own.reset();
    changed->answer.before.reset();
  } else {
    startOwn(*changed);
  }
  ask();
}

bool BrowseSession::duplicate(int column) {
  const Column* from = at(column);
  if (!from || count() == kMaxColumns) return false;
  Column copy = *from;
  copy.slot = freeSlot();
  const auto inserted = columns_.insert(columns_.begin() + column + 1, std::move(copy));
  if (inserted->query.model && !inserted->own) startOwn(*inserted);
  ask();
  return true;
}

void BrowseSession::remove(int column) {
  const Column* gone = at(column);
  if (!gone || count() == 1) return;
  columnOpeners_[gone->slot].cancel();
  columns_.erase(columns_.begin() + column);
  // The first column has the model of the page.
  if (Column& first = columns_.front(); first.query.model) {
    columnOpeners_[first.slot].cancel();
    first.query.model.reset();
    first.own.reset();
    first.answer.before.reset();
  }
  ask();
}

void BrowseSession::makeFirst(int column) {
  if (column <= 0 || column >= count()) return;
  Column &first = columns_.front(), &other = *at(column);
  std::swap(first.query.user, other.query.user);
  std::swap(first.query.context, other.query.context);
  std::swap(first.query.history, other.query.history);
  if (other.query.model && other.own && model_) {
    // The page goes to the model of the column, the column to that of the page.
    const ModelChoice pages{QString::fromStdString(model_->model().runId),
                            {workspace::WhichCheckpoint::kStep, model_->model().step}};
    columnOpeners_[other.slot].cancel();
    std::swap(model_, other.own);
    other.query.model = pages;
    for (Column& each : columns_) each.answer.before.reset();
    sensitivities_ = {model_, {}};
    emit opened();
  } else {
    first.answer.before.reset();
    other.answer.before.reset();
  }
  ask();
}

}  // namespace parapet::ui
