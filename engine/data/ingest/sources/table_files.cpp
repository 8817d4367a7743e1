// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/table_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBytesLookedAt = 1 << 12;

Error unusable(const fs::path& path, std::string message) {
  return Error{ErrorCode::kData, std::move(message), "", path.string()};
}

Result<TableFiles> tablesOfFolder(const fs::path& path, TableKind kind) {
  TableFiles tables{.path = path, .fileName = path.filename().string()};
  PARAPET_ASSIGN(tables.collection, FileCollection::open(path));
  for (std::string& name : tables.collection->names()) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path / name, error);
    // Programs that write tables in parts leave empty ones where a part had no row.
    if (!error && bytes == 0) continue;
    if (!isTableName(name, kind)) {
      const bool isHidden = name.starts_with('.') || name.starts_with('_');
      if (!isHidden && fs::is_regular_file(path / name, error)) tables.leftOut.push_back(name);
      continue;
    }
    if (!error) tables.bytes += static_cast<std::int64_t>(bytes);
    tables.names.push_back(std::move(name));
  }
  if (tables.names.empty())
    return unusable(
        path, fmt::format("folder {} has no table; files that end in {} (or these with "
                          ".gz or .zst) are expected",
                          path.string(),
                          kind == TableKind::kJson ? ".jsonl, .ndjson or .json" : ".csv or .tsv"));
  return tables;
}

// The table of an archive that `member` names; "": the only one that it has.
Result<TableFiles> tableOfArchive(const fs::path& path, const std::string& member, TableKind kind) {
  TableFiles tables{.path = path, .fileName = member};
  PARAPET_ASSIGN(tables.collection, FileCollection::open(path));
  const std::vector<std::string> names = tables.collection->names();
  for (const std::string& name : names)
    if (member.empty() ? names.size() == 1 || isTableName(name, kind)
                       : tables.collection->pathOf(name) == (path / member).string())
      tables.names.push_back(name);
  if (tables.names.size() == 1) {
    tables.fileName = fs::path(tables.pathOf(0)).lexically_relative(path).string();
    return tables;
  }
  std::vector<std::string> accepted;
  for (const std::string& name : names)
    accepted.push_back(fs::path(tables.collection->pathOf(name)).lexically_relative(path).string());
  return unusable(path, fmt::format("{} has {}; accepted: {}/ and one of {}", path.string(),
                                    member.empty() ? "no single table"
                                                   : fmt::format("no member \"{}\"", member),
                                    path.string(), join(accepted)));
}

// Names of files for a message; a long list ends with their number.
std::string shownNames(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + std::ptrdiff_t(std::min(names.size(), kShown)));
  for (std::string& name : shown) name = printable(name);
  const std::string text = join(shown);
  return names.size() <= kShown ? text : fmt::format("{} and {} more", text, names.size() - kShown);
}

// An object, or a list of objects; of a file that is named so a list of anything.
bool startsAsJson(std::string_view start, bool isNamedSo) {
  const auto skipBlanks = [&start] {
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  };
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  skipBlanks();
  if (start.starts_with('[')) {
    if (isNamedSo) return true;
    start.remove_prefix(1);
    skipBlanks();
  }
  if (!start.starts_with('{')) return false;
  start.remove_prefix(1);
  skipBlanks();
  return start.empty() || start.front() == '"' || start.front() == '}';
}

bool startsAsJson(const Result<std::unique_ptr<ByteStream>>& stream, std::string_view name) {
  if (!stream) return false;
  std::string start(kBytesLookedAt, '\0');
  const auto count = (*stream)->read(start);
  return count && startsAsJson(std::string_view(start).substr(0, *count),
                               isTableName(name, TableKind::kJson));
}

}  // namespace

std::optional<fs::path> archiveAbove(const fs::path& path) {
  std::error_code error;
  for (fs::path archive = path.parent_path(); archive.has_relative_path();
       archive = archive.parent_path())
    if (fs::is_regular_file(archive, error) && ZipArchive::isZip(archive)) return archive;
  return std::nullopt;
}

bool isTableName(std::string_view name, TableKind kind) {
  const std::string unpacked = unpackedName(name);
  const auto endsIn = [&unpacked](std::string_view ending) { return unpacked.ends_with(ending); };
  return kind == TableKind::kJson ? endsIn(".jsonl") || endsIn(".ndjson") || endsIn(".json")
                                  : endsIn(".csv") || endsIn(".tsv");
}

bool holdsJson(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return archiveAbove(path) && isTableName(path.string(), TableKind::kJson);
  const bool isFolder = fs::is_directory(path, error);
  if (!isFolder && !ZipArchive::isZip(path))
    return fs::is_regular_file(path, error) && startsAsJson(openBytes(path), path.string());
  const auto files = FileCollection::open(path);
  if (!files) return false;
  const std::vector<std::string> names = files->names();
  const auto has = [&names](TableKind kind) {
    return std::ranges::any_of(names,
                               [kind](const std::string& name) { return isTableName(name, kind); });
  };
  if (has(TableKind::kDelimited)) return false;
  if (!isFolder && names.size() == 1)
    return startsAsJson(files->openBytes(names.front()), names.front());
  return has(TableKind::kJson);
}

Result<TableFiles> TableFiles::find(const fs::path& path, TableKind kind) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) return tablesOfFolder(path, kind);
  if (fs::exists(status)) {
    if (ZipArchive::isZip(path)) return tableOfArchive(path, "", kind);
    return TableFiles{.path = path, .fileName = path.filename().string()};
  }
  if (const auto archive = archiveAbove(path))
    return tableOfArchive(*archive, path.lexically_relative(*archive).string(), kind);
  return unusable(path, fmt::format("{} does not exist; a file, a folder of tables or a table in a "
                                    "zip archive is expected",
                                    path.string()));
}

Result<std::unique_ptr<TableFiles>> TableFiles::find(const experiment::Dataset& spec,
                                                     TableKind kind) {
  if (!spec.path) throw InvalidArgument("a source of text without a path");
  PARAPET_ASSIGN(TableFiles found, find(*spec.path, kind));
  return std::make_unique<TableFiles>(std::move(found));
}

Result<std::unique_ptr<ByteStream>> TableFiles::open(std::size_t table) const {
  auto stream = collection ? collection->openBytes(names[table]) : openBytes(path);
  if (stream) return stream;
  Error error = stream.error();
  if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kData;
  return error;
}

Result<std::unique_ptr<TextInput>> TableFiles::openText(std::size_t table) const {
  PARAPET_ASSIGN(auto stream, open(table));
  return readTextFrom(std::move(stream), pathOf(table));
}

Status TableFiles::hashInto(Hasher& hasher, const WorkContext& context) const {
  hasher.update(fileName + "\n");
  return collection ? collection->hashInto(hasher, names, context)
                    : hashFile(hasher, path, context);
}

std::string TableFiles::leftOutWarning() const {
  if (leftOut.empty()) return {};
  return fmt::format("of the folder {}, {} {} read; left out: {}", path.string(), shownNames(names),
                     count() == 1 ? "is" : "are", shownNames(leftOut));
}

}  // namespace parapet::data
