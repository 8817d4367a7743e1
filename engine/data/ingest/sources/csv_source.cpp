// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/table_files.h"
#include "engine/data/ingest/sources/text_format.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/ingest/sources/text_source.h"

namespace parapet::data {
namespace {

Error badTable(const std::string& path, std::string message) {
  return Error{ErrorCode::kData, std::move(message), "", path};
}

// A table whose first lines have been looked at.
struct OpenedTable {
  TextSource::Part part;
  TextTable table;
};

Result<OpenedTable> openTable(const TableFiles& tables, std::size_t index,
                              const experiment::Dataset& spec) {
  OpenedTable opened;
  const std::string path = tables.pathOf(index);
  PARAPET_ASSIGN(opened.part.input, tables.openText(index));
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
  opened.part.file = tables.nameAmongOthers(index);
  return opened;
}

std::vector<DelimitedSource::Column> describe(const TextTable& table) {
  std::vector<DelimitedSource::Column> columns;
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

Error otherColumns(const TableFiles& tables, std::size_t index) {
  return badTable(
      tables.pathOf(index),
      fmt::format("{} has other columns than {}. The tables of a folder are read as one, "
                  "so they have the same columns; give the path of one of the files: {}",
                  tables.pathOf(index), tables.pathOf(0), join(tables.names)));
}

// All tables of a folder have the columns of the first one, whose types fit the starts of all. A line of
// names that is the same byte for byte says so without another look at the table. Returns whether
// another start is Windows-1252.
Result<bool> fitTables(const TableFiles& tables, const experiment::Dataset& spec,
                       OpenedTable& first) {
  bool isWindows1252 = false;
  const auto fit = [&](std::string_view start) {
    constexpr std::size_t kLookedAt = 1 << 14;  // of each, as there may be thousands
    if (start.size() > kLookedAt)
      start = start.substr(0, start.substr(0, kLookedAt).rfind('\n') + 1);
    lookAtLines(first.table, start);
    isWindows1252 = isWindows1252 || encodingOf(start) == TextEncoding::kWindows1252;
  };
  const auto firstLineOf = [](std::string_view text) {
    return text.empty() ? text : takeLine(text);
  };
  const std::string_view names =
      first.table.headerLines == 1 ? firstLineOf(first.part.first->text) : std::string_view();
  for (std::size_t index = 1; index < tables.count(); ++index) {
    if (!names.empty()) {
      PARAPET_ASSIGN(const auto input, tables.openText(index));
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
      return badTable(tables.pathOf(index),
                      fmt::format("{} is separated by {}, and {} by {}; the tables of a folder are "
                                  "read as one, so they have the same delimiter",
                                  tables.pathOf(index), delimiterName(other.table.cells.delimiter),
                                  tables.pathOf(0), delimiterName(first.table.cells.delimiter)));
    if (other.part.first) fit(other.part.first->text);
  }
  return isWindows1252;
}

// Fits the types to places of a file; returns whether they are Windows-1252 behind a start that does not
// tell.
Result<bool> fitPlaces(const TableFiles& tables, OpenedTable& first) {
  PARAPET_ASSIGN(const std::vector<std::string> places, linesAtPlaces(tables.path));
  for (const std::string& lines : places) lookAtLines(first.table, lines);
  return first.part.first && !findOddBytes(first.part.first->text).high &&
         encodingOf(join(places, "\n")) == TextEncoding::kWindows1252;
}

// The encoding of all tables. What a byte-order mark or the document says is beyond doubt; `otherwise` is
// what a text is that is not UTF-8, and goes without a warning.
TextEncoding chooseEncoding(const TableFiles& tables, const experiment::Dataset& spec,
                            TextEncoding otherwise, bool isFoundFurtherDown, OpenedTable& first) {
  if (first.part.input->hasByteOrderMark()) return TextEncoding::kUtf8;
  if (spec.format && spec.format->encoding) return *spec.format->encoding;
  if (otherwise == TextEncoding::kWindows1252) return otherwise;
  if (first.table.encoding == TextEncoding::kUtf8 && !isFoundFurtherDown)
    return TextEncoding::kUtf8;
  first.table.warnings.push_back(
      fmt::format("{} is not UTF-8; read as Windows-1252. \"encoding\": \"utf-8\" of the format "
                  "rejects its lines instead",
                  tables.pathOf(0)));
  return TextEncoding::kWindows1252;
}

class CsvSource final : public TablesSource<DelimitedSource> {
 public:
  CsvSource(std::unique_ptr<TableFiles> tables, const experiment::Dataset& spec, OpenedTable first)
      : TablesSource(std::move(tables), first.table.cells, describe(first.table),
                     std::move(first.part), first.table.encoding, first.table.header) {
    spec_.format = spec.format;
    spec_.columns = spec.columns;
    for (std::string& warning : first.table.warnings) warn(std::move(warning));
    warnOfLeftOut();
  }

 private:
  Result<Part> openPart(std::size_t table) override {
    PARAPET_ASSIGN(OpenedTable opened, openTable(tables(), table, spec_));
    if (!haveSameNames(columns(), opened.table.columns)) return otherColumns(tables(), table);
    return std::move(opened.part);
  }

  experiment::Dataset spec_;  // format and columns
};

}  // namespace

Result<std::unique_ptr<Source>> openCsvSource(const experiment::Dataset& spec,
                                              TextEncoding otherwise) {
  PARAPET_ASSIGN(auto tables, TableFiles::find(spec, TableKind::kDelimited));
  PARAPET_ASSIGN(OpenedTable first, openTable(*tables, 0, spec));
  PARAPET_ASSIGN(const bool isFoundFurtherDown,
                 tables->collection ? fitTables(*tables, spec, first) : fitPlaces(*tables, first));
  // Names alone have no types: those of the first table with a row are the types of all.
  for (std::size_t index = 1; index < tables->count() && !DelimitedSource::hasRows(first.part);
       ++index) {
    PARAPET_ASSIGN(OpenedTable other, openTable(*tables, index, spec));
    if (!DelimitedSource::hasRows(other.part)) continue;
    first.table.columns = other.table.columns;
    first.table.hasNumbers = other.table.hasNumbers;
    break;
  }
  first.table.encoding = chooseEncoding(*tables, spec, otherwise, isFoundFurtherDown, first);
  return std::unique_ptr<Source>(new CsvSource(std::move(tables), spec, std::move(first)));
}

}  // namespace parapet::data
