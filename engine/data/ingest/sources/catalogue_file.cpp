// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/catalogue_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/text.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

// Lines of a table as entries.
class TableFile final : public CatalogueFile {
 public:
  explicit TableFile(TableCatalogue table)
      : CatalogueFile(std::move(table.info)), table_(std::move(table)) {}

  Status read(CatalogueTable& table, Quarantine& rejected, std::int64_t atMost,
              const WorkContext& context) override {
    PARAPET_TRY(select());
    LineNumbers numbers(*table_.lines);
    Source::Piece piece;
    RowBlock block;
    std::int64_t entries = 0;
    for (bool more = true; more && entries < atMost;) {
      if (context.cancelled()) return importCancelled();
      PARAPET_ASSIGN(more, table_.lines->next(piece));
      if (!more) break;
      PARAPET_TRY(table_.lines->parse(piece, block));
      isOddText_ = isOddText_ || (!table_.isLatin1 && !isValidUtf8(piece.text));
      entries += addEntries(piece, block, table, rejected);
      const std::int64_t before = numbers.before(piece, block.lines);
      for (const RejectedRow& bad : block.rejected)
        rejected.addShown(before + bad.line + 1, bad.reason, bad.excerpt, info().pointer);
      context.report("catalogue", table_.lines->done(), table_.lines->total());
    }
    return {};
  }
  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    return table_.isHashed ? table_.lines->hashInto(hasher, context) : Status{};
  }
  [[nodiscard]] std::vector<std::string> warnings() const override {
    if (info().isOfRows) return {};  // the rows tell them
    std::vector<std::string> found = table_.lines->warnings();
    if (isOddText_)
      found.push_back(
          fmt::format("{} is not UTF-8 throughout; cells that are not are read as "
                      "ISO-8859-1",
                      fileName()));
    return found;
  }
  [[nodiscard]] std::string fileName() const override {
    return table_.fileName.empty() ? table_.lines->fileName() : table_.fileName;
  }

 private:
  Status select() {
    std::vector<ColumnRequest> requests{{table_.id, ValueType::kText, {}, {}, {}}};
    const std::vector<SourceColumn>& columns = table_.lines->columns();
    for (const std::string& name : table_.cells) {
      const auto found = std::ranges::find(columns, name, &SourceColumn::name);
      // Parquet does not write its fractions as texts.
      const bool isNumber =
          table_.isTyped && found != columns.end() && found->type == ValueType::kNumber;
      requests.push_back({name, isNumber ? ValueType::kNumber : ValueType::kText, {}, {}, {}});
    }
    return table_.lines->select(requests);
  }

  // The cells of a row of the block; numbers become texts.
  void cellsOf(const RowBlock& block, std::size_t row) {
    numbers_.clear();
    numbers_.reserve(table_.cells.size());
    for (std::size_t c = 0; c < table_.cells.size(); ++c) {
      const ColumnValues& values = block.columns[c + 1];
      CatalogueCell& cell = cells_[c] = {};
      if (values.isMissing(row)) continue;
      if (values.isList()) {
        const auto begin = static_cast<std::size_t>(values.offsets[row]);
        const auto end = static_cast<std::size_t>(values.offsets[row + 1]);
        cell.list = std::span(values.texts).subspan(begin, end - begin);
      } else if (values.type == ValueType::kNumber) {
        cell.text = numbers_.emplace_back(fmt::format("{}", values.numbers[row]));
      } else {
        cell.text = values.texts[row];
      }
    }
  }

  // Returns how many lines became entries; the others are added to the rejected ones of the block.
  std::int64_t addEntries(const Source::Piece& piece, RowBlock& block, CatalogueTable& table,
                          Quarantine& rejected) {
    cells_.resize(table_.cells.size());
    std::vector<CatalogueCell> made(info().columns.size());
    std::int64_t entries = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
      const std::string_view id = block.columns[0].texts[row];
      cellsOf(block, row);
      std::string reason;
      if (!table_.make) {
        reason = table.add(id, cells_);
      } else {
        line_.assign(1, id);
        for (const CatalogueCell& cell : cells_) line_.push_back(cell.text);
        madeTexts_.clear();
        madeTexts_.reserve(made.size());  // views into them stay
        reason = table_.make(line_, made, madeTexts_);
        if (reason.empty()) reason = table.add(id, made);
      }
      if (reason.empty()) {
        ++entries;
        continue;
      }
      const std::int64_t line = block.lineOf(static_cast<std::int64_t>(row));
      const bool isShown = block.rejected.size() < Quarantine::kKept;
      block.rejected.push_back(
          {line, std::move(reason), isShown ? table_.lines->excerpt(piece, line) : std::string()});
    }
    rejected.countGood(entries);
    std::ranges::stable_sort(block.rejected, {}, &RejectedRow::line);
    return entries;
  }

  TableCatalogue table_;
  std::vector<CatalogueCell> cells_;
  std::vector<std::string_view> line_;
  std::vector<std::string> numbers_, madeTexts_;
  bool isOddText_ = false;
};

Error atEntry(Error error, const std::string& pointer, const char* key) {
  error.pointer = pointer + key;
  return error;
}

// The column of the ids; the document may leave it open.
Result<std::string> idColumn(const experiment::Catalogue& spec, const Source& lines,
                             const std::string& idOfData, const std::string& path,
                             const std::string& pointer) {
  const std::vector<std::string> names = namesOf(lines.columns());
  const std::string wanted = spec.id ? *spec.id : idOfData;
  if (std::ranges::find(names, wanted) != names.end()) return wanted;
  return Error{
      ErrorCode::kInvalidDocument,
      fmt::format("{} has no column \"{}\"{}, whose ids would be those of {}; accepted: {}", path,
                  wanted, didYouMean(wanted, names), idOfData, listed(names)),
      pointer + "/id", path};
}

Result<TableCatalogue> openTableOf(const experiment::Dataset& data,
                                   const experiment::Catalogue& spec, const std::string& idOfData,
                                   const std::string& pointer) {
  const auto path = findSideFile(data, spec.path);
  if (!path) return atEntry(path.error(), pointer, "/path");
  auto lines = openTable(*path, spec.format, TextEncoding::kWindows1252);
  if (!lines) return atEntry(lines.error(), pointer, spec.format ? "" : "/path");
  TableCatalogue table{.info = {.of = spec.of, .file = *path, .pointer = pointer},
                       .lines = std::move(lines).value(),
                       .id = {},
                       .cells = {},
                       .isTyped = tableSource(*path) == experiment::SourceKind::kParquet};
  table.info.cold = spec.cold;
  std::error_code none;
  table.info.isOfRows = data.path && std::filesystem::equivalent(*data.path, *path, none);
  table.isHashed = !table.info.isOfRows;
  PARAPET_ASSIGN(table.id, idColumn(spec, *table.lines, idOfData, *path, pointer));
  const std::vector<SourceColumn>& columns = table.lines->columns();
  const auto want = [&](const std::string& name, const std::string& at, bool isTitle) -> Status {
    const auto found = std::ranges::find(columns, name, &SourceColumn::name);
    if (found == columns.end())
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("{} has no column \"{}\"{}; accepted: {}", *path, name,
                               didYouMean(name, namesOf(columns)), listed(namesOf(columns))),
                   at, *path};
    // A list of numbers is no attribute; `dataset.vectors` reads it.
    if (found->isList && found->type != ValueType::kText)
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("column \"{}\" of {} has lists of numbers; texts, numbers or lists "
                               "of texts are accepted (dataset.vectors reads embeddings)",
                               name, *path),
                   at, *path};
    table.cells.push_back(name);
    // The rows have the titles of their own file already.
    table.info.columns.push_back({.name = isTitle && table.info.isOfRows ? "" : name,
                                  .attribute = isTitle ? "" : name,
                                  .type = found->type,
                                  .isList = found->isList});
    return {};
  };
  if (spec.title) {
    table.info.title = 0;
    PARAPET_TRY(want(*spec.title, pointer + "/title", true));
    if (table.info.columns.front().isList)
      return Error{
          ErrorCode::kInvalidDocument,
          fmt::format("column \"{}\" has lists; one title an entry is accepted", *spec.title),
          pointer + "/title", *path};
  }
  const auto isTaken = [&](const std::string& name) {
    return name == table.id || name == spec.title;
  };
  if (spec.columns) {
    for (std::size_t c = 0; c < spec.columns->size(); ++c)
      if (!isTaken((*spec.columns)[c]))
        PARAPET_TRY(want((*spec.columns)[c], fmt::format("{}/columns/{}", pointer, c), false));
    return table;
  }
  for (const SourceColumn& column : columns) {
    const bool isAttribute = !column.isList || column.type == ValueType::kText;
    if (isAttribute && !isTaken(column.name)) PARAPET_TRY(want(column.name, pointer, false));
  }
  return table;
}

}  // namespace

void CatalogueFile::renameColumn(std::size_t column, std::string name) {
  CatalogueColumn& renamed = info_.columns[column];
  if (!renamed.attribute.empty()) renamed.attribute = name;
  renamed.name = std::move(name);
}

std::unique_ptr<CatalogueFile> makeCatalogue(TableCatalogue table) {
  return std::make_unique<TableFile>(std::move(table));
}

Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogueFiles(
    const experiment::Dataset& spec,
    const std::function<std::string(std::string_view role)>& idOf) {
  std::vector<std::unique_ptr<CatalogueFile>> files;
  for (std::size_t i = 0; i < spec.catalogues.size(); ++i) {
    const experiment::Catalogue& catalogue = spec.catalogues[i];
    PARAPET_ASSIGN(TableCatalogue table, openTableOf(spec, catalogue, idOf(catalogue.of),
                                                     fmt::format("/dataset/catalogues/{}", i)));
    files.push_back(makeCatalogue(std::move(table)));
  }
  return files;
}

}  // namespace parapet::data
