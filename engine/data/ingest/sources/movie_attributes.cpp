// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/movie_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

struct Attribute {
  const char* column;
  ValueType type;
  const char* role;
  const char* name;  // in the catalogue; "": the year that the title ends with
};
constexpr std::array<Attribute, 6> kAttributes{
    {{"user_age", ValueType::kInteger, "user", "age"},
     {"user_gender", ValueType::kText, "user", "gender"},
     {"user_occupation", ValueType::kText, "user", "occupation"},
     {"user_zip", ValueType::kText, "user", "zip"},
     {"genres", ValueType::kText, "item", "genres"},
     {"year", ValueType::kInteger, "item", ""}}};

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

const Attribute* attributeOf(std::string_view column) {
  const auto* const found = std::ranges::find(kAttributes, column, &Attribute::column);
  return found == kAttributes.end() ? nullptr : found;
}

// "1995" of "Heat (1995)".
std::string_view yearOf(std::string_view title) {
  title = trim(title);
  constexpr std::size_t kLength = 6;
  if (title.size() < kLength || title[title.size() - kLength] != '(' || title.back() != ')')
    return {};
  const std::string_view year = title.substr(title.size() - kLength + 1, kLength - 2);
  return parseInt(year) ? year : std::string_view();
}

std::string_view valueOf(const Attribute& attribute, const Catalogue& catalogue,
                         const Catalogue::Entry& entry) {
  if (*attribute.name == '\0') return yearOf(entry.title);
  const auto found = std::ranges::find(catalogue.attributeNames, attribute.name);
  if (found == catalogue.attributeNames.end()) return {};
  return entry.attributes[static_cast<std::size_t>(found - catalogue.attributeNames.begin())];
}

}  // namespace

std::vector<SourceColumn> MovieAttributes::columnsOf(std::string_view role) {
  std::vector<SourceColumn> columns;
  for (const Attribute& attribute : kAttributes)
    if (attribute.role == role) columns.push_back({attribute.column, attribute.type, false});
  return columns;
}

std::string_view MovieAttributes::roleOf(std::string_view column) {
  const Attribute* const found = attributeOf(column);
  return found ? found->role : "";
}

Status MovieAttributes::takeRequests(std::vector<ColumnRequest>& requests) {
  std::size_t columnIndex = 0;
  for (ColumnRequest& request : requests) {
    const Attribute* const found = attributeOf(request.name);
    if (!found) {
      columnIndex += request.separator.empty() || request.weightSeparator.empty() ? 1 : 2;
      continue;
    }
    const ValueType type = request.type.value_or(found->type);
    if (found->type == ValueType::kText && type != ValueType::kText)
      return wrongRequest(
          fmt::format("column \"{}\" is text; a numeric column is accepted here", request.name));
    if (!request.separator.empty() && type != ValueType::kText)
      return wrongRequest(fmt::format("column \"{}\" is one number a row, no list", request.name));
    if (!request.separator.empty() && !request.weightSeparator.empty())
      return wrongRequest(
          fmt::format("column \"{}\" has no weights; weights null is accepted", request.name));
    joined_.push_back({.columnIndex = columnIndex++,
                       .attribute = static_cast<std::size_t>(found - kAttributes.begin()),
                       .type = type,
                       .separator = request.separator});
    request = {found->role, ValueType::kInteger, {}, {}};
  }
  return {};
}

bool MovieAttributes::needs(std::string_view role) const {
  return std::ranges::any_of(
      joined_, [&](const Joined& joined) { return kAttributes[joined.attribute].role == role; });
}

void MovieAttributes::learn(std::string_view role, const Catalogue& catalogue) {
  EntryOfId& entries = role == "user" ? users_ : items_;
  for (std::size_t i = 0; i < catalogue.entries.size(); ++i)
    if (const auto id = parseInt(catalogue.entries[i].id)) entries.emplace(*id, i);
  for (Joined& joined : joined_) {
    const Attribute& attribute = kAttributes[joined.attribute];
    if (attribute.role != role) continue;
    for (const Catalogue::Entry& entry : catalogue.entries) {
      const std::string_view value = valueOf(attribute, catalogue, entry);
      if (joined.type == ValueType::kText)
        joined.texts.push_back(value);
      else
        joined.integers.push_back(parseInt(value).value_or(kNone));
    }
  }
}

void MovieAttributes::joinTexts(const Joined& joined, const EntryOfId& entries,
                                ColumnValues& column) {
  const std::vector<std::int64_t> ids = std::exchange(column.integers, {});
  column.texts.assign(ids.size(), {});
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto found = entries.find(ids[row]);
    if (found != entries.end()) column.texts[row] = joined.texts[found->second];
    if (!column.texts[row].empty()) continue;
    if (column.missing.empty()) column.missing.resize(ids.size());
    column.missing[row] = 1;
  }
}

void MovieAttributes::joinLists(const Joined& joined, const EntryOfId& entries,
                                ColumnValues& column) {
  const std::vector<std::int64_t> ids = std::exchange(column.integers, {});
  column.texts.clear();
  column.offsets.assign(1, 0);
  for (const std::int64_t id : ids) {
    const auto found = entries.find(id);
    std::string_view rest = found == entries.end() ? "" : joined.texts[found->second];
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(joined.separator), rest.size());
      if (end > 0) column.texts.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + joined.separator.size(), rest.size()));
    }
    column.offsets.push_back(static_cast<std::int32_t>(column.texts.size()));
  }
}

void MovieAttributes::joinNumbers(const Joined& joined, const EntryOfId& entries,
                                  ColumnValues& column) {
  std::vector<std::int64_t>& values = column.integers;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto found = entries.find(values[row]);
    values[row] = found == entries.end() ? kNone : joined.integers[found->second];
    if (values[row] != kNone) continue;
    if (column.missing.empty()) column.missing.resize(values.size());
    column.missing[row] = 1;
    values[row] = 0;
  }
  if (joined.type == ValueType::kInteger) return;
  column.numbers.assign(values.begin(), values.end());
  values.clear();
}

void MovieAttributes::join(RowBlock& block) const {
  for (const Joined& joined : joined_) {
    ColumnValues& column = block.columns[joined.columnIndex];
    const bool ofUser = std::string_view(kAttributes[joined.attribute].role) == "user";
    const EntryOfId& entries = ofUser ? users_ : items_;
    if (joined.type != ValueType::kText)
      joinNumbers(joined, entries, column);
    else if (joined.separator.empty())
      joinTexts(joined, entries, column);
    else
      joinLists(joined, entries, column);
    column.type = joined.type;
  }
}

}  // namespace parapet::data
