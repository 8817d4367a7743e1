// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/movielens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/ingest/sources/text_source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

std::vector<DelimitedSource::Column> ratingColumns() {
  constexpr const char* kId = "a whole number from 0 to 2^63 − 1 is accepted";
  std::vector<DelimitedSource::Column> columns(4);
  const auto set = [&columns](std::size_t cell, const char* name, ValueType type,
                              const char* subject, const char* accepted) {
    DelimitedSource::Column& column = columns[cell];
    column.column.name = name;
    column.column.type = type;
    column.subject = subject;
    column.accepted = accepted;
    column.required = true;
  };
  set(0, "user", ValueType::kInteger, "user id", kId);
  set(1, "item", ValueType::kInteger, "item id", kId);
  set(2, "rating", ValueType::kNumber, "rating", "a number is accepted");
  set(3, "time", ValueType::kInteger, "time", "whole seconds since 1970 are accepted");
  return columns;
}

class MovielensSource final : public DelimitedSource {
 public:
  MovielensSource(std::string path, FileCollection files, MovielensLayout layout, Part ratings,
                  std::string warning)
      : DelimitedSource(layout.ratingCells, ratingColumns(), std::move(ratings)),
        path_(std::move(path)),
        files_(std::move(files)),
        layout_(std::move(layout)) {
    if (!warning.empty()) warn(std::move(warning));
  }

  [[nodiscard]] std::string absenceOf(std::string_view column) const override {
    const std::string_view role = movielensRoleOf(column);
    if (role.empty()) return {};
    const std::string& file = role == "user" ? layout_.users : layout_.items;
    if (file.empty())
      return fmt::format("data sets with {} have no file of {}s", layout_.ratings, role);
    return fmt::format("it is read from {}, which is missing", files_.pathOf(file));
  }
  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    const std::array names{layout_.ratings, layout_.items, layout_.users, layout_.genres};
    return files_.hashInto(hasher, names, context);
  }
  Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogues() const override {
    return openMovielensCatalogues(files_, layout_, path_);
  }
  [[nodiscard]] std::string catalogueName(std::string_view role) const override {
    if (role == "item") return files_.pathOf(layout_.items);
    return role == "user" && !layout_.users.empty() ? files_.pathOf(layout_.users) : std::string();
  }
  [[nodiscard]] std::string fileName() const override { return nameOf(layout_.ratings); }

 private:
  // Name of a file inside the folder or archive.
  [[nodiscard]] std::string nameOf(const std::string& file) const {
    return fs::path(files_.pathOf(file)).lexically_relative(path_).string();
  }

  std::string path_;
  FileCollection files_;
  MovielensLayout layout_;
};

// How many lines of names a file of ratings begins with.
Result<std::int64_t> countHeaderLines(const MovielensLayout& layout, std::string_view text,
                                      const std::string& path) {
  if (layout.kind != MovielensLayout::Kind::kCsv) return std::int64_t{0};
  constexpr std::string_view kNames = "userId,movieId,rating,timestamp";
  const std::string_view line = lineAt(text, 0);
  if (line == kNames) return std::int64_t{1};
  if (parseInt(line.substr(0, line.find(',')))) return std::int64_t{0};
  return Error{
      ErrorCode::kData,
      fmt::format("{}: line 1 is \"{}\"; \"{}\" is expected", path, printable(line), kNames), "",
      path, 1};
}

Result<TextSource::Part> openRatings(const FileCollection& files, const MovielensLayout& layout,
                                     std::string& warning) {
  TextSource::Part part;
  const std::string path = files.pathOf(layout.ratings);
  PARAPET_ASSIGN(part.input, files.openText(layout.ratings));
  Source::Piece first;
  PARAPET_ASSIGN(const bool found, part.input->next(first));
  if (!found || first.text.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} is empty; lines of user, item, rating and unix time, separated by "
                             "{}, are expected",
                             path, delimiterName(layout.ratingCells.delimiter)),
                 "", path};
  PARAPET_TRY(checkLineEnds(first.text, path));
  PARAPET_ASSIGN(first.headerLines, countHeaderLines(layout, first.text, path));
  if (part.input->hasByteOrderMark())
    warning = layout.ratings + " starts with a byte-order mark; skipped";
  part.first = std::move(first);
  return part;
}

using Kind = MovielensLayout::Kind;
using Line = std::span<const std::string_view>;

constexpr const char* kAcceptedId = "a whole number from 1 is accepted";

// A file whose lines are entries, the id in their first cell.
struct EntryLines {
  std::string name;
  CellFormat cells;
  std::vector<std::string> columns;
  bool isLatin1 = false;
  bool hasHeader = false;
};

// The lines of a member of a folder or archive; what they are made from is hashed with the ratings.
class EntrySource final : public DelimitedSource {
 public:
  EntrySource(const EntryLines& file, std::vector<Column> columns, std::string fileName, Part part,
              bool isLatin1)
      : DelimitedSource(file.cells, std::move(columns), std::move(part),
                        isLatin1 ? TextEncoding::kWindows1252 : TextEncoding::kUtf8),
        fileName_(std::move(fileName)) {}
  Status hashInto(Hasher&, const WorkContext&) const override { return {}; }
  [[nodiscard]] std::string fileName() const override { return fileName_; }
  void warnOfByteOrderMark(const std::string& file) {
    warn(file + " starts with a byte-order mark; read as UTF-8");
  }

 private:
  std::string fileName_;
};

Result<std::unique_ptr<Source>> openLines(const FileCollection& files, const EntryLines& file,
                                          const std::string& folder) {
  const std::string path = files.pathOf(file.name);
  TextSource::Part part;
  PARAPET_ASSIGN(part.input, files.openText(file.name));
  Source::Piece first;
  PARAPET_ASSIGN(const bool found, part.input->next(first));
  if (found) {
    PARAPET_TRY(checkLineEnds(first.text, path));
    first.headerLines = file.hasHeader ? 1 : 0;
    part.first = std::move(first);
  }
  std::vector<DelimitedSource::Column> columns;
  for (const std::string& name : file.columns)
    columns.push_back({.column = {name, ValueType::kText, false}, .subject = {}, .accepted = {}});
  columns.front().required = true;
  columns.front().subject = "id";
  columns.front().accepted = kAcceptedId;
  const bool isMarked = part.input->hasByteOrderMark();
  auto lines = std::make_unique<EntrySource>(file, std::move(columns),
                                             fs::path(path).lexically_relative(folder).string(),
                                             std::move(part), file.isLatin1 && !isMarked);
  if (isMarked) lines->warnOfByteOrderMark(file.name);
  return std::unique_ptr<Source>(std::move(lines));
}

// Why an id is none of MovieLens; "" if it is one.
std::string reasonAgainstId(std::string_view id) {
  const auto number = parseInt(id);
  return number && *number >= 1 ? std::string()
                                : fmt::format("id \"{}\"; {}", printable(id, 40), kAcceptedId);
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

// The columns of items in the order of their cells.
std::vector<CatalogueColumn> itemColumns(bool hasReleased) {
  std::vector<CatalogueColumn> columns{
      {.name = "title", .attribute = ""},
      {.name = "genres", .attribute = "genres"},
      {.name = "year", .attribute = "", .type = ValueType::kInteger}};
  if (hasReleased) columns.push_back({.name = "", .attribute = "released"});
  return columns;
}

std::vector<CatalogueColumn> userColumns() {
  return {{.name = "user_age", .attribute = "age", .type = ValueType::kInteger},
          {.name = "user_gender", .attribute = "gender"},
          {.name = "user_occupation", .attribute = "occupation"},
          {.name = "user_zip", .attribute = "zip"}};
}

TableCatalogue tableOf(const FileCollection& files, const EntryLines& file, const char* of,
                       std::unique_ptr<Source> lines, std::vector<CatalogueColumn> columns) {
  TableCatalogue table{
      .info = {.of = of, .file = files.pathOf(file.name), .columns = std::move(columns)},
      .lines = std::move(lines),
      .id = file.columns.front(),
      .cells = {file.columns.begin() + 1, file.columns.end()}};
  table.isLatin1 = file.isLatin1;
  table.isHashed = false;
  return table;
}

Result<std::unique_ptr<CatalogueFile>> openItems(const FileCollection& files,
                                                 const MovielensLayout& layout,
                                                 const std::string& folder) {
  EntryLines file{.name = layout.items,
                  .cells = layout.ratingCells,
                  .columns = {"id", "title", "genres"},
                  .isLatin1 = layout.kind == Kind::k1M,
                  .hasHeader = layout.kind == Kind::kCsv};
  const bool hasFlags = layout.kind == Kind::k100K;
  std::vector<std::string> genres;
  if (hasFlags) {
    PARAPET_ASSIGN(genres, readGenres(files, layout));
    file.cells = {"|", std::nullopt};
    file.columns = {"id", "title", "released", "video", "URL"};
    file.columns.insert(file.columns.end(), genres.begin(), genres.end());
    file.isLatin1 = true;
  }
  PARAPET_ASSIGN(auto lines, openLines(files, file, folder));
  TableCatalogue table = tableOf(files, file, "item", std::move(lines), itemColumns(hasFlags));
  table.info.title = 0;
  table.make = [genres, hasFlags](Line line, std::span<CatalogueCell> entry,
                                  std::vector<std::string>& made) {
    std::string reason = reasonAgainstId(line[0]);
    entry[0].text = line[1];
    entry[2].text = yearOf(line[1]);
    if (!hasFlags) {
      entry[1].text = line[2] == "(no genres listed)" ? std::string_view() : line[2];
      return reason;
    }
    constexpr std::size_t kFirstFlag = 5;
    std::string& joined = made.emplace_back();
    if (reason.empty()) reason = joinGenres(line.subspan(kFirstFlag), genres, joined);
    entry[1].text = joined;
    entry[3].text = line[2];
    return reason;
  };
  return makeCatalogue(std::move(table));
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

Result<std::unique_ptr<CatalogueFile>> openUsers(const FileCollection& files,
                                                 const MovielensLayout& layout,
                                                 const std::string& folder) {
  const bool is1M = layout.kind == Kind::k1M;
  EntryLines file{.name = layout.users,
                  .cells = is1M ? layout.ratingCells : CellFormat{"|", std::nullopt},
                  .columns = {"id", "age", "gender", "occupation", "zip code"},
                  .isLatin1 = true};
  if (is1M) std::swap(file.columns[1], file.columns[2]);
  PARAPET_ASSIGN(auto lines, openLines(files, file, folder));
  TableCatalogue table = tableOf(files, file, "user", std::move(lines), userColumns());
  table.make = [is1M](Line line, std::span<CatalogueCell> entry, std::vector<std::string>&) {
    std::string reason = reasonAgainstId(line[0]);
    entry[0].text = line[is1M ? 2 : 1];
    entry[1].text = line[is1M ? 1 : 2];
    entry[2].text = line[3];
    entry[3].text = line[4];
    if (!is1M || !reason.empty()) return reason;
    const auto number = parseInt(line[3]);
    if (!number || *number < 0 || *number >= std::ssize(occupations()))
      return fmt::format("occupation \"{}\"; 0 to {} is accepted", printable(line[3], 30),
                         occupations().size() - 1);
    entry[2].text = occupations()[static_cast<std::size_t>(*number)];
    return reason;
  };
  return makeCatalogue(std::move(table));
}

// The entries of a generator, as those of its MovieLens files are read.
class GeneratedEntries final : public CatalogueFile {
 public:
  GeneratedEntries(Catalogue entries, std::string_view role)
      : CatalogueFile({.of = std::string(role),
                       .file = fmt::format("of generated {}s", role),
                       .columns = role == "item" ? itemColumns(true) : userColumns(),
                       .title = role == "item" ? std::optional<std::size_t>(0) : std::nullopt}),
        entries_(std::move(entries)) {}

  Status read(CatalogueTable& table, Quarantine&, std::int64_t atMost,
              const WorkContext&) override {
    const bool areItems = info().of == "item";
    std::vector<CatalogueCell> cells(info().columns.size());
    std::int64_t count = 0;
    for (const Catalogue::Entry& entry : entries_.entries) {
      if (count++ == atMost) break;
      if (areItems) {
        cells[0].text = entry.title;
        cells[1].text = entry.attributes[0];
        cells[2].text = yearOf(entry.title);
        cells[3].text = entry.attributes[1];
      } else {
        for (std::size_t c = 0; c < cells.size(); ++c) cells[c].text = entry.attributes[c];
      }
      if (const std::string reason = table.add(entry.id, cells); !reason.empty())
        return Error{ErrorCode::kInternal, "[GeneratedEntries] " + reason};
    }
    return {};
  }

 private:
  Catalogue entries_;
};

}  // namespace

Result<MovielensLayout> MovielensLayout::of(const FileCollection& files, const std::string& path) {
  static const std::vector<MovielensLayout> layouts{
      {Kind::k100K, "u.data", "u.item", "u.user", "u.genre", {"\t", std::nullopt}},
      {Kind::k1M, "ratings.dat", "movies.dat", "users.dat", "", {"::", std::nullopt}},
      {Kind::kCsv, "ratings.csv", "movies.csv", "", "", {",", '"'}}};
  for (const MovielensLayout& layout : layouts)
    if (files.has(layout.ratings)) return layout;
  constexpr std::string_view kExpected =
      "a MovieLens data set with u.data, ratings.dat or ratings.csv is expected";
  return Error{ErrorCode::kData,
               files.isEmpty() ? fmt::format("{} is empty; {}", path, kExpected)
                               : fmt::format("{} has no u.data, ratings.dat or ratings.csv; {}",
                                             path, kExpected),
               "", path};
}

Result<std::unique_ptr<Source>> openMovielensSource(const experiment::Dataset& spec) {
  if (!spec.path) throw InvalidArgument("MovieLens without a path");
  const std::string& path = *spec.path;
  std::error_code error;
  if (!fs::exists(path, error))
    return Error{ErrorCode::kData,
                 fmt::format("{} does not exist; the folder or zip archive of a MovieLens data set "
                             "is expected",
                             path),
                 "", path};
  PARAPET_ASSIGN(FileCollection files, FileCollection::open(path));
  PARAPET_ASSIGN(MovielensLayout layout, MovielensLayout::of(files, path));
  std::string warning;
  PARAPET_ASSIGN(TextSource::Part ratings, openRatings(files, layout, warning));
  auto source = std::make_unique<MovielensSource>(path, std::move(files), std::move(layout),
                                                  std::move(ratings), std::move(warning));
  return std::unique_ptr<Source>(std::move(source));
}

std::string_view movielensRoleOf(std::string_view column) {
  const auto isIn = [&](const std::vector<CatalogueColumn>& columns) {
    return std::ranges::find(columns, column, &CatalogueColumn::name) != columns.end();
  };
  if (column.empty()) return {};
  return isIn(userColumns()) ? "user" : isIn(itemColumns(false)) ? "item" : "";
}

Result<std::vector<std::unique_ptr<CatalogueFile>>> openMovielensCatalogues(
    const FileCollection& files, const MovielensLayout& layout, const std::string& folder) {
  std::vector<std::unique_ptr<CatalogueFile>> found;
  if (files.has(layout.items)) {
    PARAPET_ASSIGN(auto items, openItems(files, layout, folder));
    found.push_back(std::move(items));
  }
  if (files.has(layout.users)) {
    PARAPET_ASSIGN(auto users, openUsers(files, layout, folder));
    found.push_back(std::move(users));
  }
  return found;
}

std::unique_ptr<CatalogueFile> generatedCatalogue(Catalogue entries, std::string_view role) {
  return std::make_unique<GeneratedEntries>(std::move(entries), role);
}

}  // namespace parapet::data
