// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/movielens_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/text_lines.h"

namespace parapet::data {
namespace {

using Kind = MovielensLayout::Kind;
using Cells = std::vector<std::string_view>;

// Fills title and attributes from the cells of a line; returns why the line is rejected, or "".
using MakeEntry = std::function<std::string(const Cells& cells, Catalogue::Entry& entry)>;

// A file whose lines are entries, the id in their first cell.
struct CatalogueFile {
  std::string name;
  CellFormat cells;
  std::vector<std::string> columns;
  bool isLatin1 = false;
  bool hasHeader = false;
};

DelimitedParser parserOf(const CatalogueFile& file, bool hasByteOrderMark) {
  std::vector<CellUse> uses{{.cell = 0,
                             .type = ValueType::kInteger,
                             .separator = {},
                             .weightSeparator = {},
                             .required = true,
                             .subject = "id",
                             .accepted = "a whole number from 1 is accepted"}};
  for (std::size_t cell = 1; cell < file.columns.size(); ++cell)
    uses.push_back({.cell = cell, .type = ValueType::kText});
  const bool latin1 = file.isLatin1 && !hasByteOrderMark;
  return {{file.cells, latin1 ? TextEncoding::kUtf8OrLatin1 : TextEncoding::kUtf8, file.columns},
          std::move(uses)};
}

// The entries of one block; rejected lines are added to those of the block.
void addEntries(const Source::Piece& piece, const MakeEntry& make, RowBlock& block,
                std::unordered_set<std::int64_t>& seen, Catalogue& catalogue) {
  Cells cells(block.columns.size());
  for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row) {
    const std::int64_t id = block.columns[0].integers[row];
    for (std::size_t c = 1; c < cells.size(); ++c) cells[c] = block.columns[c].texts[row];
    Catalogue::Entry entry{.id = fmt::format("{}", id), .title = {}, .attributes = {}};
    std::string reason;
    if (id < 1)
      reason = fmt::format("id \"{}\"; a whole number from 1 is accepted", id);
    else if (seen.contains(id))
      reason = fmt::format("id {} occurs a second time; the first line counts", id);
    else
      reason = make(cells, entry);
    if (reason.empty()) {
      seen.insert(id);
      catalogue.entries.push_back(std::move(entry));
      continue;
    }
    const std::int64_t line = block.lineOf(static_cast<std::int64_t>(row));
    block.rejected.push_back({line, std::move(reason), printable(lineAt(piece.text, line))});
  }
  std::stable_sort(block.rejected.begin(), block.rejected.end(),
                   [](const RejectedRow& a, const RejectedRow& b) { return a.line < b.line; });
}

Status readEntries(const FileCollection& files, const CatalogueFile& file, const MakeEntry& make,
                   Quarantine& bad, std::vector<std::string>& warnings, Catalogue& catalogue) {
  catalogue.file = files.pathOf(file.name);
  PARAPET_ASSIGN(const auto input, files.openText(file.name));
  std::optional<DelimitedParser> parser;
  std::unordered_set<std::int64_t> seen;
  Source::Piece piece;
  RowBlock block;
  std::int64_t lines = 0;
  for (;;) {
    PARAPET_ASSIGN(const bool found, input->next(piece));
    if (!found) return {};
    if (!parser) {
      PARAPET_TRY(checkLineEnds(piece.text, catalogue.file));
      parser.emplace(parserOf(file, input->hasByteOrderMark()));
      piece.headerLines = file.hasHeader ? 1 : 0;
      if (input->hasByteOrderMark())
        warnings.push_back(file.name + " starts with a byte-order mark; read as UTF-8");
    }
    parser->parse(piece, block);
    const std::size_t before = catalogue.entries.size();
    addEntries(piece, make, block, seen, catalogue);
    for (std::size_t good = before; good < catalogue.entries.size(); ++good) bad.countGood();
    for (const RejectedRow& row : block.rejected)
      bad.addShown(lines + row.line + 1, row.reason, row.excerpt);
    lines += block.lines;
    input->release(piece);
  }
}

// Names of the genre flags by position; a line of u.genre is "Comedy|5".
Result<std::vector<std::string>> readGenres(const FileCollection& files,
                                            const MovielensLayout& layout) {
  if (!files.has(layout.genres)) return movielensGenres();
  PARAPET_ASSIGN(const auto input, files.openText(layout.genres));
  const std::string path = files.pathOf(layout.genres);
  std::vector<std::string> genres;
  Source::Piece piece;
  std::int64_t number = 0;
  for (;;) {
    PARAPET_ASSIGN(const bool found, input->next(piece));
    if (!found) return genres.empty() ? movielensGenres() : genres;
    for (std::string_view rest = piece.text; !rest.empty();) {
      const std::string_view line = takeLine(rest);
      ++number;
      if (isBlankLine(line)) continue;
      const auto fields = splitFields(line, '|');
      const auto position = fields.size() == 2 ? parseInt(fields[1]) : std::nullopt;
      if (position != std::ssize(genres))
        return Error{ErrorCode::kData,
                     fmt::format("{}: line {} is \"{}\"; \"name|{}\" is accepted", path, number,
                                 printable(line), genres.size()),
                     "", path, number};
      genres.push_back(isValidUtf8(fields[0]) ? std::string(fields[0]) : latin1ToUtf8(fields[0]));
    }
  }
}

// The genres whose flag is 1, or why the flags are none.
std::string joinGenres(std::span<const std::string_view> flags,
                       const std::vector<std::string>& genres, std::string& joined) {
  std::vector<std::string> found;
  for (std::size_t g = 0; g < flags.size(); ++g) {
    if (flags[g] == "1")
      found.push_back(genres[g]);
    else if (flags[g] != "0")
      return fmt::format("genre flag \"{}\"; 0 or 1 is accepted", printable(flags[g], 30));
  }
  joined = join(found, "|");
  return {};
}

Status readFlaggedItems(const FileCollection& files, const MovielensLayout& layout, Quarantine& bad,
                        std::vector<std::string>& warnings, Catalogue& catalogue) {
  PARAPET_ASSIGN(const auto genres, readGenres(files, layout));
  CatalogueFile file;
  file.name = layout.items;
  file.cells = {"|", std::nullopt};
  file.columns = {"id", "title", "released", "video", "URL"};
  file.isLatin1 = true;
  const std::size_t before = file.columns.size();
  file.columns.insert(file.columns.end(), genres.begin(), genres.end());
  catalogue.attributeNames = {"genres", "released"};
  const auto make = [&](const Cells& cells, Catalogue::Entry& entry) {
    std::string joined;
    std::string reason = joinGenres(std::span(cells).subspan(before), genres, joined);
    entry.title = cells[1];
    entry.attributes = {std::move(joined), std::string(cells[2])};
    return reason;
  };
  return readEntries(files, file, make, bad, warnings, catalogue);
}

// The occupations of the layout 1M by their numbers.
const std::vector<std::string>& occupations() {
  static const std::vector<std::string> names{"other",
                                              "academic/educator",
                                              "artist",
                                              "clerical/admin",
                                              "college/grad student",
                                              "customer service",
                                              "doctor/health care",
                                              "executive/managerial",
                                              "farmer",
                                              "homemaker",
                                              "K-12 student",
                                              "lawyer",
                                              "programmer",
                                              "retired",
                                              "sales/marketing",
                                              "scientist",
                                              "self-employed",
                                              "technician/engineer",
                                              "tradesman/craftsman",
                                              "unemployed",
                                              "writer"};
  return names;
}

}  // namespace

Result<Catalogue> readItemCatalogue(const FileCollection& files, const MovielensLayout& layout,
                                    Quarantine& bad, std::vector<std::string>& warnings) {
  Catalogue catalogue;
  if (layout.kind == Kind::k100K) {
    PARAPET_TRY(readFlaggedItems(files, layout, bad, warnings, catalogue));
    return catalogue;
  }
  catalogue.attributeNames = {"genres"};
  const CatalogueFile file{.name = layout.items,
                           .cells = layout.ratingCells,
                           .columns = {"id", "title", "genres"},
                           .isLatin1 = layout.kind == Kind::k1M,
                           .hasHeader = layout.kind == Kind::kCsv};
  const auto make = [](const Cells& cells, Catalogue::Entry& entry) {
    entry.title = cells[1];
    entry.attributes = {cells[2] == "(no genres listed)" ? std::string() : std::string(cells[2])};
    return std::string();
  };
  PARAPET_TRY(readEntries(files, file, make, bad, warnings, catalogue));
  return catalogue;
}

Result<Catalogue> readUserCatalogue(const FileCollection& files, const MovielensLayout& layout,
                                    Quarantine& bad, std::vector<std::string>& warnings) {
  Catalogue catalogue;
  catalogue.attributeNames = {"age", "gender", "occupation", "zip"};
  const bool is1M = layout.kind == Kind::k1M;
  CatalogueFile file;
  file.name = layout.users;
  file.cells = is1M ? layout.ratingCells : CellFormat{"|", std::nullopt};
  file.columns = {"id", "age", "gender", "occupation", "zip code"};
  file.isLatin1 = true;
  if (is1M) std::swap(file.columns[1], file.columns[2]);
  const auto make = [is1M](const Cells& cells, Catalogue::Entry& entry) {
    entry.attributes = {std::string(cells[is1M ? 2 : 1]), std::string(cells[is1M ? 1 : 2]),
                        std::string(cells[3]), std::string(cells[4])};
    if (!is1M) return std::string();
    const auto number = parseInt(cells[3]);
    if (!number || *number < 0 || *number >= std::ssize(occupations()))
      return fmt::format("occupation \"{}\"; 0 to {} is accepted", printable(cells[3], 30),
                         occupations().size() - 1);
    entry.attributes[2] = occupations()[static_cast<std::size_t>(*number)];
    return std::string();
  };
  PARAPET_TRY(readEntries(files, file, make, bad, warnings, catalogue));
  return catalogue;
}

}  // namespace parapet::data
