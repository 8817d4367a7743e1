// SPDX-License-Identifier: GPL-3.0-or-later
// What the columns ask: added, changed, exchanged.
#include <algorithm>

#include "ui/controllers/browse_session.h"

namespace parapet::ui {

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
