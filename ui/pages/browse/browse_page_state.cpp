// SPDX-License-Identifier: GPL-3.0-or-later
// Which model the page stands on: opened, newer, missing, remembered.
#include <QSplitter>
#include <QStackedWidget>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/terminal_command.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/browse/candidate_bar.h"
#include "ui/pages/browse/fill_mask_panel.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/user_column.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

namespace parapet::ui {
namespace {

using workspace::WhichCheckpoint;

constexpr int kAsMeasured = -1;

nlohmann::json toJson(const std::optional<ModelChoice>& choice) {
  if (!choice) return nullptr;
  return {{"run", choice->runId.toStdString()},
          {"which", static_cast<int>(choice->checkpoint.which)},
          {"step", choice->checkpoint.step}};
}

std::optional<ModelChoice> choiceFrom(const nlohmann::json& state) {
  if (!state.is_object()) return std::nullopt;
  const std::string run = state.value("run", "");
  const int which = std::clamp(state.value("which", 0), 0, 2);
  if (run.empty()) return std::nullopt;
  return ModelChoice{QString::fromStdString(run),
                     {static_cast<WhichCheckpoint>(which), state.value("step", std::int64_t{0})}};
}

nlohmann::json conditionJson(const std::optional<retrieval::AttributeCondition>& condition) {
  if (!condition) return nullptr;
  return {{"attribute", condition->name}, {"value", condition->values.front()}};
}

std::optional<retrieval::AttributeCondition> conditionFrom(const nlohmann::json& state) {
  if (!state.is_object()) return std::nullopt;
  retrieval::AttributeCondition condition{state.value("attribute", ""), {state.value("value", "")}};
  if (condition.name.empty() || condition.values.front().empty()) return std::nullopt;
  return condition;
}

}  // namespace

void BrowsePage::connectRuns() {
  const auto reload = [this] {
    bar_->shown().reload();
    bar_->column().model().reload();
  };
  connect(&workbench_.bridge, &RunBridge::runStarted, this, reload);
  connect(&workbench_.bridge, &RunBridge::runEnded, this, reload);
  connect(&workbench_.bridge, &RunBridge::checkpointWritten, this,
          [this](const QString& run, const experiment::CheckpointWritten& event) {
            newerModel(run, event.step);
            // The first checkpoint of the run: from now on there is something to open.
            if (run == runId_ && std::exchange(waitsForCheckpoint_, false)) openRun(run);
            // A model that nobody looks at would take its memory.
            if (isVisible() && run == followed_ && run != runId_ && !session_->model()) catchUp();
            if (bar_->shown().newestRun() != run) bar_->shown().reload();
          });
  connect(&workbench_.bridge, &RunBridge::epochEnded, this,
          [this](const QString& run, const experiment::EpochEnded& event) {
            // Texts are asked of checkpoints alone.
            if (workbench_.runs.active() && !asksTexts()) newerModel(run, event.summary.step);
          });
  connect(&workbench_.runs, &RunController::recommenderReady, this,
          [this](const QString& run, RecommenderPtr model) {
            if (run != runId_ || !std::exchange(liveWanted_, false)) return;
            const RecommenderPtr& before = session_->model();
            if (before && before->model().runId == model->model().runId)
              session_->update(std::move(model));
            else
              session_->adopt(std::move(model));
          });
  connect(&workbench_.runs, &RunController::progressChanged, this, [this] {
    const RunProgress& progress = workbench_.runs.progress();
    if (!sampleRun_.isEmpty() && progress.total > 0)
      message_->setMessage(tr("Training the sample…"),
                           progressText(progress.stage, progress.done, progress.total));
  });
  connect(&workbench_.runs, &RunController::ended, this,
          [this, reload](const QString& run, experiment::RunState, const QString& error) {
            reload();
            if (run != sampleRun_) return;
            sampleRun_.clear();
            if (error.isEmpty())
              showUser(run, QString());
            else
              showMessage(tr("The sample did not train"), error);
          });
  connect(&workbench_.runs, &RunController::failed, this, [this](const Error& error) {
    if (!session_->model()) showMessage(tr("The run did not start"), shownText(error.text()));
  });
}

void BrowsePage::openModel(const ModelChoice& choice) {
  runId_ = choice.runId;
  liveWanted_ = waitsForCheckpoint_ = false;
  bar_->hideNewer();
  bar_->setNotice(QString());
  if (!session_->model())
    showMessage(tr("Opening the model…"), bar_->shown().runName(choice.runId));
  session_->open(choice);
}

void BrowsePage::openRun(const QString& runId) {
  bar_->shown().setChoice({runId, {}});
  openModel({runId, {}});
}

void BrowsePage::follow(const QString& runId) {
  if (runId.isEmpty() || followed_ == runId) return;
  followed_ = runId;
  if (isVisible() && session_->model())
    refreshStrip();
  else if (isVisible())
    catchUp();
}

void BrowsePage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  // Other programs may have trained in the workspace since it was looked at.
  bar_->shown().reload();
  bar_->column().model().reload();
  catchUp();
  if (followed_ == runId_ || followed_.isEmpty() || bar_->pinned()) takeNewer();
  lookedAt_ = lookedAt_ || session_->model();
}

/// Takes the checkpoint that was offered while nobody looked: lists that somebody has seen tell
/// what moved since.
void BrowsePage::takeNewer() {
  const auto choice = bar_->shown().choice();
  const bool wantsLast = choice && choice->checkpoint.which == WhichCheckpoint::kLast;
  if (!bar_->offersNewer() || !wantsLast) return;
  lookedAt_ || asksTexts() ? updateModel() : openRun(runId_);
}

/// To the run of Train, once it has a checkpoint; until then what is shown stays.
void BrowsePage::catchUp() {
  refreshStrip();
  if (bar_->pinned() || followed_.isEmpty() || followed_ == runId_) return;
  catchingUp_.start(
      [&store = workbench_.workspace.store(), id = followed_.toStdString()](const WorkContext&) {
        return store.checkpoints(id);
      },
      [this, id = followed_](const Result<std::vector<store::CheckpointRecord>>& found) {
        const bool open = found.ok() && !found->empty();
        if (id != followed_ || id == runId_ || bar_->pinned()) return;
        if (open) return openRun(id);
        const QString best = bar_->shown().firstChoice();
        if (runId_.isEmpty() && !best.isEmpty()) return openRun(best);
        // The run that stays is shown at its newest step.
        takeNewer();
      });
}

void BrowsePage::showNewest() {
  const QString newest = bar_->shown().newestRun();
  if (newest.isEmpty()) return;
  bar_->setPinned(newest != followed_ && !followed_.isEmpty());
  openRun(newest);
}

void BrowsePage::refreshStrip() {
  const RecommenderPtr& model = session_->model();
  if (!model && !asksTexts()) return bar_->setStrip(QString(), QString());
  // A model of texts answers in a panel of its own, and no session holds it.
  const QString run = asksTexts() ? runId_ : QString::fromStdString(model->model().runId);
  const std::int64_t step = asksTexts() ? fillMask_->first().step() : model->model().step;
  QString text = tr("Model of run %1").arg(bar_->shown().runName(run));
  if (step > 0) text += tr(" · step %1").arg(QString::fromStdString(formatCount(step)));
  if (bar_->pinned())
    text += tr(" · pinned");
  else if (!followed_.isEmpty() && followed_ != run)
    text += tr(" · run %1 of Train has no checkpoint yet").arg(followed_.left(6));
  const QString newest = bar_->shown().newestRun();
  bar_->setStrip(text,
                 newest.isEmpty() || newest == run ? QString() : bar_->shown().runName(newest));
}

void BrowsePage::openedModel() {
  const RecommenderPtr& model = session_->model();
  // A column that was made the first may be of another run.
  if (const QString run = QString::fromStdString(model->model().runId); run != runId_) {
    runId_ = run;
    bar_->setPinned(run != followed_);
  }
  lookedAt_ = lookedAt_ || isVisible();
  bar_->hideNewer();
  bar_->column().model().setOnlyData(QString::fromStdString(model->dataset().hash()));
  bar_->column().candidates().setAttributes(model->attributes(), model->candidates());
  stack_->setCurrentWidget(across_);
  refreshStrip();
  finder_->setReadsContext(!model->contexts().empty());
  // Another checkpoint has the same users: their recall is measured when none follows at once.
  if (const auto users = std::pair(runId_, model->dataset().hash()); users != finderOf_) {
    if (!finderOf_.second.empty() && finderOf_.second != users.second) leaveOtherData(*model);
    finderOf_ = users;
    finder_->refresh();
  } else {
    finderRest_.start();
  }
}

/// Users and items of the data before are none of these; the first user found takes the place of
/// columns that would say no more than that.
void BrowsePage::leaveOtherData(const retrieval::Recommender& model) {
  std::vector<ColumnQuery> columns = session_->columns();
  const auto count = columns.size();
  std::erase_if(columns, [&model](const ColumnQuery& column) {
    return !model.userRow(column.user.toStdString()).ok();
  });
  if (columns.size() != count) session_->setColumns(std::move(columns));
  item_.clear();
  why_->clear();
  similar_->clear();
}

/// A model of texts has no lists: it is asked in a panel of its own.
void BrowsePage::openFailed(const Error& error) {
  if (error.code != ErrorCode::kInvalidDocument) return showFailure(error);
  kindOfRun_.start(
      [&workspace = workbench_.workspace, run = runId_.toStdString()](const WorkContext&) {
        return workspace.experimentOf(run);
      },
      [this, error, run = runId_](const Result<experiment::Experiment>& document) {
        if (run != runId_) return;
        if (!document.ok() || !experiment::readsText(document->model.kind))
          return showFailure(error);
        stack_->setCurrentWidget(fillMask_);
        refreshStrip();
        const auto choice = bar_->shown().choice();
        fillMask_->open(choice && choice->runId == run ? *choice : ModelChoice{run, {}},
                        bar_->shown().runName(run));
      });
}

bool BrowsePage::asksTexts() const {
  return stack_->currentWidget() == fillMask_;
}

void BrowsePage::showFailure(const Error& error) {
  const QString text = shownText(error.text());
  bar_->replay().stop();
  if (session_->model()) {
    bar_->setNotice(tr("Cannot update: %1").arg(text));
  } else {
    showMessage(tr("This model cannot be opened"), text);
    waitsForCheckpoint_ = error.code == ErrorCode::kNotFound;
    const bool trains = workbench_.runs.active() && workbench_.runs.runId() == runId_;
    liveButton_->setVisible(trains);
    sampleButton_->setVisible(!trains);
    runsButton_->setVisible(!trains);
  }
}

void BrowsePage::runsLoaded(int runs) {
  // Names over the lists may have changed.
  refreshStrip();
  if (session_->model()) return board_->setAnswers(session_->answers(), names());
  if (session_->opening() || !sampleRun_.isEmpty()) return;
  if (runs == 0) return showEmpty();
  // The last checkpoint of a run may be written between its opening and its end.
  if (std::exchange(waitsForCheckpoint_, false)) return openRun(runId_);
  if (!runId_.isEmpty()) return;
  followed_.isEmpty() ? openRun(bar_->shown().firstChoice()) : catchUp();
}

void BrowsePage::showMessage(const QString& title, const QString& text) {
  message_->setMessage(title, text);
  for (QWidget* button : {liveButton_, sampleButton_, runsButton_}) button->hide();
  stack_->setCurrentWidget(message_);
}

void BrowsePage::showEmpty() {
  showMessage(tr("No trained model yet"),
              tr("Browse shows what a model recommends to whom, and why. Train the sample to see "
                 "it at work, or start a run of your own."));
  sampleButton_->show();
}

QString BrowsePage::message() const {
  return stack_->currentWidget() == message_
             ? message_->accessibleName() + QLatin1Char('\n') + message_->text()
             : QString();
}

void BrowsePage::trainSample() {
  if (workbench_.runs.active()) {
    message_->setMessage(tr("A run is under way"),
                         tr("Its model opens here when it has written a checkpoint."));
    return;
  }
  const auto recipe = experiment::findRecipe("sample");
  if (!recipe.ok())
    return showMessage(tr("The sample is missing"), shownText(recipe.error().text()));
  const auto document = experiment::parseJson(recipe->text);
  if (!document.ok())
    return showMessage(tr("The sample is damaged"), shownText(document.error().text()));
  showMessage(tr("Training the sample…"), QString());
  const auto started = connect(&workbench_.runs, &RunController::started, this,
                               [this](const QString& run) { sampleRun_ = run; });
  workbench_.runs.start(experiment::parse(*document).experiment, QStringLiteral("sample"));
  disconnect(started);
  if (sampleRun_.isEmpty()) sampleRun_ = workbench_.runs.runId();
}

void BrowsePage::newerModel(const QString& runId, std::int64_t step) {
  const RecommenderPtr& model = session_->model();
  const std::int64_t shown = asksTexts() ? fillMask_->first().step()
                             : model     ? model->model().step
                                         : 0;
  if (shown > 0 && runId == runId_ && step > shown) bar_->offerNewer(step);
}

void BrowsePage::updateModel() {
  bar_->hideNewer();
  bar_->shown().setChoice({runId_, {}});
  if (asksTexts()) return fillMask_->open({runId_, {}}, bar_->shown().runName(runId_));
  if (workbench_.runs.active() && workbench_.runs.runId() == runId_) {
    liveWanted_ = true;
    if (workbench_.runs.requestRecommender()) return;
    liveWanted_ = false;
  }
  session_->update({runId_, {}});
}

void BrowsePage::showUser(const QString& runId, const QString& user) {
  const bool same = runId.isEmpty() || (runId == runId_ && session_->model());
  if (!user.isEmpty())
    session_->setUsers({user});
  else if (!same)
    session_->setUsers({});
  if (same) return;
  // Asked for by name: it stays, unless it is the one that Browse is at by itself.
  const QString newest = bar_->shown().newestRun();
  bar_->setPinned(runId != followed_ && !newest.isEmpty() && runId != newest);
  if (!bar_->pinned()) followed_ = runId;
  openRun(runId);
}

QString BrowsePage::terminalCommand() const {
  if (asksTexts()) {
    QString command =
        QStringLiteral("parapet-cli predict ") + shellWord(runId_) + fillMask_->terminalOptions();
    const auto choice = bar_->shown().choice();
    if (choice && choice->checkpoint.which == WhichCheckpoint::kLast && !bar_->offersNewer())
      return command;
    if (const std::int64_t step = fillMask_->first().step(); step > 0)
      command += QStringLiteral(" --checkpoint %1").arg(step);
    return command;
  }
  const std::vector<ColumnQuery> columns = session_->columns();
  const int index = std::min(currentIndex(), static_cast<int>(columns.size()) - 1);
  const ColumnQuery column = index < 0 ? ColumnQuery{} : columns[static_cast<std::size_t>(index)];
  const RecommenderPtr model = session_->modelOf(std::max(0, index));
  // A column keeps contexts that the model does not read; they are not asked.
  const auto listOf = [&model](const ColumnQuery& of) {
    ListQuestion list{of.user};
    if (model && model->readsHistory()) list.history = of.history;
    for (const auto& [name, value] : of.context)
      if (!model || std::ranges::any_of(model->contexts(), [&name = name](const auto& read) {
            return QString::fromStdString(read.name) == name;
          }))
        list.context[name] = value;
    return list;
  };
  // Columns of another model are another command.
  std::vector<ListQuestion> lists;
  for (const ColumnQuery& other : columns)
    if (other.model == column.model) lists.push_back(listOf(other));
  if (lists.empty()) lists.push_back({QStringLiteral("1")});
  const QString run = column.model       ? column.model->runId
                      : runId_.isEmpty() ? QStringLiteral("latest")
                                         : runId_;
  RecommendQuestion question{.run = run, .lists = std::move(lists), .k = session_->k()};
  for (const retrieval::AttributeCondition& condition : session_->filter().where)
    question.where[QString::fromStdString(condition.name)] =
        QString::fromStdString(condition.values.front());
  if (session_->seen() == retrieval::SeenItems::kExcludeTrain)
    question.options << QStringLiteral("--exclude-seen");
  if (session_->seen() == retrieval::SeenItems::kExcludeAll)
    question.options << QStringLiteral("--exclude-seen=all");
  const auto choice = column.model ? column.model : bar_->shown().choice();
  // While a newer one is offered the last checkpoint is not the one that answers.
  const bool isLast =
      choice && choice->checkpoint.which == WhichCheckpoint::kLast && !bar_->offersNewer();
  if (model && choice && !isLast)
    question.options << QStringLiteral("--checkpoint") << QString::number(model->model().step);
  return recommendCommand(question);
}

nlohmann::json BrowsePage::saveState() const {
  nlohmann::json columns = nlohmann::json::array();
  for (const ColumnQuery& column : session_->columns()) {
    nlohmann::json context = nlohmann::json::object();
    for (const auto& [name, value] : column.context)
      context[name.toStdString()] = value.toStdString();
    columns.push_back({{"user", column.user.toStdString()},
                       {"context", std::move(context)},
                       {"model", toJson(column.model)}});
    if (!column.history) continue;
    columns.back()["history"] = nlohmann::json::array();
    for (const QString& item : *column.history)
      columns.back()["history"].push_back(item.toStdString());
  }
  return {{"model", toJson(bar_->shown().choice())},
          {"pinned", bar_->pinned()},
          {"columns", std::move(columns)},
          {"where", conditionJson(bar_->column().candidates().condition())},
          {"texts", fillMask_->saveState()},
          {"k", bar_->k()},
          {"seen_items", bar_->seen() ? static_cast<int>(*bar_->seen()) : kAsMeasured},
          {"order", static_cast<int>(finder_->order())},
          {"across", across_->saveState().toBase64().toStdString()},
          {"below", below_->saveState().toBase64().toStdString()},
          {"down", down_->saveState().toBase64().toStdString()}};
}

void BrowsePage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  // A state that another version wrote may hold anything; what does not fit is left out.
  try {
    // A state of another workspace names runs and users of its own: the window looks as it did there.
    const auto isHere = [&store = workbench_.workspace.store()](const auto& choice) {
      return !choice || store.find(choice->runId.toStdString()).ok();
    };
    const auto model = choiceFrom(state.value("model", nlohmann::json()));
    const bool here = isHere(model);
    const auto listOf = [&](const char* key) {
      return here ? state.value(key, nlohmann::json::array()) : nlohmann::json::array();
    };
    std::vector<ColumnQuery> columns;
    // Before columns had more than a user.
    for (const auto& user : listOf("users"))
      columns.push_back({.user = QString::fromStdString(user.get<std::string>())});
    for (const auto& column : listOf("columns")) {
      ColumnQuery query{.user = QString::fromStdString(column.at("user").get<std::string>()),
                        .model = choiceFrom(column.value("model", nlohmann::json()))};
      if (!isHere(query.model)) continue;
      const nlohmann::json context = column.value("context", nlohmann::json::object());
      for (const auto& [name, value] : context.items())
        query.context[QString::fromStdString(name)] =
            QString::fromStdString(value.get<std::string>());
      if (const auto items = column.find("history"); items != column.end() && items->is_array()) {
        query.history.emplace();
        for (const auto& item : *items)
          *query.history << QString::fromStdString(item.get<std::string>());
      }
      columns.push_back(std::move(query));
    }
    session_->setColumns(std::move(columns));
    if (const auto where = conditionFrom(state.value("where", nlohmann::json())); where && here) {
      session_->setFilter({.where = {*where}});
      bar_->column().candidates().setCondition(where);
    }
    const int seen = state.value("seen_items", kAsMeasured);
    bar_->setList(state.value("k", std::int64_t{10}),
                  seen == kAsMeasured
                      ? std::nullopt
                      : std::optional(static_cast<retrieval::SeenItems>(std::clamp(seen, 0, 2))));
    finder_->setOrder(static_cast<BrowseSession::Order>(std::clamp(state.value("order", 0), 0, 5)));
    across_->restoreState(
        QByteArray::fromBase64(QByteArray::fromStdString(state.value("across", ""))));
    below_->restoreState(
        QByteArray::fromBase64(QByteArray::fromStdString(state.value("below", ""))));
    down_->restoreState(QByteArray::fromBase64(QByteArray::fromStdString(state.value("down", ""))));
    bar_->setPinned(here && state.value("pinned", false));
    fillMask_->restoreState(state.value("texts", nlohmann::json()));
    if (model && here) {
      bar_->shown().setChoice(*model);
      openModel(*model);
    }
  } catch (const nlohmann::json::exception&) {
    bar_->setNotice(tr("The remembered view could not be read and was left out"));
  }
}

}  // namespace parapet::ui
