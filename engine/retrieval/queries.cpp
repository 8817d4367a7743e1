// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "engine/base/text.h"
#include "engine/retrieval/interactions.h"

namespace parapet::retrieval {
namespace {

constexpr std::size_t kMaxNamed = 10;

/// "50", "181" and 3 more
std::string namesOf(const std::vector<std::string>& all) {
  if (all.size() <= kMaxNamed) return join(all);
  return fmt::format("{} and {} more", join(std::span(all).first(kMaxNamed)),
                     all.size() - kMaxNamed);
}

}  // namespace

std::vector<std::vector<ContextValue>> combinations(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& valuesByName) {
  std::vector<std::vector<ContextValue>> all{{}};
  for (const auto& [name, values] : valuesByName) {
    std::vector<std::vector<ContextValue>> longer;
    for (const std::vector<ContextValue>& start : all)
      for (const std::string& value : values) {
        longer.push_back(start);
        longer.back().push_back({name, value, true});
      }
    all = std::move(longer);
  }
  return all;
}

QueryReader::QueryReader(const data::Dataset& dataset, const data::Vocabulary& users,
                         const data::Vocabulary& items, const Interactions& interactions,
                         const QuerySide* side)
    : dataset_(dataset), users_(users), items_(items), interactions_(interactions), side_(side) {}

std::span<const ContextColumn> QueryReader::contexts() const {
  return side_ ? side_->contexts() : std::span<const ContextColumn>{};
}

Result<std::int32_t> QueryReader::userRow(std::string_view userId) const {
  if (const auto row = users_.row(userId); row && *row > 0) return *row;
  constexpr std::size_t kNamed = 3;
  std::int64_t count = 0;
  std::vector<std::string> named;
  for (std::int64_t row = 1; row < users_.size(); ++row) {
    if (!users_.isCandidate(row)) continue;
    ++count;
    if (named.size() < kNamed) named.push_back(printable(users_.rawId(row)));
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("user \"{}\" is not in the data; there are {} users, for example {}; "
                           "exported recommendations list them all",
                           printable(userId), formatCount(count), join(named))};
}

Status QueryReader::checkNames(const Query& query) const {
  std::vector<std::string> names;
  for (const ContextColumn& column : contexts()) names.push_back(column.name);
  std::vector<std::string> given;
  for (const ContextValue& value : query.context) {
    if (names.empty())
      return Error{
          ErrorCode::kInvalidDocument,
          fmt::format("context \"{}\": the model has no context features", printable(value.name))};
    if (std::ranges::find(names, value.name) == names.end())
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("context \"{}\" is unknown{}; accepted: {}", printable(value.name),
                               didYouMean(value.name, names), join(names))};
    if (std::ranges::find(given, value.name) != given.end())
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("context \"{}\" is given twice", printable(value.name))};
    given.push_back(value.name);
  }
  return {};
}

Result<ContextCell> QueryReader::read(const ContextColumn& column, const std::string& value,
                                      std::vector<std::string>& warnings) const {
  if (column.isNumeric) {
    const auto number = parseDouble(value);
    if (!number || !std::isfinite(static_cast<float>(*number)))
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("context \"{}\": \"{}\" is not accepted; accepted: a number",
                               printable(column.name), printable(value))};
    return ContextCell{0, static_cast<float>(*number)};
  }
  const data::Vocabulary& vocabulary = dataset_.vocabularyOf(column.name);
  const auto row = vocabulary.row(value);
  if (row && vocabulary.rawId(*row) == value) return ContextCell{*row, 0.0f};
  warnings.push_back(
      row && *row > 0
          ? fmt::format("context \"{}\": no row has \"{}\"; it shares a row of unknown values",
                        printable(column.name), printable(value))
          : fmt::format("context \"{}\": no row has \"{}\"; it is out of vocabulary",
                        printable(column.name), printable(value)));
  return ContextCell{row.value_or(0), 0.0f};
}

std::string QueryReader::textOf(const ContextColumn& column, const ContextCell& cell) const {
  return column.isNumeric ? fmt::format("{}", cell.number)
                          : std::string(dataset_.vocabularyOf(column.name).rawId(cell.row));
}

Status QueryReader::readHistory(const Query& query, ResolvedQuery& found) const {
  if (query.history && !readsHistory())
    return Error{ErrorCode::kInvalidDocument, "history: the model reads no history"};
  if (!readsHistory()) return {};
  QueryHistory history{{}, query.history.has_value()};
  if (query.history) {
    std::vector<std::string> unknown;
    std::set<std::string_view> said;
    found.encoder.history.emplace();
    for (const std::string& id : *query.history)
      if (const auto entry = items_.entry(id); entry && items_.isCandidate(*entry))
        found.encoder.history->push_back(items_.rowOf(*entry));
      else if (said.insert(id).second)
        unknown.push_back("\"" + printable(id) + "\"");
    if (!unknown.empty())
      found.warnings.push_back(fmt::format("history: {} {} not in the catalogue and left out",
                                           namesOf(unknown), unknown.size() == 1 ? "is" : "are"));
  }
  const std::vector<std::int32_t> items = side_->historyOf(found.encoder);
  for (const std::int32_t item : items) history.items.emplace_back(items_.rawId(item));
  if (found.encoder.history && items.size() < found.encoder.history->size())
    found.warnings.push_back(fmt::format("history: the model reads the last {} of {} items",
                                         items.size(), found.encoder.history->size()));
  found.history = std::move(history);
  return {};
}

// Warns of inputs that a list does not rest on: a user that training did not see, a history without
// items.
void QueryReader::warnOfUser(const Query& query, ResolvedQuery& found) const {
  const bool isKnown = found.encoder.user > 0;
  const bool hasRows = isKnown && interactions_.activity(found.encoder.user) > 0;
  const bool hasItems = found.history && !found.history->items.empty();
  std::vector<std::string> rest;
  if (hasItems) rest.push_back(found.history->given ? "the given history" : "the history");
  if (!contexts().empty()) rest.emplace_back("the context");
  if (query.user.empty() && found.history && found.history->given) {
    if (!hasItems)
      found.warnings.emplace_back(
          "the given history has no item, and no user is given: the list rests on neither");
  } else if (!hasRows) {
    if (rest.empty())
      rest.emplace_back(found.history ? "an empty history" : "weights as they were initialised");
    found.warnings.push_back(
        fmt::format("user \"{}\" {}: the list rests on {}", printable(query.user),
                    isKnown ? "has no training rows" : "is not in the data", join(rest, " and ")));
  } else if (found.history && !hasItems) {
    found.warnings.push_back(
        found.history->given
            ? "the given history has no item: the list does not rest on one"
            : fmt::format("user \"{}\" has no history at the end of the data: the list does not "
                          "rest on one",
                          printable(query.user)));
  }
}

bool QueryReader::isOfUnknown(const Query& query) const {
  return query.context.empty() && !query.history && users_.row(query.user).value_or(0) <= 0;
}

Result<ResolvedQuery> QueryReader::resolve(const Query& query) const {
  PARAPET_TRY(checkNames(query));
  ResolvedQuery found;
  if (isOfUnknown(query)) return userRow(query.user).error();
  found.encoder.user = users_.row(query.user).value_or(0);
  PARAPET_TRY(readHistory(query, found));
  warnOfUser(query, found);
  found.fromLastRow = found.encoder.user > 0 && interactions_.activity(found.encoder.user) > 0;
  if (contexts().empty()) return found;
  found.encoder.context = side_->lastContext(found.encoder.user);
  for (std::size_t i = 0; i < contexts().size(); ++i) {
    const ContextColumn& column = contexts()[i];
    const auto given = std::ranges::find(query.context, column.name, &ContextValue::name);
    if (given == query.context.end()) {
      found.context.push_back({column.name, textOf(column, found.encoder.context[i]), false});
      continue;
    }
    PARAPET_ASSIGN(found.encoder.context[i], read(column, given->value, found.warnings));
    found.context.push_back({column.name, given->value, true});
  }
  return found;
}

std::vector<ContextValue> QueryReader::usualContext() const {
  std::vector<ContextValue> values;
  if (!side_) return values;
  const std::vector<ContextCell> cells = side_->lastContext(0);
  for (std::size_t i = 0; i < contexts().size(); ++i)
    values.push_back({contexts()[i].name, textOf(contexts()[i], cells[i]), false});
  return values;
}

EncoderQuery QueryReader::queryOf(std::int32_t user, std::int64_t row) const {
  EncoderQuery query{user, contextOf(row)};
  query.row = row;
  return query;
}

std::vector<ContextCell> QueryReader::contextOf(std::int64_t row) const {
  std::vector<ContextCell> cells;
  const auto at = static_cast<std::size_t>(row);
  for (const ContextColumn& column : contexts())
    cells.push_back(column.isNumeric ? ContextCell{0, dataset_.denseValues(column.name)[at]}
                                     : ContextCell{dataset_.ids(column.name)[at], 0.0f});
  return cells;
}

}  // namespace parapet::retrieval
