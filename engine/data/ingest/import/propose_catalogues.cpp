// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/propose_catalogues.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/data/ingest/import/check_side_files.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/table_files.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::ColumnRole;

// Enough to see whether entries have titles and ids of the data, in a file that many look through.
constexpr std::int64_t kEntriesLookedAt = 20'000;
constexpr std::int64_t kBytesLookedAt = 32 << 20;
constexpr std::size_t kMaxFilesBeside = 32;
// A folder of downloads may hold a million files; a look at data must not wait for all of them.
constexpr std::size_t kMaxNamesBeside = 10'000;
// Longer texts are descriptions, not titles.
constexpr std::size_t kMaxTitleBytes = 100;
// A catalogue may have a few ids twice; the import rejects those lines.
constexpr double kDistinctIds = 0.98, kSharedValues = 0.9;

using Texts = std::unordered_set<std::string_view>;

/// Counts over the cells of a column.
struct EntryCells {
  Texts distinct;
  std::size_t filled = 0, bytes = 0, wordy = 0;

  [[nodiscard]] double distinctShare() const {
    return filled == 0 ? 0.0 : static_cast<double>(distinct.size()) / static_cast<double>(filled);
  }
};

EntryCells lookAtEntries(const SourcePreview& table, std::size_t column) {
  EntryCells cells;
  for (const auto& row : table.rows) {
    if (!row[column] || row[column]->empty()) continue;
    const std::string& text = *row[column];
    ++cells.filled;
    cells.bytes += text.size();
    cells.wordy += trim(text).find(' ') != std::string_view::npos ? 1 : 0;
    cells.distinct.insert(text);
  }
  return cells;
}

/// The column of the data with the ids of a role, and those of their first rows.
struct AskedIds {
  std::string column;
  Texts ids;
};

AskedIds idsOf(const experiment::Dataset& spec, const SourcePreview& preview, ColumnRole role) {
  AskedIds asked;
  for (const experiment::Column& column : columnsOf(spec, preview.columns))
    if (column.role == role) asked.column = column.originName();
  const auto found = std::ranges::find(preview.columns, asked.column, &SourceColumn::name);
  if (asked.column.empty() || found == preview.columns.end()) return {};
  asked.ids =
      lookAtEntries(preview, static_cast<std::size_t>(found - preview.columns.begin())).distinct;
  return asked;
}

/// The role that a word tells; plurals are those of files.
std::optional<ColumnRole> roleOfStem(const std::string& stem) {
  std::string word = plainName(stem);
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const auto& role : {roleOfName(word), roleOfWord(word)})
      if (role == ColumnRole::kUser || role == ColumnRole::kItem) return role;
    if (!word.ends_with('s')) return std::nullopt;
    word.pop_back();
  }
  return std::nullopt;
}

/// How surely names say that a column has the ids of a role.
enum class NameSays { kOther, kNothing, kRole, kSame };

NameSays whatNameSays(const std::string& column, const std::string& stem, ColumnRole role,
                      const std::string& idOfData) {
  if (plainName(column) == plainName(idOfData)) return NameSays::kSame;
  auto told = roleOfName(column);
  if (!told) told = roleOfWord(column);
  const std::string plain = plainName(column);
  if (!told && (plain == "id" || plain == "key" || plain == "code")) told = roleOfStem(stem);
  if (!told) return NameSays::kNothing;
  return *told == role ? NameSays::kRole : NameSays::kOther;
}

/// A column of a file as the ids of a role.
struct Match {
  ColumnRole role = ColumnRole::kItem;
  std::size_t column = 0;
  NameSays name = NameSays::kOther;
  std::int64_t asked = 0, found = 0;

  [[nodiscard]] double share() const {
    return asked == 0 ? 0.0 : static_cast<double>(found) / static_cast<double>(asked);
  }
};

/// Numbers from 1 on are ids of anything; texts that occur in the data are hardly something else.
bool holds(const Match& match, const SourcePreview& table) {
  if (match.name == NameSays::kOther) return false;
  if (match.name == NameSays::kSame && !table.complete) return true;
  if (match.found == 0) return false;
  return match.name != NameSays::kNothing ||
         (table.columns[match.column].type == ValueType::kText && match.share() >= 0.5);
}

std::optional<Match> bestMatch(const SourcePreview& table, const std::vector<EntryCells>& cells,
                               const experiment::Dataset& spec, const SourcePreview& preview,
                               const std::string& stem) {
  std::optional<Match> best;
  for (const ColumnRole role : {ColumnRole::kItem, ColumnRole::kUser}) {
    const AskedIds asked = idsOf(spec, preview, role);
    for (std::size_t c = 0; c < table.columns.size() && !asked.ids.empty(); ++c) {
      const SourceColumn& column = table.columns[c];
      if (column.isList || column.type == ValueType::kNumber) continue;
      if (cells[c].filled == 0 || cells[c].distinctShare() < kDistinctIds) continue;
      Match match{role, c, whatNameSays(column.name, stem, role, asked.column),
                  static_cast<std::int64_t>(asked.ids.size()), 0};
      match.found = std::ranges::count_if(
          asked.ids, [&](std::string_view id) { return cells[c].distinct.contains(id); });
      if (!holds(match, table)) continue;
      if (!best || std::tuple(match.name, match.share()) > std::tuple(best->name, best->share()))
        best = match;
    }
  }
  return best;
}

bool isTitleName(const std::string& name) {
  const std::string plain = plainName(name);
  constexpr std::array<std::string_view, 5> kNames{"label", "caption", "headline", "app", "track"};
  return std::ranges::find(kNames, plain) != kNames.end() || plain.ends_with("title") ||
         plain.ends_with("name");
}

/// The column of titles: by its name; else, for items, the texts of several words with most
/// distinct values.
std::optional<std::size_t> titleColumn(const SourcePreview& table,
                                       const std::vector<EntryCells>& cells,
                                       std::optional<std::size_t> id, ColumnRole role) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const SourceColumn& column = table.columns[c];
    if (c == id || column.isList || column.type != ValueType::kText || cells[c].filled == 0)
      continue;
    if (cells[c].bytes > kMaxTitleBytes * cells[c].filled) continue;
    if (isTitleName(column.name)) return c;
    const bool isNaming = 3 * cells[c].wordy > cells[c].filled && cells[c].distinctShare() > 0.5;
    if (role == ColumnRole::kItem && isNaming &&
        (!best || cells[c].distinct.size() > cells[*best].distinct.size()))
      best = c;
  }
  return best;
}

/// Whether a file has columns of users and of items under the names that the data have for them: rows
/// of another split, or of another day, and no entries.
bool hasRowsOfData(const SourcePreview& table, const experiment::Dataset& spec,
                   const SourcePreview& preview) {
  return std::ranges::all_of(
      std::array{ColumnRole::kUser, ColumnRole::kItem}, [&](ColumnRole role) {
        const std::string id = plainName(idsOf(spec, preview, role).column);
        return !id.empty() && std::ranges::any_of(table.columns, [&](const SourceColumn& column) {
          return plainName(column.name) == id;
        });
      });
}

/// A file that was looked at.
struct LookedAt {
  CatalogueProposal proposal;
  bool holds = false;           ///< it has ids of the data
  bool tellsSomething = false;  ///< titles, or what entries share
};

/// Lines that an import of the file as a catalogue rejects.
void countRejected(const SourcePreview& table, const EntryCells& ids, CatalogueProposal& proposal) {
  const auto rows = static_cast<std::int64_t>(table.rows.size());
  proposal.entries = rows + table.rejectedLines.rejected();
  proposal.rejected =
      table.rejectedLines.rejected() + rows - static_cast<std::int64_t>(ids.distinct.size());
  if (const auto& lines = table.rejectedLines.lines(); !lines.empty())
    proposal.rejection =
        fmt::format("line {}: {} [{}]", lines[0].number, lines[0].reason, lines[0].excerpt);
  else if (proposal.rejected > 0)
    proposal.rejection = "ids occur a second time or are empty";
}

Result<LookedAt> lookThrough(const experiment::Dataset& spec, const SourcePreview& preview,
                             const fs::path& file, const WorkContext& context) {
  PARAPET_ASSIGN(const auto lines,
                 openTable(file.string(), std::nullopt, TextEncoding::kWindows1252));
  PARAPET_ASSIGN(
      const SourcePreview table,
      previewSource(*lines, experiment::Dataset{}, kEntriesLookedAt, context, kBytesLookedAt));
  std::vector<EntryCells> cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(lookAtEntries(table, c));
  const auto match = bestMatch(table, cells, spec, preview, file.stem().string());
  LookedAt looked;
  experiment::Catalogue& catalogue = looked.proposal.catalogue;
  catalogue.path = sideFileName(spec, file);
  const ColumnRole role = match ? match->role
                          : roleOfStem(file.stem().string()) == ColumnRole::kUser
                              ? ColumnRole::kUser
                              : ColumnRole::kItem;
  catalogue.of = roleName(role);
  std::optional<std::size_t> id;
  if (match) id = match->column;
  const auto title = titleColumn(table, cells, id, role);
  if (id) catalogue.id = table.columns[*id].name;
  if (title) catalogue.title = table.columns[*title].name;
  // An item may have a user, the one who made it; then it has a title, too.
  looked.holds = match.has_value() && (title || !hasRowsOfData(table, spec, preview));
  looked.tellsSomething = title.has_value();
  for (std::size_t c = 0; c < cells.size(); ++c)
    looked.tellsSomething = looked.tellsSomething ||
                            (c != id && cells[c].filled > 1 &&
                             (table.columns[c].isList || cells[c].distinctShare() < kSharedValues));
  if (!match) {
    looked.proposal.reason = "no column has ids of the first rows of the data";
    return looked;
  }
  countRejected(table, cells[match->column], looked.proposal);
  looked.proposal.asked = match->asked;
  looked.proposal.found = match->found;
  looked.proposal.reason =
      fmt::format("its column {} has {} of the {} {}s in the first rows", printable(*catalogue.id),
                  formatCount(match->found), formatCount(match->asked), catalogue.of);
  return looked;
}

/// The rows of the data with the first row of each id of a column, to be looked at as entries.
SourcePreview firstRowOfEach(const SourcePreview& preview, std::size_t id) {
  SourcePreview entries;
  entries.columns = preview.columns;
  Texts seen;
  for (const auto& row : preview.rows)
    if (row[id] && seen.insert(*row[id]).second) entries.rows.push_back(row);
  return entries;
}

/// Whether rows with the same id have the same text. Where hardly an id repeats, nothing tells it.
bool isTextOfId(const SourcePreview& preview, std::size_t id, std::size_t column) {
  std::unordered_map<std::string_view, std::string_view> texts;
  std::size_t repeated = 0, equal = 0;
  for (const auto& row : preview.rows) {
    if (!row[id] || !row[column]) continue;
    const auto [known, isNew] = texts.try_emplace(*row[id], *row[column]);
    if (isNew) continue;
    ++repeated;
    equal += known->second == *row[column] ? 1 : 0;
  }
  return 4 * repeated > texts.size() &&
         static_cast<double>(equal) >= kDistinctIds * static_cast<double>(repeated);
}

/// A column of the data that names the ids of a role: a text without another use, one for each id.
std::optional<CatalogueProposal> titlesInRows(const experiment::Dataset& spec,
                                              const SourcePreview& preview, ColumnRole role) {
  const bool isNamed = std::ranges::any_of(spec.catalogues, [&](const auto& catalogue) {
    return catalogue.of == roleName(role) && catalogue.title;
  });
  const std::string idName = idsOf(spec, preview, role).column;
  if (isNamed || idName.empty() || !fs::is_regular_file(*spec.path)) return std::nullopt;
  const auto id = static_cast<std::size_t>(
      std::ranges::find(preview.columns, idName, &SourceColumn::name) - preview.columns.begin());
  const SourcePreview entries = firstRowOfEach(preview, id);
  const auto uses = usesOfColumns(spec, preview.columns);
  std::vector<EntryCells> cells;
  for (std::size_t c = 0; c < entries.columns.size(); ++c) {
    const bool mayName = !uses.contains(entries.columns[c].name) && isTextOfId(preview, id, c);
    cells.push_back(mayName ? lookAtEntries(entries, c) : EntryCells());
  }
  const auto title = titleColumn(entries, cells, id, role);
  if (!title || cells[*title].distinctShare() < kSharedValues) return std::nullopt;
  CatalogueProposal proposal;
  proposal.isOfRows = true;
  proposal.catalogue = {.of = std::string(roleName(role)),
                        .path = sideFileName(spec, *spec.path),
                        .id = idName,
                        .title = entries.columns[*title].name,
                        .columns = std::vector<std::string>(),
                        .cold = experiment::ColdRows::kDrop};
  proposal.asked = proposal.found = proposal.entries =
      static_cast<std::int64_t>(entries.rows.size());
  proposal.reason = fmt::format("{} names them: each {} has one in the first rows",
                                printable(*proposal.catalogue.title), printable(idName));
  return proposal;
}

bool mayBeTable(const fs::path& file) {
  const std::string end = fs::path(unpackedName(file.filename().string())).extension().string();
  constexpr std::array<std::string_view, 8> kEnds{".csv",     ".tsv",   ".txt",    ".dat",
                                                  ".parquet", ".jsonl", ".ndjson", ".json"};
  return std::ranges::find(kEnds, end) != kEnds.end();
}

/// Whether a folder of data of a source is read with this file of it.
bool isPartOfFolder(experiment::SourceKind source, const fs::path& file) {
  const std::string name = file.filename().string();
  if (source == experiment::SourceKind::kParquet) return toLowerAscii(name).ends_with(".parquet");
  return isTableName(
      name, source == experiment::SourceKind::kJson ? TableKind::kJson : TableKind::kDelimited);
}

/// Tables in the folder of a file of data; of a folder of data, those in it that are of another
/// kind than the data, and those beside it.
std::vector<fs::path> filesBeside(const experiment::Dataset& spec) {
  std::vector<fs::path> files;
  std::error_code failed;
  if (!spec.path || !isOfTables(spec.source)) return files;
  fs::path data = fs::absolute(*spec.path, failed).lexically_normal();
  if (!data.has_filename()) data = data.parent_path();  // "data/"
  const bool isFolder = fs::is_directory(data, failed);
  if (!isFolder && !fs::is_regular_file(data, failed)) return files;
  const auto isData = [&](const fs::path& file) {
    return isFolder ? file.parent_path() == data && isPartOfFolder(spec.source, file)
                    : fs::equivalent(file, data, failed);
  };
  const auto isNamed = [&](const fs::path& file) {
    const auto is = [&](const auto& entry) {
      const auto found = findSideFile(spec, entry.path);
      return found && fs::equivalent(*found, file, failed);
    };
    return std::ranges::any_of(spec.catalogues, is) || std::ranges::any_of(spec.vectors, is);
  };
  const auto lookIn = [&](const fs::path& folder) {
    std::size_t names = 0;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
      if (++names > kMaxNamesBeside) break;
      if (mayBeTable(entry.path()) && entry.is_regular_file(failed) && !isData(entry.path()) &&
          !isNamed(entry.path()))
        files.push_back(entry.path());
    }
  };
  if (isFolder) lookIn(data);
  lookIn(data.parent_path());
  std::ranges::sort(files);
  if (files.size() > kMaxFilesBeside) files.resize(kMaxFilesBeside);
  return files;
}

}  // namespace

Result<CatalogueProposal> proposeCatalogue(const experiment::Dataset& spec,
                                           const SourcePreview& preview, const fs::path& file,
                                           const WorkContext& context) {
  PARAPET_ASSIGN(LookedAt looked, lookThrough(spec, preview, file, context));
  return std::move(looked.proposal);
}

std::vector<CatalogueProposal> proposeCatalogues(const experiment::Dataset& spec,
                                                 const SourcePreview& preview,
                                                 const WorkContext& context) {
  std::vector<CatalogueProposal> proposals;
  if (spec.isText()) return proposals;
  for (const fs::path& file : filesBeside(spec)) {
    if (context.cancelled()) break;
    // A file that is no table is no catalogue.
    auto looked = lookThrough(spec, preview, file, context);
    if (looked && looked->holds && looked->tellsSomething)
      proposals.push_back(std::move(looked->proposal));
  }
  for (const ColumnRole role : {ColumnRole::kItem, ColumnRole::kUser})
    if (auto own =
            isOfTables(spec.source) && spec.path ? titlesInRows(spec, preview, role) : std::nullopt)
      proposals.push_back(*std::move(own));
  std::ranges::stable_partition(proposals, [](const CatalogueProposal& proposal) {
    return proposal.catalogue.title.has_value();
  });
  return proposals;
}

}  // namespace parapet::data
