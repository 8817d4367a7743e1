// SPDX-License-Identifier: GPL-3.0-or-later
// The models of the page and of columns: opened, taken from a living run, replaced.
#include <fmt/format.h>

#include "ui/bridge/shown_text.h"
#include "ui/controllers/browse_session.h"

namespace parapet::ui {

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

}  // namespace parapet::ui
