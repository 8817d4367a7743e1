// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/text_format.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/ingest/sources/text_source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// Where the tables are: one file, or files of a collection.
struct Tables {
  fs::path path;  // of the file, or of the collection
  std::optional<FileCollection> collection;
  std::vector<std::string> names;      // in the collection, in the order of reading
  std::string fileName;                // for messages
  std::vector<std::string> leftOut{};  // files of the folder that are no tables
  std::int64_t bytes = 0;              // of all tables of a folder

  [[nodiscard]] std::size_t count() const { return collection ? names.size() : 1; }
  [[nodiscard]] std::string pathOf(std::size_t table) const {
    return collection ? collection->pathOf(names[table]) : path.string();
  }
  [[nodiscard]] Result<std::unique_ptr<TextInput>> open(std::size_t table) const {
    return collection ? collection->openText(names[table]) : openTextFile(path);
  }
};

bool isTableName(std::string_view name) {
  const std::string unpacked = unpackedName(name);
  return unpacked.ends_with(".csv") || unpacked.ends_with(".tsv");
}

Error noTable(const fs::path& path, std::string message) {
  return Error{ErrorCode::kData, std::move(message), "", path.string()};
}

Result<Tables> tablesOfFolder(const fs::path& path) {
  Tables tables{.path = path, .collection = {}, .names = {}, .fileName = path.filename().string()};
  PARAPET_ASSIGN(tables.collection, FileCollection::open(path));
  for (std::string& name : tables.collection->names()) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path / name, error);
    // Programs that write tables in parts leave empty ones where a part had no row.
    if (!error && bytes == 0) continue;
    if (!isTableName(name)) {
      const bool isHidden = name.starts_with('.') || name.starts_with('_');
      if (!isHidden && fs::is_regular_file(path / name, error)) tables.leftOut.push_back(name);
      continue;
    }
    if (!error) tables.bytes += static_cast<std::int64_t>(bytes);
    tables.names.push_back(std::move(name));
  }
  if (tables.names.empty())
    return noTable(path, fmt::format("folder {} has no table; files that end in .csv or .tsv "
                                     "(or these with .gz or .zst) are expected",
                                     path.string()));
  return tables;
}

// The table of an archive that `member` names; "": the only one that it has.
Result<Tables> tableOfArchive(const fs::path& path, const std::string& member) {
  Tables tables{.path = path, .collection = {}, .names = {}, .fileName = member};
  PARAPET_ASSIGN(tables.collection, FileCollection::open(path));
  const std::vector<std::string> names = tables.collection->names();
  for (const std::string& name : names)
    if (member.empty() ? names.size() == 1 || isTableName(name)
                       : tables.collection->pathOf(name) == (path / member).string())
      tables.names.push_back(name);
  if (tables.names.size() == 1) {
    tables.fileName = fs::path(tables.pathOf(0)).lexically_relative(path).string();
    return tables;
  }
  std::vector<std::string> accepted;
  for (const std::string& name : names)
    accepted.push_back(fs::path(tables.collection->pathOf(name)).lexically_relative(path).string());
  return noTable(path, fmt::format("{} has {}; accepted: {}/ and one of {}", path.string(),
                                   member.empty() ? "no single table"
                                                  : fmt::format("no member \"{}\"", member),
                                   path.string(), join(accepted)));
}

Result<Tables> findTables(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) return tablesOfFolder(path);
  if (fs::exists(status)) {
    if (ZipArchive::isZip(path)) return tableOfArchive(path, "");
    return Tables{
        .path = path, .collection = {}, .names = {}, .fileName = path.filename().string()};
  }
  for (fs::path archive = path.parent_path(); archive.has_relative_path();
       archive = archive.parent_path())
    if (fs::is_regular_file(archive, error) && ZipArchive::isZip(archive))
      return tableOfArchive(archive, path.lexically_relative(archive).string());
  return noTable(path,
                 fmt::format("{} does not exist; a file, a folder of .csv files or a table in "
                             "a zip archive is expected",
                             path.string()));
}

// A table whose first lines have been looked at.
struct OpenedTable {
  TextSource::Part part;
  TextTable table;
};

Result<OpenedTable> openTable(const Tables& tables, std::size_t index,
                              const experiment::Dataset& spec) {
  OpenedTable opened;
  const std::string path = tables.pathOf(index);
  auto input = tables.open(index);
  if (!input) {
    Error error = input.error();
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kData;
    return error;
  }
  opened.part.input = std::move(input).value();
  if (spec.format) {
    const std::optional<std::string>& quote = spec.format->quote;
    opened.part.input->setQuote(quote && !quote->empty() ? std::optional(quote->front())
                                                         : std::nullopt);
  }
  Source::Piece first;
  PARAPET_ASSIGN(const bool found, opened.part.input->next(first));
  if (found) PARAPET_TRY(checkLineEnds(first.text, path));
  PARAPET_ASSIGN(opened.table, findTextFormat(found ? first.text : std::string_view(), spec.format,
                                              path, spec.columns));
  if (opened.part.input->hasByteOrderMark())
    opened.table.warnings.push_back(path + " starts with a byte-order mark; skipped");
  first.headerLines = opened.table.headerLines;
  opened.part.first = std::move(first);
  if (tables.count() > 1) opened.part.file = tables.names[index];
  return opened;
}

std::vector<TextSource::Column> describe(const TextTable& table) {
  std::vector<TextSource::Column> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    columns.push_back({.column = table.columns[c],
                       .subject = fmt::format("column \"{}\" has", table.columns[c].name),
                       .accepted = {},
                       .required = false,
                       .hasNumbers = table.hasNumbers[c]});
  return columns;
}

bool haveSameNames(std::span<const SourceColumn> a, std::span<const SourceColumn> b) {
  return std::ranges::equal(a, b, {}, &SourceColumn::name, &SourceColumn::name);
}

Error otherColumns(const Tables& tables, std::size_t index) {
  return noTable(
      tables.pathOf(index),
      fmt::format("{} has other columns than {}. The tables of a folder are read as one, "
                  "so they have the same columns; give the path of one of the files: {}",
                  tables.pathOf(index), tables.pathOf(0), join(tables.names)));
}

// All tables of a folder have the columns of the first one, whose types and encoding fit the starts
// of all. A line of names that is the same byte for byte says so without another look at the table.
Status fitTables(const Tables& tables, const experiment::Dataset& spec, OpenedTable& first) {
  const auto fit = [&](std::string_view start) {
    constexpr std::size_t kLookedAt = 1 << 14;  // of each, as there may be thousands
    if (start.size() > kLookedAt)
      start = start.substr(0, start.substr(0, kLookedAt).rfind('\n') + 1);
    widenTypes(first.table, start);
    if (!(spec.format && spec.format->encoding) && encodingOf(start) == TextEncoding::kWindows1252)
      first.table.encoding = TextEncoding::kWindows1252;
  };
  const auto firstLineOf = [](std::string_view text) {
    return text.empty() ? text : takeLine(text);
  };
  const std::string_view names =
      first.table.headerLines == 1 ? firstLineOf(first.part.first->text) : std::string_view();
  for (std::size_t index = 1; index < tables.count(); ++index) {
    if (!names.empty()) {
      PARAPET_ASSIGN(const auto input, tables.open(index));
      Source::Piece start;
      PARAPET_ASSIGN(const bool found, input->next(start));
      if (found && firstLineOf(start.text) == names) {
        fit(start.text);
        continue;
      }
    }
    PARAPET_ASSIGN(const OpenedTable other, openTable(tables, index, spec));
    if (!haveSameNames(first.table.columns, other.table.columns))
      return otherColumns(tables, index);
    if (other.table.cells.delimiter != first.table.cells.delimiter)
      return noTable(tables.pathOf(index),
                     fmt::format("{} is separated by {}, and {} by {}; the tables of a folder are "
                                 "read as one, so they have the same delimiter",
                                 tables.pathOf(index), delimiterName(other.table.cells.delimiter),
                                 tables.pathOf(0), delimiterName(first.table.cells.delimiter)));
    if (other.part.first) fit(other.part.first->text);
  }
  return {};
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

class CsvSource final : public TextSource {
 public:
  CsvSource(std::unique_ptr<Tables> tables, const experiment::Dataset& spec, OpenedTable first)
      : TextSource(first.table.cells, describe(first.table), std::move(first.part),
                   first.table.encoding, first.table.header),
        tables_(std::move(tables)) {
    spec_.format = spec.format;
    spec_.columns = spec.columns;
    for (std::string& warning : first.table.warnings) warn(std::move(warning));
    if (!tables_->leftOut.empty())
      warn(fmt::format("of the folder {}, {} {} read; left out: {}", tables_->path.string(),
                       shownNames(tables_->names), tables_->count() == 1 ? "is" : "are",
                       shownNames(tables_->leftOut)));
  }

  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    hasher.update(tables_->fileName + "\n");
    if (!tables_->collection) return hashFile(hasher, tables_->path, context);
    return tables_->collection->hashInto(hasher, tables_->names, context);
  }
  [[nodiscard]] std::string fileName() const override { return tables_->fileName; }
  [[nodiscard]] std::int64_t total() const override {
    return tables_->count() == 1 ? TextSource::total() : tables_->bytes;
  }

 private:
  Result<std::optional<Part>> nextPart() override {
    if (++current_ >= tables_->count()) return std::optional<Part>();
    PARAPET_ASSIGN(OpenedTable next, openTable(*tables_, current_, spec_));
    if (!haveSameNames(columns(), next.table.columns)) return otherColumns(*tables_, current_);
    return std::optional<Part>(std::move(next.part));
  }

  std::unique_ptr<Tables> tables_;
  experiment::Dataset spec_;  // format and columns
  std::size_t current_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> openCsvSource(const experiment::Dataset& spec,
                                              TextEncoding otherwise) {
  if (!spec.path) throw InvalidArgument("a source of text without a path");
  PARAPET_ASSIGN(Tables found, findTables(fs::path(*spec.path)));
  auto tables = std::make_unique<Tables>(std::move(found));
  const bool isEncodingKnown = spec.format && spec.format->encoding;
  PARAPET_ASSIGN(OpenedTable first, openTable(*tables, 0, spec));
  PARAPET_TRY(fitTables(*tables, spec, first));
  if (!tables->collection) {
    PARAPET_ASSIGN(const std::vector<std::string> places, linesAtPlaces(tables->path));
    for (const std::string& lines : places) widenTypes(first.table, lines);
    if (!isEncodingKnown && first.part.first && !findOddBytes(first.part.first->text).high)
      first.table.encoding = encodingOf(join(places, "\n"));
  }
  // Names alone have no types: those of the first table with a row are the types of all.
  for (std::size_t index = 1; index < tables->count() && !TextSource::hasRows(first.part);
       ++index) {
    PARAPET_ASSIGN(OpenedTable other, openTable(*tables, index, spec));
    if (!TextSource::hasRows(other.part)) continue;
    first.table.columns = other.table.columns;
    first.table.hasNumbers = other.table.hasNumbers;
    break;
  }
  if (first.part.input->hasByteOrderMark())
    first.table.encoding = TextEncoding::kUtf8;
  else if (!isEncodingKnown && otherwise == TextEncoding::kWindows1252)
    first.table.encoding = otherwise;
  else if (!isEncodingKnown && first.table.encoding == TextEncoding::kWindows1252)
    first.table.warnings.push_back(
        fmt::format("{} is not UTF-8; read as Windows-1252. \"encoding\": \"utf-8\" of the format "
                    "rejects its lines instead",
                    tables->pathOf(0)));
  return std::unique_ptr<Source>(new CsvSource(std::move(tables), spec, std::move(first)));
}

}  // namespace parapet::data
