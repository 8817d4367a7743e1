// SPDX-License-Identifier: Apache-2.0
#include "engine/store/experiments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/clock.h"
#include "engine/experiment/experiment_name.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

// The order that experimentOfRow reads.
#define EXPERIMENT_COLUMNS                                                                   \
  "id, name, title, origin, created_ms, modified_ms, revision, trashed,"                     \
  " (SELECT count(*) FROM runs WHERE experiment_id=experiments.id AND experiment_id<>'' AND" \
  "  runs.trashed=0)"

ExperimentRecord experimentOfRow(const Statement& row) {
  int column = 0;
  ExperimentRecord record;
  record.id = row.text(column++);
  record.name = row.text(column++);
  record.title = row.text(column++);
  record.origin = row.text(column++);
  record.createdMs = row.integer(column++);
  record.modifiedMs = row.integer(column++);
  record.revision = row.integer(column++);
  record.trashed = row.integer(column++) != 0;
  record.runs = row.integer(column++);
  return record;
}

ExperimentRecord wholeOfRow(const Statement& row) {
  ExperimentRecord record = experimentOfRow(row);
  record.document = row.text(9);
  record.draft = row.text(10);
  record.reasons = row.text(11);
  return record;
}

template <class... Values>
Result<std::optional<ExperimentRecord>> readWhere(Database& database, const char* condition,
                                                  const Values&... values) {
  std::optional<ExperimentRecord> found;
  PARAPET_TRY(database.each(
      fmt::format("SELECT " EXPERIMENT_COLUMNS
                  ", document, draft, reasons FROM experiments WHERE {} LIMIT 1",
                  condition),
      [&](Statement& row) { found = wholeOfRow(row); }, values...));
  return found;
}

Result<ExperimentRecord> readById(Database& database, const std::string& id) {
  PARAPET_ASSIGN(auto found, readWhere(database, "id=?", id));
  if (!found)
    return Error{ErrorCode::kNotFound, fmt::format("there is no experiment {}", printable(id))};
  return std::move(*found);
}

Error noSuchName(Database& database, const std::string& asked, int trashed) {
  std::vector<std::string> names;
  (void)database.each(
      "SELECT name FROM experiments WHERE trashed=?",
      [&](Statement& row) { names.push_back(row.text(0)); }, trashed);
  const char* where = trashed ? "the trash of this workspace" : "this workspace";
  if (names.empty()) return {ErrorCode::kNotFound, fmt::format("{} holds no experiments", where)};
  return {ErrorCode::kNotFound,
          fmt::format("{} holds no experiment named \"{}\"{}; it holds {}", where, printable(asked),
                      didYouMean(asked, names), names.size())};
}

/// Whether another experiment than `id` has a name or title, in whatever case. Called in a transaction.
Result<bool> isTaken(Database& database, std::string_view word, const std::string& id) {
  PARAPET_ASSIGN(const std::int64_t others,
                 database.integer("SELECT count(*) FROM experiments WHERE trashed=0 AND id<>?2 AND"
                                  " (name=?1 COLLATE NOCASE OR title=?1 COLLATE NOCASE)",
                                  word, id));
  return others > 0;
}

using FreeOne = std::string (*)(std::string_view, const std::function<bool(std::string_view)>&);

Result<std::string> freeOne(Database& database, FreeOne find, const std::string& wanted,
                            const std::string& id) {
  Status asked;
  std::string free = find(wanted, [&](std::string_view candidate) {
    const auto taken = isTaken(database, candidate, id);
    if (!taken.ok()) asked = taken.error();
    return taken.ok() && *taken;
  });
  PARAPET_TRY(asked);
  return free;
}

/// The name of a title; a title that is a name keeps it.
Result<std::string> nameFor(Database& database, const std::string& title, const std::string& id) {
  return freeOne(database, experiment::freeExperimentName, experiment::experimentNameFrom(title),
                 id);
}

Status requireFree(Database& database, const std::string& title, const std::string& id) {
  PARAPET_TRY(experiment::checkExperimentTitle(title));
  PARAPET_ASSIGN(const bool taken, isTaken(database, title, id));
  if (!taken) return {};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("another experiment of this workspace is named \"{}\"; accepted: a name "
                           "that differs in more than case",
                           title),
               "/name"};
}

/// /name of a document; nullopt where it has none.
std::optional<std::string> nameIn(const std::string& document) {
  const auto json = nlohmann::json::parse(document, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto name = json.find("name");
  if (name == json.end() || !name->is_string()) return std::nullopt;
  return experiment::normalizedTitle(name->get<std::string>());
}

std::string withName(const std::string& document, const std::string& name) {
  auto json = nlohmann::ordered_json::parse(document, nullptr, false);
  if (!json.is_object() || json.value("name", nlohmann::ordered_json()) == name) return document;
  json["name"] = name;
  return json.dump(2);
}

Result<ExperimentRecord> insert(Database& database, const NewExperiment& wanted) {
  const std::string id = newId();
  PARAPET_ASSIGN(const std::string title,
                 freeOne(database, experiment::freeExperimentTitle, wanted.title, id));
  PARAPET_ASSIGN(const std::string name, nameFor(database, title, id));
  const std::int64_t nowMs = wallClockMs();
  PARAPET_TRY(database.run(
      "INSERT INTO experiments (id, name, title, document, draft, origin, reasons, created_ms,"
      " modified_ms) VALUES (?,?,?,?,?,?,?,?,?)",
      id, name, title, withName(wanted.document, title), wanted.draft, wanted.origin,
      wanted.reasons, nowMs, nowMs));
  return readById(database, id);
}

/// Gives an experiment a title that is free; one in the trash comes out of it.
Status setTitle(Database& database, const ExperimentRecord& stored, const std::string& title) {
  PARAPET_ASSIGN(const std::string name, nameFor(database, title, stored.id));
  return database.run(
      "UPDATE experiments SET trashed=0, name=?, title=?, document=?, modified_ms=?,"
      " revision=revision+1 WHERE id=?",
      name, title, withName(stored.document, title), wallClockMs(), stored.id);
}

/// The edit comes second: it becomes an experiment of its own.
Result<SavedExperiment> saveAs(Database& database, const ExperimentEdit& edit,
                               const std::optional<ExperimentRecord>& changed) {
  NewExperiment own{"experiment", edit.document, edit.draft, {}};
  if (changed)
    own.title = changed->title, own.origin = changed->origin, own.reasons = changed->reasons;
  if (const auto named = nameIn(edit.document)) own.title = *named;
  SavedExperiment saved{SavedExperiment::Outcome::kSavedAs, {}};
  PARAPET_ASSIGN(saved.record, insert(database, own));
  return saved;
}

/// A change in one transaction that has an answer; the body may run again.
template <class Answer>
Result<Answer> change(StoreState& state, const std::function<Result<Answer>(Database&)>& body) {
  Answer answer;
  const Status outcome = state.change([&](Database& database) -> Status {
    PARAPET_ASSIGN(answer, body(database));
    return {};
  });
  if (!outcome.ok()) return outcome.error();
  return answer;
}

}  // namespace

Result<std::vector<ExperimentRecord>> Experiments::list(Trash trash) const {
  std::lock_guard lock(state_->mutex);
  std::vector<ExperimentRecord> found;
  PARAPET_TRY(state_->current().each(
      "SELECT " EXPERIMENT_COLUMNS
      " FROM experiments WHERE trashed=? ORDER BY modified_ms DESC, rowid DESC",
      [&](Statement& row) { found.push_back(experimentOfRow(row)); }, trash == Trash::kOnly));
  return found;
}

Result<ExperimentRecord> Experiments::find(const std::string& name) const {
  std::lock_guard lock(state_->mutex);
  Database& database = state_->current();
  PARAPET_ASSIGN(auto found, readWhere(database, "trashed=0 AND name=?", name));
  if (!found) {
    PARAPET_ASSIGN(found, readWhere(database, "trashed=0 AND title IN (?1, ?2)", name,
                                    experiment::normalizedTitle(name)));
  }
  if (!found) return noSuchName(database, name, 0);
  return std::move(*found);
}

Result<ExperimentRecord> Experiments::findTrashed(const std::string& name) const {
  std::lock_guard lock(state_->mutex);
  Database& database = state_->current();
  PARAPET_ASSIGN(auto found,
                 readWhere(database,
                           "id=(SELECT id FROM experiments WHERE trashed=1 AND"
                           " (name=?1 OR title IN (?1, ?2)) ORDER BY modified_ms DESC, rowid DESC"
                           " LIMIT 1)",
                           name, experiment::normalizedTitle(name)));
  if (!found) return noSuchName(database, name, 1);
  return std::move(*found);
}

Result<ExperimentRecord> Experiments::byId(const std::string& id) const {
  std::lock_guard lock(state_->mutex);
  return readById(state_->current(), id);
}

Result<ExperimentRecord> Experiments::create(const NewExperiment& wanted) {
  return change<ExperimentRecord>(*state_,
                                  [&](Database& database) { return insert(database, wanted); });
}

Result<SavedExperiment> Experiments::save(const ExperimentEdit& edit) {
  return change<SavedExperiment>(*state_, [&](Database& database) -> Result<SavedExperiment> {
    PARAPET_ASSIGN(const auto stored, readWhere(database, "id=?", edit.id));
    if (stored && stored->document == edit.document && stored->draft == edit.draft)
      return SavedExperiment{SavedExperiment::Outcome::kSaved, *stored};
    if (!stored || stored->trashed || stored->revision != edit.revision)
      return saveAs(database, edit, stored);
    SavedExperiment saved;
    std::string title = stored->title, name = stored->name;
    if (const auto wanted = nameIn(edit.document); wanted && *wanted != title) {
      const Status allowed = requireFree(database, *wanted, edit.id);
      if (!allowed.ok() && allowed.error().code != ErrorCode::kInvalidDocument)
        return allowed.error();
      if (allowed.ok()) {
        title = *wanted;
        PARAPET_ASSIGN(name, nameFor(database, title, edit.id));
      } else {
        saved.nameRefused = allowed.error().message;
      }
    }
    PARAPET_TRY(
        database.run("UPDATE experiments SET name=?, title=?, document=?, draft=?, modified_ms=?,"
                     " revision=revision+1 WHERE id=?",
                     name, title, edit.document, edit.draft, wallClockMs(), edit.id));
    PARAPET_ASSIGN(saved.record, readById(database, edit.id));
    return saved;
  });
}

Status Experiments::setReasons(const std::string& id, const std::string& reasons) {
  return state_->change([&](Database& database) {
    return database.run("UPDATE experiments SET reasons=? WHERE id=?", reasons, id);
  });
}

Result<ExperimentRecord> Experiments::rename(const std::string& id, const std::string& wanted) {
  const std::string title = experiment::normalizedTitle(wanted);
  return change<ExperimentRecord>(*state_, [&](Database& database) -> Result<ExperimentRecord> {
    PARAPET_ASSIGN(const ExperimentRecord stored, readById(database, id));
    if (stored.trashed) return noSuchName(database, stored.name, 0);
    PARAPET_TRY(requireFree(database, title, id));
    PARAPET_TRY(setTitle(database, stored, title));
    return readById(database, id);
  });
}

Result<ExperimentRecord> Experiments::duplicate(const std::string& id) {
  return change<ExperimentRecord>(*state_, [&](Database& database) -> Result<ExperimentRecord> {
    PARAPET_ASSIGN(const ExperimentRecord stored, readById(database, id));
    return insert(database,
                  {stored.title, stored.document, stored.draft, stored.origin, stored.reasons});
  });
}

Status Experiments::trash(const std::string& id) {
  return state_->change([&](Database& database) -> Status {
    PARAPET_ASSIGN(const ExperimentRecord stored, readById(database, id));
    if (stored.trashed) return {};
    return database.run(
        "UPDATE experiments SET trashed=1, modified_ms=?, revision=revision+1 WHERE id=?",
        wallClockMs(), id);
  });
}

Result<ExperimentRecord> Experiments::restore(const std::string& id) {
  return change<ExperimentRecord>(*state_, [&](Database& database) -> Result<ExperimentRecord> {
    PARAPET_ASSIGN(const ExperimentRecord stored, readById(database, id));
    if (!stored.trashed) return stored;
    PARAPET_ASSIGN(const std::string title,
                   freeOne(database, experiment::freeExperimentTitle, stored.title, id));
    PARAPET_TRY(setTitle(database, stored, title));
    return readById(database, id);
  });
}

Status Experiments::erase(const std::string& id) {
  return state_->change([&](Database& database) -> Status {
    PARAPET_TRY(readById(database, id));
    return database.run("DELETE FROM experiments WHERE id=?", id);
  });
}

}  // namespace parapet::store
