// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/column_roles.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/import/propose_roles.h"

namespace parapet::data {
namespace {

using experiment::ColumnRole;

/// The names that tell a role.
struct NamesOfRole {
  ColumnRole role;
  std::vector<std::string_view> names;
};

const std::array<NamesOfRole, 3> kNames{{
    {ColumnRole::kUser, {"user", "userid", "uid", "customerid", "visitorid", "sessionid"}},
    {ColumnRole::kItem,
     {"item", "itemid", "iid", "movie", "movieid", "productid", "trackid", "artistid", "bookid",
      "asin", "videoid", "articleid"}},
    {ColumnRole::kTime, {"time", "timestamp", "ts", "unixtime", "eventtime", "unixreviewtime"}},
}};

const std::array<NamesOfRole, 3> kWords{{
    {ColumnRole::kUser,
     {"visitor",  "customer",   "reader",      "readerid", "listener", "listenerid",
      "viewer",   "viewerid",   "buyer",       "buyerid",  "member",   "memberid",
      "client",   "clientid",   "person",      "personid", "account",  "accountid",
      "username", "reviewerid", "who",         "kunde",    "kundennr", "kundennummer",
      "nutzer",   "benutzer",   "utilisateur", "usuario",  "cliente"}},
    {ColumnRole::kItem,
     {"what",    "book",       "isbn",    "product",  "sku",      "film",      "filmid",
      "song",    "songid",     "track",   "artist",   "album",    "albumid",   "game",
      "gameid",  "app",        "appid",   "article",  "video",    "recipeid",  "businessid",
      "hotelid", "restaurant", "course",  "courseid", "artikel",  "artikelnr", "artikelnummer",
      "produkt", "buch",       "produit", "livre",    "producto", "libro"}},
    {ColumnRole::kTime,
     {"when", "date", "datetime", "unixtimestamp", "createdat", "epochseconds", "datum", "zeit",
      "zeitpunkt", "fecha"}},
}};

std::optional<ColumnRole> roleIn(std::span<const NamesOfRole> roles, std::string_view name) {
  const std::string wanted = plainName(name);
  for (const auto& [role, names] : roles)
    if (std::ranges::find(names, wanted) != names.end()) return role;
  return std::nullopt;
}

constexpr std::array kRoles{ColumnRole::kUser,    ColumnRole::kItem, ColumnRole::kContext,
                            ColumnRole::kFeature, ColumnRole::kTime, ColumnRole::kNumeric};
constexpr char kSeparator = '|', kWeights = ':';

bool isWeighted(std::string_view value) {
  const auto at = value.rfind(kWeights);
  return at != std::string_view::npos && at > 0 && parseDouble(value.substr(at + 1));
}

/// Says how cells of a column of text hold several values, if they do.
void suggestSeparators(experiment::Column& column, const SourcePreview& preview) {
  const auto found = std::ranges::find(preview.columns, column.originName(), &SourceColumn::name);
  if (found == preview.columns.end() || found->type != ValueType::kText || found->isList) return;
  const auto at = static_cast<std::size_t>(found - preview.columns.begin());
  bool several = false, weighted = true;
  for (const auto& row : preview.rows) {
    if (!row[at] || row[at]->empty()) continue;
    const auto values = splitFields(*row[at], kSeparator);
    several = several || values.size() > 1;
    weighted = weighted && std::ranges::all_of(values, isWeighted);
  }
  if (!several) return;
  column.separator = std::string(1, kSeparator);
  if (weighted) column.weights = std::string(1, kWeights);
}

bool isVocabularyUsed(const experiment::Dataset& spec, const std::string& vocabulary) {
  return std::ranges::any_of(spec.columns, [&](const experiment::Column& column) {
    return experiment::holdsIds(column.role) && column.vocabularyName() == vocabulary;
  });
}

void removeColumn(experiment::Dataset& spec, std::string_view origin) {
  const auto found = std::ranges::find_if(spec.columns, [&](const experiment::Column& column) {
    return column.originName() == origin;
  });
  if (found == spec.columns.end()) return;
  const std::string vocabulary = found->vocabularyName();
  const bool hadIds = experiment::holdsIds(found->role);
  spec.columns.erase(found);
  if (hadIds && !isVocabularyUsed(spec, vocabulary))
    std::erase_if(spec.vocabularies, [&](const auto& each) { return each.name == vocabulary; });
}

/// Forgets how a column says when, unless another column is derived from it.
void forgetTime(experiment::Dataset& spec, std::string_view name) {
  if (std::ranges::find(spec.derived, name, &experiment::Derived::from) != spec.derived.end())
    return;
  std::erase_if(spec.times, [name](const auto& time) { return time.column == name; });
}

/// Names of columns are parts of paths in names of features; those of sources can be anything.
std::string columnName(const experiment::Dataset& spec, std::string_view origin,
                       std::string_view use) {
  if (use == "user" || use == "item" || use == "time") return std::string(use);
  std::string name(origin);
  std::ranges::replace_if(
      name, [](char byte) { return byte == '/' || byte == '~' || byte == ' '; }, '_');
  if (name.empty()) name = "column";
  const std::string wanted = name;
  for (int number = 2;
       std::ranges::find(spec.columns, name, &experiment::Column::name) != spec.columns.end();
       ++number)
    name = wanted + "-" + std::to_string(number);
  return name;
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string text = toLowerAscii(name);
  std::erase_if(text, [](char byte) {
    return std::string_view("_-. ").find(byte) != std::string_view::npos;
  });
  return text;
}

std::optional<ColumnRole> roleOfName(std::string_view name) {
  return roleIn(kNames, name);
}

std::optional<ColumnRole> roleOfWord(std::string_view name) {
  return roleIn(kWords, name);
}

const char* roleName(ColumnRole role) {
  constexpr std::array kRoleNames{"user", "item", "context", "feature", "time", "number"};
  return kRoleNames[static_cast<std::size_t>(role)];
}

std::vector<experiment::Column> standardColumns(std::span<const SourceColumn> source) {
  std::vector<experiment::Column> columns;
  for (const auto& [name, role] :
       {std::pair{"user", ColumnRole::kUser}, std::pair{"item", ColumnRole::kItem},
        std::pair{"time", ColumnRole::kTime}}) {
    const auto found = std::ranges::find_if(
        source, [&](const SourceColumn& column) { return roleOfName(column.name) == role; });
    if (found == source.end()) continue;
    experiment::Column column{.name = name, .role = role};
    if (found->name != name) column.from = found->name;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<experiment::Column> columnsOf(const experiment::Dataset& spec,
                                          std::span<const SourceColumn> source) {
  return spec.columns.empty() ? standardColumns(source) : spec.columns;
}

experiment::Dataset withProposal(experiment::Dataset spec, std::span<const SourceColumn> columns,
                                 const RoleProposal& proposal) {
  spec = withUse(std::move(spec), columns, proposal.column, proposal.use);
  if (!proposal.unit) return spec;
  const auto known =
      std::ranges::find(spec.times, proposal.column, &experiment::TimeColumn::column);
  if (known != spec.times.end())
    known->unit = *proposal.unit;
  else
    spec.times.push_back({proposal.column, *proposal.unit});
  return spec;
}

experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview,
                                   std::span<const RoleProposal> proposals) {
  const std::vector<SourceColumn>& columns = preview.columns;
  if (spec.source == experiment::SourceKind::kMovielens ||
      spec.source == experiment::SourceKind::kGenerated || spec.isText())
    return spec;
  spec.vocabularies.clear();
  spec.columns.clear();
  spec.times.clear();
  spec.label.column.reset();
  spec.weight.reset();
  for (const RoleProposal& proposal : proposals)
    spec = withProposal(std::move(spec), columns, proposal);
  // The first use also wrote down what columns are by their names alone, whatever their cells are:
  // a "timestamp" that is neither a whole number nor a date.
  std::erase_if(spec.columns, [&](const experiment::Column& column) {
    return std::ranges::find(proposals, column.originName(), &RoleProposal::column) ==
           proposals.end();
  });
  if (spec.label.column) spec.label.scale = ratingScale(preview, *spec.label.column);
  for (experiment::Column& column : spec.columns)
    if (column.role == ColumnRole::kFeature) suggestSeparators(column, preview);
  return spec;
}

experiment::Dataset suggestDataset(experiment::Dataset spec, const SourcePreview& preview) {
  return suggestDataset(std::move(spec), preview, proposeRoles(preview));
}

std::vector<ImportedColumn> importedColumns(const experiment::Dataset& spec,
                                            std::span<const SourceColumn> all) {
  std::vector<ImportedColumn> imported;
  const auto want = [&](const std::string& name, bool isNumber, bool isRequired,
                        std::optional<ColumnRole> role = std::nullopt) {
    const auto derived = std::ranges::find(spec.derived, name, &experiment::Derived::name);
    const bool isDerived = derived != spec.derived.end();
    const auto found =
        std::ranges::find(all, isDerived ? derived->from : name, &SourceColumn::name);
    if (found == all.end()) return;
    const auto known = std::ranges::find(
        imported, found->name, [](const ImportedColumn& each) { return each.request.name; });
    const auto column = known != imported.end()
                            ? known
                            : imported.insert(imported.end(), {{found->name, found->type, "", ""}});
    if (isDerived) return;
    if (isNumber && found->type == ValueType::kText && !found->isList)
      column->request.type = ValueType::kNumber;
    column->isRequired |= isRequired;
    column->isTime |= role == ColumnRole::kTime;
    column->isId |= role == ColumnRole::kUser || role == ColumnRole::kItem;
  };
  for (const experiment::Column& column : columnsOf(spec, all)) {
    const ColumnRole role = column.role;
    const bool isNumber = role == ColumnRole::kNumeric;
    want(column.originName(), isNumber,
         role == ColumnRole::kUser || role == ColumnRole::kItem || role == ColumnRole::kTime ||
             (isNumber && column.missing == experiment::MissingNumbers::kReject),
         role);
  }
  if (spec.label.column) want(*spec.label.column, true, true);
  if (spec.weight) want(*spec.weight, true, true);
  return imported;
}

std::string useOfColumn(const experiment::Dataset& spec, std::span<const SourceColumn> columns,
                        std::string_view name) {
  const std::map<std::string, std::string, std::less<>> uses = usesOfColumns(spec, columns);
  const auto found = uses.find(name);
  return found == uses.end() ? std::string() : found->second;
}

std::map<std::string, std::string, std::less<>> usesOfColumns(
    const experiment::Dataset& spec, std::span<const SourceColumn> columns) {
  // The first use of a column is the one that is reported.
  std::map<std::string, std::string, std::less<>> uses;
  for (const experiment::Column& column : columnsOf(spec, columns))
    uses.emplace(column.originName(), roleName(column.role));
  if (spec.label.column) uses.emplace(*spec.label.column, "label");
  if (spec.weight) uses.emplace(*spec.weight, "weight");
  return uses;
}

experiment::Dataset withUse(experiment::Dataset spec, std::span<const SourceColumn> columns,
                            std::string_view name, std::string_view use) {
  const auto* const known =
      std::ranges::find_if(kRoles, [use](ColumnRole role) { return roleName(role) == use; });
  const bool isRole = known != kRoles.end();
  if (!isRole && use != "label" && use != "weight" && !use.empty())
    throw InvalidArgument("withUse: \"" + std::string(use) + "\" is no use of a column");
  spec.columns = columnsOf(spec, columns);
  removeColumn(spec, name);
  forgetTime(spec, name);
  if (spec.label.column && *spec.label.column == name) spec.label = {std::nullopt, std::nullopt};
  if (spec.weight && *spec.weight == name) spec.weight.reset();
  if (use == "label") spec.label = {std::string(name), std::nullopt};
  if (use == "weight") spec.weight = std::string(name);
  if (!isRole) return spec;
  const ColumnRole role = *known;
  if (role == ColumnRole::kUser || role == ColumnRole::kItem || role == ColumnRole::kTime)
    for (const experiment::Column& before : columnsOf(spec, columns))
      if (before.role == role) {
        forgetTime(spec, before.originName());
        removeColumn(spec, before.originName());
      }
  experiment::Column column;
  column.name = columnName(spec, name, use);
  column.role = role;
  if (column.name != name) column.from = std::string(name);
  const bool hasVocabulary =
      std::ranges::find(spec.vocabularies, column.name, &experiment::Vocabulary::name) !=
      spec.vocabularies.end();
  if (experiment::holdsIds(role) && !hasVocabulary) {
    experiment::Vocabulary vocabulary;
    vocabulary.name = column.name;
    vocabulary.kind = experiment::VocabularyKind::kCompressed;
    spec.vocabularies.push_back(std::move(vocabulary));
  }
  spec.columns.push_back(std::move(column));
  const auto source = std::ranges::find(columns, name, &SourceColumn::name);
  if (role == ColumnRole::kTime && source != columns.end() && source->type == ValueType::kText)
    spec.times.push_back({std::string(name), experiment::TimeUnit::kText});
  return spec;
}

}  // namespace parapet::data
